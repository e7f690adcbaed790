// The node of a pack that most workflows end their videos with: which files it saves, and what it lists.

import { decode } from 'fast-png'
import { node, type Graph } from '../../generate/graphs.ts'
import { me, succeeded } from '../../judge/own-runs.ts'
import { decodeH264 } from '../../judge/media/h264.ts'
import { readMp4 } from '../../judge/media/mp4.ts'
import { readWebm } from '../../judge/media/webm.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'

const defaults = {
  images: ['frames', 0],
  frame_rate: 12.5,
  loop_count: 0,
  filename_prefix: 'clips/me',
  format: 'video/h264-mp4',
  pingpong: false,
  save_output: true,
}

/** Three pictures of different colours, and a node that combines them. */
const combining = (more: object = {}): Graph => {
  const one = (color: number) => node('EmptyImage', { width: 64, height: 48, batch_size: 1, color })
  return {
    red: one(0xff0000),
    green: one(0x00ff00),
    blue: one(0x0000ff),
    two: node('ImageBatch', { image1: ['red', 0], image2: ['green', 0] }),
    frames: node('ImageBatch', { image1: ['two', 0], image2: ['blue', 0] }),
    sound: node('EmptyAudio', { duration: 0.5, sample_rate: 44_100, channels: 2 }),
    video: node('VHS_VideoCombine', { ...defaults, ...more }),
  }
}

const options = { for: [combining({ audio: ['sound', 0] })] }

/** What the node lists, and the file. */
async function combine(subject: Subject, more: object = {}) {
  const { outputs } = succeeded(await subject.run(await me(subject), combining(more))).entry
  const [entry, ...others] = outputs.video.gifs
  expect(others).toEqual([])
  const { filename, subfolder, type } = entry
  return { entry, bytes: (await subject.view({ filename, subfolder, type })).bytes }
}

/** The brightness of the first block of each frame. */
const lightOf = (bytes: Buffer) =>
  decodeH264(readMp4(bytes).tracks[0]!).frames.map(({ planes }) => planes[0][0])
const [red, green, blue] = [81, 145, 41]

proves(
  'scenario/video-combine',
  async (subject) => {
    const { entry, bytes } = await combine(subject)
    const [place, names] = [{ subfolder: 'clips', type: 'output' }, 'me_00001']
    expect(entry).toEqual({
      filename: `${names}.mp4`,
      ...place,
      format: 'video/h264-mp4',
      frame_rate: 12.5,
      workflow: `${names}.png`,
      fullpath: `/flowdouble/output/clips/${names}.mp4`,
    })
    const [track] = readMp4(bytes).tracks
    expect([track!.width, track!.height, track!.scale / track!.times[0]!]).toEqual([64, 48, 12.5])
    expect(lightOf(bytes)).toEqual([red, green, blue])
    const still = await subject.view({ filename: `${names}.png`, ...place })
    expect(decode(still.bytes).text?.['prompt']).toContain('VHS_VideoCombine')
    // The second has the next number, and other frames.
    const again = await combine(subject, { pingpong: true })
    expect(again.entry.filename).toBe('me_00002.mp4')
    expect(lightOf(again.bytes)).toEqual([red, green, blue, green])
    const looped = await combine(subject, { loop_count: 1, save_output: false })
    expect([looped.entry.type, looped.entry.filename]).toEqual(['temp', 'me_00001.mp4'])
    expect(lightOf(looped.bytes)).toEqual([red, green, blue, red, green, blue])
  },
  options,
)

proves(
  'scenario/video-combine',
  async (subject) => {
    const webm = await combine(subject, { format: 'video/webm', frame_rate: 8 })
    expect(webm.entry).toMatchObject({ filename: 'me_00001.webm', frame_rate: 8 })
    expect(readWebm(webm.bytes)).toMatchObject({ width: 64, height: 48, durationMs: 375 })
    const webp = await combine(subject, { format: 'image/webp' })
    expect([webp.entry.filename, webp.bytes.toString('latin1', 8, 12)]).toEqual([
      'me_00002.webp',
      'WEBP',
    ])
    const movie = await combine(subject, { format: 'video/ProRes' })
    expect([movie.entry.filename, lightOf(movie.bytes).length]).toEqual(['me_00003.mov', 3])
  },
  options,
)

const loading = (more: object = {}): Graph => ({
  loaded: node('VHS_LoadVideo', {
    video: 'clip.mp4',
    force_rate: 0,
    frame_load_cap: 0,
    skip_first_frames: 0,
    select_every_nth: 1,
    ...more,
  }),
  count: node('PreviewAny', { source: ['loaded', 1] }),
  video: node('VHS_VideoCombine', { ...defaults, images: ['loaded', 0] }),
})

proves(
  'scenario/video-loaded',
  async (subject) => {
    const framesOf = async (more: object) => {
      const { outputs } = succeeded(await subject.run(await me(subject), loading(more))).entry
      const [{ filename, subfolder, type }] = outputs.video.gifs
      const { bytes } = await subject.view({ filename, subfolder, type })
      const [track] = readMp4(bytes).tracks
      expect(outputs.count.text).toEqual([`${track!.samples.length}`])
      return [track!.width, track!.height, track!.samples.length]
    }
    // A placeholder has 48 frames, 24 a second.
    expect(await framesOf({})).toEqual([64, 48, 48])
    expect(await framesOf({ skip_first_frames: 8, select_every_nth: 3 })).toEqual([64, 48, 14])
    expect(await framesOf({ force_rate: 8, frame_load_cap: 10 })).toEqual([64, 48, 10])
  },
  {
    for: [loading()],
    scenario: { version: 1, start: { files: [{ path: 'input/clip.mp4', placeholder: '64x48' }] } },
  },
)

proves(
  'scenario/video-combine-sound',
  async (subject) => {
    const { entry, bytes } = await combine(subject, { audio: ['sound', 0] })
    expect(entry).toMatchObject({ filename: 'me_00001-audio.mp4', workflow: 'me_00001.png' })
    expect(readMp4(bytes).tracks.map(({ kind }) => kind)).toEqual(['video', 'sound'])
    const { subfolder, type } = entry
    const silent = await subject.view({ filename: 'me_00001.mp4', subfolder, type })
    expect(readMp4(silent.bytes).tracks.map(({ kind }) => kind)).toEqual(['video'])
  },
  options,
)
