// Drives @comfyorg/sdk against the second version of the hosted API and the Router, with each example of its README.

import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { check, load, picture, rejected, fromClient, SERVER } from './driver.mjs'

const API_KEY = process.env['API_KEY']
process.env['COMFY_BASE_URL'] = process.env['COMFY_ROUTER_BASE_URL'] = SERVER

const { Comfy, comfy, JobFailed, IdempotencyKeyReuse, InvalidWorkflow, NotFound, routerErrors } =
  await import(pathToFileURL(fromClient.resolve('@comfyorg/sdk')).href)
const client = new Comfy({ apiKey: API_KEY })
comfy.config({ credentials: API_KEY })

const workflow = (name, seed) => client.workflows.fromJson(load(name, seed))
const submit = (name, seed, options) => client.submit(workflow(name, seed), options)
const fetched = async (url) => Buffer.from(await (await fetch(url)).arrayBuffer())
const sound = {
  1: { class_type: 'EmptyAudio', inputs: { duration: 1, sample_rate: 44100, channels: 2 } },
  9: {
    class_type: 'SaveAudioMP3',
    inputs: { audio: ['1', 0], filename_prefix: 'track', quality: 'V0' },
  },
}

await check('submit', async () => {
  const job = await submit('workflow')
  await job.wait()
  assert.equal(job.status, 'succeeded')
  return job.id
})

await check('follow', async () => {
  const job = await submit('workflow', 8)
  const seen = []
  for await (const event of job.events()) {
    seen.push(event.kind)
    if (event.kind === 'progress') assert.ok(event.value >= 0 && event.value <= 1)
    if (event.kind === 'outputReady') await event.output.toFile(`partial-${event.output.name}`)
    if (event.kind === 'statusChange' && event.status === 'succeeded') break
  }
  for (const kind of ['progress', 'preview', 'outputReady']) assert.ok(seen.includes(kind), kind)
  return seen.join(' ')
})

await check('download', async () => {
  const job = await client.run(await client.workflows.fromFile('workflow.json'))
  const [output] = job.getOutputs('9')
  await output.toFile('result.png')
  const data = await output.toBytes()
  await output.toFile('head.png', { range: [0, 1023] })
  assert.equal(statSync('head.png').size, Math.min(1024, data.length))
  const { url, expiresAt } = await output.getDownloadUrl()
  assert.ok(expiresAt)
  assert.deepEqual(await fetched(url), Buffer.from(data))
  return picture(readFileSync('result.png'))
})

await check('failed-run', async () => {
  const error = await rejected(client.run(workflow('failing', 9)))
  assert.ok(error instanceof JobFailed, error)
  assert.equal(error.error.node_id, '10')
  return error.error.message
})

await check('refused-graph', async () => {
  const error = await rejected(submit('refused'))
  assert.ok(error instanceof InvalidWorkflow, error)
  return error
})

await check('upload', async () => {
  const flow = client.workflows.fromJson({
    1: { class_type: 'LoadImage', inputs: { image: 'none' } },
    2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'again' } },
  })
  const asset = client.assets.fromFile('input.png')
  flow.setInput('1', 'image', asset)
  const [output] = (await client.run(flow)).getOutputs('2')
  const again = client.assets.fromFile('input.png')
  await again.commit()
  assert.deepEqual([asset.createdNew, again.createdNew], [true, false])
  const id = again.id
  await again.delete()
  assert.ok((await rejected(client.assets.get(id))) instanceof NotFound)
  return picture(await output.toBytes(), [256, 256])
})

await check('interrupt', async () => {
  const job = await submit('slow')
  for await (const event of job.events()) if (event.kind === 'progress' && event.step > 0) break
  await job.cancel()
  await job.wait()
  assert.equal(job.status, 'canceled')
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 500)
  await rejected((await submit('slow')).wait(undefined, controller.signal))
  return job.id
})

await check('idempotency', async () => {
  await submit('workflow', 10, { idempotencyKey: 'one-key' })
  const error = await rejected(submit('workflow', 10, { idempotencyKey: 'one-key' }))
  assert.ok(error instanceof IdempotencyKeyReuse, error)
  return error
})

await check('workflow', async () => {
  const job = await submit('workflow', 11, { apiKey: 'test-partner-key' })
  const found = await (await client.jobs.get(job.id)).getWorkflow()
  assert.deepEqual(found, { workflow: load('workflow', 11), format: 'api' })
  return found.format
})

await check('audio', async () => {
  const [track] = (await client.run(client.workflows.fromJson(sound))).getOutputs('9')
  assert.deepEqual([track.type, track.contentType], ['audio', 'audio/mpeg'])
  await track.toFile('track.mp3')
  assert.ok((await fetched((await track.getDownloadUrl()).url)).length > 0)
  return track.name
})

await check('models.run', async () => {
  const { data, requestId } = await comfy.models.run('fal-ai/flux-pro', { prompt: 'a cat' })
  assert.match(requestId, /^[\da-f-]{36}$/)
  const { signal } = new AbortController()
  const options = { timeoutMs: 30_000, signal, retry: { budgetMs: 30_000 } }
  await comfy.models.run('fal-ai/flux-pro', { prompt: 'a cat' }, options)
  return picture(await fetched(data.images[0].url), [1024, 1024])
})

await check('models.run aborted', async () => {
  const controller = new AbortController()
  const how = { signal: controller.signal }
  const run = comfy.models.run('luma/ray-2', { prompt: 'a cat' }, how)
  setTimeout(() => controller.abort(), 100)
  return rejected(run)
})

await check('models.run refused', async () => {
  const refused = (model, input) =>
    rejected(comfy.models.run(model, input, { retry: false })).then(({ code }) => code)
  const codes = [
    await refused('acme/nothing', { prompt: 'a cat' }),
    await refused('fal-ai/flux-pro', { prompt: 1 }),
  ]
  assert.deepEqual(codes, ['model_not_found', 'invalid_input'])
  assert.ok(routerErrors.RouterError)
  return codes.join(', ')
})
