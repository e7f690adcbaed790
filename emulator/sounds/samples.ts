// The samples of sounds: those that a node computes, or a tone.

import { limits } from '../../spec/limits.ts'
import { isMap, Tensor, toneAt, TooMuch, valueOfOutput } from '../compute/index.ts'
import type { Sound } from '../pictures/picture.ts'

/** Reads an item of a tensor; may throw TooMuch. */
type ReadItem = (tensor: Tensor, index: number) => Float32Array

/** A sound as numbers of 16 bits, for each of its channels. */
export type Samples = { readonly rate: number; readonly channels: readonly Int16Array[] }

/** How many samples of each channel a file has: no more than the limit [files/sounds-bounded]. */
export const lengthOf = ({ samples, channels }: Sound): number =>
  Math.min(samples, Math.floor(limits.soundSamples.value / channels))

/** How long a sound is, in seconds. */
export const secondsOf = (sound: Sound): number => lengthOf(sound) / sound.rate

/**
 * The samples of a sound; silence in place of those that take too long to compute.
 * @param isStrict whether it then throws TooMuch instead.
 */
export const samplesOf = (sound: Sound, read: ReadItem, isStrict: boolean): Samples => {
  const { channels, rate, samples } = sound
  const valueAt = valuesOf(sound, read, isStrict)
  const length = lengthOf(sound)
  const channelAt = (channel: number): Int16Array => {
    const levels = new Int16Array(length)
    if (typeof valueAt === 'number') return levels.fill(levelOf(valueAt))
    for (let at = 0; at < length; at++) levels[at] = levelOf(valueAt(channel * samples + at))
    return levels
  }
  return { rate, channels: Array.from({ length: channels }, (_, channel) => channelAt(channel)) }
}

/** The value at a sample, channel after channel; a number if it is the same everywhere. */
function valuesOf(
  sound: Sound,
  read: ReadItem,
  isStrict: boolean,
): number | ((at: number) => number) {
  if (sound.of === undefined) {
    const tone = toneAt(sound.id, sound.rate)
    return (at) => tone(at % sound.samples)
  }
  const value = valueOfOutput(sound.of)
  const waveform = isMap(value) ? value.get('waveform') : undefined
  if (!(waveform instanceof Tensor)) return SILENT
  if (waveform.fill !== undefined) return waveform.fill
  try {
    const values = read(waveform, sound.index ?? 0)
    return (at) => values[at] ?? 0
  } catch (error) {
    if (error instanceof TooMuch && !isStrict) return SILENT
    throw error
  }
}

const SILENT = 0
const FULL = 32768
const levelOf = (value: number): number =>
  Math.max(-FULL, Math.min(FULL - 1, Math.round(value * FULL)))
