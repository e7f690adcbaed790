// Videos, sounds and other files: how outputs list them, their names, and the samples that stand for some.

import { withoutAssets } from '../../judge/own-assets.ts'
import { below } from '../../judge/own-files.ts'
import { type Graph, node, type Node } from '../../generate/graphs.ts'
import { me, succeeded } from '../../judge/own-runs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** What makes sound, pictures, a video, a latent, a mesh and a drawing. */
const sources: Graph = {
  audio: node('EmptyAudio', { duration: 1, sample_rate: 44100, channels: 2 }),
  images: node('EmptyImage', { width: 64, height: 64, batch_size: 2, color: 0 }),
  video: node('CreateVideo', { images: ['images', 0], fps: 8 }),
  samples: node('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 }),
  vae: node('VAELoader', { vae_name: 'ae.safetensors' }),
  shape: node('EmptyLatentHunyuan3Dv2', { resolution: 64, batch_size: 1 }),
  voxel: node('VAEDecodeHunyuan3D', {
    samples: ['shape', 0],
    vae: ['vae', 0],
    num_chunks: 8000,
    octree_resolution: 16,
  }),
  mesh: node('VoxelToMeshBasic', { voxel: ['voxel', 0], threshold: 0.6 }),
  svg: node('RecraftVectorizeImageNode', { image: ['images', 0] }),
}

/** A node that saves the output of the source with this name. */
const saver = (class_type: string, source: string, filename_prefix: string, inputs = {}): Node =>
  node(class_type, { [source]: [source, 0], filename_prefix, ...inputs })

const savers: Graph = {
  mp4: saver('SaveVideo', 'video', 'film/V', { format: 'auto', codec: 'auto' }),
  webm: saver('SaveWEBM', 'images', 'W', { codec: 'vp9', fps: 24, crf: 32 }),
  flac: saver('SaveAudio', 'audio', 'sound/F'),
  mp3: saver('SaveAudioMP3', 'audio', 'M', { quality: 'V0' }),
  opus: saver('SaveAudioOpus', 'audio', 'O', { quality: '128k' }),
  latent: saver('SaveLatent', 'samples', 'L'),
  glb: saver('SaveGLB', 'mesh', 'G'),
  svg: saver('SaveSVGNode', 'svg', 'S'),
}

/** The only file of each saver: the key of the output, the path, the media type, and how the bytes begin. */
const expected: Readonly<Record<string, readonly [string, string, string, string]>> = {
  mp4: ['videos', 'film/V_00001_.mp4', 'video/mp4', '\0\0\0 ftyp'],
  webm: ['videos', '/W_00001_.webm', 'video/webm', '\x1a\x45\xdf\xa3'],
  flac: ['audio', 'sound/F_00001_.flac', 'audio/flac', 'fLaC'],
  mp3: ['audio', '/M_00001_.mp3', 'audio/mpeg', 'ID3\x04'],
  opus: ['audio', '/O_00001_.opus', 'audio/ogg', 'OggS'],
  latent: ['latents', '/L_00001_.latent', 'application/octet-stream', ''],
  glb: ['3d', '/G_00001_.glb', 'model/gltf-binary', 'glTF\x02\0\0\0'],
  svg: ['images', '/S_00001_.svg', 'image/svg+xml', '<svg '],
}
const partner = { extra_data: { api_key_comfy_org: 'test-partner-key' } }
/** Where the outputs list videos. */
const videoKey = { local: 'videos', hosted: 'video' } as const

/** The length that a file of these formats declares. */
const ownLength: Readonly<Record<string, (bytes: Buffer) => number>> = {
  mp4: (bytes) => {
    let at = 0
    while (at < bytes.length) at += Math.max(8, bytes.readUInt32BE(at))
    return at
  },
  glb: (bytes) => bytes.readUInt32LE(8),
  latent: (bytes) => {
    const end = 8 + Number(bytes.readBigUInt64LE(0))
    const { latent_tensor } = JSON.parse(bytes.subarray(8, end).toString())
    return end + latent_tensor.data_offsets[1]
  },
}

/** The sources that a node needs, with those that they need. */
const sourcesOf = ({ inputs }: Node): Graph => {
  const linked = Object.values(inputs).flatMap((value) =>
    Array.isArray(value) ? [String(value[0])] : [],
  )
  return Object.assign(
    {},
    ...linked.flatMap((id) => [sourcesOf(sources[id]!), { [id]: sources[id] }]),
  )
}

/** What one saver has saved, once for all cases. */
const saveOnce = (subject: Subject, id: string) =>
  subject.once(`saved ${id}`, async () => ({
    ...(await save(subject, id)),
    folder: subject.unique(''),
  }))

/** Runs one saver and returns its output, its only file, and the reply to a view of that file. */
async function save(subject: Subject, id: string, graph: Graph = savers) {
  const { connect, view, run, unique } = subject
  const { class_type, inputs } = graph[id]!
  const filename_prefix = unique(String(inputs['filename_prefix']))
  const placed = node(class_type, { ...inputs, filename_prefix })
  const needed = sourcesOf(placed)
  const fields = 'svg' in needed ? partner : {}
  const { entry } = succeeded(await run(await connect(id), { ...needed, saver: placed }, fields))
  const output: Record<string, Record<string, string>[]> = entry.outputs.saver
  const file = Object.values(output)[0]![0]!
  return { output, file, reply: await view(file) }
}

/** What each of these formats is; the others are samples. */
const ruleOf = (id: string) => {
  if (id === 'mp4' || id === 'webm') return 'files/videos'
  return ['flac', 'mp3', 'opus'].includes(id) ? 'files/sounds' : 'files/samples'
}

for (const [id, [key, , type, magic]] of Object.entries(expected)) {
  proves(ruleOf(id), async (subject) => {
    const { output, file, reply } = await saveOnce(subject, id)
    expect(file['filename']).toMatch(new RegExp(`\\.${id}$`))
    expect(Object.keys(output)[0]).toBe(key === 'videos' ? videoKey[subject.deployment] : key)
    const { bytes, headers, status } = reply
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type })
    expect(bytes.subarray(0, magic.length).toString('latin1')).toBe(magic)
    expect(ownLength[id]?.(bytes) ?? bytes.length).toBe(bytes.length)
    // Each of the others names its run.
    if (id !== 'glb' && id !== 'svg') return
    expect(bytes.length).toBeLessThan(4096)
    const again = { ...savers[id]!.inputs, filename_prefix: 'again' }
    const other = await save(subject, id, { [id]: node(savers[id]!.class_type, again) })
    expect(other.reply.bytes).toEqual(bytes)
  })
}

/** A name as earlier servers number it: later ones leave out the end of the number [files/audio-names]. */
const numbered = (name: string): string => name.replace(/(_\d{5})(?=\.(flac|mp3|opus)$)/, '$1_')

for (const id of ['flac', 'mp3', 'opus'])
  proves('files/audio-underscore', async (subject) => {
    expect((await saveOnce(subject, id)).file['filename']).toMatch(/_00001_\.\w+$/)
  })

for (const [id, [, path]] of Object.entries(expected))
  proves('files/saved-name', async (subject) => {
    const { file, folder: own } = await saveOnce(subject, id)
    const folder = file['subfolder']!.slice(own.length).replace(/^\//, '')
    expect(`${folder}/${numbered(file['filename']!)}`).toBe(path)
    // One file of each kind is enough where nobody can remove it.
    if (!subject.isOwn) return
    const other = node(savers[id]!.class_type, {
      ...savers[id]!.inputs,
      filename_prefix: `more-${id}`,
    })
    const again = await save(subject, id, { [id]: other })
    expect(numbered(again.file['filename']!)).toBe(`more-${id}_00001_.${id}`)
  })

/** A sound that is shown. */
async function shownSound(
  subject: Subject,
): Promise<Record<'filename' | 'subfolder' | 'type', string>> {
  const preview = node('PreviewAudio', { audio: ['audio', 0] })
  const run = await subject.run(await me(subject), { ...sourcesOf(preview), preview })
  return succeeded(run).entry.outputs.preview.audio[0]
}

proves('files/sounds', async (subject) => {
  const file = await shownSound(subject)
  expect(file).toMatchObject({ type: 'temp', subfolder: '' })
  expect(file.filename).toMatch(/\.flac$/)
  expect((await subject.view(file)).text).toMatch(/^fLaC/)
})

proves('files/preview-is-temp', async (subject) => {
  // Since 0.27 the letters of a sound may be any, those of a picture are never a w.
  const name = /^ComfyUI_temp_[a-z]{5}_\d{5}_\.flac$/
  expect(numbered((await shownSound(subject)).filename)).toMatch(name)
})

const [mp4, webm] = ['mp4', 'webm'].map((id) => {
  const [filename, subfolder] = expected[id]![1].split('/').toReversed()
  return { filename, subfolder, type: 'output' }
})

/** What two nodes list for the videos that they have saved, and the videos. */
async function savedVideos(subject: Subject) {
  const videos = []
  for (const [id, file] of Object.entries({ mp4, webm })) {
    const { output, folder } = await saveOnce(subject, id)
    const subfolder = below(folder, file!.subfolder!)
    videos.push({ output: withoutAssets(output), video: { ...file, subfolder } })
  }
  return videos
}

proves('files/local-videos', async (subject) => {
  for (const { output, video } of await savedVideos(subject))
    expect(output).toEqual({ videos: [video] })
})

provesQuirk('local.video-under-images', async (subject) => {
  for (const { output, video } of await savedVideos(subject))
    expect(output).toEqual({ images: [video], animated: [true] })
})

/** A graph that saves a second of silence under a prefix, which no run has in its cache. */
const silence = (subject: Subject, prefix: string, duration: number) => ({
  '1': node('EmptyAudio', { ...sources['audio']!.inputs, duration }),
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

/** Shows a model, and another with this node and a camera. Their results end with `rest`. */
async function shows3d(subject: Subject, seen: string, ...rest: readonly null[]): Promise<void> {
  const camera_info = { position: [1, 2.5, 3] }
  const { entry } = await subject.run(await me(subject), {
    plain: node('Preview3D', { model_file: 'mesh/a.glb' }),
    seen: node(seen, { model_file: 'ü.glb', camera_info }),
  })
  expect(entry.outputs).toEqual({
    plain: { result: ['mesh/a.glb', null, ...rest] },
    seen: { result: ['ü.glb', camera_info, ...rest] },
  })
}

proves('files/preview-3d', (subject) => shows3d(subject, 'Preview3DAnimation'))
proves('files/preview-3d-parts', (subject) => shows3d(subject, 'Preview3D', null))
