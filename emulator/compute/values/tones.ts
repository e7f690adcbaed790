// Tones: what sounds where no samples are known.

import { numbers, Tensor } from './tensor.ts'

/** The loudest value; 1 is full volume. */
const VOLUME = 0.25
/** Hertz. */
const LOWEST = 220
const HIGHEST = 880

/** The value of a tone at a sample. Its height depends on `id`; a triangle needs no sine, which engines round differently. */
export const toneAt = (id: number, rate: number): ((at: number) => number) => {
  const period = Math.max(2, rate / (LOWEST + (id % (HIGHEST - LOWEST))))
  return (at) => {
    const part = (at % period) / period
    return VOLUME * (4 * Math.abs(part - 0.5) - 1)
  }
}

/** Tones in all channels, as a waveform: one for each item of the batch. */
export const toneTensor = (
  id: number,
  rate: number,
  channels: number,
  samples: number,
  count = 1,
): Tensor =>
  new Tensor([count, channels, samples], (index) => {
    const valueAt = toneAt(id + index, rate)
    return numbers(channels * samples, (at) => valueAt(at % samples))
  })
