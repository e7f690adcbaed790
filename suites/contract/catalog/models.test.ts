// Model files as files: the lists with sizes, metadata and previews, embeddings, and the files that packs would add.

import { modelFolderPaths, modelFiles, modelMetadata } from '../../../spec/server/catalog.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { exchange, summaryOf } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const unknown = { status: 404, type: undefined, length: '0', body: '' }

proves('catalog/experiment-folders', async ({ get }) => {
  const folders = (await get('/experiment/models')).json()
  expect(violations(modelFolderPaths, folders)).toEqual([])
  const paths = (await get('/internal/folder_paths')).json()
  const names: string[] = (await get('/models')).json()
  const shown = names.filter((name) => name !== 'configs' && name !== 'custom_nodes')
  expect(folders).toEqual(shown.map((name) => ({ name, folders: paths[name] })))
})

proves('catalog/experiment-models', async ({ get, url }) => {
  for (const folder of ['checkpoints', 'loras', 'vae', 'embeddings', 'diffusers', 'configs']) {
    const models = (await get(`/experiment/models/${folder}`)).json()
    expect(violations(modelFiles, models)).toEqual([])
    const names: string[] = (await get(`/models/${folder}`)).json()
    const files = names.filter((name) => !name.endsWith('.yaml'))
    expect(models.map(({ name }: { name: string }) => name)).toEqual(files)
  }
  const [first] = (await get('/experiment/models/checkpoints')).json()
  expect(Object.keys(first)).toEqual(['name', 'pathIndex', 'modified', 'created', 'size'])
  expect(first.pathIndex).toBe(0)
  for (const folder of ['nowhere', 'unet', 'toString', 'preview', '..%2floras']) {
    const reply = summaryOf(await exchange(url, 'GET', `/experiment/models/${folder}`))
    expect({ folder, reply }).toEqual({ folder, reply: unknown })
  }
})

proves(
  'catalog/experiment-models',
  async ({ get }) => {
    const { text } = await get('/experiment/models/embeddings')
    // An empty file: the length of the header, and the header.
    const header = '{"__metadata__":{"format":"pt","modelspec.title":"example_negative"}}'
    expect(text).toContain(`"modified": 1000.0, "created": 1000.0, "size": ${8 + header.length}}`)
  },
  { epoch: 1_000_000 },
)

proves('catalog/model-preview', async ({ get, url }) => {
  const [model] = (await get('/models/loras')).json()
  const there = [`loras/0/${model}`, 'loras/-1/sub/none.png', 'unknown/0/x']
  for (const path of [...there, 'unknown/7/x']) {
    const reply = summaryOf(await exchange(url, 'GET', `/experiment/models/preview/${path}`))
    expect({ path, reply }).toEqual({ path, reply: unknown })
  }
})

// Later servers refuse an empty name [catalog/model-preview-refusals].
proves(['catalog/model-preview', 'catalog/model-preview-index'], async ({ url }) => {
  const path = '/experiment/models/preview/loras/0/'
  expect(summaryOf(await exchange(url, 'GET', path))).toEqual(unknown)
})

proves('catalog/model-preview-index', async ({ get }) => {
  const paths = (await get('/internal/folder_paths')).json()
  const beyond = [paths.loras.length, -1 - paths.loras.length, 'a', '1.5', '0x0']
  for (const path of [...beyond.map((index) => `loras/${index}/x`), 'unknown/a/x']) {
    const { status } = await get(`/experiment/models/preview/${path}`)
    expect({ path, status }).toEqual({ path, status: 500 })
  }
  // Without a name nothing is looked up.
  expect((await get('/experiment/models/preview/loras/0/')).status).toBe(404)
})

proves('catalog/model-metadata', async ({ get }) => {
  for (const folder of ['checkpoints', 'embeddings']) {
    for (const name of (await get(`/models/${folder}`)).json()) {
      const query = `filename=${encodeURIComponent(name)}`
      const { status, json } = await get(`/view_metadata/${folder}?${query}`)
      expect({ name, status, violations: violations(modelMetadata, json()) }).toEqual({
        name,
        status: 200,
        violations: [],
      })
      const title = name.replace('.safetensors', '')
      expect(json()).toEqual({ format: 'pt', 'modelspec.title': title })
    }
  }
})

proves('catalog/no-model-metadata', async ({ get, url }) => {
  const [checkpoint] = (await get('/models/checkpoints')).json()
  const [upscaler] = (await get('/models/upscale_models')).json()
  expect(upscaler).toMatch(/\.pth$/)
  const none = [
    'checkpoints',
    'checkpoints?filename=',
    'checkpoints?filename=none.safetensors',
    `checkpoints?filename=${checkpoint.replace('.safetensors', '')}`,
    `checkpoints?filename=../checkpoints/${checkpoint}`,
    `loras?filename=${checkpoint}`,
    `nowhere?filename=${checkpoint}`,
    `upscale_models?filename=${upscaler}`,
  ]
  for (const path of none) {
    const reply = summaryOf(await exchange(url, 'GET', `/view_metadata/${path}`))
    expect({ path, reply }).toEqual({ path, reply: unknown })
  }
})

proves('catalog/embeddings', async ({ get }) => {
  const files: string[] = (await get('/models/embeddings')).json()
  expect((await get('/embeddings')).json()).toEqual(files.map((file) => file.replace(/\.\w+$/, '')))
})

proves('catalog/no-packs', async ({ get }) => {
  const none = { '/extensions': '[]', '/i18n': '{}', '/workflow_templates': '{}' }
  for (const [path, text] of Object.entries(none)) {
    const reply = await get(path)
    expect({ path, status: reply.status, text: reply.text }).toEqual({ path, status: 200, text })
  }
})
