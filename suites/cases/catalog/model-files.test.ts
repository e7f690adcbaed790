// Model files as files: the lists with sizes, metadata and previews, embeddings.

import { modelFolderPaths, modelFiles, modelMetadata } from '../../../spec/server/catalog.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { notFound } from '../../judge/hosted/refusals.ts'
import { proves } from '../../judge/proves.ts'
import { exchanges, noBody, toEach } from '../../judge/rows.ts'
import { missing } from '../../judge/skip.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

proves('catalog/experiment-folders', async ({ get }) => {
  const folders = fitting(modelFolderPaths, await get('/experiment/models'))
  const paths = (await get('/internal/folder_paths')).json()
  const names: string[] = (await get('/models')).json()
  const shown = names.filter((name) => name !== 'configs' && name !== 'custom_nodes')
  expect(folders).toEqual(shown.map((name) => ({ name, folders: paths[name] })))
  expect(paths.diffusion_models.length).toBeGreaterThan(1)
})

type Folder = {
  readonly name: string
  readonly folders: readonly string[]
  readonly extensions: readonly string[]
}

proves('catalog/experiment-extensions', async ({ get }) => {
  const folders: Folder[] = fitting(modelFolderPaths, await get('/experiment/models'))
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

proves('catalog/experiment-models', async (subject) => {
  const { get } = subject
  for (const folder of ['checkpoints', 'loras', 'vae', 'embeddings', 'diffusers', 'configs']) {
    const models = fitting(modelFiles, await get(`/experiment/models/${folder}`))
    const names: string[] = (await get(`/models/${folder}`)).json()
    const files = names.filter((name) => !name.endsWith('.yaml'))
    // In the order of the disk, not of their names.
    expect(models.map(({ name }: { name: string }) => name).toSorted()).toEqual(files.toSorted())
    for (const model of models)
      expect(Object.keys(model)).toEqual(['name', 'pathIndex', 'modified', 'created', 'size'])
  }
  const none = ['nowhere', 'unet', 'toString', 'preview', '..%2floras']
  const paths = none.map((folder) => `/experiment/models/${folder}`)
  await exchanges(subject, toEach(paths, 'GET', 404, ...noBody))
})

const previews = (paths: readonly string[]): readonly string[] =>
  paths.map((path) => `/experiment/models/preview/${path}`)

proves('catalog/model-preview', (subject) => {
  // A name that no model has: those that are installed may have an image.
  const paths = ['loras/0/none.safetensors', 'loras/-1/sub/none.png', 'unknown/0/x', 'unknown/7/x']
  return exchanges(subject, toEach(previews(paths), 'GET', 404, ...noBody))
})

// Later servers refuse an empty name [catalog/model-preview-refusals].
proves(['catalog/model-preview', 'catalog/model-preview-index'], async (subject) => {
  const paths = (await subject.get('/internal/folder_paths')).json()
  const beyond = [paths.loras.length, -1 - paths.loras.length, 'a', '1.5', '0x0']
  const indexes = [...beyond.map((index) => `loras/${index}/x`), 'unknown/a/x']
  await exchanges(subject, [
    ...toEach(previews(indexes), 'GET', 500),
    // Without a name nothing is looked up.
    ...toEach(previews(['loras/0/']), 'GET', 404, ...noBody),
  ])
})

proves('catalog/model-preview-refusals', (subject) => {
  const none = ['loras/0/none.safetensors', 'loras/999/x', 'loras/-999/x', 'unknown/0/x']
  return exchanges(subject, [
    ...toEach(previews(none), 'GET', 404, ''),
    ...toEach(previews(['loras/a/x', 'loras/1.5/x', 'loras/0/']), 'GET', 400, ''),
    ...toEach(previews(['loras/0/..%2F..%2Fx']), 'GET', 403, ''),
  ])
})

proves('catalog/hosted-preview', async (subject) => {
  const [name, other] = (await subject.get('/models/checkpoints'))
    .json()
    .map((model: { name: string }) => model.name)
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

const metadataOf = ({ get }: Subject, folder: string, name: string) =>
  get(`/view_metadata/${folder}?filename=${encodeURIComponent(name)}`)

/** How many models of a folder are asked for. */
const MAX_MODELS = 20

proves('catalog/model-metadata', async (subject) => {
  let judged = 0
  for (const folder of ['checkpoints', 'loras', 'vae', 'embeddings']) {
    const models: string[] = (await subject.get(`/models/${folder}`)).json()
    for (const name of models.slice(0, MAX_MODELS)) {
      const reply = await metadataOf(subject, folder, name)
      // A file may have no metadata.
      if (reply.status === 404 && reply.text === '' && !subject.isOwn) continue
      fitting(modelMetadata, reply)
      expect(name).toMatch(/\.safetensors$/)
      judged++
      if (!subject.isOwn) continue
      const title = name.slice(name.lastIndexOf('/') + 1).replace('.safetensors', '')
      expect(reply.json()).toEqual({ format: 'pt', 'modelspec.title': title })
    }
  }
  if (judged === 0) throw missing('No model of the server has metadata.')
})

proves('catalog/no-model-metadata', async (subject) => {
  const { get, isOwn } = subject
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
  const paths = none.map((path) => `/view_metadata/${path}`)
  await exchanges(subject, toEach(paths, 'GET', 404, ...noBody))
})

proves('catalog/embeddings', async ({ get }) => {
  const files: string[] = (await get('/models/embeddings')).json()
  expect((await get('/embeddings')).json()).toEqual(files.map((file) => file.replace(/\.\w+$/, '')))
})
