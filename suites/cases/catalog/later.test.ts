// The catalogue of servers of 2026: model folders, previews, replacements, subgraphs, help pages.

import { globalSubgraphs, modelFolderPaths } from '../../../spec/server/catalog.ts'
import { replacement, replacementsByType } from '../../../spec/server/replacements.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { builtIn } from '../../judge/responses.ts'
import { expect } from '../../judge/expect.ts'

type Folder = {
  readonly name: string
  readonly folders: readonly string[]
  readonly extensions: readonly string[]
}

proves('catalog/experiment-extensions', async ({ get }) => {
  const folders: Folder[] = (await get('/experiment/models')).json()
  expect(violations(modelFolderPaths, folders)).toEqual([])
  const paths = (await get('/internal/folder_paths')).json()
  for (const { name, folders: of, extensions } of folders) {
    expect({ name, of }).toEqual({ name, of: paths[name] })
    expect({ name, extensions }).toEqual({ name, extensions: extensions.toSorted() })
  }
  const loras = folders.find(({ name }) => name === 'loras')
  expect(loras?.extensions).toContain('.safetensors')
})

proves('catalog/other-extensions', async ({ get }) => {
  const folders: Folder[] = (await get('/experiment/models')).json()
  const of = (folder: string) => folders.find(({ name }) => name === folder)?.extensions
  expect({ diffusers: of('diffusers'), classifiers: of('classifiers') }).toEqual({
    diffusers: ['folder'],
    classifiers: [''],
  })
})

proves('catalog/model-preview-refusals', async ({ get }) => {
  const statuses: readonly (readonly [path: string, status: number])[] = [
    ['loras/0/none.safetensors', 404],
    ['loras/999/x', 404],
    ['loras/-999/x', 404],
    ['unknown/0/x', 404],
    ['loras/a/x', 400],
    ['loras/1.5/x', 400],
    ['loras/0/', 400],
    ['loras/0/..%2F..%2Fx', 403],
  ]
  for (const [path, status] of statuses) {
    const reply = await get(`/experiment/models/preview/${path}`)
    expect({ path, status: reply.status, text: reply.text }).toEqual({ path, status, text: '' })
  }
})

const laterFolders = [
  'latent_upscale_models',
  'background_removal',
  'frame_interpolation',
  'geometry_estimation',
  'optical_flow',
  'detection',
]

proves('catalog/more-folders', async ({ get }) => {
  const names: string[] = (await get('/models')).json()
  expect(names.filter((name) => laterFolders.includes(name))).toEqual(laterFolders)
  expect(names[names.indexOf('upscale_models') + 1]).toBe('latent_upscale_models')
  for (const name of laterFolders) {
    const { status, json } = await get(`/models/${name}`)
    expect({ name, status, isList: Array.isArray(json()) }).toEqual({
      name,
      status: 200,
      isList: true,
    })
  }
})

proves('catalog/dataset-folder', async ({ get }) => {
  const names: string[] = (await get('/models')).json()
  expect(names[names.indexOf('custom_nodes') + 1]).toBe('datasets')
})

proves('catalog/newest-folders', async ({ get }) => {
  expect((await get('/models')).json()).toContain('fonts')
})

proves('catalog/types-of-generation', async ({ get }) => {
  const typeOf = async (name: string) => (await get(`/object_info/${name}`)).json()[name]
  const preview = await typeOf('PreviewImage')
  expect({ output: preview.output, output_node: preview.output_node }).toEqual({
    output: ['IMAGE'],
    output_node: true,
  })
  expect((await typeOf('ManualSigmas'))?.output).toEqual(['SIGMAS'])
  expect(await typeOf('Load3DAnimation')).toBe(undefined)
})

proves('catalog/replacements', async ({ get }) => {
  const reply = await get('/node_replacements')
  expect({ status: reply.status, wrong: violations(replacementsByType, reply.json()) }).toEqual({
    status: 200,
    wrong: [],
  })
  const found: Record<string, any[]> = reply.json()
  for (const [old, list] of Object.entries(found))
    for (const one of list) {
      expect(one.old_node_id).toBe(old)
      expect(Object.keys(one)).toEqual(replacement.required)
    }
  expect(found['ConditioningAverage ']).toMatchObject([
    { new_node_id: 'ConditioningAverage', old_widget_ids: null, input_mapping: null },
  ])
  expect(found['ResizeImagesByLongerEdge']?.[0]).toMatchObject({
    input_mapping: expect.arrayContaining([
      { new_id: 'largest_size', old_id: 'longer_edge' },
      { new_id: 'upscale_method', set_value: 'lanczos' },
    ]),
    output_mapping: [{ new_idx: 0, old_idx: 0 }],
  })
})

proves('catalog/subgraphs', async ({ get }) => {
  const reply = await get('/global_subgraphs')
  const found: Record<string, object> = reply.json()
  expect({ status: reply.status, wrong: violations(globalSubgraphs, found) }).toEqual({
    status: 200,
    wrong: [],
  })
  for (const [id, entry] of Object.entries(found)) {
    expect(id).toMatch(/^[0-9a-f]{64}$/)
    expect(Object.keys(entry)).toEqual(['source', 'name', 'info'])
  }
})

proves('catalog/subgraph', async ({ get }) => {
  const found: Record<string, object> = (await get('/global_subgraphs')).json()
  for (const [id, entry] of Object.entries(found).slice(0, 3)) {
    const { data, ...rest } = (await get(`/global_subgraphs/${id}`)).json()
    expect(rest).toEqual(entry)
    expect(typeof JSON.parse(data)).toBe('object')
  }
  for (const id of ['nowhere', '0'.repeat(64), 'toString']) {
    const { status, text } = await get(`/global_subgraphs/${id}`)
    expect({ id, status, text }).toEqual({ id, status: 200, text: 'null' })
  }
})

const subgraph = { name: 'Mine', data: { nodes: [], version: 0.4 } }

proves(
  ['scenario/start-subgraphs', 'catalog/subgraphs', 'catalog/subgraph'],
  async ({ get }) => {
    const found: Record<string, object> = (await get('/global_subgraphs')).json()
    expect(Object.values(found)).toEqual([
      { source: 'templates', name: 'Mine', info: { node_pack: 'comfyui' } },
      { source: 'custom_node', name: 'Mine', info: { node_pack: 'custom_nodes.pack' } },
    ])
    const [id = ''] = Object.keys(found)
    expect(id).toMatch(/^[0-9a-f]{64}$/)
    const { data, ...rest } = (await get(`/global_subgraphs/${id}`)).json()
    expect(rest).toEqual(found[id])
    expect(JSON.parse(data)).toEqual(subgraph.data)
  },
  {
    scenario: {
      version: 1,
      start: {
        subgraphs: [
          subgraph,
          { ...subgraph, source: 'custom_node' as const, node_pack: 'custom_nodes.pack' },
        ],
      },
    },
  },
)

proves('catalog/node-page', async ({ get }) => {
  const page = await get('/docs/KSampler/en.md')
  expect(page.headers['content-type']).toBe('application/octet-stream')
  expect({ status: page.status, isLong: page.text.length > 10 }).toEqual({
    status: 200,
    isLong: true,
  })
  for (const path of [
    '/docs/NoSuchNode/en.md',
    '/docs/KSampler/none.md',
    '/api/docs/KSampler/en.md',
    '/docs/..%2F/en.md',
  ])
    expect({ path, status: (await get(path)).status }).toEqual({ path, status: 404 })
  // A folder that a server keeps its pages in is refused, whatever is in it.
  expect([403, 404]).toContain((await get('/docs/KSampler')).status)
})

/** The members of a node type in the new style, in their order. */
const newStyle =
  'input input_order is_input_list output output_is_list output_name output_tooltips output_matchtypes name display_name ' +
  'description python_module category output_node deprecated experimental dev_only api_node price_badge search_aliases ' +
  'essentials_category has_intermediate_output'

proves(['catalog/later-members', 'catalog/new-style-members'], async ({ get }) => {
  const types: Readonly<Record<string, any>> = builtIn((await get('/object_info')).json())
  const wrong = Object.entries(types).filter(
    ([, type]) =>
      typeof type.is_input_list !== 'boolean' ||
      typeof type.has_intermediate_output !== 'boolean' ||
      !(type.search_aliases === null || Array.isArray(type.search_aliases)),
  )
  expect(wrong.map(([name]) => name)).toEqual([])
  const all = Object.values(types).filter((type) => 'price_badge' in type)
  expect(all.length).toBeGreaterThan(0)
  for (const type of all)
    expect(Object.keys(type).filter((name) => name !== 'output_tooltips')).toEqual(
      expect.arrayContaining(newStyle.split(' ').filter((name) => name !== 'output_tooltips')),
    )
  const { KSampler } = (await get('/object_info/KSampler')).json()
  expect(KSampler).toEqual(types['KSampler'])
})
