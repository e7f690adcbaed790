// The named scenarios about extensions: what a client sees of each, on HTTP and on the socket.

import { startEmulator } from 'flowdouble'
import { onTestFinished } from 'vitest'
import { type Graph, node, textToImage } from '../../generate/graphs.ts'
import { openPlain } from '../../judge/broken.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { type Subject, subjectOf } from '../../judge/subject.ts'

/** A server with a named scenario. */
async function serve(scenario: string): Promise<Subject> {
  const subject = subjectOf(await startEmulator({ scenario, clock: 'manual' }))
  onTestFinished(() => subject.close())
  return subject
}

/** Runs a graph until nothing is left to do: its socket, and its outputs. */
async function play(subject: Subject, graph: Graph = textToImage(1, 3)) {
  const socket = await openPlain(subject)
  const { prompt_id } = (await subject.submit(graph, { client_id: 'me' })).json()
  await subject.idle()
  await socket.settled()
  const entry = await subject.finished(prompt_id)
  return { socket, status: entry?.status.status_str, outputs: entry?.outputs }
}

/** The statuses of requests, in order. */
async function statuses(
  { request }: Subject,
  ...asked: readonly (readonly [method: string, path: string])[]
): Promise<readonly number[]> {
  const found: number[] = []
  for (const [method, path] of asked) found.push((await request(method, path)).status)
  return found
}

const png = /^\x89PNG/

test('monitor-chatter: the monitor reports to everybody, also when nothing runs', async () => {
  const subject = await serve('monitor-chatter')
  const [one, other] = [await openPlain(subject, 'one'), await openPlain(subject, 'other')]
  await subject.emulator!.advance(3000)
  await Promise.all([one.settled(), other.settled()])
  for (const socket of [one, other]) {
    expect(socket.of('crystools.monitor')).toHaveLength(3)
    expect(socket.of('crystools.monitor')[0]!.data).toMatchObject({ gpus: [{}], hdd_total: -1 })
  }
  expect((await subject.get('/crystools/monitor/HDD')).json()).toEqual(['/'])
  expect((await subject.request('PATCH', '/crystools/monitor', '{"rate": 0}')).status).toBe(200)
  expect((await play(subject)).status).toBe('success')
})

test('long-preview-header: the picture of each preview begins at byte 32', async () => {
  const { socket, status } = await play(await serve('long-preview-header'))
  expect(status).toBe('success')
  expect(socket.of('VHS_latentpreview').map(({ data }) => data)).toEqual([
    { length: 16, rate: 8, id: '3' },
  ])
  expect(socket.frames).toHaveLength(3)
  for (const frame of socket.frames) {
    expect([0, 4, 8].map((at) => frame.readUInt32BE(at))).toEqual([1, 1, 1])
    expect(frame.subarray(16, 32).toString('latin1')).toBe(`\x013${'\0'.repeat(14)}`)
    expect(frame.subarray(32, 35).toString('hex')).toBe('ffd8ff')
  }
})

test('comparer-before-picture: temporary pictures under other keys precede the saved one', async () => {
  const subject = await serve('comparer-before-picture')
  const { socket, outputs } = await play(subject)
  expect(Object.values(outputs).map((output) => Object.keys(output as object))).toEqual([
    ['a_images', 'b_images'],
    ['images'],
  ])
  const [{ a_images }, { images }] = Object.values<any>(outputs)
  expect([a_images[0].type, images[0].type]).toEqual(['temp', 'output'])
  const executed = socket.of('executed').map(({ data }) => Object.keys(data['output'] as object))
  expect(executed).toEqual([['a_images', 'b_images'], ['images']])
  for (const entry of [a_images[0], images[0]])
    expect((await subject.view(entry)).bytes.toString('latin1')).toMatch(png)
})

test('no-output-but-success: the history of a successful run has no output', async () => {
  const { socket, status, outputs } = await play(await serve('no-output-but-success'))
  expect({ status, outputs }).toEqual({ status: 'success', outputs: {} })
  expect(socket.of('executed')).toEqual([])
})

test('wrong-number-of-pictures: three for one, then none, then one', async () => {
  const subject = await serve('wrong-number-of-pictures')
  const counts: number[] = []
  for (const seed of [1, 2, 3]) {
    const { outputs } = await play(subject, textToImage(seed, 2))
    counts.push(outputs['9'].images.length)
  }
  expect(counts).toEqual([3, 0, 1])
})

test('hostile-file-names: names are served, and those that lead out of the folder are not', async () => {
  const subject = await serve('hostile-file-names')
  const { outputs } = await play(subject)
  const { images } = outputs['9']
  expect(images).toHaveLength(9)
  const found = []
  for (const entry of images) found.push((await subject.view(entry)).status)
  expect(found.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => 200))
  expect(found.slice(7).every((status) => status >= 400)).toBe(true)
  expect(images.map(({ filename }: any) => filename)).toContain('../../../outside.png')
})

test('preview-chooser: the run waits for the choice', async () => {
  const subject = await serve('preview-chooser')
  const { socket } = await play(subject)
  expect(socket.messages.at(-1)).toMatchObject({ type: 'easyuse-image-choose', data: { id: '8' } })
  const [url] = socket.messages.at(-1)!.data['urls'] as Record<string, string>[]
  expect((await subject.view(url!)).bytes.toString('latin1')).toMatch(png)
  const states = () => subject.emulator!.runs().map(({ state }) => state)
  expect(states()).toEqual(['running'])
  const choice = { id: '8', message: '0' }
  expect((await subject.post('/easyuse/image_chooser_message', choice)).json()).toEqual({})
  await subject.idle()
  expect(states()).toEqual(['success'])
})

test('manager-v3: lists and queue answer, and those of version 4 are 404', async () => {
  const subject = await serve('manager-v3')
  const { get, post } = subject
  expect((await get('/v2/manager/version')).status).toBe(404)
  expect((await get('/api/manager/version')).text).toMatch(/^V3\./)
  const { node_packs } = (await get('/customnode/getlist?mode=cache&skip_update=true')).json()
  expect(Object.keys(node_packs)).toEqual(['fancy-pack'])
  const start = ['GET', '/manager/queue/start'] as const
  expect(await statuses(subject, ['POST', '/manager/queue/reset'], start, start)).toEqual([
    200, 200, 201,
  ])
  // The queue itself is that of the server.
  const install = { url: 'http://m.example/x', path: 'loras', filename: 'own.safetensors' }
  expect((await post('/manager/queue/install_model', install)).status).toBe(200)
  expect((await get('/manager/queue/status')).json()).toMatchObject({ in_progress_count: 1 })
  await subject.idle()
  expect((await get('/models/loras')).json()).toContain('own.safetensors')
  expect(await post('/customnode/install/git_url', {})).toMatchObject({ status: 403 })
})

test('manager-v4-only: a task runs below /v2, and nothing of version 3 answers', async () => {
  const subject = await serve('manager-v4-only')
  const { get, post } = subject
  const old = ['/manager/version', '/customnode/installed', '/manager/queue/status'] as const
  expect(await statuses(subject, ...old.map((path) => ['GET', path] as const))).toEqual([
    404, 404, 404,
  ])
  expect((await get('/v2/customnode/getlist')).status).toBe(404)
  expect((await get('/v2/manager/version')).text).toMatch(/^V4\./)
  const task = { kind: 'install', ui_id: 'a', client_id: 'me', params: { id: 'fancy-pack' } }
  expect((await post('/v2/manager/queue/task', task)).status).toBe(200)
  expect((await post('/v2/manager/queue/start', {})).status).toBe(200)
  const status = async () => (await get('/v2/manager/queue/status')).json().is_processing
  expect([await status(), await status()]).toEqual([true, false])
  const [sent] = await subject.emulator!.requests({ path: '/v2/manager/queue/task' })
  expect(sent?.body).toEqual(task)
})

test('tooling-nodes: pictures come as frames, or from the cache', async () => {
  const subject = await serve('tooling-nodes')
  const { socket, status, outputs } = await play(subject, {
    '1': node('ETN_LoadImageBase64', { image: 'iVBORw0KGgo=' }),
    '2': node('ETN_SendImageWebSocket', { images: ['1', 0], format: 'PNG' }),
    '3': node('ETN_SaveImageCache', { images: ['1', 0], format: 'PNG' }),
    '4': node('ETN_KritaSendText', { value: 'x', name: 'Caption' }),
  })
  expect(status).toBe('success')
  const [frame, ...others] = socket.frames
  expect(others).toEqual([])
  expect([frame!.readUInt32BE(0), frame!.readUInt32BE(4)]).toEqual([1, 2])
  expect(frame!.subarray(8, 12).toString('latin1')).toMatch(png)
  expect(outputs['2'].images[0]).toMatchObject({ source: 'websocket' })
  const { id } = outputs['3'].images[0]
  const cached = await subject.get(`/api/etn/image/${id}`)
  expect(cached.headers['content-type']).toBe('image/png')
  expect(cached.bytes.toString('latin1')).toMatch(png)
  expect(outputs['4'].text[0].text).toBe('a lighthouse')
  const upload = ['PUT', '/api/etn/upload/loras/a.safetensors'] as const
  expect(await statuses(subject, upload, upload)).toEqual([201, 200])
  expect(await statuses(subject, ['GET', '/etn/image/none'])).toEqual([404])
  expect((await subject.get('/etn/translate/de/ein%20Leuchtturm')).json()).toBe('a lighthouse')
})
