// Sounds at another rate: each new sample is a sum of the old ones around it, weighted by a windowed sinc, as torchaudio does.

import { Tensor } from '../values/tensor.ts'
import type { Read } from '../values/tensor.ts'

/** How many waves of the highest tone to either side count for a sample, and how much of the tones is kept. */
const WAVES = 6
const KEPT = 0.99

type Taps = { readonly first: number; readonly weights: Float32Array }

const f = Math.fround

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))

/** The weights for each position between two old samples. They repeat after so many new samples. */
function tapsOf(from: number, to: number): (phase: number) => Taps {
  const base = Math.min(from, to) * KEPT
  const reach = Math.ceil((WAVES * from) / base)
  const made = new Map<number, Taps>()
  const make = (phase: number): Taps => {
    const first = Math.floor((phase * from) / to) - reach
    const weights = Float32Array.from({ length: 2 * reach + 2 }, (_, at) => {
      // The times are rounded, as far as they are from the sample at a whole period.
      const time = f(f(f((first + at) / from) - f(phase / to)) * base)
      if (Math.abs(time) >= WAVES) return 0
      const window = f(Math.cos(f(f(f(time * Math.PI) / WAVES) / 2))) ** 2
      const angle = f(time * Math.PI)
      const wave = angle === 0 ? 1 : f(f(Math.sin(angle)) / angle)
      return f(wave * f(window)) * (base / from)
    })
    return { first, weights }
  }
  return (phase) => {
    const taps = made.get(phase) ?? make(phase)
    if (made.size < MOST_KEPT) made.set(phase, taps)
    return taps
  }
}

const MOST_KEPT = 2 ** 12

/** A sound of some channels as if it had been recorded at another rate. */
export function resampled(waveform: Tensor, from: number, to: number): Tensor {
  if (from === to) return waveform
  const common = divisor(from, to)
  const [own, other] = [from / common, to / common]
  const length = Math.ceil(((waveform.shape.at(-1) ?? 0) * other) / own)
  const taps = tapsOf(own, other)
  return new Tensor([...waveform.shape.slice(0, -1), length], (index, read) =>
    each(read(waveform, index), waveform.shape.at(-1) ?? 0, length, own, other, taps, read),
  )
}

/** All channels of an item, one after the other. */
function each(
  item: Float32Array,
  side: number,
  length: number,
  own: number,
  other: number,
  taps: (phase: number) => Taps,
  read: Read,
): Float32Array {
  const channels = side === 0 ? 0 : item.length / side
  const values = new Float32Array(channels * length)
  for (let at = 0; at < length; at++) {
    const { first, weights } = taps(at % other)
    read.spend(weights.length * channels)
    const start = Math.floor(at / other) * own + first
    for (let channel = 0; channel < channels; channel++) {
      let sum = 0
      for (let tap = Math.max(0, -start); tap < weights.length && start + tap < side; tap++)
        sum += item[channel * side + start + tap]! * weights[tap]!
      values[channel * length + at] = sum
    }
  }
  return values
}
