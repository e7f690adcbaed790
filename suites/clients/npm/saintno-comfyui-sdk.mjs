// Drives @saintno/comfyui-sdk: an API object with a socket, and a wrapper that runs a graph with callbacks.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { check, load, picture, rejected, fromClient, SERVER } from './driver.mjs'

const { CallWrapper, ComfyApi, PromptBuilder } = fromClient('@saintno/comfyui-sdk')
const api = await new ComfyApi(SERVER).init().waitForReady()

/** Runs a graph whose pictures come from node 9: what its callbacks receive. */
async function call(graph) {
  const events = []
  const builder = new PromptBuilder(graph, ['seed'], ['images'])
    .setInputNode('seed', '3.inputs.seed')
    .setOutputNode('images', '9')
    .input('seed', 11)
  let failure
  const result = await new CallWrapper(api, builder)
    .onPending(() => events.push('pending'))
    .onStart(() => events.push('start'))
    .onProgress(({ value, max }) => events.push(`${value}/${max}`))
    .onPreview((blob) => events.push(`preview of ${blob.size > 0}`))
    .onFailed((error) => (failure = error))
    .run()
  return { events, failure, result }
}

await check('submit', async () => {
  const { prompt_id } = await api.appendPrompt(load('workflow'))
  assert.match(prompt_id, /^[\da-f-]{36}$/)
  return prompt_id
})

const done = await call(load('workflow'))
await check('follow', () => {
  for (const event of ['pending', 'start', '20/20']) assert.ok(done.events.includes(event), event)
  return done.events.join(' ')
})
await check('download', async () => picture(await api.getImage(done.result.images.images[0])))
await check('failed-run', async () => {
  const { failure, result } = await call(load('failing'))
  assert.equal(result, false)
  assert.match(inspect(failure, { depth: 6 }), /made to fail/)
  return failure
})
await check('refused-graph', async () => {
  const error = await rejected(api.appendPrompt(load('refused')))
  assert.equal(error.status, 400)
  return error.text()
})
await check('upload', async () => {
  const { info } = await api.uploadImage(readFileSync('input.png'), 'saintno.png')
  assert.equal(info.filename, 'saintno.png')
  return picture(await api.getImage(info), [256, 256])
})
await check('node-types', async () => {
  const { sampler } = await api.getSamplerInfo()
  assert.ok(sampler[0].includes('euler'))
  return (await api.getCheckpoints()).join(', ')
})
await check('user-data', async () => {
  await api.storeUserData('notes/a.json', { kept: true })
  assert.deepEqual(await (await api.getUserData('notes/a.json')).json(), { kept: true })
  return (await api.listUserData('notes', true)).join(', ')
})
api.destroy()
