// Drives comfy-ui-client: one call that submits a graph, waits for the end of its run, and downloads its pictures.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { ADDRESS, check, load, picture, rejected, fromClient } from './driver.mjs'

const { ComfyUIClient } = fromClient('comfy-ui-client')
const client = new ComfyUIClient(ADDRESS, 'one-client')
await client.connect()

await check('submit', async () => {
  const { prompt_id, number } = await client.queuePrompt(load('workflow'))
  assert.equal(typeof number, 'number')
  return prompt_id
})

let images
await check('follow', async () => {
  images = await client.getImages(load('workflow'))
  assert.deepEqual(Object.keys(images), ['9'])
  return images['9'][0].image.filename
})
await check('download', () => picture(images['9'][0].blob))
await check('failed-run', async () => {
  assert.deepEqual(await client.getImages(load('failing')), {})
  const runs = Object.values(await client.getHistory())
  assert.equal(runs.at(-1).status.status_str, 'error')
  return runs.at(-1).status.messages.at(-1)[1].exception_message
})
await check('refused-graph', async () => {
  const error = await rejected(client.getImages(load('refused')))
  assert.match(error.message, /value_not_in_list/)
  return error
})
await check('upload', async () => {
  const { name } = await client.uploadImage(readFileSync('input.png'), 'mine.png', true)
  assert.equal(name, 'mine.png')
  return picture(await client.getImage(name, '', 'input'), [256, 256])
})
await check('node-types', async () => {
  const { KSampler } = await client.getObjectInfo('KSampler')
  return KSampler.display_name
})
await check('queue', async () => {
  const { queue_running, queue_pending } = await client.getQueue()
  assert.deepEqual([queue_running, queue_pending], [[], []])
  return (await client.getPrompt()).exec_info.queue_remaining
})
await client.disconnect()
