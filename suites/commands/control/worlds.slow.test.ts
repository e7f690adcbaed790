// Worlds at one address: how they are created and closed, and that they share nothing.

import { replay, startEmulator } from 'flowdouble'
import { solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { subjectOf } from '../../judge/subject.ts'

proves(
  'control/worlds',
  async (subject) => {
    const { emulator } = subject
    const create = (value: unknown) => subject.post('/_flowdouble/worlds', value)
    expect((await create({ name: 'one', seed: 4, pace: 1 })).json()).toEqual({
      name: 'one',
      url: `${subject.url}/w/one`,
    })
    expect((await create({})).json()).toMatchObject({ name: 'w1' })
    const refused = [
      await create({ name: 'one' }),
      await create({ name: '../two' }),
      await create({ name: 'two', port: 9 }),
      await create({ name: 'two', pase: 9 }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([409, 400, 400, 400])
    expect(refused.map((one) => one.json().error)).toEqual([
      expect.stringContaining('already exists'),
      expect.stringContaining('letters, digits'),
      expect.stringContaining('share port'),
      expect.stringContaining('pace'),
    ])
    const files = [
      { nodes: ['/etc/nodes.json'] },
      { objectInfo: 'types.json' },
      { scenario: './mine.yaml' },
      { scenario: { version: 1, world: { nodes: ['nodes.json'] } } },
      { scenario: { version: 1, start: { files: [{ path: 'a', from: '/etc/hosts' }] } } },
    ]
    for (const value of files) {
      const { status, json } = await create(value)
      expect({ value, status, error: json().error }).toEqual({
        value,
        status: 400,
        error: expect.stringMatching(/names a file/),
      })
    }
    const one = subjectOf(emulator!.worlds()[0]!)
    expect(one.emulator!.options).toMatchObject({ seed: '4', pace: 1, clock: 'manual' })
    // The whole API is below the name: requests, sockets, files and the control paths.
    const session = await one.connect('me')
    const { entry } = await one.run(session, solid())
    const [image = {}] = Object.values(
      entry.outputs as Record<string, { images?: Record<string, string>[] }>,
    ).flatMap(({ images = [] }) => images)
    const picture = await one.view(image)
    expect(picture.bytes.subarray(1, 4).toString()).toBe('PNG')
    expect((await one.get('/_flowdouble/runs')).json()).toHaveLength(1)
    expect((await subject.get('/_flowdouble/runs')).json()).toEqual([])
    const closed = await subject.request('DELETE', '/_flowdouble/worlds/one')
    expect(closed.json()).toEqual({ closed: true })
    await session.closed
    expect((await subject.get('/_flowdouble/worlds')).json()).toMatchObject([{ name: 'w1' }])
    const again = await subject.request('DELETE', '/_flowdouble/worlds/one')
    expect(again.json()).toEqual({ closed: false })
  },
  ownWorld,
)

proves(
  'control/world-port',
  async (subject) => {
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
    const { entry } = await own.run(session, solid())
    const [image = {}] = Object.values(
      entry.outputs as Record<string, { images?: Record<string, string>[] }>,
    ).flatMap(({ images = [] }) => images)
    expect((await own.view(image)).bytes.subarray(1, 4).toString()).toBe('PNG')
    expect((await own.get('/_flowdouble/runs')).json()).toHaveLength(1)
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
  },
  ownWorld,
)

proves(
  'control/unknown-world',
  async (subject) => {
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
  },
  ownWorld,
)

proves(
  'control/isolated',
  async (subject) => {
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
  },
  ownWorld,
)

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

proves(
  'control/worlds',
  async (subject) => {
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
  },
  ownWorld,
)
