// Scaling of latents along the arc between neighbours: direction and length are interpolated apart.

/** The neighbours of each new position, and how far it is from the first. */
function neighbours(from: number, to: number): readonly (readonly [number, number, number])[] {
  const scale = from / to
  const interpolated = (position: number, valueAt: (index: number) => number): number => {
    const first = Math.min(Math.floor(position), from - 1)
    const part = position - first
    return valueAt(first) * (1 - part) + valueAt(Math.min(first + 1, from - 1)) * part
  }
  return Array.from({ length: to }, (_, at) => {
    const position = Math.max(0, scale * (at + 0.5) - 0.5)
    const first = Math.fround(interpolated(position, (index) => index))
    const second = Math.fround(interpolated(position, (index) => Math.min(index + 1, from - 1)))
    return [Math.floor(first), Math.floor(second), first - Math.floor(first)] as const
  })
}

const ALMOST = 1e-5

/** Writes what lies between two vectors of `channels` numbers, which are `step` apart, to `to`. */
function between(
  data: Float32Array,
  a: number,
  b: number,
  part: number,
  target: Float32Array,
  to: number,
  channels: number,
  [step, targetStep]: readonly [number, number],
): void {
  let [squareA, squareB, product] = [0, 0, 0]
  for (let channel = 0; channel < channels; channel++) {
    const [one, other] = [data[a + channel * step]!, data[b + channel * step]!]
    squareA += one * one
    squareB += other * other
    product += one * other
  }
  const [lengthA, lengthB] = [Math.sqrt(squareA), Math.sqrt(squareB)]
  const cosine = lengthA === 0 || lengthB === 0 ? 0 : product / (lengthA * lengthB)
  const angle = Math.acos(Math.min(1, Math.max(-1, cosine)))
  const sine = Math.sin(angle)
  const length = lengthA * (1 - part) + lengthB * part
  const weightA = lengthA === 0 ? 0 : (Math.sin((1 - part) * angle) / sine / lengthA) * length
  const weightB = lengthB === 0 ? 0 : (Math.sin(part * angle) / sine / lengthB) * length
  for (let channel = 0; channel < channels; channel++) {
    const [one, other] = [data[a + channel * step]!, data[b + channel * step]!]
    // A vector without length counts as zeros, which have no sign.
    let value = (lengthA && one * weightA) + (lengthB && other * weightB)
    if (cosine > 1 - ALMOST) value = one
    else if (cosine < ALMOST - 1) value = one * (1 - part) + other * part
    target[to + channel * targetStep] = value
  }
}

/** A latent of channels times rows times columns in another size: first the rows, then the columns. */
export function bislerp(
  data: Float32Array,
  channels: number,
  [height, width]: readonly [number, number],
  [newHeight, newWidth]: readonly [number, number],
): Float32Array {
  const wide = new Float32Array(channels * height * newWidth)
  const across = neighbours(width, newWidth)
  for (let y = 0; y < height; y++)
    for (const [x, [a, b, part]] of across.entries())
      between(data, y * width + a, y * width + b, part, wide, y * newWidth + x, channels, [
        height * width,
        height * newWidth,
      ])
  const scaled = new Float32Array(channels * newHeight * newWidth)
  for (const [y, [a, b, part]] of neighbours(height, newHeight).entries())
    for (let x = 0; x < newWidth; x++)
      between(wide, a * newWidth + x, b * newWidth + x, part, scaled, y * newWidth + x, channels, [
        height * newWidth,
        newHeight * newWidth,
      ])
  return scaled
}
