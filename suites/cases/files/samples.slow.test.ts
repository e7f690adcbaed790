// Files: the samples that are used for non-image outputs, and the key of videos.

import { withoutAssets } from '../../judge/own-assets.ts'
import { below } from '../../judge/own-files.ts'
import { viewPath } from '../../generate/form.ts'
import { type Graph, type Node } from '../../generate/graphs.ts'
import { succeeded } from '../../judge/own-runs.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const node = (class_type: string, inputs: Readonly<Record<string, unknown>>): Node => ({
  class_type,
  inputs,
})

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
  mp3: ['audio', '/M_00001_.mp3', 'audio/mpeg', '\xff\xf3'],
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

for (const [id, [key, , type, magic]] of Object.entries(expected)) {
  proves('files/samples', async (subject) => {
    const { output, file, reply } = await saveOnce(subject, id)
    expect(file['filename']).toMatch(new RegExp(`\\.${id}$`))
    expect(Object.keys(output)[0]).toBe(key === 'videos' ? videoKey[subject.deployment] : key)
    const { bytes, headers, status } = reply
    expect({ status, contentType: headers['content-type'] }).toEqual({
      status: 200,
      contentType: type,
    })
    expect(bytes.subarray(0, magic.length).toString('latin1')).toBe(magic)
    expect(bytes.length).toBeLessThan(4096)
    expect(ownLength[id]?.(bytes) ?? bytes.length).toBe(bytes.length)
    // Each latent names its run [files/workflow-in-latent].
    if (id === 'latent') return
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

proves('files/samples', async ({ connect, view, run, unique }) => {
  const preview = node('PreviewAudio', { audio: ['audio', 0] })
  const graph = { ...sourcesOf(preview), preview }
  const { outputs } = succeeded(await run(await connect(unique('me')), graph)).entry
  const [file] = outputs.preview.audio
  expect(file).toMatchObject({ type: 'temp', subfolder: '' })
  expect(file.filename).toMatch(/\.flac$/)
  expect((await view(file)).text).toMatch(/^fLaC/)
})

/** The name of a sound that is shown, whose counter looks like this. */
const showsSound =
  (counter: string) =>
  async ({ connect, run, unique }: Subject) => {
    const preview = node('PreviewAudio', { audio: ['audio', 0] })
    const graph = { ...sourcesOf(preview), preview }
    const { outputs } = succeeded(await run(await connect(unique('me')), graph)).entry
    // Since 0.27 the letters of a sound may be any, those of a picture are never a w.
    const name = new RegExp(`^ComfyUI_temp_[a-z]{5}_${counter}_\\.flac$`)
    expect(numbered(outputs.preview.audio[0].filename)).toMatch(name)
  }
proves('files/preview-is-temp', showsSound('\\d{5}'))
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

proves('files/preview-3d', async ({ connect, run, unique }) => {
  const camera_info = { position: [1, 2.5, 3] }
  const { entry } = await run(await connect(unique('me')), {
    plain: node('Preview3D', { model_file: 'mesh/a.glb' }),
    seen: node('Preview3DAnimation', { model_file: 'ü.glb', camera_info }),
  })
  expect(entry.outputs).toEqual({
    plain: { result: ['mesh/a.glb', null] },
    seen: { result: ['ü.glb', camera_info] },
  })
})

/** Every node type that names an example, with its input for the name. */
const examples: readonly [class_type: string, input: string, names: readonly string[]][] = [
  ['LoadImage', 'image', ['example.png']],
  ['LoadAudio', 'audio', ['example.mp3', 'example.mp4', 'example.wav']],
  ['LoadVideo', 'file', ['example.mp4']],
  ['LoadLatent', 'latent', ['example.latent']],
  ['Load3D', 'model_file', ['3d/example.glb']],
  ['Load3DAnimation', 'model_file', ['3d/example.glb']],
  ['OpenAIInputFiles', 'file', ['notes.txt']],
  ['GeminiInputFiles', 'file', ['notes.txt']],
]

proves(
  'files/examples',
  async ({ get, submit, upload }) => {
    const choices = async (class_type: string, input: string) => {
      const { required } = (await get(`/object_info/${class_type}`)).json()[class_type].input
      const [list, options] = required[input]
      return Array.isArray(list) ? list : options.options
    }
    for (const [class_type, input, names] of examples) {
      expect([class_type, await choices(class_type, input)]).toEqual([class_type, names])
      for (const name of names) {
        const cut = name.lastIndexOf('/') + 1
        const file = { filename: name.slice(cut), subfolder: name.slice(0, cut), type: 'input' }
        const { status, bytes } = await get(viewPath(file))
        expect([name, status, bytes.length > 10]).toEqual([name, 200, true])
      }
    }
    const bytes = new Uint8Array(1)
    await upload({ name: 'new.obj', bytes }, { subfolder: '3d/deep' })
    await upload({ name: 'top.obj', bytes })
    await upload({ name: 'new.pdf', bytes })
    const meshes = ['3d/deep/new.obj', '3d/example.glb']
    expect(await choices('Load3D', 'model_file')).toEqual(meshes)
    expect(await choices('OpenAIInputFiles', 'file')).toEqual(['new.pdf', 'notes.txt'])
    const loading = async (model_file: string) =>
      submit({
        '1': node('Load3D', { model_file, image: '', width: 64, height: 64 }),
        '2': node('PreviewImage', { images: ['1', 0] }),
      })
    expect((await loading('3d/deep/new.obj')).status).toBe(200)
    const refused = (await loading('3d/none.obj')).json().node_errors['1'].errors[0]
    expect(refused.type).toBe('value_not_in_list')
    expect(refused.details).toBe(
      `model_file: '3d/none.obj' not in ['3d/deep/new.obj', '3d/example.glb']`,
    )
  },
  ownWorld,
)
