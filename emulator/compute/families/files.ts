// Node types that read latents and sounds from files.

import type { Family } from '../values/inputs.ts'
import type { MediaFacts } from '../../media/facts.ts'
import { probeMedia } from '../../media/media.ts'
import type { Sound } from '../../pictures/picture.ts'
import { constant, numbers, pick, product, Tensor } from '../values/tensor.ts'
import { toneTensor } from '../values/tones.ts'
import { raise, Raised } from '../../lib/raised.ts'
import { FileBytes, isMap, misused, type Value } from '../values/values.ts'

type Fail = (path: string, isFolder: boolean) => never

/** The file that an input names. `fail` raises the exception for one that cannot be opened. */
function fileOf(value: Value, fail: Fail): FileBytes {
  if (!(value instanceof FileBytes)) return misused(value, '.endswith')
  const { bytes, made, path, isFolder } = value.file
  return bytes === null && made === undefined ? fail(path, isFolder) : value
}

/** The bytes of the file that an input names. One that is encoded on request is of another format, and counts as empty. */
const bytesOf = (value: Value, fail: Fail): Uint8Array =>
  fileOf(value, fail).file.bytes ?? new Uint8Array(0)

const noLatent: Fail = (path, isFolder) =>
  isFolder
    ? raise('OSError', 'No such device (os error 19)')
    : raise('FileNotFoundError', `No such file or directory: "${path}"`)

const unopened: Fail = (path, isFolder) =>
  isFolder
    ? raise('av.error.IsADirectoryError', `[Errno 21] Is a directory: '${path}'`)
    : raise('av.error.FileNotFoundError', `[Errno 2] No such file or directory: '${path}'`)

type Entry = { dtype: string; shape: number[]; data_offsets: [number, number] }

/** The tensors of a safetensors file, or an exception. */
function safetensors(bytes: Uint8Array): ReadonlyMap<string, Tensor> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = bytes.length < 8 ? 0 : Number(view.getBigUint64(0, true))
  const broken = (why: string): never =>
    raise(
      'safetensors._safetensors_rust.SafetensorError',
      `Error while deserializing header: ${why}`,
    )
  if (bytes.length < 8) return broken('header too small')
  if (length > 100_000_000) return broken('header too large')
  if (8 + length > bytes.length) return broken('invalid header length')
  const text = new TextDecoder().decode(bytes.subarray(8, 8 + length))
  const tensors = new Map<string, Tensor>()
  try {
    const header = JSON.parse(text) as Readonly<Record<string, Entry>>
    for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
      if (name === '__metadata__' || dtype !== 'F32') continue
      const [start, end] = data_offsets
      // Numbers are at most as many as the file has, and as many as the shape says.
      if (product(shape) * 4 !== end - start || end > bytes.length - length - 8)
        return broken('invalid shape, data type, or offset for tensor')
      const values = numbers((end - start) / 4, (at) =>
        view.getFloat32(8 + length + start + at * 4, true),
      )
      tensors.set(name, constant(shape, values))
    }
  } catch (error) {
    if (error instanceof Raised) throw error
    return broken('invalid JSON in header')
  }
  return tensors
}

/** The bytes of a file that holds the numbers of a latent. */
export function latentFile({ shape }: Tensor, numbers: Float32Array): Uint8Array {
  const header = JSON.stringify({
    latent_format_version_0: { dtype: 'F32', shape: [0], data_offsets: [0, 0] },
    latent_tensor: { dtype: 'F32', shape, data_offsets: [0, numbers.length * 4] },
  })
  // The numbers begin at a multiple of 8 bytes.
  const text = new TextEncoder().encode(header.padEnd(Math.ceil(header.length / 8) * 8))
  const bytes = new Uint8Array(8 + text.length + numbers.length * 4)
  const view = new DataView(bytes.buffer)
  view.setBigUint64(0, BigInt(text.length), true)
  bytes.set(text, 8)
  for (const [at, number] of numbers.entries())
    view.setFloat32(8 + text.length + at * 4, number, true)
  return bytes
}

/** Latents of older servers are scaled. */
const OLD_SCALE = 1 / 0.18215

function loadLatent(bytes: Uint8Array): Value {
  const tensors = safetensors(bytes)
  const samples = tensors.get('latent_tensor') ?? raise('KeyError', "'latent_tensor'")
  if (tensors.has('latent_format_version_0')) return new Map([['samples', samples]])
  const scaled = new Tensor(samples.shape, (index, read) =>
    read(samples, index).map((value) => value * OLD_SCALE),
  )
  return new Map([['samples', scaled]])
}

/** The sound in a WAV file of 16 bits; undefined for any other file. */
function waveOf(bytes: Uint8Array):
  | {
      rate: number
      channels: number
      samples: number
      valueAt: (channel: number, at: number) => number
    }
  | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const word = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
  if (bytes.length < 12 || word(0) !== 'RIFF' || word(8) !== 'WAVE') return undefined
  let format: { channels: number; rate: number; bits: number; code: number } | undefined
  for (let at = 12; at + 8 <= bytes.length;) {
    const size = view.getUint32(at + 4, true)
    if (word(at) === 'fmt ' && at + 24 <= bytes.length)
      format = {
        code: view.getUint16(at + 8, true),
        channels: view.getUint16(at + 10, true),
        rate: view.getUint32(at + 12, true),
        bits: view.getUint16(at + 22, true),
      }
    if (word(at) === 'data' && format?.code === 1 && format.bits === 16 && format.channels > 0) {
      const { channels, rate } = format
      const samples = Math.floor(Math.min(size, bytes.length - at - 8) / (2 * channels))
      const start = at + 8
      const valueAt = (channel: number, index: number): number =>
        view.getInt16(start + (index * channels + channel) * 2, true) / 32768
      return { rate, channels, samples, valueAt }
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

const audioOf = (waveform: Tensor, rate: number): Value =>
  new Map<string, Value>([
    ['waveform', waveform],
    ['sample_rate', rate],
  ])

/**
 * The sound in a file: its samples, or a tone as long as what cannot be decoded; undefined without sound.
 * @param facts what the headers of the file say, if they have been read.
 */
export function soundIn(
  { file: { bytes, made }, sound: computed }: FileBytes,
  facts?: MediaFacts,
): Value | undefined {
  if (made !== undefined) return made.sound && madeSound(made.sound, computed)
  const content = bytes ?? new Uint8Array(0)
  const wave = waveOf(content)
  if (wave !== undefined) {
    const { rate, channels, samples, valueAt } = wave
    const waveform = new Tensor([1, channels, samples], () =>
      numbers(channels * samples, (at) => valueAt(Math.floor(at / samples), at % samples)),
    )
    return audioOf(waveform, rate)
  }
  const { sound } = facts ?? probeMedia(content)
  if (sound === undefined) return undefined
  const { rate, channels, samples } = sound
  return audioOf(toneTensor(samples, rate, channels, samples), rate)
}

/** A sound that this server has saved: what the node that saved it was given. */
function madeSound(
  { id, rate, channels, samples, index = 0 }: Sound,
  computed: Value | undefined,
): Value {
  const waveform = isMap(computed) ? computed.get('waveform') : undefined
  return waveform instanceof Tensor
    ? audioOf(pick(waveform, [index]), rate)
    : audioOf(toneTensor(id, rate, channels, samples), rate)
}

const loadAudio = (value: Value): Value =>
  soundIn(fileOf(value, unopened)) ?? raise('ValueError', 'No audio stream found in the file.')

export const files: Family = {
  LoadLatent: ({ value }) => [loadLatent(bytesOf(value('latent'), noLatent))],
  RecordAudio: ({ value }) => [loadAudio(value('audio'))],
  LoadAudio: ({ value }) => [loadAudio(value('audio'))],
}
