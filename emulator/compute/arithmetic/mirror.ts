// Pictures that are mirrored beyond their edges.

import { raise } from '../../lib/raised.ts'

/** The exception for edges that are mirrored further than the picture reaches. */
export function checkMirror(shape: readonly number[], radius: number): void {
  const [rows = 0, columns = 0] = shape.slice(-2)
  if (shape.length > 4)
    raise(
      'NotImplementedError',
      `Padding size 4 is not supported for ${shape.length}D input tensor.\nSupported combinations for non-constant padding:\n  - 2D or 3D input: padding size = 2 (pads last dimension)\n  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)`,
    )
  if (rows === 0 || columns === 0)
    raise(
      'RuntimeError',
      `Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: [${shape.join(', ')}]`,
    )
  const side = radius >= columns ? shape.length - 1 : shape.length - 2
  if (radius < columns && radius < rows) return
  raise(
    'RuntimeError',
    `Argument #${side === shape.length - 1 ? 4 : 6}: Padding size should be less than the corresponding input dimension, but got: padding (${radius}, ${radius}) at dimension ${side} of input [${shape.join(', ')}]`,
  )
}

/** The place in a picture of one that may lie beyond its edges. */
export const mirrored = (at: number, side: number): number => {
  const place = Math.abs(at)
  return place < side ? place : 2 * (side - 1) - place
}
