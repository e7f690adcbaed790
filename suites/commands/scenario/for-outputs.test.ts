// What output nodes of well-known packs report: the keys of their pack, with files and texts of this run.

import { both } from '../../../spec/language.ts'
import { type Graph, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'

const image = ['image', 0]
const file = (format: RegExp, type = 'output', more = {}) =>
  expect.objectContaining({ filename: expect.stringMatching(format), type, ...more })
const saved = file(/\.png$/)
const shown = file(/\.png$/, 'temp')
const bridge = expect.objectContaining({ type: 'temp' })
const silent = undefined

type Row = readonly [inputs: Readonly<Record<string, unknown>>, reported: object | undefined]

/** Each type with inputs, and what it reports of them. The pictures are two. */
const rows: Readonly<Record<string, Row>> = {
  ADE_AnimateDiffCombine: [{ images: image, frame_rate: 8 }, { gifs: [file(/\.mp4$/)] }],
  VideoCombine_Adv: [{ image_batch: image }, { gifs: [file(/\.mp4$/)] }],
  'Save Gif (mtb)': [{ image, fps: 12 }, { gif: [file(/\.gif$/)] }],
  'Image Save': [{ images: image, filename_prefix: 'was' }, { images: [saved, saved] }],
  'Image Saver': [{ images: image, filename: 'a' }, { images: [saved, saved] }],
  'LayerUtility: SaveImagePlus': [{ image, filename_prefix: 'a' }, { images: [saved, saved] }],
  'MaskPreview+': [{ mask: ['mask', 0] }, { images: [shown] }],
  'ImagePreviewFromLatent+': [{ latent: ['latent', 0], vae: ['vae', 0] }, { images: [shown] }],
  PreviewBridge: [{ images: image }, { images: [bridge] }],
  'Image Comparer (rgthree)': [
    { image_a: image, image_b: image },
    { a_images: [shown], b_images: [shown] },
  ],
  'KSampler (Efficient)': [{ seed: 1, preview_method: 'auto' }, { images: [shown] }],
  'KSampler Adv. (Efficient)': [{ noise_seed: 1, preview_method: 'none' }, { images: [] }],
  'easy kSampler': [{ image_output: 'Preview' }, { images: [shown] }],
  'easy fullkSampler': [{ image_output: 'Hide' }, silent],
  ETN_SendImageWebSocket: [
    { images: image },
    { images: [{ source: 'websocket', 'content-type': 'image/png', type: 'output' }] },
  ],
  'ShowText|pysssss': [{ text: ['text', 0] }, { text: ['hello'] }],
  'PlaySound|pysssss': [{ any: image, mode: 'always', volume: 0.5, file: 'notify.mp3' }, { a: [] }],
  'Display Any (rgthree)': [{ source: ['number', 0] }, { text: ['7'] }],
  DisplayAny: [{ input: ['number', 0], mode: 'raw value' }, { text: ['7'] }],
  'easy showAnything': [{ anything: ['text', 0] }, { text: ['hello'] }],
  'Text to Console': [{ text: ['text', 0], label: 'a' }, { string: ['hello'] }],
  'Show any [Crystools]': [{ any_value: ['number', 0] }, { text: ['7'] }],
  DWPreprocessor: [
    { image, resolution: 512 },
    { openpose_json: [expect.stringContaining('people')] },
  ],
  SDPromptReader: [{ image: 'a.png' }, { text: ['', '', ''] }],
  ComfyDeployOutputText: [{ text: 'a' }, { text_file: [file(/\.txt$/)] }],
  TripoSRViewer: [{ mesh: ['number', 0] }, { mesh: [file(/\.glb$/)] }],
}

const workflow: Graph = {
  image: node('EmptyImage', { width: 16, height: 16, batch_size: 2, color: 5 }),
  mask: node('SolidMask', { value: 1, width: 16, height: 16 }),
  latent: node('EmptyLatentImage', { width: 16, height: 16, batch_size: 1 }),
  vae: node('VAELoader', { vae_name: 'mine.safetensors' }),
  text: node('PrimitiveString', { value: 'hello' }),
  number: node('PrimitiveInt', { value: 7 }),
  ...Object.fromEntries(
    Object.entries(rows).map(([class_type, [inputs]]) => [class_type, node(class_type, inputs)]),
  ),
}

async function outputsOf({ submit, idle, finished }: Subject): Promise<Record<string, object>> {
  const reply = await submit(workflow)
  expect([reply.status, reply.json().node_errors]).toEqual([200, {}])
  await idle()
  const entry = await finished(reply.json().prompt_id)
  expect(entry?.status.status_str).toBe('success')
  return entry?.outputs as Record<string, object>
}

for (const deployment of both)
  proves(
    'scenario/for-outputs',
    async (subject) => {
      const outputs = await outputsOf(subject)
      for (const [class_type, [, reported]] of Object.entries(rows))
        expect([class_type, outputs[class_type]]).toEqual([class_type, reported])
    },
    { deployment, for: [workflow] },
  )
