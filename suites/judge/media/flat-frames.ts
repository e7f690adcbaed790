// Frames of flat blocks, decoded: three planes (brightness, blue, red) of one number for each block of 16 by 16 pixels.

export type FlatFrame = {
  readonly across: number
  readonly planes: readonly [number[], number[], number[]]
}

/** The block from which a decoder guesses the one at this place. */
export type Guess = 'left' | 'above' | 'grey'

const GREY = 128

/** A frame whose blocks are not known yet. */
export const emptyFrame = (across: number): FlatFrame => ({ across, planes: [[], [], []] })

/** Sets a block to its guess and a difference, in one plane. */
export function setBlock(
  { planes, across }: FlatFrame,
  plane: 0 | 1 | 2,
  at: number,
  guess: Guess,
  difference: number,
): void {
  const values = planes[plane]
  const before = { left: values[at - 1], above: values[at - across], grey: GREY }[guess]
  if (before === undefined) throw new Error(`Nothing is ${guess} of the block ${at}.`)
  const value = before + difference
  if (value < 0 || value > 255) throw new Error(`The block ${at} has the value ${value}.`)
  values[at] = value
}
