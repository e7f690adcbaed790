// Colours by lightness, chroma and hue (OKLCH), in which equal steps look equal. Math.cos and Math.pow may differ in
// their last bit between engines, so nothing here uses them.

/** Red, green and blue, each 0 to 255, not rounded. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** `lightness` 0 to 1; `chroma` 0 (grey) to about 0.3; `hue` in turns: 0.2 and 1.2 are the same. */
export type Tone = { lightness: number; chroma: number; hue: number }

/** The colour of a tone, clamped to what screens can show. */
export const rgbOf = ({ lightness, chroma, hue }: Tone): Rgb => {
  const a = chroma * sineOf(hue + 0.25)
  const b = chroma * sineOf(hue)
  const long = cube(lightness + 0.3963377774 * a + 0.2158037573 * b)
  const middle = cube(lightness - 0.1055613458 * a - 0.0638541728 * b)
  const short = cube(lightness - 0.0894841775 * a - 1.291485548 * b)
  return [
    screenValue(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short),
    screenValue(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short),
    screenValue(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short),
  ]
}

/** The tone a `part` (0 to 1) of the way between two; the hue runs from number to number. */
export const toneBetween = (from: Tone, to: Tone, part: number): Tone => ({
  lightness: between(from.lightness, to.lightness, part),
  chroma: between(from.chroma, to.chroma, part),
  hue: between(from.hue, to.hue, part),
})

export const between = (from: number, to: number, part: number): number => from + (to - from) * part

const cube = (value: number): number => value * value * value

/** The sine of an angle in turns, by two parabolas: off by 0.001 at most. */
const sineOf = (turns: number): number => {
  const turn = turns - Math.floor(turns + 0.5)
  const rough = 8 * turn - 16 * turn * Math.abs(turn)
  return 0.775 * rough + 0.225 * rough * Math.abs(rough)
}

/** Linear light, 0 to 1, to the scale of screens (sRGB), 0 to 255. */
const screenValue = (light: number): number => {
  const held = Math.min(Math.max(light, 0), 1)
  return 255 * (held <= 0.0031308 ? 12.92 * held : 1.055 * fiveTwelfths(held) - 0.055)
}

/** `value` to the power of 5/12, for 0.003 to 1: Newton's method finds the cube root. */
const fiveTwelfths = (value: number): number => {
  let root = 0.4 + 0.6 * value
  for (let round = 0; round < 6; round++) root -= (root - value / (root * root)) / 3
  const twelfth = Math.sqrt(Math.sqrt(root))
  return root * twelfth
}
