// The clock, the faults and the sockets of a running world, moved and changed over HTTP and from the library.

import { type Scenario, startEmulator } from 'flowdouble'
import { vi } from 'vitest'
import { solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves, test } from '../../judge/proves.ts'

proves(
  'control/advance',
  async (subject) => {
    const advance = async (body: unknown) =>
      (await subject.post('/_flowdouble/advance', body)).json()
    const session = await subject.connect('me')
    const { prompt_id } = (await subject.submit(textToImage(1, 5), { client_id: 'me' })).json()
    expect(await advance({ ms: 3 })).toMatchObject({ nowMs: 3, happened: {} })
    expect(await advance({ until: 'next' })).toMatchObject({ happened: { 'run started': 1 } })
    const isHosted = subject.deployment === 'hosted'
    const message = isHosted ? 'progress_state' : 'progress'
    const moved = await advance({ until: { message } })
    expect(moved.happened[`message ${message}`]).toBe(1)
    expect(moved.found).toMatchObject({ prompt_id })
    const ended = await advance({ until: { run: prompt_id, state: 'success' } })
    expect(ended.found).toEqual({ prompt_id, state: 'success' })
    expect(subject.emulator!.runs()).toMatchObject([{ state: 'success' }])
    await subject.submit(solid())
    expect(await advance({ until: 'success' })).toMatchObject({ happened: { 'run success': 1 } })
    expect(await advance({ until: 'idle' })).not.toHaveProperty('found')
    await session.settled()
    const wrong = [{ until: {} }, { until: { run: 5 } }, { ms: 1, until: 'idle' }, { withinMs: -1 }]
    for (const body of wrong) expect((await advance(body)).error).toContain('"until"')
  },
  ownWorld,
)

proves(
  'control/bounded',
  async (subject) => {
    const emulator = subject.emulator!
    await subject.submit(textToImage(1, 50))
    const late = await subject.post('/_flowdouble/advance', { until: 'success', withinMs: 40 })
    expect(late.status).toBe(409)
    expect(late.json().error).toContain('within 40 milliseconds')
    expect(emulator.runs()).toMatchObject([{ state: 'running' }])
    await expect(emulator.until('idle', { withinMs: 40 })).rejects.toThrow(/within 40/)
    await emulator.until('idle')
    await expect(emulator.until('success')).rejects.toThrow(/No timer is left/)
  },
  ownWorld,
)

const fault = { id: 'busy', when: { path: '/queue' }, then: { status: 503 } } as const

proves(
  'control/faults',
  async (subject) => {
    const emulator = subject.emulator!
    const added = await subject.post('/_flowdouble/faults', fault)
    expect(added.json()).toEqual({ id: 'busy' })
    const { id, remove } = emulator.fault({ when: { path: '/x' }, then: { status: 500 } })
    const list = async () => (await subject.get('/_flowdouble/faults')).json()
    expect(await list()).toMatchObject([{ id: 'busy', fault, applied: 0 }, { id }])
    remove()
    // One with the same id replaces it.
    emulator.fault({ ...fault, times: 2 })
    expect(await list()).toMatchObject([{ id: 'busy', fault: { times: 2 } }])
    const drop = () => subject.request('DELETE', '/_flowdouble/faults/busy')
    expect((await drop()).json()).toEqual({ removed: true })
    expect((await drop()).json()).toEqual({ removed: false })
    const wrong = await subject.post('/_flowdouble/faults', { when: {} })
    expect({ status: wrong.status, error: wrong.json().error }).toEqual({
      status: 400,
      error: expect.stringContaining('scenario.schema.json'),
    })
    expect((await subject.request('POST', '/_flowdouble/faults', '{')).status).toBe(400)
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    for (const [path, body] of [
      ['faults', `{"when": {"path": "/x"}, "then": {"status": 500, "body": ${deep}}}`],
      ['scenario', `{"version": 1, "nodes": ${deep}}`],
    ] as const)
      expect((await subject.request('POST', `/_flowdouble/${path}`, body)).status).toBe(400)
  },
  ownWorld,
)

proves(
  'control/faults-bounded',
  async (subject) => {
    const add = (body: unknown) => subject.post('/_flowdouble/faults', body)
    const long = (id: string) => ({
      id,
      when: { path: '/queue' },
      then: { status: 500, body: 'x'.repeat(9 * 2 ** 20) },
    })
    expect((await add(long('one'))).status).toBe(200)
    const refused = { status: 409, error: expect.stringContaining('Remove some first.') }
    const other = await add(long('other'))
    expect({ status: other.status, ...other.json() }).toEqual(refused)
    // It replaces the one that it names.
    expect((await add(long('one'))).status).toBe(200)
    await subject.request('DELETE', '/_flowdouble/faults/one')
    for (let at = 0; at < 1000; at++) subject.emulator!.fault({ ...fault, id: `${at}` })
    const last = await add(fault)
    expect({ status: last.status, ...last.json() }).toEqual(refused)
    expect(subject.emulator!.faults()).toHaveLength(1000)
  },
  ownWorld,
)

test('control/faults-sized What a fault takes is measured once, however many faults follow', async () => {
  const server = await startEmulator({ clock: 'manual' })
  const stringify = vi.spyOn(JSON, 'stringify')
  const isFault = ([value]: readonly unknown[]): boolean => Object.hasOwn(Object(value), 'when')
  for (let at = 0; at < 50; at++) server.fault({ ...fault, id: `${at}` })
  const count = stringify.mock.calls.filter(isFault).length
  stringify.mockRestore()
  await server.close()
  // It is copied once, too.
  expect(count).toBe(50 * 2)
})

proves(
  'control/scenario',
  async (subject) => {
    const emulator = subject.emulator!
    const load = (value: unknown) => subject.post('/_flowdouble/scenario', value)
    expect(emulator.faults().map(({ id }) => id)).toEqual(['first'])
    expect((await load({ version: 1, faults: [fault] })).status).toBe(200)
    expect(emulator.faults().map(({ id }) => id)).toEqual(['busy'])
    const wrong = { version: 1 as const, nodes: [{ clas_type: 'KSampler' }] }
    const why = 'nodes[0].clas_type is not a known member; did you mean class_type?'
    const reply = await load(wrong)
    const error = `The scenario cannot be used: ${why}`
    expect({ status: reply.status, ...reply.json() }).toEqual({ status: 400, error })
    await expect(emulator.load([{ version: 1 }, wrong as object as Scenario])).rejects.toThrow(
      `The scenario cannot be used: scenario 2: ${why}`,
    )
    await emulator.reset()
    expect(emulator.faults().map(({ id }) => id)).toEqual(['first'])
  },
  {
    ...ownWorld,
    scenario: {
      version: 1,
      faults: [{ id: 'first', when: { path: '/x' }, then: { status: 500 } }],
    },
  },
)

proves(
  'control/scenario-names',
  async (subject) => {
    const emulator = subject.emulator!
    const load = (value: unknown) => subject.post('/_flowdouble/scenario', value)
    const faults = () => emulator.faults().length
    await emulator.load(['out-of-memory', 'unavailable'])
    const named = faults()
    expect(named).toBeGreaterThan(0)
    await emulator.load({ version: 1 })
    expect(faults()).toBe(0)
    expect((await load('unavailable')).status).toBe(200)
    expect(faults()).toBe(named)
    await expect(emulator.load('unavailabel')).rejects.toThrow(/Did you mean unavailable\?/)
    await expect(emulator.load('queue-full-of-others')).rejects.toThrow(
      /load replaces rules and faults only/,
    )
    for (const file of [
      './own.yaml',
      { version: 1, nodes: [{ outputs: { images: [{ from: 'a' }] } }] },
    ]) {
      const { status, json } = await load(file)
      const error = expect.stringMatching(/names a file, which/)
      expect({ file, status, error: json().error }).toEqual({ file, status: 400, error })
    }
    expect(faults()).toBe(named)
  },
  ownWorld,
)

proves(
  'control/rules-only',
  async (subject) => {
    const emulator = subject.emulator!
    emulator.fault(fault)
    for (const ignored of [{ start: {} }, { world: { pace: 1 } }, { types: {} }, { gateway: {} }]) {
      const reply = await subject.post('/_flowdouble/scenario', { version: 1, ...ignored })
      expect({ status: reply.status, error: reply.json().error }).toEqual({
        status: 400,
        error: `load replaces rules and faults only; ${Object.keys(ignored)[0]} belongs to startEmulator, world() or POST /_flowdouble/worlds.`,
      })
    }
    expect(emulator.faults().map(({ id }) => id)).toEqual(['busy'])
  },
  ownWorld,
)

proves(
  'control/paths',
  async (subject) => {
    const { paths } = (await subject.raw('GET', '/_flowdouble')).json()
    expect(paths).toContain('POST /_flowdouble/received')
    expect(paths).toContain('GET /_flowdouble/journal')
  },
  ownWorld,
)

proves(
  'control/drop',
  async (subject) => {
    const drop = async (value: unknown) => {
      const sessions = [await subject.connect('one'), await subject.connect('two')]
      const reply = await subject.post('/_flowdouble/drop', value)
      expect(reply.json()).toEqual({ dropped: 2 })
      return Promise.all(sessions.map(({ closed }) => closed))
    }
    expect(await drop({})).toEqual([1006, 1006])
    expect(await drop({ how: 'reset' })).toEqual([1006, 1006])
    expect(await drop({ how: { close: 1013 } })).toEqual([1013, 1013])
    expect(await subject.emulator!.dropSockets()).toBe(0)
    for (const how of ['close', { close: 99 }, null])
      expect((await subject.post('/_flowdouble/drop', { how })).status).toBe(400)
  },
  ownWorld,
)

proves(
  'control/waiting-request',
  async (subject) => {
    const emulator = subject.emulator!
    const path = subject.deployment === 'hosted' ? '/api/settings' : '/settings'
    const faults = [
      { when: { path: '/queue' }, then: { delayMs: 1000 } },
      { when: { path: '/settings' }, then: { slow: { parts: 2, everyMs: 10 } } },
    ]
    faults.forEach(emulator.fault)
    const late = subject.get('/queue')
    const slow = subject.raw('GET', path, undefined, { 'X-API-Key': 'test-key' })
    await emulator.received({ times: 2 })
    await emulator.reset()
    expect((await late).status).toBe(503)
    await expect(slow).rejects.toThrow(/aborted|hang up|reset/i)
    expect(emulator.faults()).toEqual([])
  },
  ownWorld,
)
