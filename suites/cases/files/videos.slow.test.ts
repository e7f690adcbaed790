// Videos: frames, size, rate, sound and texts of what a node saves, and what a node loads of it.

import { decode } from 'fast-png'
import { type Graph, node, type Node, sampled } from '../../generate/graphs.ts'
import { me, succeeded } from '../../judge/own-runs.ts'
import { blocksOf, worstDifference } from '../../judge/media/blocks.ts'
import { decodeH264 } from '../../judge/media/h264.ts'
import { readMp4 } from '../../judge/media/mp4.ts'
import { decodeVp8 } from '../../judge/media/vp8.ts'
import { readWebm } from '../../judge/media/webm.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** `frames` is a batch of pictures that a model has painted. */
const painted = (width: number, height: number, batch_size: number): Graph => ({
  ...sampled(node('EmptyLatentImage', { width, height, batch_size }), 'waves'),
  frames: node('VAEDecode', { samples: ['sampler', 0], vae: ['checkpoint', 2] }),
})

/** `frames` is a batch that nodes compute: inverted, so that no picture is of one colour alone. */
const computed: Graph = {
  ...painted(48, 32, 2),
  given: painted(48, 32, 2)['frames']!,
  frames: node('ImageInvert', { image: ['given', 0] }),
}

const video = (fps: number, more = {}): Node =>
  node('CreateVideo', { images: ['frames', 0], fps, ...more })
const mp4: Node = node('SaveVideo', {
  video: ['video', 0],
  filename_prefix: 'V',
  format: 'mp4',
  codec: 'h264',
})
const webm = (fps: number): Node =>
  node('SaveWEBM', { images: ['frames', 0], filename_prefix: 'W', codec: 'vp9', fps, crf: 32 })

/** Runs a graph with a saver; the bytes of its file, and of the pictures that `shown` shows. */
async function save(subject: Subject, graph: Graph, saver: Node, fields = {}) {
  const shown = node('PreviewImage', { images: ['frames', 0] })
  const run = await subject.run(await me(subject), { ...graph, shown, saver }, fields)
  const { outputs } = succeeded(run).entry
  const [file] = Object.values(outputs.saver)[0] as Record<string, string>[]
  const { bytes } = await subject.view(file!)
  const stills = []
  for (const still of outputs.shown.images) stills.push(decode((await subject.view(still)).bytes))
  return { bytes, file: file!, stills }
}

/** How far the frames of an MP4 or a WebM file are from these pictures, and what the file says of them. */
function readFrames(bytes: Buffer) {
  if (bytes[0] === 0x1a) {
    const { frames, width, height, durationMs } = readWebm(bytes)
    const decoded = frames.map((one) => decodeVp8(one.bytes))
    for (const one of decoded) expect([one.width, one.height]).toEqual([width, height])
    const timesMs = frames.map(({ timeMs }) => timeMs)
    return { frames: decoded.map(({ frame }) => frame), width, height, durationMs, timesMs }
  }
  const [track] = readMp4(bytes).tracks
  const { frames, width, height } = decodeH264(track!)
  expect([width, height, track!.codec]).toEqual([track!.width, track!.height, 'avc1'])
  let at = 0
  const timesMs = track!.times.map((time) => {
    const timeMs = (at * 1000) / track!.scale
    at += time
    return timeMs
  })
  return { frames, width, height, durationMs: (at * 1000) / track!.scale, timesMs }
}

const savers = (fps: number): readonly (readonly [Graph, Node])[] => [
  [{ video: video(fps) }, mp4],
  [{}, webm(fps)],
]

proves('files/videos', async (subject) => {
  // So many frames of such a size at such a rate.
  const wanted = [
    [painted(64, 32, 3), 64, 32, 3, 8],
    [painted(136, 72, 2), 136, 72, 2, 29.97],
    [painted(256, 144, 5), 256, 144, 5, 2],
  ] as const
  for (const [graph, width, height, count, fps] of wanted)
    for (const [more, saver] of savers(fps)) {
      const { bytes } = await save(subject, { ...graph, ...more }, saver)
      const { frames, timesMs, durationMs, ...size } = readFrames(bytes)
      expect([size, frames.length]).toEqual([{ width, height }, count])
      expect(durationMs).toBeCloseTo((count * 1000) / fps, 1)
      const times = Array.from({ length: count }, (_, at) => (at * 1000) / fps)
      for (const [at, time] of times.entries())
        expect(Math.abs(timesMs[at]! - time)).toBeLessThan(1)
    }
})

for (const [what, graph, fps] of [
  ['painted', painted(96, 48, 4), 2],
  ['computed', computed, 8],
] as const)
  proves('files/video-blocks', async (subject) => {
    for (const [more, saver] of savers(fps)) {
      const { bytes, stills } = await save(subject, { ...graph, ...more }, saver)
      const { frames } = readFrames(bytes)
      expect(frames.length, what).toBe(stills.length)
      for (const [at, still] of stills.entries())
        expect(worstDifference(blocksOf(still), frames[at]!), `${what} ${at}`).toBeLessThan(1.6)
      // The frames differ, and show no still picture.
      expect(JSON.stringify(frames[0])).not.toBe(JSON.stringify(frames[1]))
    }
  })

proves('files/video-sound', async (subject) => {
  const sound = node('EmptyAudio', { duration: 2.5, sample_rate: 44_100, channels: 1 })
  const graph = { ...painted(64, 64, 2), sound, video: video(1, { audio: ['sound', 0] }) }
  const { tracks } = readMp4((await save(subject, graph, mp4)).bytes)
  expect(tracks.map(({ codec }) => codec)).toEqual(['avc1', 'mp4a'])
  const [, { times, scale, samples }] = tracks as [(typeof tracks)[0], (typeof tracks)[0]]
  const seconds = times.reduce((sum, time) => sum + time, 0) / scale
  expect(Math.abs(seconds - 2.5)).toBeLessThan(1024 / 44_100)
  expect(samples.every(({ length }) => length === 6)).toBe(true)
})

proves('files/video-text', async (subject) => {
  const graph = { ...painted(64, 64, 1), video: video(8) }
  const fields = { extra_data: { extra_pnginfo: { workflow: { nodes: ['ü'] } } } }
  const inMp4 = readMp4((await save(subject, graph, mp4, fields)).bytes).texts
  const inWebm = readWebm((await save(subject, painted(64, 64, 1), webm(8), fields)).bytes).texts
  expect(JSON.parse(inMp4['workflow']!)).toEqual({ nodes: ['ü'] })
  expect(JSON.parse(inMp4['prompt']!).saver.class_type).toBe('SaveVideo')
  expect(JSON.parse(inWebm['WORKFLOW']!)).toEqual({ nodes: ['ü'] })
  expect(JSON.parse(inWebm['PROMPT']!).saver.class_type).toBe('SaveWEBM')
})

proves(
  'files/video-bounded',
  async (subject) => {
    // 131,072 blocks a frame: eight of the 48 are painted.
    const { bytes } = await subject.view({ filename: 'large.mp4', subfolder: '', type: 'input' })
    const [track] = readMp4(bytes).tracks
    const { width, height, samples } = track!
    expect([width, height, samples.length]).toEqual([8192, 4096, 48])
    // A frame in which nothing changes is some bytes; the next key frame repeats all blocks.
    const isSmall = samples.map(({ length }) => length < 32)
    expect([isSmall.indexOf(true), isSmall.filter((is) => !is).length]).toEqual([8, 9])
  },
  {
    scenario: {
      version: 1,
      start: { files: [{ path: 'input/large.mp4', placeholder: '8192x4096' }] },
    },
  },
)

proves('nodes/video-loaded', async (subject) => {
  const graph = { ...painted(64, 48, 3), video: video(12) }
  const { bytes, stills } = await save(subject, graph, mp4)
  const { name } = (await subject.upload({ name: 'clip.mp4', bytes })).json()
  const load: Graph = {
    loaded: node('LoadVideo', { file: name }),
    parts: node('GetVideoComponents', { video: ['loaded', 0] }),
    size: node('GetImageSize', { image: ['parts', 0] }),
    fps: node('PreviewAny', { source: ['parts', 2] }),
    shown: node('PreviewImage', { images: ['parts', 0] }),
    width: node('PreviewAny', { source: ['size', 0] }),
    height: node('PreviewAny', { source: ['size', 1] }),
    count: node('PreviewAny', { source: ['size', 2] }),
  }
  const { outputs } = succeeded(await subject.run(await me(subject), load)).entry
  const texts = ['width', 'height', 'count', 'fps'].map((id) => outputs[id].text[0])
  expect(texts).toEqual(['64', '48', '3', '12.0'])
  expect(outputs.shown.images.length).toBe(stills.length)
})
