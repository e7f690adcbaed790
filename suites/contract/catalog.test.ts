// What can be used in a workflow: node types, uploaded files among their options, model folders and models.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { folderNames, modelNames, nodeType, nodeTypes } from '../../spec/catalog.ts'
import { textToImage } from '../graphs.ts'
import { violations } from '../judge.ts'
import { proves } from '../proves.ts'

const folders = [
  ...['checkpoints', 'configs', 'loras', 'vae', 'text_encoders', 'diffusion_models'],
  ...['clip_vision', 'style_models', 'embeddings', 'diffusers', 'vae_approx', 'controlnet'],
  ...['gligen', 'upscale_models', 'custom_nodes', 'hypernetworks', 'photomaker', 'classifiers'],
  ...['model_patches', 'audio_encoders'],
]

proves('catalog/node-types', async ({ get }) => {
  const reply = await get('/object_info')
  expect(reply.status).toBe(200)
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  const types = reply.json()
  expect(violations(nodeTypes, types)).toEqual([])
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

proves('catalog/node-types', async ({ get }) => {
  const file = join(import.meta.dirname, '../../spec/node-types.json')
  const { text } = await get('/object_info')
  const types = JSON.parse(text)
  const given = JSON.parse(await readFile(file, 'utf8'))
  // Combos of input files list what the world holds, not what the catalogue was made with.
  const listsFiles = /^(LoadImage|LoadImageMask|LoadAudio|LoadVideo|LoadLatent)$/
  const differing = Object.keys(given).filter(
    (name) => JSON.stringify(types[name]) !== JSON.stringify(given[name]),
  )
  expect(differing.filter((name) => !listsFiles.test(name))).toEqual([])
  expect(Object.keys(types).slice(0, 3)).toEqual(Object.keys(given).slice(0, 3))
  expect(text).toContain('"max": 18446744073709551615')
  expect(text).toContain('"default": 8.0')
})

proves('catalog/one-node-type', async ({ get }) => {
  const types = (await get('/object_info')).json()
  for (const name of ['KSampler', 'SaveVideo', 'LoadImage', 'Epsilon Scaling']) {
    const reply = await get(`/object_info/${encodeURIComponent(name)}`)
    expect([reply.status, reply.json()]).toEqual([200, { [name]: types[name] }])
  }
})

proves('catalog/node-type-fields', async ({ get }) => {
  const types = (await get('/object_info')).json()
  const faults = Object.entries<any>(types).filter(([name, type]) => {
    const { input, input_order, output, output_name, output_is_list } = type
    const groups = Object.keys(input).filter((group) => group in input_order)
    const isOrdered = groups.every(
      (group) => `${Object.keys(input[group])}` === `${input_order[group]}`,
    )
    const sameLength = output.length === output_name.length && output.length === output_is_list.length
    return violations(nodeType, type).length > 0 || type.name !== name || !isOrdered || !sameLength
  })
  expect(faults.map(([name]) => name)).toEqual([])
})
