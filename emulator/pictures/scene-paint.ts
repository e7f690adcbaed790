// Paints a scene at any size, back to front. Uses only + - * / and square roots, which every engine rounds the same
// way.

import { between, type Rgb } from './color.ts'
import { blank, type Pixels } from './pixels.ts'
import { noiseAt } from './random.ts'
import type { Cloud, Hill, Orb, Scene, Star, Water } from './scene.ts'

/** The mapping of a scene to pixels: the centre of a pixel is at (x + 0.5) * stepX. */
type Canvas = {
  width: number
  height: number
  /** How much of the scene one pixel covers; 1 / width and 1 / height by nature. */
  stepX: number
  stepY: number
  /** Width and height of the scene relative to its shorter side, so that discs stay round. */
  sideX: number
  sideY: number
}

/** Opaque pixels of `scene`. */
export const paintScene = (scene: Scene, canvas: Canvas): Pixels => {
  const pixels = blank(canvas.width, canvas.height)
  paintSky(pixels, canvas, scene)
  for (const star of scene.stars) paintStar(pixels, canvas, star)
  for (const cloud of scene.clouds) paintCloud(pixels, canvas, cloud)
  paintDisc(pixels, canvas, scene.orb)
  for (const hill of scene.hills) paintHill(pixels, canvas, hill, scene.orb)
  if (scene.water !== null) paintWater(pixels, canvas, scene.water)
  paintHill(pixels, canvas, scene.nearest, scene.orb)
  return pixels
}

const paintSky = ({ data }: Pixels, canvas: Canvas, { sky, orb }: Scene): void => {
  const acrossSquared = Float64Array.from({ length: canvas.width }, (_, x) => {
    const across = ((x + 0.5) * canvas.stepX - orb.x) * canvas.sideX
    return across * across
  })
  const reach = orb.reach * orb.reach
  const [glowRed, glowGreen, glowBlue] = orb.glow
  for (let y = 0, at = 0; y < canvas.height; y++) {
    const place = (y + 0.5) * canvas.stepY
    const [red, green, blue] = sky(place)
    const down = (place - orb.y) * canvas.sideY
    for (let x = 0; x < canvas.width; x++, at += 4) {
      const near = reach / (reach + acrossSquared[x]! + down * down)
      const light = near * near * 0.7
      data[at] = red + (glowRed - red) * light + 0.5
      data[at + 1] = green + (glowGreen - green) * light + 0.5
      data[at + 2] = blue + (glowBlue - blue) * light + 0.5
      data[at + 3] = 255
    }
  }
}

/** Blends a colour over one pixel; `cover` is 0 to 1. */
const mixPixel = (data: Uint8Array, at: number, color: Rgb, cover: number): void => {
  const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
  data[at] = red + (color[0] - red) * cover + 0.5
  data[at + 1] = green + (color[1] - green) * cover + 0.5
  data[at + 2] = blue + (color[2] - blue) * cover + 0.5
}

type Disc = { x: number; y: number; radius: number; color: Rgb; cover: number }

const WHITE: Rgb = [255, 255, 255]

const paintStar = (pixels: Pixels, canvas: Canvas, { x, y, radius, light }: Star): void => {
  // A star smaller than a pixel becomes a darker pixel.
  const pixel = Math.max(canvas.stepX * canvas.sideX, canvas.stepY * canvas.sideY) * 0.7
  const shown = Math.max(radius, pixel)
  const cover = (light * radius * radius) / (shown * shown)
  drawDisc(pixels, canvas, { x, y, radius: shown, color: WHITE, cover })
}

const paintDisc = (pixels: Pixels, canvas: Canvas, { x, y, radius, disc }: Orb): void =>
  drawDisc(pixels, canvas, { x, y, radius, color: disc, cover: 1 })

const drawDisc = ({ data }: Pixels, canvas: Canvas, disc: Disc): void => {
  const { stepX, stepY, sideX, sideY } = canvas
  const pixel = Math.max(stepX * sideX, stepY * sideY)
  const reach = disc.radius + pixel
  const left = Math.max(0, Math.floor((disc.x - reach / sideX) / stepX))
  const right = Math.min(canvas.width, Math.ceil((disc.x + reach / sideX) / stepX))
  const top = Math.max(0, Math.floor((disc.y - reach / sideY) / stepY))
  const bottom = Math.min(canvas.height, Math.ceil((disc.y + reach / sideY) / stepY))
  for (let y = top; y < bottom; y++) {
    const down = ((y + 0.5) * stepY - disc.y) * sideY
    for (let x = left; x < right; x++) {
      const across = ((x + 0.5) * stepX - disc.x) * sideX
      const inside = (disc.radius - Math.sqrt(across * across + down * down)) / pixel + 0.5
      const cover = Math.min(Math.max(inside, 0), 1) * disc.cover
      if (cover > 0) mixPixel(data, (y * canvas.width + x) * 4, disc.color, cover)
    }
  }
}

/** An edge, column by column: its position, and its slope within one pixel. */
type Edge = { place: Float64Array; blur: Float64Array; firstRow: number }

const edgeOf = ({ width, stepX, stepY }: Canvas, edge: (x: number) => number): Edge => {
  const place = Float64Array.from({ length: width + 1 }, (_, x) => edge((x + 0.5) * stepX))
  const blur = new Float64Array(width)
  let highest = 1
  for (let x = 0; x < width; x++) {
    const slope = (place[x + 1]! - place[x]!) / stepY
    blur[x] = stepY * Math.sqrt(1 + slope * slope)
    highest = Math.min(highest, place[x]! - blur[x]! / 2)
  }
  return { place, blur, firstRow: Math.max(0, Math.floor(highest / stepY)) }
}

const paintCloud = ({ data }: Pixels, canvas: Canvas, cloud: Cloud): void => {
  const { width, height, stepY } = canvas
  const { place, blur, firstRow } = edgeOf(canvas, cloud.edge)
  for (let y = firstRow; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const below = (y + 0.5) * stepY - place[x]!
      const inside = below / blur[x]! + 0.5
      if (inside <= 0 || below >= cloud.depth) continue
      const density = cloud.cover * (1 - Math.max(below, 0) / cloud.depth)
      mixPixel(data, (y * width + x) * 4, cloud.color, Math.min(inside, 1) * density)
    }
  }
}

const paintHill = ({ data }: Pixels, canvas: Canvas, hill: Hill, orb: Orb): void => {
  const { width, height, stepX, stepY, sideX } = canvas
  const { place, blur, firstRow } = edgeOf(canvas, hill.edge)
  const light = Float64Array.from({ length: width }, (_, x) => {
    const across = ((x + 0.5) * stepX - orb.x) * sideX
    return hill.lit / (1 + across * across * 12)
  })
  for (let y = firstRow; y < height; y++) {
    const level = (y + 0.5) * stepY
    const part = Math.min(Math.max((level - hill.start) / hill.depth, 0), 1)
    const color = mixColors(hill.top, hill.foot, part)
    const [toRed, toGreen, toBlue] = mixColors(color, orb.glow, 1 - part)
    const [red, green, blue] = color
    for (let x = 0, at = y * width * 4; x < width; x++, at += 4) {
      const inside = (level - place[x]!) / blur[x]! + 0.5
      if (inside <= 0) continue
      const glow = light[x]!
      const cover = Math.min(inside, 1)
      const [oldRed, oldGreen, oldBlue] = [data[at]!, data[at + 1]!, data[at + 2]!]
      data[at] = oldRed + (red + (toRed - red) * glow - oldRed) * cover + 0.5
      data[at + 1] = oldGreen + (green + (toGreen - green) * glow - oldGreen) * cover + 0.5
      data[at + 2] = oldBlue + (blue + (toBlue - blue) * glow - oldBlue) * cover + 0.5
    }
  }
}

const mixColors = (from: Rgb, to: Rgb, part: number): Rgb => [
  between(from[0], to[0], part),
  between(from[1], to[1], part),
  between(from[2], to[2], part),
]

/** Mirrors what is above `level`, darker and with waves that grow towards the viewer. */
const paintWater = ({ data }: Pixels, canvas: Canvas, { level, tint }: Water): void => {
  const { width, height, stepX, stepY } = canvas
  for (let y = Math.max(0, Math.ceil(level / stepY - 0.5)); y < height; y++) {
    const deep = Math.max(0, (y + 0.5) * stepY - level)
    const source = Math.max(0, Math.min(y - 1, Math.floor((level - deep * 1.6) / stepY)))
    const wave = noiseAt(Math.sqrt(deep) * 60, 7) - 0.5
    const shift = Math.floor((wave * (0.01 + deep * 0.12)) / stepX + 0.5)
    for (let x = 0; x < width; x++) {
      const from = (source * width + Math.min(Math.max(x + shift, 0), width - 1)) * 4
      const at = (y * width + x) * 4
      data[at] = data[from]!
      data[at + 1] = data[from + 1]!
      data[at + 2] = data[from + 2]!
      mixPixel(data, at, tint, 0.22 + deep)
    }
  }
}
