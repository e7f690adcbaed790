// The hosted catalogue: node types, models and their previews, and missing endpoints.

import {
  globalSubgraphs,
  hostedModelFolders,
  hostedModels,
  nodeTypes,
} from '../../../spec/server/catalog.ts'
import { violations } from '../../judge/judge.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { notFound } from '../../judge/hosted/refusals.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const

proves(
  ['catalog/node-types', 'catalog/node-type-fields'],
  async ({ raw, as, get }) => {
    const reply = await get('/object_info')
    expect({ status: reply.status, violations: violations(nodeTypes, reply.json()) }).toEqual({
      status: 200,
      violations: [],
    })
    const { KSampler, SaveImage } = reply.json()
    expect(KSampler.input.required.steps).toMatchObject(['INT', { default: 20, max: 10000 }])
    expect(KSampler).toMatchObject({ name: 'KSampler', output: ['LATENT'], category: 'sampling' })
    expect([SaveImage.output_node, KSampler.output_node]).toEqual([true, false])
    expect((await raw('GET', '/api/object_info')).status).toBe(401)
    expect((await as('test-key-free').get('/object_info')).status).toBe(403)
  },
  hosted,
)

proves(
  'catalog/one-node-type',
  async ({ get }) => {
    const types = (await get('/object_info')).json()
    for (const name of ['KSampler', 'LoadImage', 'Epsilon Scaling']) {
      const reply = await get(`/object_info/${encodeURIComponent(name)}`)
      expect({ status: reply.status, json: reply.json() }).toEqual({
        status: 200,
        json: { [name]: types[name] },
      })
    }
  },
  hosted,
)

proves('catalog/hosted-unknown-node-type', async ({ get }) => {
  for (const name of ['NoSuchNode', 'ksampler', 'toString']) {
    const reply = await get(`/object_info/${name}`)
    expect({ name, status: reply.status, text: reply.text }).toEqual({
      name,
      status: 200,
      text: '{}',
    })
  }
})

provesQuirk('hosted.no-per-class', async ({ get, request }) => {
  for (const name of ['KSampler', 'NoSuchNode']) {
    expect(notFound(await get(`/object_info/${name}`))).toBe(true)
    expect(notFound(await request('POST', `/object_info/${name}`))).toBe(true)
  }
  expect((await get('/object_info')).status).toBe(200)
})

proves(
  ['catalog/model-folders', 'catalog/hosted-folders'],
  async ({ get }) => {
    const reply = await get('/models')
    expect({
      status: reply.status,
      violations: violations(hostedModelFolders, reply.json()),
    }).toEqual({ status: 200, violations: [] })
    const folders: { name: string; folders: string[] }[] = reply.json()
    for (const folder of folders) {
      expect(Object.keys(folder)).toEqual(['name', 'folders'])
      expect(folder.folders).toEqual([folder.name])
    }
    const names = folders.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['checkpoints', 'loras', 'diffusion_models']))
    for (const old of ['unet', 'clip', 'configs', 'custom_nodes']) expect(names).not.toContain(old)
  },
  hosted,
)

const modelsOf = async ({ get }: Subject, folder: string): Promise<{ name: string }[]> =>
  (await get(`/models/${folder}`)).json()

proves('catalog/hosted-models', async (subject) => {
  const types = (await subject.get('/object_info')).json()
  const combos = { checkpoints: 'CheckpointLoaderSimple', loras: 'LoraLoader' }
  const inputs = { checkpoints: 'ckpt_name', loras: 'lora_name' }
  for (const folder of ['checkpoints', 'loras'] as const) {
    const models = await modelsOf(subject, folder)
    expect(violations(hostedModels, models)).toEqual([])
    const listed: string[] = types[combos[folder]].input.required[inputs[folder]][0]
    expect(models).toEqual(listed.map((name) => ({ name, pathIndex: 0 })))
    expect(models.length).toBeGreaterThan(0)
  }
})

proves('catalog/hosted-no-models', async ({ get, raw }) => {
  // One that is listed without a model, then names that no folder has.
  const folders: { name: string }[] = (await get('/models')).json()
  expect(folders.map(({ name }) => name)).toContain('classifiers')
  for (const folder of ['classifiers', 'nowhere', 'unet', 'configs', 'toString', '..%2floras']) {
    const reply = await get(`/models/${folder}`)
    expect({ folder, status: reply.status, code: reply.json().code }).toEqual({
      folder,
      status: 404,
      code: 'folder_not_found',
    })
    expect(Object.keys(reply.json())).toEqual(['code', 'message'])
  }
  // A path that nothing serves gets a different answer.
  const key = { 'X-API-Key': 'test-key' }
  expect(notFound(await raw('GET', '/api/experiment/models/a/b', undefined, key))).toBe(true)
})

proves('catalog/hosted-preview', async (subject) => {
  const [name, other] = (await modelsOf(subject, 'checkpoints')).map((model) => model.name)
  const preview = (path: string) => subject.get(`/experiment/models/preview/${path}`)
  const shown = await preview(`checkpoints/0/${name}`)
  expect({ status: shown.status, contentType: shown.headers['content-type'] }).toEqual({
    status: 200,
    contentType: 'image/webp',
  })
  expect(shown.bytes.subarray(0, 4).toString()).toBe('RIFF')
  expect(shown.bytes.subarray(8, 12).toString()).toBe('WEBP')
  expect((await preview(`checkpoints/0/${name}.webp`)).bytes).toEqual(shown.bytes)
  expect((await preview(`checkpoints/0/${other}`)).bytes).not.toEqual(shown.bytes)
  const none = ['checkpoints/0/none.safetensors', `loras/0/${name}`, `nowhere/0/${name}`]
  for (const path of [...none, `checkpoints/1/${name}`, `checkpoints/a/${name}`]) {
    expect({ path, isNotFound: notFound(await preview(path)) }).toEqual({ path, isNotFound: true })
  }
})

proves('catalog/hosted-nothing-shared', async ({ get }) => {
  const none = {
    '/extensions': '[]',
    '/workflow_templates': '{}',
    '/global_subgraphs': '{}',
    '/node_replacements': '{}',
  }
  for (const [path, text] of Object.entries(none)) {
    const reply = await get(path)
    expect({ path, status: reply.status, text: reply.text }).toEqual({ path, status: 200, text })
  }
  expect(violations(globalSubgraphs, (await get('/global_subgraphs')).json())).toEqual([])
  expect(notFound(await get('/global_subgraphs/mine'))).toBe(true)
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
    const stranger = as(key)
    expect((await stranger.get('/system_stats')).status).toBe(200)
    for (const path of [...published, '/experiment/models/preview/loras/0/x']) {
      expect({ path, status: (await stranger.get(path)).status }).toEqual({ path, status: 401 })
    }
  }
})

provesQuirk('hosted.public-catalogues', async (subject) => {
  const [model] = await modelsOf(subject, 'loras')
  for (const key of ['', 'wrong-key', 'test-key']) {
    const { get, post } = subject.as(key)
    for (const path of [...published, `/experiment/models/preview/loras/0/${model?.name}`]) {
      expect({ path, status: (await get(path)).status }).toEqual({ path, status: 200 })
    }
    expect((await get('/models/nowhere')).json().code).toBe('folder_not_found')
    const others = [await get('/object_info'), await get('/user'), await post('/settings', {})]
    for (const { status } of others) expect(status).toBe(key === 'test-key' ? 200 : 401)
  }
  // Without a key the server returns nothing about an account.
  expect((await subject.as('').get('/features')).json()).not.toHaveProperty('max_concurrent_jobs')
  expect((await subject.get('/features')).json()).toHaveProperty('max_concurrent_jobs')
})
