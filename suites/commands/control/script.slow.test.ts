// The faults, the rules and the sockets of a running world, changed over HTTP and from the library; and the bounds of that.

import { replay, type Scenario, startEmulator } from 'flowdouble'
import { vi } from 'vitest'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { expect } from '../../judge/expect.ts'
import { casesWith, ownWorld, test } from '../../judge/proves.ts'
import { exchanges, saying } from '../../judge/rows.ts'

const proves = casesWith(ownWorld)

const [FAULTS, SCENARIO, DROP] = ['faults', 'scenario', 'drop'].map(
  (name) => `/_flowdouble/${name}`,
) as [string, string, string]

const fault = { id: 'busy', when: { path: '/queue' }, then: { status: 503 } } as const

proves('control/faults', async (subject) => {
  const emulator = subject.emulator!
  await exchanges(subject, [['POST', FAULTS, fault, 200, { id: 'busy' }]])
  const { id, remove } = emulator.fault({ when: { path: '/x' }, then: { status: 500 } })
  const own = expect.objectContaining({ id: 'busy', fault, applied: 0 })
  const other = expect.objectContaining({ id })
  await exchanges(subject, [['GET', FAULTS, undefined, 200, [own, other]]])
  remove()
  // One with the same id replaces it.
  emulator.fault({ ...fault, times: 2 })
  const replaced = { id: 'busy', fault: { ...fault, times: 2 } }
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  await exchanges(subject, [
    ['GET', FAULTS, undefined, 200, [expect.objectContaining(replaced)]],
    ['DELETE', `${FAULTS}/busy`, undefined, 200, { removed: true }],
    ['DELETE', `${FAULTS}/busy`, undefined, 200, { removed: false }],
    ['POST', FAULTS, { when: {} }, 400, saying('scenario.schema.json')],
    ['POST', FAULTS, '{', 400],
    ['POST', FAULTS, `{"when": {"path": "/x"}, "then": {"status": 500, "body": ${deep}}}`, 400],
    ['POST', SCENARIO, `{"version": 1, "nodes": ${deep}}`, 400],
  ])
})

proves('control/faults-bounded', async (subject) => {
  const long = (id: string) => ({
    id,
    when: { path: '/queue' },
    then: { status: 500, body: 'x'.repeat(9 * 2 ** 20) },
  })
  const refused = [409, saying('Remove some first.')] as const
  await exchanges(subject, [
    ['POST', FAULTS, long('one'), 200],
    ['POST', FAULTS, long('other'), ...refused],
    // It replaces the one that it names.
    ['POST', FAULTS, long('one'), 200],
    ['DELETE', `${FAULTS}/one`, undefined, 200],
  ])
  for (let at = 0; at < 1000; at++) subject.emulator!.fault({ ...fault, id: `${at}` })
  await exchanges(subject, [['POST', FAULTS, fault, ...refused]])
  expect(subject.emulator!.faults()).toHaveLength(1000)
})

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
    expect(emulator.faults().map(({ id }) => id)).toEqual(['first'])
    const busy = { version: 1, faults: [fault] }
    await exchanges(subject, [['POST', SCENARIO, busy, 200]])
    expect(emulator.faults().map(({ id }) => id)).toEqual(['busy'])
    const wrong = { version: 1 as const, nodes: [{ clas_type: 'KSampler' }] }
    const why = 'nodes[0].clas_type is not a known member; did you mean class_type?'
    const error = `The scenario cannot be used: ${why}`
    await exchanges(subject, [['POST', SCENARIO, wrong, 400, { error }]])
    await expect(emulator.load([{ version: 1 }, wrong as object as Scenario])).rejects.toThrow(
      `The scenario cannot be used: scenario 2: ${why}`,
    )
    await emulator.reset()
    expect(emulator.faults().map(({ id }) => id)).toEqual(['first'])
  },
  {
    scenario: {
      version: 1,
      faults: [{ id: 'first', when: { path: '/x' }, then: { status: 500 } }],
    },
  },
)

proves('control/scenario-names', async (subject) => {
  const emulator = subject.emulator!
  const faults = () => emulator.faults().length
  await emulator.load(['out-of-memory', 'unavailable'])
  const named = faults()
  expect(named).toBeGreaterThan(0)
  await emulator.load({ version: 1 })
  expect(faults()).toBe(0)
  await exchanges(subject, [['POST', SCENARIO, '"unavailable"', 200]])
  expect(faults()).toBe(named)
  await expect(emulator.load('unavailabel')).rejects.toThrow(/Did you mean unavailable\?/)
  await expect(emulator.load('queue-full-of-others')).rejects.toThrow(
    /load replaces rules, answers, messages and faults only/,
  )
  const from = { version: 1, nodes: [{ outputs: { images: [{ from: 'a' }] } }] }
  const file = saying('names a file, which')
  await exchanges(subject, [
    ['POST', SCENARIO, '"./own.yaml"', 400, file],
    ['POST', SCENARIO, from, 400, file],
  ])
  expect(faults()).toBe(named)
})

proves('control/rules-only', async (subject) => {
  const emulator = subject.emulator!
  emulator.fault(fault)
  for (const ignored of [{ start: {} }, { world: { pace: 1 } }, { types: {} }, { gateway: {} }]) {
    const error = `load replaces rules, answers, messages and faults only; ${Object.keys(ignored)[0]} belongs to startEmulator, world() or POST /_flowdouble/worlds.`
    await exchanges(subject, [['POST', SCENARIO, { version: 1, ...ignored }, 400, { error }]])
  }
  expect(emulator.faults().map(({ id }) => id)).toEqual(['busy'])
})

proves('control/drop', async (subject) => {
  const drop = async (value: unknown) => {
    const sessions = [await subject.connect('one'), await subject.connect('two')]
    const reply = await subject.post(DROP, value)
    expect(reply.json()).toEqual({ dropped: 2 })
    return Promise.all(sessions.map(({ closed }) => closed))
  }
  expect(await drop({})).toEqual([1006, 1006])
  expect(await drop({ how: 'reset' })).toEqual([1006, 1006])
  expect(await drop({ how: { close: 1013 } })).toEqual([1013, 1013])
  expect(await subject.emulator!.dropSockets()).toBe(0)
})

proves('control/drop-code', async (subject) => {
  const emulator = subject.emulator!
  const session = await subject.connect('me')
  const noCodes = [999, 1004, 1005, 1006, 1015, 2000, 5000, 1012.5, '1012', null]
  const others = ['x', 'close', {}, 5, null, { close: 99 }, { close: 1012, reason: 'x' }]
  for (const how of [...noCodes.map((close) => ({ close })), ...others]) {
    await exchanges(subject, [['POST', DROP, { how }, 400, saying('1000 to 1014')]])
    await expect(emulator.dropSockets(how as 'reset')).rejects.toThrow('1000 to 1014')
  }
  expect(await emulator.dropSockets({ close: 3000 })).toBe(1)
  expect(await session.closed).toBe(3000)
})

proves('control/waiting-request', async (subject) => {
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
})

proves('control/copies', async (subject) => {
  const emulator = subject.emulator!
  const fault = { id: 'mine', when: { path: '/queue' }, then: { status: 500, body: { a: 1 } } }
  const other = { when: { path: '/settings' }, then: { status: 500 } }
  const scenario = { version: 1 as const, faults: [other] }
  const loaded = emulator.load(scenario)
  emulator.fault(fault)
  const body = fault.then.body
  body.a = 2
  fault.then.status = 400
  other.then.status = 400
  await loaded
  for (const one of emulator.faults()) Object.assign(one.fault.then, { status: 401 })
  const reply = await subject.get('/queue')
  expect({ status: reply.status, body: reply.json() }).toEqual({ status: 500, body: { a: 1 } })
  expect((await subject.get('/settings')).status).toBe(500)
  const lines = await emulator.journal()
  expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
})

proves('control/plain-data', async (subject) => {
  const emulator = subject.emulator!
  const circle: Record<string, unknown> = {}
  circle['a'] = { circle }
  const values = [{ a: 1n }, { a: Number.NaN }, { a: () => 1 }, [undefined], circle]
  for (const body of [...values, { a: new Date(0) }, { a: new Map() }, new Uint8Array(3)]) {
    const fault = { when: { path: '/queue' }, then: { status: 500, body } } as Fault
    expect(() => emulator.fault(fault)).toThrow(/^In the fault, then\.body/)
    const loaded = emulator.load({ version: 1, faults: [fault] })
    await expect(loaded).rejects.toThrow(/^The scenario cannot be used: faults\[0\]\.then\.body/)
  }
  emulator.fault({ when: { path: '/queue' }, then: { status: 500, body: { a: undefined } } })
  expect((await subject.get('/queue')).json()).toEqual({})
  expect(await emulator.journal()).toHaveLength(3)
})

proves('faults/path-linear', async ({ emulator, get }) => {
  for (const path of ['/**/**/**/**/**/**/**/**/**/x', '/*a*a*a*a*a*a*a*a*b'])
    emulator!.fault({ when: { path }, then: { status: 500 } })
  // With expressions that try each way to divide a path, these two take longer than anybody waits.
  expect((await get('/a'.repeat(60))).status).toBe(404)
  expect((await get(`/${'a'.repeat(160)}`)).status).toBe(404)
  expect((await get(`/${'a'.repeat(160)}b`)).status).toBe(500)
})

proves('control/snapshot-shares-files', async (subject) => {
  const emulator = subject.emulator!
  await subject.upload({ name: 'big.bin', bytes: Buffer.alloc(8 * 2 ** 20, 'big') })
  const before = process.memoryUsage().arrayBuffers
  for (let at = 0; at < 50; at++) emulator.snapshot(`s${at}`)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 2 ** 20)
  await emulator.restore('s7')
  const text = subject.deployment === 'local' ? '/view?filename=big.bin&type=input' : '/queue'
  expect((await subject.get(text)).status).toBe(200)
})

proves('faults/ids', async ({ emulator }) => {
  emulator!.fault({ id: 'fault 2', when: { path: '/queue' }, then: { status: 500 } })
  const { id } = emulator!.fault({ when: { path: '/x' }, then: { status: 501 } })
  expect(emulator!.faults().map((one) => one.id)).toEqual(['fault 2', id])
})

proves('faults/time-from-reset', async ({ emulator }) => {
  const scenario = {
    version: 1 as const,
    faults: [{ when: { atMs: 200 }, then: { close: 1001 } }],
  }
  // The time of a world that starts now goes on over a reset.
  const world = await emulator!.world({ epoch: 'now', scenario })
  await world.advance(500)
  expect(world.faults()).toMatchObject([{ applied: 1 }])
  await world.reset()
  expect(world.faults()).toMatchObject([{ applied: 0 }])
  await world.advance(199)
  expect(world.faults()).toMatchObject([{ applied: 0 }])
  await world.advance(1)
  expect(world.faults()).toMatchObject([{ applied: 1 }])
  await world.close()
})

proves('control/body-limit', async (subject) => {
  const pad = 'x'.repeat(16 * 2 ** 20)
  expect((await subject.post('/_flowdouble/verify', { body: pad })).status).toBe(413)
  const picture = { base64: Buffer.alloc(100_000).toString('base64') }
  const nodes = [{ class_type: 'SaveImage', outputs: { images: [picture] } }]
  expect((await subject.post('/_flowdouble/scenario', { version: 1, nodes })).status).toBe(200)
})

proves('faults/at-time', async (subject) => {
  const emulator = subject.emulator!
  await emulator.advance(1000)
  const late = { when: { atMs: 5 }, then: { restart: true as const } }
  expect(() => emulator.fault(late)).toThrow('The world is already at 1000 ms')
  expect((await subject.post('/_flowdouble/faults', late)).status).toBe(409)
})
