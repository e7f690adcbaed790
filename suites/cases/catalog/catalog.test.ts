// The catalogue: node types, uploaded files among their options, model folders and models.

import { folderNames, modelNames, type nodeType, nodeTypes } from '../../../spec/server/catalog.ts'
import type { Static } from '../../../spec/static.ts'
import { textToImage } from '../../generate/graphs.ts'
import { violations } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { builtIn } from '../../judge/responses.ts'
import { expect } from '../../judge/expect.ts'
import { missing } from '../../judge/skip.ts'
import { startSubject, type Subject } from '../../judge/subject.ts'

const folders = (
  'checkpoints configs loras vae text_encoders diffusion_models clip_vision style_models ' +
  'embeddings diffusers vae_approx controlnet gligen upscale_models custom_nodes hypernetworks ' +
  'photomaker classifiers model_patches audio_encoders'
).split(' ')

proves('catalog/node-types', async ({ get }) => {
  const reply = await get('/object_info')
  expect(reply.status).toBe(200)
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  const types = reply.json()
  expect(violations(nodeTypes, builtIn(types))).toEqual([])
  for (const { class_type, inputs } of Object.values(textToImage())) {
    expect(Object.keys(types[class_type].input.required)).toEqual(
      expect.arrayContaining(Object.keys(inputs)),
    )
  }
  const { required } = types.KSampler.input
  expect(required.model[0]).toBe('MODEL')
  expect(required.steps).toMatchObject(['INT', { default: 20, min: 1, max: 10000 }])
  expect(required.sampler_name[0]).toEqual(expect.arrayContaining(['euler', 'ddim']))
})

proves('catalog/one-node-type', async ({ get }) => {
  const types = (await get('/object_info')).json()
  for (const name of ['KSampler', 'SaveVideo', 'LoadImage', 'Epsilon Scaling']) {
    const reply = await get(`/object_info/${encodeURIComponent(name)}`)
    expect({ status: reply.status, json: reply.json() }).toEqual({
      status: 200,
      json: { [name]: types[name] },
    })
  }
})

/** The integers in a text that a double cannot hold, as they are written. */
const largeIn = (text: string): string[] => text.match(/(?<=[[:,]\s*)-?\d{17,}(?=[,}\]])/g) ?? []

// Seeds go up to 2 ** 64 - 1: both listings write the same digits.
proves(['catalog/node-types', 'catalog/one-node-type'], async ({ get }) => {
  const { text } = await get('/object_info')
  const all = new Set(largeIn(text))
  const names = Object.entries<object>(JSON.parse(text)).flatMap(([name, type]) =>
    /\d{17,}|e\+/.test(JSON.stringify(type)) ? [name] : [],
  )
  for (const name of names.slice(0, 10)) {
    const alone = await get(`/object_info/${encodeURIComponent(name)}`)
    expect([name, largeIn(alone.text).filter((one) => !all.has(one))]).toEqual([name, []])
  }
})

proves('catalog/node-type-fields', async ({ get }) => {
  const types: Static<typeof nodeTypes> = builtIn((await get('/object_info')).json())
  const isOrdered = ({ input, input_order }: Static<typeof nodeType>) =>
    Object.entries(input).every(
      ([group, of]) => Object.keys(of).join() === input_order[group]?.join(),
    )
  const wrong = Object.entries(types).filter(([name, type]) => {
    const { output, output_name, output_is_list } = type
    const sameLength =
      output.length === output_name.length && output.length === output_is_list.length
    const isDescribed = typeof type.category === 'string' && typeof type.output_node === 'boolean'
    return type.name !== name || !isOrdered(type) || !sameLength || !isDescribed
  })
  expect(wrong.map(([name]) => name)).toEqual([])
  const { SaveImage, KSampler } = types
  expect([SaveImage?.output_node, KSampler?.output_node]).toEqual([true, false])
  expect(KSampler).toMatchObject({
    output: ['LATENT'],
    output_name: ['LATENT'],
    category: 'sampling',
  })
})

proves('catalog/unknown-node-type', async ({ get }) => {
  for (const name of ['NoSuchNode', 'ksampler', 'toString', '%2e%2e%2fKSampler']) {
    const reply = await get(`/object_info/${name}`)
    expect({ name, status: reply.status, text: reply.text }).toEqual({
      name,
      status: 200,
      text: '{}',
    })
  }
})

proves('catalog/uploads-are-options', async ({ get, upload }) => {
  const bytes = new Uint8Array(1)
  const options = async (type: string): Promise<string[]> =>
    (await get(`/object_info/${type}`)).json()[type].input.required.image[0]
  const optionsOfAll = async (): Promise<string[]> =>
    (await get('/object_info')).json().LoadImage.input.required.image[0]
  const before = await options('LoadImage')
  expect(await optionsOfAll()).toEqual(before)
  const allBefore = await options('LoadImageMask')
  await upload({ name: 'zebra.png', bytes })
  await upload({ name: 'Ape.JPG', bytes })
  await upload({ name: 'list.txt', bytes })
  await upload({ name: 'drawn.svg', bytes })
  await upload({ name: 'below.png', bytes }, { subfolder: 'sub' })
  await upload({ name: 'out.png', bytes }, { type: 'output' })
  const sorted = (...names: string[]) => [...new Set(names)].toSorted()
  const after = sorted(...before, 'Ape.JPG', 'zebra.png', 'drawn.svg')
  expect(await options('LoadImage')).toEqual(after)
  expect(await optionsOfAll()).toEqual(after)
  const all = sorted(...allBefore, 'Ape.JPG', 'zebra.png', 'list.txt', 'drawn.svg')
  expect(await options('LoadImageMask')).toEqual(all)
})

// Worlds in one process have the same catalogue.
proves(
  'catalog/uploads-are-options',
  async (subject) => {
    const other = await startSubject()
    await subject.upload({ name: 'own.png', bytes: new Uint8Array(1) })
    const listing = async ({ get }: Subject): Promise<boolean> =>
      (await get('/object_info')).text.includes('own.png')
    expect(await Promise.all([subject, other, subject].map(listing))).toEqual([true, false, true])
    await other.close()
  },
  ownWorld,
)

proves('catalog/folders-are-options', async ({ get, upload, unique }) => {
  const classes = ['LoadImageSetFromFolderNode', 'LoadImageTextSetFromFolderNode']
  const options = async (): Promise<string[][]> => {
    const types = (await get('/object_info')).json()
    if (classes.some((name) => types[name] === undefined))
      throw missing('The server does not list the nodes that load a folder.')
    return classes.map((name) => types[name].input.required.folder[0])
  }
  const [before] = await options()
  const bytes = new Uint8Array(1)
  await upload({ name: 'a.png', bytes }, { subfolder: unique('set/of/pictures') })
  await upload({ name: 'b.png', bytes }, { subfolder: unique('set') })
  await upload({ name: 'c.png', bytes }, { subfolder: unique('no'), type: 'temp' })
  /** A folder with those above it. */
  const withParents = unique('set/of/pictures')
    .split('/')
    .map((_, at, parts) => parts.slice(0, at + 1).join('/'))
  const after = [...new Set([...before!, ...withParents])].toSorted()
  expect(await options()).toEqual([after, after])
  const { input } = (await get(`/object_info/${classes[0]}`)).json()[classes[0]!]
  expect(input.required.folder[0]).toEqual(after)
})

proves('catalog/list-flags', async ({ get }) => {
  const types: Static<typeof nodeTypes> = builtIn((await get('/object_info')).json())
  const entries = Object.entries(types)
  const wrong = entries.filter(([, type]) => type.output_is_list.length !== type.output.length)
  expect(wrong).toEqual([])
  const withLists = entries.filter(([, { output_is_list }]) => output_is_list.includes(true))
  expect(withLists.map(([name]) => name).toSorted()).toEqual(['RebatchImages', 'RebatchLatents'])
  expect(entries.filter(([, type]) => 'is_input_list' in type)).toEqual([])
})

proves(
  'catalog/model-folders',
  async ({ get }) => {
    const reply = await get('/models')
    expect({ status: reply.status, violations: violations(folderNames, reply.json()) }).toEqual({
      status: 200,
      violations: [],
    })
    const names: string[] = reply.json()
    // Later servers have further ones among them [catalog/more-folders].
    expect(names.filter((name) => folders.includes(name))).toEqual(folders)
  },
  { deployment: 'local' },
)

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

proves('catalog/unknown-folder', async ({ get }) => {
  for (const folder of ['nonsense', 'unet', 'clip', 'toString', '..%2fcheckpoints']) {
    const { status, text, headers } = await get(`/models/${folder}`)
    const actual = [folder, status, text, headers['content-type']]
    expect(actual).toEqual([folder, 404, '', undefined])
  }
  // Which folders are empty depends on what is installed.
  for (const folder of folders) {
    const reply = await get(`/models/${folder}`)
    expect({ folder, status: reply.status, text: reply.text }).toEqual({
      folder,
      status: 200,
      text: expect.stringMatching(/^\[.*\]$/s),
    })
  }
})
