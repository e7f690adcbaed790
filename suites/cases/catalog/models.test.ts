// The folders of models, and the names of the models in them.

import {
  folderNames,
  hostedModelFolders,
  hostedModels,
  modelNames,
} from '../../../spec/server/catalog.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { notFound } from '../../judge/hosted/refusals.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { exchanges, noBody, toEach } from '../../judge/rows.ts'
import { expect } from '../../judge/expect.ts'

const folders = (
  'checkpoints configs loras vae text_encoders diffusion_models clip_vision style_models ' +
  'embeddings diffusers vae_approx controlnet gligen upscale_models custom_nodes hypernetworks ' +
  'photomaker classifiers model_patches audio_encoders'
).split(' ')

proves(
  'catalog/model-folders',
  async ({ get }) => {
    const names: string[] = fitting(folderNames, await get('/models'))
    // Later servers have further ones among them [catalog/more-folders].
    expect(names.filter((name) => folders.includes(name))).toEqual(folders)
  },
  { deployment: 'local' },
)

proves(
  ['catalog/model-folders', 'catalog/hosted-folders'],
  async ({ get }) => {
    const listed: { name: string }[] = fitting(hostedModelFolders, await get('/models'))
    const names = listed.map(({ name }) => name)
    expect(listed).toEqual(names.map((name) => ({ name, folders: [name] })))
    expect(names).toEqual(expect.arrayContaining(['checkpoints', 'loras', 'diffusion_models']))
    for (const old of ['unet', 'clip', 'configs', 'custom_nodes']) expect(names).not.toContain(old)
  },
  { deployment: 'hosted' },
)

const laterFolders = [
  'latent_upscale_models',
  'background_removal',
  'frame_interpolation',
  'geometry_estimation',
  'optical_flow',
  'detection',
]

proves('catalog/more-folders', async (subject) => {
  const names: string[] = (await subject.get('/models')).json()
  expect(names.filter((name) => laterFolders.includes(name))).toEqual(laterFolders)
  expect(names[names.indexOf('upscale_models') + 1]).toBe('latent_upscale_models')
  const paths = laterFolders.map((name) => `/models/${name}`)
  await exchanges(subject, toEach(paths, 'GET', 200, expect.any(Array)))
})

proves('catalog/dataset-folder', async ({ get }) => {
  const names: string[] = (await get('/models')).json()
  expect(names[names.indexOf('custom_nodes') + 1]).toBe('datasets')
})

proves('catalog/newest-folders', async ({ get }) => {
  expect((await get('/models')).json()).toContain('fonts')
})

proves('catalog/models', async ({ get }) => {
  const types = (await get('/object_info')).json()
  const combos = { checkpoints: 'CheckpointLoaderSimple', loras: 'LoraLoader', vae: 'VAELoader' }
  const names = { checkpoints: 'ckpt_name', loras: 'lora_name', vae: 'vae_name' }
  for (const folder of ['checkpoints', 'loras', 'vae'] as const) {
    const models: string[] = (await get(`/models/${folder}`)).json()
    expect(violations(modelNames, models)).toEqual([])
    expect(models).toEqual([...models].toSorted())
    const combo = types[combos[folder]].input.required[names[folder]][0]
    const files = combo.filter((name: string) => /\.\w+$/.test(name))
    expect({ folder, models }).toEqual({ folder, models: files })
  }
  for (const folder of folders) {
    expect(violations(modelNames, (await get(`/models/${folder}`)).json())).toEqual([])
  }
})

proves('catalog/unknown-folder', (subject) => {
  const pathOf = (folder: string): string => `/models/${folder}`
  const none = ['nonsense', 'unet', 'clip', 'toString', '..%2fcheckpoints'].map(pathOf)
  return exchanges(subject, [
    ...toEach(none, 'GET', 404, ...noBody),
    // Which folders are empty depends on what is installed.
    ...toEach(folders.map(pathOf), 'GET', 200, /^\[.*\]$/s),
  ])
})

proves('catalog/hosted-models', async (subject) => {
  const types = (await subject.get('/object_info')).json()
  const combos = { checkpoints: 'CheckpointLoaderSimple', loras: 'LoraLoader' }
  const inputs = { checkpoints: 'ckpt_name', loras: 'lora_name' }
  for (const folder of ['checkpoints', 'loras'] as const) {
    const models = fitting(hostedModels, await subject.get(`/models/${folder}`))
    const listed: string[] = types[combos[folder]].input.required[inputs[folder]][0]
    expect(models).toEqual(listed.map((name) => ({ name, pathIndex: 0 })))
    expect(models.length).toBeGreaterThan(0)
  }
})

proves('catalog/hosted-no-models', async (subject) => {
  // One that is listed without a model, then names that no folder has.
  const listed: { name: string }[] = (await subject.get('/models')).json()
  expect(listed.map(({ name }) => name)).toContain('classifiers')
  const none = ['classifiers', 'nowhere', 'unet', 'configs', 'toString', '..%2floras']
  const paths = none.map((folder) => `/models/${folder}`)
  const refusal = { code: 'folder_not_found', message: expect.anything() }
  await exchanges(subject, toEach(paths, 'GET', 404, refusal))
  // A path that nothing serves gets a different answer.
  const key = { 'X-API-Key': 'test-key' }
  const unserved = await subject.raw('GET', '/api/experiment/models/a/b', undefined, key)
  expect(notFound(unserved)).toBe(true)
})
