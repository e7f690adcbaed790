// Sounds: silence, parts, channels, sums.

import { type Family, type Inputs, memberTensor } from '../values/inputs.ts'
import { combine, concatenate, slice } from '../values/layout.ts'
import { filled, map, product, Tensor } from '../values/tensor.ts'
import { toneTensor } from '../values/tones.ts'
import { raise } from '../../lib/raised.ts'
import { type Value, type ValueMap } from '../values/values.ts'
import { numberOf } from '../../lib/json.ts'
import { resampled } from '../arithmetic/resound.ts'
import { round } from '../arithmetic/scaling.ts'

const f = Math.fround

type Sound = { readonly waveform: Tensor; readonly rate: number; readonly audio: ValueMap }

function soundOf({ members }: Inputs, name: string): Sound {
  const audio = members(name, 'key', 'waveform')
  const rate = numberOf((audio.get('sample_rate') ?? null) as number) ?? 0
  return { waveform: memberTensor(audio, 'waveform'), rate, audio }
}

const sound = (waveform: Tensor, rate: number): Value =>
  new Map<string, Value>([
    ['waveform', waveform],
    ['sample_rate', rate],
  ])

const lengthOf = ({ shape }: Tensor): number => shape.at(-1) ?? 0

function trim(inputs: Inputs): readonly Value[] {
  const { waveform, rate } = soundOf(inputs, 'audio')
  const length = lengthOf(waveform)
  const given = inputs.number('start_index')
  const from = given < 0 ? length + round(given * rate) : round(given * rate)
  const start = Math.max(0, Math.min(from, length - 1))
  const end = Math.max(0, Math.min(start + round(inputs.number('duration', 60) * rate), length))
  if (start >= end)
    raise(
      'ValueError',
      'AudioTrim: Start time must be less than end time and be within the audio length.',
    )
  return [sound(slice(waveform, waveform.shape.length - 1, start, end), rate)]
}

function split(inputs: Inputs): readonly Value[] {
  const { waveform, rate } = soundOf(inputs, 'audio')
  if (waveform.shape[1] === 1) raise('ValueError', 'AudioSplit: Input audio has only one channel.')
  return [sound(slice(waveform, 1, 0, 1), rate), sound(slice(waveform, 1, 1, 2), rate)]
}

/** One channel becomes two equal ones. */
const stereo = (waveform: Tensor): Tensor =>
  waveform.shape[1] === 1 ? concatenate([waveform, waveform], 1) : waveform

function atOneRate(one: Sound, other: Sound): readonly [Tensor, Tensor, number] {
  const rate = Math.max(one.rate, other.rate)
  return [
    resampled(one.waveform, one.rate, rate),
    resampled(other.waveform, other.rate, rate),
    rate,
  ]
}

function concat(inputs: Inputs): readonly Value[] {
  const [one, other] = [soundOf(inputs, 'audio1'), soundOf(inputs, 'audio2')]
  const [first, second, rate] = atOneRate(
    { ...one, waveform: stereo(one.waveform) },
    { ...other, waveform: stereo(other.waveform) },
  )
  const parts = inputs.text('direction', 'after') === 'before' ? [second, first] : [first, second]
  return [sound(concatenate(parts, 2), rate)]
}

const sums: Readonly<Record<string, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  mean: (a, b) => f(a + b) / 2,
}

/** The second sound as long as the first. */
function fitted(waveform: Tensor, length: number): Tensor {
  const own = lengthOf(waveform)
  if (own >= length) return slice(waveform, waveform.shape.length - 1, 0, length)
  const shape = [...waveform.shape.slice(0, -1), length - own]
  return concatenate([waveform, filled(shape, 0)], waveform.shape.length - 1)
}

function merge(inputs: Inputs): readonly Value[] {
  const [one, other, rate] = atOneRate(soundOf(inputs, 'audio1'), soundOf(inputs, 'audio2'))
  const change = sums[inputs.text('merge_method', 'add')] ?? raise('KeyError', '')
  const sum = combine(one, fitted(other, lengthOf(one)), change)
  if (product(sum.shape) === 0)
    raise(
      'RuntimeError',
      "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
    )
  const loud = new Tensor(sum.shape, (index, read) => {
    const items = Array.from({ length: sum.shape[0] ?? 0 }, (_, at) => read(sum, at))
    const most = items.reduce(
      (all, item) => item.reduce((peak, value) => Math.max(peak, Math.abs(value)), all),
      0,
    )
    const item = items[index] as Float32Array
    return most > 1 ? item.map((value) => value / most) : item
  })
  return [sound(loud, rate)]
}

export const audio: Family = {
  // What stands for a sound that a model has made.
  '(tone)': ({ number }) => {
    const [rate, samples] = [number('rate'), number('samples')]
    const waveform = toneTensor(number('id'), rate, number('channels'), samples, number('count'))
    return [sound(waveform, rate)]
  },
  AudioAdjustVolume: (inputs) => {
    const volume = inputs.number('volume', 1)
    const { waveform, rate, audio } = soundOf(inputs, 'audio')
    if (volume === 0) return [audio]
    const gain = f(10 ** (volume / 20))
    return [
      sound(
        map(waveform, (value) => value * gain),
        rate,
      ),
    ]
  },
  AudioConcat: concat,
  AudioMerge: merge,
  EmptyAudio: ({ number }) => {
    const [rate, channels] = [number('sample_rate', 44100), number('channels', 2)]
    const samples = round(number('duration') * rate)
    return [sound(filled([1, channels, samples], 0), rate)]
  },
  SplitAudioChannels: split,
  TrimAudioDuration: trim,
}
