// Designs a scene from an id: sky, sun or moon, clouds, hills, sometimes water. All positions are fractions of the
// width (0 left to 1 right) and of the height (0 top to 1 bottom).

import { type Rgb, rgbOf, type Tone, toneBetween } from './color.ts'
import { type Draw, drawFrom, mix, noiseAt, seedOf } from './random.ts'

/** A disc with light around it. `radius` and `reach` are fractions of the shorter side. */
export type Orb = { x: number; y: number; radius: number; reach: number; disc: Rgb; glow: Rgb }

/** `x` and `y` are positions; `radius` is a fraction of the shorter side; `light` 0 to 1. */
export type Star = { x: number; y: number; radius: number; light: number }

/** A veil below `edge(x)`: densest at the edge, with `cover` 0 to 1, and gone `depth` further down. */
export type Cloud = { edge: (x: number) => number; depth: number; color: Rgb; cover: number }

/** Everything below `edge(x)`. The color runs from `top` at the level `start` to `foot`, `depth` below. */
export type Hill = {
  edge: (x: number) => number
  start: number
  depth: number
  top: Rgb
  foot: Rgb
  /** How much of the glow falls on the part below the sun, 0 to 1. */
  lit: number
}

/** A level below which the picture is a mirror image. */
export type Water = { level: number; tint: Rgb }

export type Scene = {
  sky: (y: number) => Rgb
  orb: Orb
  stars: readonly Star[]
  clouds: readonly Cloud[]
  /** From back to front, without the nearest one. */
  hills: readonly Hill[]
  water: Water | null
  nearest: Hill
}

/** The colours of a time of day. The hue of the scene is added to all hues except that of the disc. */
type Mood = {
  zenith: Tone
  horizon: Tone
  /** The farthest and the nearest hill. */
  far: Tone
  near: Tone
  disc: Tone
  stars: number
}

const tone = (lightness: number, chroma: number, hue: number): Tone => ({ lightness, chroma, hue })

// Hues here count from blue (0) by violet (0.15) and rose (0.3) to orange (0.45) and yellow (0.55);
// those of the discs from red (0) by yellow (0.28) to green (0.4).
const DAY: Mood = {
  zenith: tone(0.66, 0.12, 0),
  horizon: tone(0.94, 0.04, -0.06),
  far: tone(0.78, 0.06, 0),
  near: tone(0.36, 0.08, -0.22),
  disc: tone(0.99, 0.03, 0.26),
  stars: 0,
}
const MORNING: Mood = {
  zenith: tone(0.72, 0.09, 0),
  horizon: tone(0.93, 0.07, 0.38),
  far: tone(0.8, 0.07, 0.26),
  near: tone(0.36, 0.09, 0.06),
  disc: tone(0.98, 0.05, 0.24),
  stars: 0,
}
const EVENING: Mood = {
  zenith: tone(0.42, 0.12, 0.08),
  horizon: tone(0.84, 0.13, 0.44),
  far: tone(0.62, 0.12, 0.34),
  near: tone(0.2, 0.06, 0.12),
  disc: tone(0.96, 0.08, 0.25),
  stars: 0,
}
const DUSK: Mood = {
  zenith: tone(0.3, 0.09, 0),
  horizon: tone(0.74, 0.12, 0.3),
  far: tone(0.52, 0.11, 0.2),
  near: tone(0.17, 0.05, 0.02),
  disc: tone(0.95, 0.06, 0.2),
  stars: 40,
}
const NIGHT: Mood = {
  zenith: tone(0.18, 0.06, 0.04),
  horizon: tone(0.52, 0.1, 0.02),
  far: tone(0.4, 0.09, 0.02),
  near: tone(0.15, 0.04, 0),
  disc: tone(0.97, 0.03, 0.28),
  stars: 110,
}
const MOODS: readonly Mood[] = [DAY, MORNING, EVENING, DUSK, NIGHT]

/** The hue of blue, in turns. */
const BLUE = 0.7

/** The scene of an `id`: the same for all sizes. */
export const sceneOf = (id: number): Scene => {
  const draw = drawFrom(seedOf(id))
  const mood = MOODS[Math.floor(draw(0, MOODS.length))]!
  const hue = BLUE + draw(-0.12, 0.22)
  const shifted = (of: Tone, by = hue): Tone => ({ ...of, hue: of.hue + by })
  const horizon = shifted(mood.horizon, hue + draw(-0.05, 0.05))
  const near = shifted(mood.near, hue + draw(-0.1, 0.1))
  const line = draw(0.52, 0.66)
  const hills = hillsOf(draw, { far: shifted(mood.far), near, haze: horizon }, line)
  return {
    sky: skyOf(shifted(mood.zenith), horizon, line + 0.1),
    orb: orbOf(draw, mood.disc, horizon, line),
    stars: starsOf(draw, mood.stars),
    clouds: cloudsOf(draw, horizon, line),
    hills: hills.slice(0, -1),
    water: draw() < 0.45 ? { level: draw(0.74, 0.8), tint: rgbOf(near) } : null,
    nearest: withTrees(draw, hills.at(-1)!),
  }
}

/** From `zenith` to `horizon`, quickest in the middle, as far down as `line`. */
const skyOf =
  (zenith: Tone, horizon: Tone, line: number) =>
  (y: number): Rgb => {
    const part = Math.min(y / line, 1)
    return rgbOf(toneBetween(zenith, horizon, (part * part * (3 - 2 * part) + part) / 2))
  }

const orbOf = (draw: Draw, disc: Tone, horizon: Tone, line: number): Orb => ({
  x: draw(0.18, 0.82),
  y: draw(0.2, line - 0.08),
  radius: draw(0.05, 0.1),
  reach: draw(0.2, 0.34),
  disc: rgbOf(disc),
  glow: rgbOf({ ...horizon, lightness: disc.lightness - 0.04, chroma: horizon.chroma * 0.7 }),
})

const starsOf = (draw: Draw, count: number): Star[] =>
  Array.from({ length: count }, () => {
    const rare = draw()
    const y = draw(0, 0.6)
    // Fewer stars are visible if the sky is bright.
    const light = draw(0.35, 0.95) * (1 - y / 0.6)
    return { x: draw(), y, radius: 0.0012 + 0.0022 * rare * rare * rare, light }
  })

const seedFrom = (draw: Draw): number => Math.floor(draw(0, 0x100000000))

const cloudsOf = (draw: Draw, horizon: Tone, line: number): Cloud[] => {
  const color = rgbOf({ ...horizon, lightness: Math.min(horizon.lightness + 0.08, 0.98) })
  return Array.from({ length: Math.floor(draw(1, 4)) }, () => {
    const seed = seedFrom(draw)
    const place = draw(0.22, line - 0.04)
    const edge = (x: number): number => {
      const bank = noiseAt(x * 1.7 + 9, seed)
      const puffs = noiseAt(x * 9, seed + 1) * 0.6 + noiseAt(x * 21, seed + 2) * 0.3
      return place + 0.1 - (0.15 + 0.07 * puffs) * bank
    }
    return { edge, depth: draw(0.08, 0.16), color, cover: draw(0.2, 0.45) }
  })
}

type HillTones = { far: Tone; near: Tone; haze: Tone }

const hillsOf = (draw: Draw, { far, near, haze }: HillTones, line: number): Hill[] => {
  const count = Math.floor(draw(4, 7))
  const roughness = draw()
  return Array.from({ length: count }, (_, index) => {
    const part = index / (count - 1)
    const place = line + (0.93 - line) * part
    const top = toneBetween(far, near, part)
    return {
      edge: ridgeOf(draw, place, part, roughness),
      start: place - 0.08,
      depth: 0.28,
      top: rgbOf(top),
      foot: rgbOf(toneBetween(top, haze, 0.6 * (1 - part))),
      lit: 0.35 * (1 - part),
    }
  })
}

/** The upper edge of a hill at `place`: rougher when far (`part` 0), rounder when near (1). */
const ridgeOf = (draw: Draw, place: number, part: number, roughness: number) => {
  const seed = seedFrom(draw)
  const height = draw(0.12, 0.22) * (1 - 0.45 * part)
  const width = draw(1.6, 2.8) + (1 - part) * 1.2
  const rough = (0.12 + 0.5 * roughness) * (1 - 0.8 * part)
  return (x: number): number => {
    let sum = noiseAt(x * width, seed)
    let size = rough
    let finer = width * 2.1
    for (let octave = 1; octave < 5; octave++) {
      sum += size * (0.5 - Math.abs(noiseAt(x * finer, seed + octave) * 2 - 1))
      size *= 0.48
      finer *= 2.1
    }
    return place - height * (sum - 0.45)
  }
}

/** A hill with the outlines of firs on it, in groups; half of the hills stay bare. */
const withTrees = (draw: Draw, hill: Hill): Hill => {
  if (draw() < 0.5) return hill
  const seed = seedFrom(draw)
  const density = draw(45, 70)
  const group = draw(2, 4)
  const edge = (x: number): number => {
    let height = 0
    for (let tree = Math.floor(x * density) - 1; tree <= x * density + 1; tree++) {
      const size = mix(seed + tree) / 0x100000000
      const middle = (tree + 0.2 + 0.6 * size) / density
      const tall = (0.3 + 0.7 * size) * (noiseAt(middle * group, seed) - 0.3) * 0.16
      height = Math.max(height, tall - Math.abs(x - middle) * (3.5 + 2 * size))
    }
    return hill.edge(x) - height
  }
  return { ...hill, edge }
}
