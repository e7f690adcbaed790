// Worlds at one address: how they are created and closed, and that they share nothing, keys neither.

import { replay, startEmulator } from 'flowdouble'
import { solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { v2Of } from '../../judge/hosted/v2.ts'
import { casesWith, ownWorld, test } from '../../judge/proves.ts'
import { exchanges, type Row, saying } from '../../judge/rows.ts'
import { type Subject, subjectOf } from '../../judge/subject.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../../support/folder.ts'

const proves = casesWith(ownWorld)

const [WORLDS, RUNS] = ['/_flowdouble/worlds', '/_flowdouble/runs'] as const

/** Runs a workflow, and returns what the picture that it saves begins with. */
async function pictureOf(
  subject: Subject,
  session: Parameters<Subject['run']>[0],
): Promise<string> {
  const { entry } = await subject.run(session, solid())
  const [image] = entry.outputs['2'].images
  return (await subject.view(image)).bytes.subarray(1, 4).toString()
}

proves('control/worlds', async (subject) => {
  const { emulator } = subject
  const url = `${subject.url}/w/one`
  const files = [
    { nodes: ['/etc/nodes.json'] },
    { objectInfo: 'types.json' },
    { scenario: './mine.yaml' },
    { scenario: { version: 1, world: { nodes: ['nodes.json'] } } },
    { scenario: { version: 1, start: { files: [{ path: 'a', from: '/etc/hosts' }] } } },
  ]
  await exchanges(subject, [
    ['POST', WORLDS, { name: 'one', seed: 4, pace: 1 }, 200, { name: 'one', url }],
    ['POST', WORLDS, {}, 200, { name: 'w1', url: expect.any(String) }],
    ['POST', WORLDS, { name: 'one' }, 409, saying('already exists')],
    ['POST', WORLDS, { name: '../two' }, 400, saying('letters, digits')],
    ['POST', WORLDS, { name: 'two', port: 9 }, 400, saying('share port')],
    ['POST', WORLDS, { name: 'two', pase: 9 }, 400, saying('pace')],
    ...files.map((value): Row => ['POST', WORLDS, value, 400, saying('names a file')]),
  ])
  const one = subjectOf(emulator!.worlds()[0]!)
  expect(one.emulator!.options).toMatchObject({ seed: '4', pace: 1, clock: 'manual' })
  // The whole API is below the name: requests, sockets, files and the control paths.
  const session = await one.connect('me')
  expect(await pictureOf(one, session)).toBe('PNG')
  await exchanges(one, [['GET', RUNS, undefined, 200, [expect.any(Object)]]])
  await exchanges(subject, [
    ['GET', RUNS, undefined, 200, []],
    ['DELETE', `${WORLDS}/one`, undefined, 200, { closed: true }],
  ])
  await session.closed
  const left = [expect.objectContaining({ name: 'w1' })]
  await exchanges(subject, [
    ['GET', WORLDS, undefined, 200, left],
    ['DELETE', `${WORLDS}/one`, undefined, 200, { closed: false }],
  ])
})

proves('control/world-port', async (subject) => {
  const { emulator, deployment } = subject
  const created = await subject.post('/_flowdouble/worlds', { name: 'own', port: 0 })
  const { url } = created.json() as { url: string }
  const [world] = emulator!.worlds()
  expect({ url, port: world!.port }).toEqual({
    url: `http://127.0.0.1:${new URL(url).port}`,
    port: Number(new URL(url).port),
  })
  expect(world!.port).not.toBe(emulator!.port)
  // Everything of the world is there: requests, sockets, files, signed links and the control paths.
  const own = subjectOf(world!)
  const session = await own.connect('me')
  expect(await pictureOf(own, session)).toBe('PNG')
  await exchanges(own, [['GET', RUNS, undefined, 200, [expect.any(Object)]]])
  // The same world is below its name, and the one at the root has seen nothing.
  expect((await subject.raw('GET', '/w/own/_flowdouble/runs')).json()).toHaveLength(1)
  expect(emulator!.runs()).toEqual([])
  // Its guard is that of the main listener.
  const page = { Origin: 'http://elsewhere.test', 'Sec-Fetch-Site': 'cross-site' }
  expect((await own.raw('GET', '/_flowdouble/runs', undefined, page)).status).toBe(403)
  const foreign = await own.raw('GET', '/features', undefined, page)
  expect(foreign.status).toBe(deployment === 'local' ? 403 : 404)
  await subject.request('DELETE', '/_flowdouble/worlds/own')
  await session.closed
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  // One that is still open ends with its server.
  const other = await startEmulator({ deployment, clock: 'manual' })
  const last = await other.world({ port: 0 })
  expect((await fetch(`${last.url}/_flowdouble/runs`)).status).toBe(200)
  await other.close()
  await expect(fetch(last.url)).rejects.toThrow('fetch failed')
})

proves('control/world-port-path', async (subject) => {
  const world = await subject.emulator!.world({ name: 'own', port: 0 })
  const own = subjectOf(world)
  expect((await own.raw('GET', `/w/own${RUNS}`)).json()).toEqual([])
  // Only its own path: at its port there is one world.
  expect((await own.raw('GET', `/w/other${RUNS}`)).status).toBe(404)
  if (subject.deployment === 'local') return
  const { urls } = await (await v2Of(own)).submit(solid())
  const headers = { Authorization: `Bearer ${own.key}` }
  expect((await own.raw('GET', urls.self, undefined, headers)).status).toBe(200)
})

proves('control/unknown-world', async (subject) => {
  const replyTo = async (path: string) => {
    const { status, text, headers } = await subject.raw('GET', path)
    return { status, text, type: headers['content-type'] }
  }
  const without = await replyTo('/w/one/queue')
  expect(without.status).toBe(404)
  const world = await subject.emulator!.world({ name: 'one' })
  expect(await replyTo('/w/two/queue')).toEqual(without)
  expect((await replyTo('/w/one/_flowdouble/runs')).status).toBe(200)
  await world.close()
  expect(await replyTo('/w/one/queue')).toEqual(without)
})

proves('control/isolated', async (subject) => {
  const emulator = subject.emulator!
  const worlds = [subject, subjectOf(await emulator.world()), subjectOf(await emulator.world())]
  const [main, first, second] = worlds as [typeof subject, typeof subject, typeof subject]
  const session = await second.connect('me')
  await session.settled()
  const before = session.messages().length
  await first.upload({ name: 'mine.txt', bytes: Buffer.from('mine') })
  await first.post('/settings', { mine: 1 })
  first.emulator!.fault({ when: { path: '/queue' }, then: { status: 503 } })
  await first.submit(textToImage(2), { client_id: 'me' })
  await first.idle()
  await session.settled()
  expect(session.messages()).toHaveLength(before)
  for (const other of [main, second]) {
    expect(other.emulator!.runs()).toEqual([])
    expect(other.emulator!.faults()).toEqual([])
    expect((await other.get('/settings')).json()).not.toHaveProperty('mine')
    expect((await other.get('/view?filename=mine.txt&type=input')).status).toBe(404)
    expect(await other.emulator!.verify({ method: 'POST' })).toMatchObject({ count: 0 })
  }
  // Their clocks are separate too.
  const times = worlds.map(async (one) => (await one.get('/queue')).headers['date'])
  await first.emulator!.advance(60_000)
  expect((await second.get('/queue')).headers['date']).toBe(await times[2])
  await second.close()
  await first.close()
})

proves(
  'control/off',
  async (subject) => {
    const replyTo = async (path: string) => {
      const { status, text } = await subject.raw('GET', path)
      return { status, text }
    }
    expect(await replyTo('/_flowdouble/journal')).toEqual(await replyTo('/_flowdoubly/journal'))
    expect((await subject.raw('POST', '/_flowdouble/reset')).status).not.toBe(200)
  },
  { control: false },
)

proves('control/worlds', async (subject) => {
  const emulator = subject.emulator!
  const first = subjectOf(await emulator.world({ name: 'first' }))
  const second = subjectOf(await emulator.world({ name: 'second' }))
  await first.submit(solid(1))
  await first.emulator!.until('started')
  const session = await second.connect('me')
  // An address disconnects the edges of worlds in which nothing happens, if it has many.
  for (let count = 0; count < 600; count++) {
    const world = await emulator.world()
    expect((await subject.raw('GET', `/w/${world.name}/_flowdouble/runs`)).text).toBe('[]')
  }
  await first.idle()
  expect((await first.get('/_flowdouble/runs')).json()).toMatchObject([{ state: 'success' }])
  const { messages } = await second.run(session, solid(2))
  expect(messages.map(({ type }) => type)).toContain('execution_success')
  expect(emulator.worlds()).toHaveLength(602)
  const lines = await first.emulator!.journal()
  expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
  await first.close()
  await second.close()
})

proves('control/world-name', async (subject) => {
  const emulator = subject.emulator!
  for (const name of [5, ['a'], {}, true, null]) {
    await exchanges(subject, [['POST', WORLDS, { name }, 400, saying('"name": "..."')]])
    const asked = name as unknown as string
    const create = async (): Promise<unknown> => emulator.world({ name: asked })
    await expect(create()).rejects.toThrow('The name of a world')
    await expect((async () => emulator.fork(asked))()).rejects.toThrow('The name of a world')
  }
  expect(emulator.worlds()).toEqual([])
})

const ann = {
  user: 'ann',
  keys: ['key-of-ann-alone'],
  partnerKey: null,
  tier: 'pro',
  balance: 1000,
  subscription: 'active',
  failsWith: null,
} as const

proves(
  'control/keys-of-worlds',
  async ({ raw, emulator }) => {
    const server = emulator!
    const early = await server.world({ name: 'early' })
    const world = await server.world({ name: 'ann', accounts: [ann] })
    const branch = await early.fork('branch')
    const headers = { 'X-API-Key': 'test-key', 'X-Other': ann.keys[0] }
    const path = `/api/queue?note=${ann.keys[0]}`
    for (const at of ['', '/w/early', '/w/ann', '/w/branch'])
      await raw('POST', at + path, JSON.stringify({ [ann.keys[0]]: ann.keys[0] }), headers)
    for (const one of [server, early, world, branch]) {
      const lines = await one.journal()
      expect(lines.length).toBeGreaterThan(1)
      expect(lines.join('\n')).not.toContain(ann.keys[0])
      expect(JSON.stringify(await one.requests())).not.toContain(ann.keys[0])
      expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
    }
  },
  { deployment: 'hosted' },
)

test('control/keys-of-worlds A journal file contains no key of a world that is created later', async () => {
  const journal = join(folder(), 'journal.jsonl')
  const server = await startEmulator({ journal, deployment: 'hosted', clock: 'manual' })
  await server.world({ accounts: [ann] })
  await fetch(`${server.url}/api/queue?note=${ann.keys[0]}`, {
    headers: { 'X-API-Key': 'test-key' },
  })
  await server.close()
  const text = readFileSync(journal, 'utf8')
  expect(text).toContain('/api/queue?note=')
  expect(text).not.toContain(ann.keys[0])
})
