// Drives @stable-canvas/comfyui-client: one call that enqueues a graph and returns its pictures, by socket or by polling.

import assert from 'node:assert/strict'
import { ADDRESS, check, load, picture, rejected, fromClient } from './driver.mjs'

const { Client } = fromClient('@stable-canvas/comfyui-client')
const client = new Client({ api_host: ADDRESS, WebSocket: fromClient('ws'), fetch })
await client.connect()

await check('submit', async () => {
  const { prompt_id } = await client.queuePrompt(0, { prompt: load('workflow'), workflow: {} })
  await client.waitForPrompt(prompt_id, 100, 30_000)
  return prompt_id
})

const seen = []
let result
await check('follow', async () => {
  const progress = ({ value, max }) => seen.push(`${value}/${max}`)
  result = await client.enqueue(load('workflow', 8), { progress })
  assert.equal(seen.at(-1), '20/20')
  return seen.join(' ')
})
await check('download', async () => {
  const [image] = result.images
  const { data } = image
  assert.equal(image.type, 'url')
  return picture(await (await fetch(data)).arrayBuffer())
})
await check('polling', async () => {
  const { images } = await client.enqueue_polling(load('workflow'), { polling_ms: 100 })
  assert.equal(images.length, 1)
  return images[0].data
})
await check('failed-run', async () => {
  const error = await rejected(client.enqueue(load('failing')))
  assert.match(error.message, /made to fail/)
  return error
})
await check('refused-graph', async () => {
  const error = await rejected(client.enqueue(load('refused')))
  assert.match(JSON.stringify(error.json), /no-such-sampler/)
  return error
})
await check('interrupt', async () => {
  const { prompt_id } = await client._enqueue_prompt(load('slow'))
  client.on('progress', ({ value }) => value === 3 && client.interrupt(prompt_id))
  await client.waitForPrompt(prompt_id, 100, 30_000)
  return rejected(client.getPromptOutputs(prompt_id))
})
await check('node-types', async () => (await client.getSamplers()).slice(0, 3).join(', '))
client.close()
