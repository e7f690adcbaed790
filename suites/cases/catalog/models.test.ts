// Model files as files: the lists with sizes, metadata and previews, embeddings, and the files that packs would add.

import { modelFolderPaths, modelFiles, modelMetadata } from '../../../spec/server/catalog.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { missing } from '../../judge/skip.ts'
import type { Subject } from '../../judge/subject.ts'
import { exchange, summaryOf } from '../../judge/wire.ts'
import { builtIn } from '../../judge/responses.ts'
import { expect } from '../../judge/expect.ts'

const unknown = { status: 404, type: undefined, length: '0', body: '' }

proves('catalog/experiment-folders', async ({ get }) => {
  const folders = (await get('/experiment/models')).json()
  expect(violations(modelFolderPaths, folders)).toEqual([])
  const paths = (await get('/internal/folder_paths')).json()
  const names: string[] = (await get('/models')).json()
  const shown = names.filter((name) => name !== 'configs' && name !== 'custom_nodes')
  expect(folders).toEqual(shown.map((name) => ({ name, folders: paths[name] })))
  expect(paths.diffusion_models.length).toBeGreaterThan(1)
})

proves('catalog/experiment-models', async ({ get, url }) => {
  for (const folder of ['checkpoints', 'loras', 'vae', 'embeddings', 'diffusers', 'configs']) {
    const models = (await get(`/experiment/models/${folder}`)).json()
    expect(violations(modelFiles, models)).toEqual([])
    const names: string[] = (await get(`/models/${folder}`)).json()
    const files = names.filter((name) => !name.endsWith('.yaml'))
    // In the order of the disk, not of their names.
    expect(models.map(({ name }: { name: string }) => name).toSorted()).toEqual(files.toSorted())
    for (const model of models)
      expect(Object.keys(model)).toEqual(['name', 'pathIndex', 'modified', 'created', 'size'])
  }
  for (const folder of ['nowhere', 'unet', 'toString', 'preview', '..%2floras']) {
    const reply = summaryOf(await exchange(url, 'GET', `/experiment/models/${folder}`))
    expect({ folder, reply }).toEqual({ folder, reply: unknown })
  }
})

proves('catalog/model-preview', async ({ url }) => {
  // A name that no model has: those that are installed may have an image.
  for (const path of [
    'loras/0/none.safetensors',
    'loras/-1/sub/none.png',
    'unknown/0/x',
    'unknown/7/x',
  ]) {
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

const metadataOf = ({ get }: Subject, folder: string, name: string) =>
  get(`/view_metadata/${folder}?filename=${encodeURIComponent(name)}`)

/** How many models of a folder are asked for. */
const MAX_MODELS = 20

proves('catalog/model-metadata', async (subject) => {
  let judged = 0
  for (const folder of ['checkpoints', 'loras', 'vae', 'embeddings']) {
    const models: string[] = (await subject.get(`/models/${folder}`)).json()
    for (const name of models.slice(0, MAX_MODELS)) {
      const { status, text, json } = await metadataOf(subject, folder, name)
      // A file may have no metadata.
      if (status === 404 && text === '' && !subject.isOwn) continue
      expect({ name, status, violations: violations(modelMetadata, json()) }).toEqual({
        name,
        status: 200,
        violations: [],
      })
      expect(name).toMatch(/\.safetensors$/)
      judged++
      if (!subject.isOwn) continue
      const title = name.slice(name.lastIndexOf('/') + 1).replace('.safetensors', '')
      expect(json()).toEqual({ format: 'pt', 'modelspec.title': title })
    }
  }
  if (judged === 0) throw missing('No model of the server has metadata.')
})

proves('catalog/no-model-metadata', async (subject) => {
  const { get, url, isOwn } = subject
  const listed = async (folder: string): Promise<string[]> =>
    (await get(`/models/${folder}`)).json()
  const name = 'none.safetensors'
  const none = [
    'checkpoints',
    'checkpoints?filename=',
    `checkpoints?filename=${name}`,
    `loras?filename=${name}`,
    `nowhere?filename=${name}`,
  ]
  const checkpoint = (await listed('checkpoints')).find((one) => one.endsWith('.safetensors'))
  if (checkpoint !== undefined) {
    const file = encodeURIComponent(checkpoint)
    const cut = encodeURIComponent(checkpoint.replace('.safetensors', ''))
    none.push(`checkpoints?filename=${cut}`, `checkpoints?filename=../checkpoints/${file}`)
    none.push(`nowhere?filename=${file}`, `loras?filename=no/${file}`)
  }
  const upscaler = (await listed('upscale_models')).find((one) => one.endsWith('.pth'))
  if (isOwn) expect([checkpoint, upscaler]).not.toContain(undefined)
  if (upscaler !== undefined) none.push(`upscale_models?filename=${encodeURIComponent(upscaler)}`)
  for (const path of none) {
    const reply = summaryOf(await exchange(url, 'GET', `/view_metadata/${path}`))
    expect({ path, reply }).toEqual({ path, reply: unknown })
  }
})

proves('catalog/embeddings', async ({ get }) => {
  const files: string[] = (await get('/models/embeddings')).json()
  expect((await get('/embeddings')).json()).toEqual(files.map((file) => file.replace(/\.\w+$/, '')))
})

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
