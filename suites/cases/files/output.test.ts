// Files: those that output nodes write, their names, and their content.

import { decode } from 'fast-png'
import { fileEntry } from '../../../spec/server/files.ts'
import type { Static } from '../../../spec/static.ts'
import { viewPath } from '../../generate/form.ts'
import { type Graph, node, solid } from '../../generate/graphs.ts'
import { violations } from '../../judge/judge.ts'
import { ownWorld, proves, provesLocal } from '../../judge/proves.ts'
import { errorOf } from '../../judge/failures.ts'
import { me, needsPosix } from '../../judge/own-runs.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import { needsMetadata, put } from '../../judge/own-files.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

type Entry = Static<typeof fileEntry>

const view = (get: Subject['get'], { filename, subfolder, type }: Entry) =>
  get(viewPath({ filename, subfolder, type }))

/** The path of a file, below the folder of the case. */
const shownPath = ({ unique }: Subject, { subfolder, filename }: Entry): string =>
  `${subfolder.slice(unique('').length).replace(/^\//, '')}/${filename}`

/** A batch of pictures, and a node that takes them. */
const taking = (class_type: string, inputs = {}, batch_size = 1, color = 0): Graph => ({
  '1': node('EmptyImage', { width: 32, height: 16, batch_size, color }),
  '2': node(class_type, { images: ['1', 0], ...inputs }),
})

/** Runs graphs in one session and returns the entries of node 2. */
async function imagesOf({ connect, run, unique }: Subject, ...graphs: Graph[]): Promise<Entry[]> {
  const session = await connect(unique('me'))
  const entries: Entry[] = []
  for (const graph of graphs) entries.push(...(await run(session, graph)).entry.outputs['2'].images)
  return entries
}

provesLocal('files/entry', async (subject) => {
  const { unique } = subject
  const [entry] = await imagesOf(subject, solid(0, unique('some/where/solid')))
  expect(withoutAssets(entry)).toEqual({
    filename: 'solid_00001_.png',
    subfolder: unique('some/where'),
    type: 'output',
  })
  expect(violations(fileEntry, entry)).toEqual([])
  const { messages } = await subject.run(
    await subject.connect(subject.unique('you')),
    solid(1, unique('x')),
  )
  const executed = messages.find(({ type }) => type === 'executed')
  const images = [{ filename: 'x_00001_.png', subfolder: unique(''), type: 'output' }]
  expect(withoutAssets(executed?.data['output'])).toEqual({ images })
})

proves('files/saved-name', async (subject) => {
  const { headers } = await subject.get('/')
  const year = new Date(headers['date'] ?? '').getUTCFullYear()
  const names: readonly (readonly [prefix: string, batch: number, ...paths: string[]])[] = [
    ['a/b', 1, 'a/b_00001_.png'],
    ['a/b', 2, 'a/b_00002_.png', 'a/b_00003_.png'],
    ['b', 1, '/b_00001_.png'],
    ['a/./x/../b', 1, 'a/b_00004_.png'],
    ['a/b_00041', 1, 'a/b_00041_00001_.png'],
    ['a/b', 1, 'a/b_00042_.png'],
    ['sub/', 1, '/sub_00001_.png'],
    ['%width%x%height% %year%', 1, `/32x16 ${year}_00001_.png`],
    ['%nonsense%', 1, '/%nonsense%_00001_.png'],
  ]
  const graphs = names.map(([filename_prefix, batch], color) =>
    taking('SaveImage', { filename_prefix: subject.unique(filename_prefix) }, batch, color),
  )
  const saved = await imagesOf(subject, ...graphs)
  expect(saved.map((entry) => shownPath(subject, entry))).toEqual(
    names.flatMap(([, , ...paths]) => paths),
  )
  for (const entry of saved) {
    expect(entry.type).toBe('output')
    expect((await view(subject.get, entry)).status).toBe(200)
  }
})

proves('files/saved-name', async (subject) => {
  for (const prefix of ['../flowdouble-check', '/flowdouble-check', 'a/../../flowdouble-check']) {
    const { messages, entry } = await subject.run(await me(subject), solid(0, prefix))
    expect({ prefix, outputs: entry.outputs }).toEqual({ prefix, outputs: {} })
    expect(errorOf({ messages }).exception_message).toMatch(
      /^\*\*\*\* ERROR: Saving image outside the output folder/,
    )
  }
  await put(subject, { name: 'up_00007_.gif', bytes: new Uint8Array(1) }, { type: 'output' })
  const [entry] = await imagesOf(subject, solid(1, subject.unique('up')))
  expect(entry?.filename).toBe('up_00008_.png')
  expect((await view(subject.get, entry!)).headers['content-type']).toBe('image/png')
})

/** The folder that holds another. */
const above = (path: string): string => path.replace(/\/[^/]*$/, '') || '/'
const outside =
  /^\*{4} ERROR: Saving image outside the output folder is not allowed\.\n full_output_folder: (.*)\n {9}output_dir: (.*)\n {9}commonpath: (.*)\n$/

proves('files/prefix-outside', async (subject) => {
  await needsPosix(subject)
  const failed = async (prefix: string) =>
    errorOf(await subject.run(await me(subject), solid(0, prefix)))
  for (const [prefix, from] of [
    ['../flowdouble-check', (root: string) => above(root)],
    ['/flowdouble-check', () => '/'],
    ['a/../../../x/flowdouble-check', (root: string) => above(above(root))],
  ] as const) {
    const { exception_message, exception_type } = await failed(prefix)
    // Each server says where its outputs are.
    const [, folder, root = '', common] = outside.exec(exception_message ?? '') ?? []
    const place = prefix.includes('x') ? `${from(root)}/x`.replace('//', '/') : from(root)
    expect({ prefix, exception_type, folder, common }).toEqual({
      prefix,
      exception_type: 'Exception',
      folder: place,
      common: from(root),
    })
  }
  expect(await failed('nul\0x')).toMatchObject({
    exception_type: 'ValueError',
    exception_message: 'embedded null byte\n',
  })
})

proves('files/prefix-odd', async (subject) => {
  await needsPosix(subject)
  const names = {
    'dir/': '/dir_00001_.png',
    'a//b/.': 'a/b_00001_.png',
    'back\\slash': '/back\\slash_00001_.png',
    '~': '/~_00001_.png',
    ' lead': '/ lead_00001_.png',
  }
  const graphs = Object.keys(names).map((prefix, color) => solid(color, subject.unique(prefix)))
  const saved = await imagesOf(subject, ...graphs)
  expect(saved.map((entry) => shownPath(subject, entry))).toEqual(Object.values(names))
  for (const entry of saved) {
    const { status } = await view(subject.get, entry)
    expect({ entry, status }).toEqual({ entry, status: 200 })
  }
})

proves('files/prefix-restarts', async (subject) => {
  const { connect, run, unique } = subject
  await needsPosix(subject)
  const session = await connect(unique('me'))
  const prefix = unique('folder')
  const named = async (filename_prefix: string, color: number): Promise<string> => {
    const { entry } = await run(session, taking('SaveImage', { filename_prefix }, 1, color))
    return entry.outputs['2'].images[0].filename
  }
  const first = await named(`${prefix}/`, 1)
  expect(first).toMatch(/_00001_\.png$/)
  expect(await named(`${prefix}/`, 2)).toBe(first)
  expect(await named(`${prefix}/.`, 3)).toBe(first)
  expect(await named(prefix, 4)).toBe(first.replace('00001', '00002'))
})

proves('files/batch-number-kept', async ({ connect, run, unique }) => {
  const session = await connect(unique('me'))
  const named = async (class_type: string, inputs: object, key = 'images'): Promise<string> => {
    const { '1': source } = taking('SaveImage', {}, 2)
    const latent = node('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 })
    const saver = node(class_type, { filename_prefix: unique('n%batch_num%'), ...inputs })
    const graph = { '1': source!, '2': latent, '3': saver }
    return (await run(session, graph)).entry.outputs['3'][key][0].filename
  }
  expect(await named('SaveLatent', { samples: ['2', 0] }, 'latents')).toBe(
    'n%batch_num%_00001_.latent',
  )
  const webp = { fps: 6, lossless: true, quality: 80, method: 'default', images: ['1', 0] }
  expect(await named('SaveAnimatedWEBP', webp)).toBe('n%batch_num%_00002_.webp')
  const png = { fps: 6, compress_level: 4, images: ['1', 0] }
  expect(await named('SaveAnimatedPNG', png)).toBe('n%batch_num%_00003_.png')
  expect(await named('SaveImage', { images: ['1', 0] })).toBe('n0_00004_.png')
})

proves(
  'files/temp-letters',
  async ({ connect, run, unique }) => {
    const session = await connect(unique('me'))
    const preview = async (graph: Graph): Promise<string> =>
      (await run(session, graph)).entry.outputs['2']?.images[0].filename ?? ''
    const first = await preview(taking('PreviewImage'))
    expect(first).toMatch(/^ComfyUI_temp_[a-vx-z]{5}_00001_\.png$/)
    expect(await preview(taking('PreviewImage', {}, 1, 1))).toBe(first.replace('00001', '00002'))
    // The same node in another graph keeps them, and loses them in a graph without it.
    const { '1': source, '2': shown } = taking('PreviewImage', {}, 1, 2)
    const extended = { '1': source!, '2': shown!, '9': node('PreviewAny', { source: 1 }) }
    expect(await preview(extended)).toBe(first.replace('00001', '00003'))
    await run(session, { '7': node('PreviewAny', { source: 2 }) })
    const later = await preview(taking('PreviewImage', {}, 1, 3))
    expect(later).toMatch(/^ComfyUI_temp_[a-vx-z]{5}_00001_\.png$/)
    expect(later).not.toBe(first)
  },
  ownWorld,
)

/** A node that shows the picture of node 1, under an id that no run before had, so that its letters are new. */
const preview = ({ unique }: Subject, batch: number, color: number): readonly [string, Graph] => {
  const { '1': source, '2': shown } = taking('PreviewImage', {}, batch, color)
  const id = unique('2')
  return [id, { '1': source!, [id]: shown! }]
}

proves('files/preview-is-temp', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const entries: Entry[] = []
  for (const [batch, color] of [
    [1, 0],
    [2, 9],
  ] as const) {
    const [id, graph] = preview(subject, batch, color)
    entries.push(...(await subject.run(session, graph)).entry.outputs[id].images)
  }
  const [first] = entries
  expect(first).toMatchObject({ subfolder: '', type: 'temp' })
  expect(first?.filename).toMatch(/^ComfyUI_temp_[a-vx-z]{5}_\d{5}_\.png$/)
  expect((await view(subject.get, first!)).status).toBe(200)
  expect((await view(subject.get, { ...first!, type: 'output' })).status).toBe(404)
  const others = await subject.connect(subject.unique('you'))
  const { '1': source, '2': previews } = taking('PreviewImage', {}, 1, 10)
  const { outputs } = (await subject.run(others, { '1': source!, '7': previews! })).entry
  expect(outputs['7'].images[0].filename).not.toContain(first?.filename.slice(0, 18))
})

proves('files/workflow-in-png', async (subject) => {
  await needsMetadata(subject)
  const graph = solid(0, subject.unique('with workflow'))
  const workflow = { nodes: [{ id: 1, title: 'Ünïcode ☃' }], version: 0.4 }
  const extra_pnginfo = { workflow, note: 'two\nlines' }
  const extra_data = { extra_pnginfo, api_key_comfy_org: 'secret-key' }
  const { entry } = await subject.run(await subject.connect(subject.unique('me')), graph, {
    extra_data,
  })
  const { bytes } = await view(subject.get, entry.outputs['2'].images[0])
  const { text } = decode(bytes)
  expect(Object.keys(text)).toEqual(['prompt', 'workflow', 'note'])
  const texts = Object.entries(text).map(([key, value]) => [key, JSON.parse(value)])
  expect(Object.fromEntries(texts)).toEqual({ prompt: graph, ...extra_pnginfo })
  expect(bytes.includes('secret-key')).toBe(false)
  const [plain] = await imagesOf(subject, taking('PreviewImage'))
  const previewed = decode((await view(subject.get, plain!)).bytes).text
  expect(Object.keys(previewed)).toEqual(['prompt'])
})
