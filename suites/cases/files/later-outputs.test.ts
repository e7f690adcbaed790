// The files that runs of later local servers save: their names, and what their entries say.

import { node } from '../../generate/graphs.ts'
import { me, shown } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'

/** A graph that saves a second of silence under a prefix, which no run has in its cache. */
const silence = (subject: Subject, prefix: string, duration: number) => ({
  '1': node('EmptyAudio', { duration, sample_rate: 44100, channels: 2 }),
  '2': node('SaveAudio', { audio: ['1', 0], filename_prefix: subject.unique(prefix) }),
  '3': node('SaveAudioMP3', {
    audio: ['1', 0],
    filename_prefix: subject.unique(`${prefix}3`),
    quality: 'V0',
  }),
})

/** The names that a run has saved. */
async function namesOf(subject: Subject, duration: number) {
  const { entry } = await subject.run(await me(subject), silence(subject, 'A', duration))
  return ['2', '3'].map((id) => entry.outputs[id].audio.map(({ filename }: any) => filename))
}

proves('files/audio-names', async (subject) => {
  expect(await namesOf(subject, 1)).toEqual([['A_00001.flac'], ['A3_00001.mp3']])
})

proves('files/audio-counts', async (subject) => {
  await namesOf(subject, 1)
  expect(await namesOf(subject, 2)).toEqual([['A_00002.flac'], ['A3_00002.mp3']])
})

proves('files/preview-3d-parts', async (subject) => {
  const camera_info = { position: [1, 2.5, 3] }
  const { entry } = await subject.run(await me(subject), {
    plain: node('Preview3D', { model_file: 'mesh/a.glb' }),
    seen: node('Preview3D', { model_file: 'ü.glb', camera_info }),
  })
  expect(entry.outputs).toEqual({
    plain: { result: ['mesh/a.glb', null, null] },
    seen: { result: ['ü.glb', camera_info, null] },
  })
})

proves('files/output-metadata', async (subject) => {
  const graph = {
    ...shown(subject, 'described'),
    '3': node('CreateVideo', { images: ['1', 0], fps: 8 }),
    '4': node('SaveVideo', {
      video: ['3', 0],
      filename_prefix: subject.unique('V'),
      format: 'auto',
      codec: 'auto',
    }),
    '5': node('PreviewAny', { source: subject.unique('not described') }),
  }
  const { entry } = await subject.run(await me(subject), graph)
  const [picture] = entry.outputs['2'].images
  expect(picture.metadata).toEqual({ kind: 'image', width: 64, height: 64 })
  const [video] = entry.outputs['4'].images
  expect(video.metadata).toMatchObject({ kind: 'video' })
  expect(entry.outputs['5']).toEqual({ text: [subject.unique('not described')] })
})
