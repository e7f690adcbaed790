// The model of blending, in the order of 32-bit calculations that its formulas have.

import { changed, clamped, f32, fails, type Ops, unknown, unpredicted } from './values.ts'

type Mode = (one: number, other: number) => number

/** One less the product of what both leave. */
const screened: Mode = (one, other) => f32(1 - f32(f32(1 - one) * f32(1 - other)))

const softened: Mode = (one, other) => {
  if (other <= 0.5) return f32(one - f32(f32(f32(1 - f32(2 * other)) * one) * f32(1 - one)))
  const curve =
    one <= 0.25 ? f32(f32(f32(f32(f32(16 * one) - 12) * one) + 4) * one) : f32(Math.sqrt(one))
  return f32(one + f32(f32(f32(2 * other) - 1) * f32(curve - one)))
}

export const modes: Readonly<Record<string, Mode>> = {
  normal: (_, other) => other,
  multiply: (one, other) => f32(one * other),
  screen: screened,
  overlay: (one, other) =>
    one <= 0.5 ? f32(f32(2 * one) * other) : f32(1 - f32(f32(2 * f32(1 - one)) * f32(1 - other))),
  soft_light: softened,
  difference: (one, other) => f32(one - other),
}

/** The node, with the given way to mix the first picture with the result of the mode. */
export const blendNodes = (
  mix = (one: number, blended: number, share: number): number =>
    f32(f32(one * f32(1 - share)) + f32(blended * f32(share))),
): Ops => ({
  ImageBlend: ({ image, number, text }) => {
    const [one, other] = [image('image1'), image('image2')]
    const mode = modes[text('blend_mode')]
    if (mode === undefined || one.channels !== 3 || other.channels !== 3) return unpredicted()
    const isSame = other.width === one.width && other.height === one.height
    if (other.count !== one.count && other.count !== 1 && one.count !== 1) fails('RuntimeError')
    const count = one.count === 1 ? other.count : one.count
    if (!isSame || one.items === null || other.items === null) return [unknown({ ...one, count })]
    const items = Array.from({ length: count }, (_, index) =>
      (one.items?.[one.count === 1 ? 0 : index] ?? []).map((value, at) => {
        const second = other.items?.[other.count === 1 ? 0 : index]?.[at] ?? 0
        return mix(value, mode(value, second), number('blend_factor'))
      }),
    )
    return [changed({ ...one, count, items }, clamped)]
  },
})
