// The catalogue of node types: what it says of each, and the files and folders among the options of their inputs.

import { type nodeType, nodeTypes } from '../../../spec/server/catalog.ts'
import { replacement, replacementsByType } from '../../../spec/server/replacements.ts'
import type { Static } from '../../../spec/static.ts'
import { textToImage } from '../../generate/graphs.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { notFound } from '../../judge/hosted/refusals.ts'
import { violations } from '../../judge/judge.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { builtIn } from '../../judge/responses.ts'
import { exchanges, toEach } from '../../judge/rows.ts'
import { expect } from '../../judge/expect.ts'
import { missing } from '../../judge/skip.ts'
import { startSubject, type Subject } from '../../judge/subject.ts'

proves('catalog/node-types', async ({ as, deployment, get, raw }) => {
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
  if (deployment === 'local') return
  expect((await raw('GET', '/api/object_info')).status).toBe(401)
  expect((await as('test-key-free').get('/object_info')).status).toBe(403)
})

proves('catalog/one-node-type', async (subject) => {
  const types = (await subject.get('/object_info')).json()
  for (const name of ['KSampler', 'SaveVideo', 'LoadImage', 'Epsilon Scaling']) {
    const path = `/object_info/${encodeURIComponent(name)}`
    await exchanges(subject, [['GET', path, undefined, 200, { [name]: types[name] }]])
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

const unknown = ['NoSuchNode', 'ksampler', 'toString'].map((name) => `/object_info/${name}`)

proves('catalog/unknown-node-type', (subject) => {
  const paths = [...unknown, '/object_info/%2e%2e%2fKSampler']
  return exchanges(subject, toEach(paths, 'GET', 200, '{}'))
})

proves('catalog/hosted-unknown-node-type', (subject) =>
  exchanges(subject, toEach(unknown, 'GET', 200, '{}')),
)

provesQuirk('hosted.no-per-class', async ({ get, request }) => {
  for (const name of ['KSampler', 'NoSuchNode']) {
    expect(notFound(await get(`/object_info/${name}`))).toBe(true)
    expect(notFound(await request('POST', `/object_info/${name}`))).toBe(true)
  }
  expect((await get('/object_info')).status).toBe(200)
})

proves('catalog/uploads-are-options', async (subject) => {
  const { get, isOwn, upload } = subject
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
  if (!isOwn) return
  // Worlds in one process have the same catalogue.
  const other = await startSubject()
  const isListed = async (one: Subject): Promise<boolean> =>
    (await one.get('/object_info')).text.includes('zebra.png')
  expect(await Promise.all([subject, other, subject].map(isListed))).toEqual([true, false, true])
  await other.close()
})

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
  const found: Record<string, any[]> = fitting(replacementsByType, reply)
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
