// How many progress messages a node sends [runs/*-steps]: by tiles, by sigmas, and by samplers that count otherwise.

import { hash53 } from '../../lib/random.ts'
import {
  type Behaviour,
  type Call,
  numberInput,
  pictureInput,
  stepsOfSigmas,
  textInput,
} from './node.ts'
import type { Value } from '../state/nodes.ts'

/** Longer progress than any sampler has is cut, so that a run comes to its end. */
const MOST_STEPS = 10_000

type Size = { readonly width: number; readonly height: number }

/** Tiles of this size that cover a picture, each laid over its neighbours by `overlap`. */
function tilesOf({ width, height }: Size, tile: Size, overlap: number): number {
  const along = (length: number, side: number): number =>
    length <= side || side <= overlap ? 1 : Math.ceil((length - overlap) / (side - overlap))
  return along(height, tile.height) * along(width, tile.width)
}

/** Upscalers work through squares of this size, in pixels. */
const UPSCALED_TILE = { width: 512, height: 512 }
const UPSCALED_OVERLAP = 32

/** One step for each tile of each picture, before it is upscaled. */
export function upscalerSteps(call: Call): number {
  const source = pictureInput(call)
  if (source === undefined) return 0
  return bounded(tilesOf(source.picture, UPSCALED_TILE, UPSCALED_OVERLAP) * source.count)
}

/** Pixels along the side of what a latent has as one. */
const LATENT_PIXEL = 8

/** The steps of a tiled VAE: each picture is gone through with squares, with upright and with lying tiles. */
function vaeSteps({ width, height }: Size, count: number, side: number, overlap: number): number {
  const half = Math.floor(side / 2)
  const tiles = [
    { width: side, height: side },
    { width: half, height: side * 2 },
    { width: side * 2, height: half },
  ].map((tile) => tilesOf({ width, height }, tile, overlap))
  return bounded(tiles.reduce((sum, passed) => sum + passed, 0) * count)
}

/** Steps of VAEEncodeTiled, whose tiles are of pixels. */
export function encoderSteps(call: Call): number {
  const source = pictureInput(call)
  if (source === undefined) return 0
  const { side, overlap } = tileInputs(call)
  return vaeSteps(source.picture, source.count, side, overlap)
}

/** Steps of VAEDecodeTiled, whose tiles are of latents, with no more overlap than a quarter. */
export function decoderSteps(call: Call): number {
  const source = pictureInput(call)
  if (source === undefined) return 0
  const { side, overlap } = tileInputs(call)
  const inLatent = (pixels: number): number => Math.floor(pixels / LATENT_PIXEL)
  const kept = side < overlap * 4 ? Math.floor(side / 4) : overlap
  const { width, height } = source.picture
  const size = { width: inLatent(width), height: inLatent(height) }
  return vaeSteps(size, source.count, inLatent(side), inLatent(kept))
}

const tileInputs = (call: Call): { side: number; overlap: number } => ({
  side: numberInput(call, 'tile_size') ?? 512,
  overlap: numberInput(call, 'overlap') ?? 64,
})

const bounded = (steps: number): number => Math.min(Math.max(0, Math.trunc(steps)), MOST_STEPS)

/** SIGMAS for so many steps each. */
const sigmas =
  (stepsOf: (call: Call, denoise: number) => readonly number[]): Behaviour =>
  (call) => {
    const counts = stepsOf(call, numberInput(call, 'denoise') ?? 1)
    const outputs = counts.map((steps, index): Value => ({
      kind: 'opaque',
      id: hash53(`${call.hash}:${index}`),
      count: bounded(steps),
    }))
    return { outputs, steps: 0 }
  }

const allSteps = (call: Call): number => numberInput(call, 'steps') ?? 0
const sigmaSteps = (call: Call): number => stepsOfSigmas(call) ?? 0

/** A schedule of fixed length, of which only the last part is used. */
const shortened = sigmas((call, denoise) => [
  denoise < 1 ? Math.round(allSteps(call) * denoise) : allSteps(call),
])

/** Behaviours of the node types that make or divide SIGMAS, where their steps do not simply stand at `steps`. */
export const schedulers: Readonly<Record<string, Behaviour>> = {
  BasicScheduler: sigmas((call, denoise) => [denoise > 0 ? allSteps(call) : 0]),
  AlignYourStepsScheduler: shortened,
  GITSScheduler: shortened,
  OptimalStepsScheduler: shortened,
  SplitSigmas: sigmas((call) => {
    const step = Math.min(numberInput(call, 'step') ?? 0, sigmaSteps(call))
    return [step, sigmaSteps(call) - step]
  }),
  SplitSigmasDenoise: sigmas((call, denoise) => {
    const last = Math.round(sigmaSteps(call) * denoise)
    return [last === 0 ? 0 : sigmaSteps(call) - last, last]
  }),
  FlipSigmas: sigmas((call) => [sigmaSteps(call)]),
}

/** How many steps a sampler reports, and up to which number they count. */
export function reportedSteps(call: Call, steps: number): { steps: number; max?: number } {
  // This one takes several steps at once, and stops short of the last.
  if (textInput(call, 'sampler_name', '') !== 'dpm_fast' || steps < 1) return { steps }
  return { steps: Math.floor(steps / 3) + 1, max: steps }
}

/** The same node, with so many steps. */
export const withSteps =
  (behaviour: Behaviour, stepsOf: (call: Call) => number): Behaviour =>
  (call) => {
    const work = behaviour(call)
    return work.failure === undefined ? { ...work, steps: stepsOf(call) } : work
  }
