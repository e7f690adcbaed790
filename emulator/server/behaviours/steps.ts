// Computes how many progress messages a node sends [runs/*-steps]: by tiles, by sigmas, and for samplers that count
// differently.

import { hash53 } from '../../lib/random.ts'
import {
  type Behaviour,
  type Call,
  numberInput,
  pictureInput,
  stepsOfSigmas,
  textInput,
} from '../nodes/node.ts'
import type { Value } from '../state/nodes.ts'

/** The maximum number of steps, so that every run ends. */
const MOST_STEPS = 10_000

type Size = { readonly width: number; readonly height: number }

/** The number of tiles of this size that cover a picture, with an overlap. */
function tilesOf({ width, height }: Size, tile: Size, overlap: number): number {
  const along = (length: number, side: number): number =>
    length <= side || side <= overlap ? 1 : Math.ceil((length - overlap) / (side - overlap))
  return along(height, tile.height) * along(width, tile.width)
}

/** The tile size of upscalers, in pixels. */
const UPSCALED_TILE = { width: 512, height: 512 }
const UPSCALED_OVERLAP = 32

/** One step for each tile of each picture, before it is upscaled. */
export function upscalerSteps(call: Call): number {
  const source = pictureInput(call)
  if (source === undefined) return 0
  return bounded(tilesOf(source.picture, UPSCALED_TILE, UPSCALED_OVERLAP) * source.count)
}

/** The number of pixels along a side of one latent pixel. */
const LATENT_PIXEL = 8

/** The steps of a tiled VAE, which processes each picture with square, tall and wide tiles. */
function vaeSteps({ width, height }: Size, count: number, side: number, overlap: number): number {
  const half = Math.floor(side / 2)
  const tiles = [
    { width: side, height: side },
    { width: half, height: side * 2 },
    { width: side * 2, height: half },
  ].map((tile) => tilesOf({ width, height }, tile, overlap))
  return bounded(tiles.reduce((sum, passed) => sum + passed, 0) * count)
}

/** The steps of VAEEncodeTiled, whose tiles are in pixels. */
export function encoderSteps(call: Call): number {
  const source = pictureInput(call)
  if (source === undefined) return 0
  const { side, overlap } = tileInputs(call)
  return vaeSteps(source.picture, source.count, side, overlap)
}

/** The steps of VAEDecodeTiled, whose tiles are in latent pixels and overlap by a quarter at most. */
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

/** SIGMAS with these numbers of steps. */
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

/** The behaviours of the node types that create or split SIGMAS, if their number of steps is not simply `steps`. */
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

/** The number of steps that a sampler reports, and their maximum. */
export function reportedSteps(call: Call, steps: number): { steps: number; max?: number } {
  // This one takes several steps at a time, and stops before the last.
  if (textInput(call, 'sampler_name', '') !== 'dpm_fast' || steps < 1) return { steps }
  return { steps: Math.floor(steps / 3) + 1, max: steps }
}

/** The same node, with this number of steps. */
export const withSteps =
  (behaviour: Behaviour, stepsOf: (call: Call) => number): Behaviour =>
  (call) => {
    const work = behaviour(call)
    return work.failure === undefined ? { ...work, steps: stepsOf(call) } : work
  }
