// What packs and templates add to a catalogue, the pages about nodes, and what of it everyone can read.

import { globalSubgraphs } from '../../../spec/server/catalog.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { notFound } from '../../judge/hosted/refusals.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { builtIn } from '../../judge/responses.ts'
import { exchanges, toEach } from '../../judge/rows.ts'
import { missing } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'

/** What installed packs add: a script of a front end is none of theirs. */
const ofPacks = (list: unknown): unknown =>
  Array.isArray(list) ? list.filter((path) => !`${path}`.startsWith('/extensions/core/')) : list

proves('catalog/no-packs', async ({ get }) => {
  const types: Record<string, { python_module?: string }> = (await get('/object_info')).json()
  const own = new Set(Object.keys(builtIn(types)))
  const pack = Object.keys(types).find((name) => !own.has(name) && !name.startsWith('Flowdouble'))
  if (pack !== undefined) throw missing(`The server has a node pack, which brings ${pack}.`)
  const none = { '/extensions': [], '/i18n': {}, '/workflow_templates': {} }
  for (const [path, value] of Object.entries(none)) {
    const reply = await get(path)
    const found = { path, status: reply.status, value: ofPacks(reply.json()) }
    expect(found).toEqual({ path, status: 200, value })
  }
})

proves('catalog/hosted-nothing-shared', async (subject) => {
  await exchanges(subject, [
    ['GET', '/extensions', undefined, 200, '[]'],
    ['GET', '/workflow_templates', undefined, 200, '{}'],
    ['GET', '/global_subgraphs', undefined, 200, '{}'],
    ['GET', '/node_replacements', undefined, 200, '{}'],
  ])
  expect(notFound(await subject.get('/global_subgraphs/mine'))).toBe(true)
})

proves('catalog/subgraphs', async ({ get }) => {
  const reply = await get('/global_subgraphs')
  const found: Record<string, object> = fitting(globalSubgraphs, reply)
  for (const [id, entry] of Object.entries(found)) {
    expect(id).toMatch(/^[0-9a-f]{64}$/)
    expect(Object.keys(entry)).toEqual(['source', 'name', 'info'])
  }
})

proves('catalog/subgraph', async (subject) => {
  const { get } = subject
  const found: Record<string, object> = (await get('/global_subgraphs')).json()
  for (const [id, entry] of Object.entries(found).slice(0, 3)) {
    const { data, ...rest } = (await get(`/global_subgraphs/${id}`)).json()
    expect(rest).toEqual(entry)
    expect(typeof JSON.parse(data)).toBe('object')
  }
  const none = ['nowhere', '0'.repeat(64), 'toString'].map((id) => `/global_subgraphs/${id}`)
  await exchanges(subject, toEach(none, 'GET', 200, 'null'))
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

proves('catalog/node-page', async (subject) => {
  const none = ['/docs/NoSuchNode/en.md', '/docs/KSampler/none.md', '/docs/..%2F/en.md']
  const header = { 'content-type': 'application/octet-stream' }
  await exchanges(subject, [
    ['GET', '/docs/KSampler/en.md', undefined, 200, /.{11}/s, header],
    ...toEach([...none, '/api/docs/KSampler/en.md'], 'GET', 404),
  ])
  // A folder that a server keeps its pages in is refused, whatever is in it.
  expect([403, 404]).toContain((await subject.get('/docs/KSampler')).status)
})

/** Paths that everyone can read according to the published API. */
const published = [
  '/models',
  '/models/loras',
  '/workflow_templates',
  '/global_subgraphs',
  '/node_replacements',
  '/features',
  '/extensions',
]

proves('access/hosted-public-statistics', async ({ as }) => {
  for (const key of ['', 'wrong-key']) {
    const paths = [...published, '/experiment/models/preview/loras/0/x']
    await exchanges(as(key), [
      ['GET', '/system_stats', undefined, 200],
      ...toEach(paths, 'GET', 401),
    ])
  }
})

provesQuirk('hosted.public-catalogues', async (subject) => {
  const [model] = (await subject.get('/models/loras')).json()
  for (const key of ['', 'wrong-key', 'test-key']) {
    const paths = [...published, `/experiment/models/preview/loras/0/${model.name}`]
    const status = key === 'test-key' ? 200 : 401
    await exchanges(subject.as(key), [
      ...toEach(paths, 'GET', 200),
      ['GET', '/models/nowhere', undefined, 404, /folder_not_found/],
      ...toEach(['/object_info', '/user'], 'GET', status),
      ['POST', '/settings', {}, status],
    ])
  }
  // Without a key the server returns nothing about an account.
  expect((await subject.as('').get('/features')).json()).not.toHaveProperty('max_concurrent_jobs')
  expect((await subject.get('/features')).json()).toHaveProperty('max_concurrent_jobs')
})
