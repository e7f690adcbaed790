// Sounds: length, rate, channels, samples and texts of what a node saves, and what a node loads of it.

import { type Graph, node, type Node, sampled } from '../../generate/graphs.ts'
import { me, succeeded } from '../../judge/own-runs.ts'
import { readFlac, readMp3, readOpus, type ReadSound } from '../../judge/media/sounds.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const saver = (class_type: string, more = {}): Node =>
  node(class_type, { audio: ['sound', 0], filename_prefix: 'S', ...more })

const formats: Readonly<Record<string, readonly [Node, (bytes: Buffer) => ReadSound]>> = {
  flac: [saver('SaveAudio'), readFlac],
  mp3: [saver('SaveAudioMP3', { quality: 'V0' }), readMp3],
  opus: [saver('SaveAudioOpus', { quality: '128k' }), readOpus],
}

/** Runs a graph, in which `sound` is saved in a format, and reads the file. */
async function save(subject: Subject, graph: Graph, format: string, fields = {}) {
  const [saver, read] = formats[format]!
  const run = await subject.run(await me(subject), { ...graph, saver }, fields)
  const [file] = succeeded(run).entry.outputs.saver.audio
  const { bytes } = await subject.view(file)
  return { bytes, ...read(bytes) }
}

const silence = (duration: number, sample_rate: number, channels: number): Graph => ({
  sound: node('EmptyAudio', { duration, sample_rate, channels }),
})

/** A WAV file of 16 bits with these samples of one channel. */
function wavOf(samples: readonly number[], rate: number): Buffer {
  const bytes = Buffer.alloc(44 + samples.length * 2)
  bytes.write('RIFF', 0, 'latin1')
  bytes.writeUInt32LE(36 + samples.length * 2, 4)
  bytes.write('WAVEfmt ', 8, 'latin1')
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(rate, 24)
  bytes.writeUInt32LE(rate * 2, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36, 'latin1')
  bytes.writeUInt32LE(samples.length * 2, 40)
  for (const [at, value] of samples.entries()) bytes.writeInt16LE(value, 44 + at * 2)
  return bytes
}

proves('files/sounds', async (subject) => {
  for (const [seconds, rate, channels] of [
    [1.5, 44_100, 2],
    [0.75, 22_050, 1],
    [12, 48_000, 1],
  ] as const) {
    const wanted = { rate, channels, samples: Math.round(seconds * rate) }
    const flac = await save(subject, silence(seconds, rate, channels), 'flac')
    expect(flac).toMatchObject(wanted)
    expect(flac.values!().map(({ length }) => length)).toEqual(
      Array.from({ length: channels }, () => wanted.samples),
    )
    const mp3 = await save(subject, silence(seconds, rate, channels), 'mp3')
    expect([mp3.rate, mp3.channels]).toEqual([rate, channels])
    // A file ends with a whole frame.
    expect(mp3.samples - wanted.samples).toBeGreaterThanOrEqual(0)
    expect(mp3.samples - wanted.samples).toBeLessThan(1152)
    // This format always has 48,000 samples a second.
    const opus = await save(subject, silence(seconds, rate, channels), 'opus')
    expect([opus.channels, opus.samples]).toEqual([
      channels,
      Math.round((wanted.samples / rate) * 48_000),
    ])
  }
})

proves('files/sounds', async (subject) => {
  const samples = Array.from({ length: 5000 }, (_, at) => ((at * 37) % 4001) - 2000)
  const { name } = (await subject.upload({ name: 'tones.wav', bytes: wavOf(samples, 8000) })).json()
  const graph = { sound: node('LoadAudio', { audio: name }) }
  const { rate, values } = await save(subject, graph, 'flac')
  expect([rate, values!()]).toEqual([8000, [samples]])
})

proves('files/sound-text', async (subject) => {
  const fields = { extra_data: { extra_pnginfo: { workflow: { nodes: ['ü'.repeat(40_000)] } } } }
  for (const format of Object.keys(formats)) {
    const { texts } = await save(subject, silence(0.5, 44_100, 2), format, fields)
    expect(JSON.parse(texts['workflow']!)).toEqual(fields.extra_data.extra_pnginfo.workflow)
    expect(JSON.parse(texts['prompt']!).sound.class_type).toBe('EmptyAudio')
  }
})

proves('files/sounds-bounded', async (subject) => {
  const { samples, channels } = await save(subject, silence(800, 44_100, 2), 'flac')
  expect([channels, samples * channels]).toEqual([2, 33_554_432])
})

/** `sound` is a tone as long as a latent. */
const decoded = (latent: Node): Graph => ({
  ...sampled(latent, 'rain'),
  sound: node('VAEDecodeAudio', { samples: ['sampler', 0], vae: ['checkpoint', 2] }),
})

proves('nodes/sound-decoded', async (subject) => {
  const stable = node('EmptyLatentAudio', { seconds: 2, batch_size: 1 })
  const { rate, channels, samples, values } = await save(subject, decoded(stable), 'flac')
  // 22 columns of the latent, of 2,048 samples each.
  expect([rate, channels, samples]).toEqual([44_100, 2, 2 * Math.round(43.06640625 / 2) * 2048])
  expect(new Set(values!()[0]).size).toBeGreaterThan(50)
  const ace = node('EmptyAceStepLatentAudio', { seconds: 3, batch_size: 1 })
  expect((await save(subject, decoded(ace), 'flac')).samples).toBe(32 * 8 * 512)
})

proves('nodes/sound-loaded', async (subject) => {
  for (const [format, wanted] of [
    ['flac', { rate: 44_100, samples: 22_050 }],
    ['mp3', { rate: 44_100, samples: 20 * 1152 }],
    ['opus', { rate: 48_000, samples: 24_000 }],
  ] as const) {
    const { bytes } = await save(subject, silence(0.5, 44_100, 2), format)
    const name = `again.${format}`
    const stored = (await subject.upload({ name, bytes })).json()
    const graph = { sound: node('LoadAudio', { audio: stored.name }) }
    expect(await save(subject, graph, 'flac')).toMatchObject({ ...wanted, channels: 2 })
  }
})
