// A world in its object, without workerd: who creates and closes it, and what is left of it in another object.

import * as fc from 'fast-check'
import { readPlain, writePlain } from '../../../dist/emulator/internal.js'
import { type Action, actionsUpTo, type PlainRequest } from '../../generate/actions.ts'
import { expect } from '../../judge/expect.ts'
import { proves, test } from '../../judge/proves.ts'
import { runs } from '../../support/effort.ts'
import { ADMIN, createObject, type WorldInObject } from './objects.ts'

const place = '/_flowdouble/worlds/one'
const TOKEN = 'chosen-by-its-owner'

proves('shared/worker-tokens', async ({ deployment }) => {
  const { ask } = createObject({ deployment })
  const own = '/w/one/_flowdouble'
  const none = { status: 404, text: expect.stringContaining('Create it with PUT') }
  expect(await ask('GET', `${own}/runs`, { token: ADMIN })).toEqual(none)
  const refused = { status: 403, text: expect.stringContaining('Bearer TOKEN') }
  expect(await ask('PUT', place, { token: 'of-somebody' })).toEqual(refused)
  const wrong = { status: 400, text: expect.stringContaining('bytes') }
  expect(await ask('PUT', place, { token: ADMIN, body: '{"bytes": 3}' })).toEqual(wrong)
  const body = JSON.stringify({ worldToken: TOKEN })
  // The second one finds the world of the first.
  const [made, again] = await Promise.all([
    ask('PUT', place, { token: ADMIN, body }),
    ask('PUT', place, { token: ADMIN, body }),
  ])
  const url = 'http://worker.test/w/one'
  expect([made.status, JSON.parse(made.text)]).toEqual([
    201,
    { name: 'one', url, worldToken: TOKEN },
  ])
  expect([again.status, JSON.parse(again.text)]).toEqual([200, { name: 'one', url }])
  expect(await ask('GET', `${own}/runs`, { token: ADMIN })).toEqual(refused)
  expect(await ask('GET', `${own}/runs`, { token: TOKEN })).toEqual({ status: 200, text: '[]' })
  expect(await ask('DELETE', place, { token: TOKEN })).toEqual(refused)
  const closed = { status: 200, text: JSON.stringify({ closed: true }) }
  expect(await ask('DELETE', place, { token: ADMIN })).toEqual(closed)
  expect(await ask('GET', `${own}/runs`, { token: TOKEN })).toEqual(none)
  await ask('PUT', place, { token: ADMIN, body })
  expect(await ask('DELETE', `${own}/worlds/one`, { token: TOKEN })).toEqual(closed)
  expect(await ask('GET', `${own}/runs`, { token: TOKEN })).toEqual(none)
})

const prefixes = { local: '', hosted: '/api' }
const keys = { local: {}, hosted: { 'X-API-Key': 'test-key' } }

/** A request, with the ids of runs so far in their places. */
function sent({ json, text, file, fields }: PlainRequest, fill: (text: string) => string) {
  if (file === undefined) return json === undefined ? text : fill(JSON.stringify(json))
  const form = new FormData()
  form.append('image', new Blob([new Uint8Array(file.bytes)]), file.name)
  for (const [name, value] of Object.entries(fields ?? {})) form.append(name, value)
  return form
}

/** What clients see of these actions. */
async function played(
  actions: readonly Action[],
  { ask }: WorldInObject,
  deployment: 'local' | 'hosted',
  between: () => void,
): Promise<readonly unknown[]> {
  const seen: unknown[] = []
  const ids: string[] = []
  const fill = (text: string): string =>
    text.replaceAll(/<run (\d+)>/g, (_, at) => ids[Number(at)] ?? 'nobody')
  for (const action of actions) {
    if (action.kind === 'advance') {
      const body = JSON.stringify({ ms: action.ms })
      seen.push(await ask('POST', '/w/one/_flowdouble/advance', { token: TOKEN, body }))
    } else if (action.kind === 'request') {
      const { method, path } = action.request
      const body = sent(action.request, fill)
      const target = `/w/one${prefixes[deployment]}${fill(path)}`
      const more = { headers: keys[deployment], ...(body !== undefined && { body }) }
      const reply = await ask(method, encodeURI(decodeURI(target)), more)
      if (/"prompt_id"/.test(reply.text) && path === '/prompt')
        ids.push((JSON.parse(reply.text) as { readonly prompt_id: string }).prompt_id)
      seen.push(action.request, reply)
    }
    between()
  }
  return seen
}

proves('shared/worker-evicted', async ({ deployment }) => {
  const worlds = fc.record({
    clock: fc.constantFrom('manual', 'manual', 'instant'),
    faults: fc.constantFrom<object[]>(
      [],
      [{ when: { path: '/prompt', nth: 2 }, then: { status: 500 } }],
    ),
  })
  let count = 0
  await fc.assert(
    fc.asyncProperty(actionsUpTo(12), worlds, async (actions, { clock, faults }) => {
      const body = JSON.stringify({ clock, worldToken: TOKEN, scenario: { version: 1, faults } })
      const [whole, evicted] = [createObject({ deployment }), createObject({ deployment }, 4)]
      for (const { ask } of [whole, evicted]) await ask('PUT', place, { token: ADMIN, body })
      const straight = await played(actions, whole, deployment, () => undefined)
      expect(await played(actions, evicted, deployment, evicted.evict)).toEqual(straight)
      count += straight.length
    }),
    { seed: 28, numRuns: runs(100) },
  )
  expect(count).toBeGreaterThan(100)
})

test('the worker refuses what another version has stored, until it is deleted', async () => {
  const object = createObject({})
  await object.ask('PUT', place, { token: ADMIN, body: JSON.stringify({ worldToken: TOKEN }) })
  object.storedBy('0.0.1')
  object.evict()
  const refused = { status: 409, text: expect.stringContaining('version 0.0.1') }
  expect(await object.ask('GET', '/w/one/queue')).toEqual(refused)
  expect(await object.ask('PUT', place, { token: ADMIN })).toEqual(refused)
  expect((await object.ask('DELETE', place, { token: ADMIN })).status).toBe(200)
  expect(object.stored()).toEqual([])
  expect((await object.ask('PUT', place, { token: ADMIN })).status).toBe(201)
})

test('the worker stores large uploads in parts, and removes them with their world', async () => {
  const object = createObject({}, 1)
  await object.ask('PUT', place, { token: ADMIN, body: JSON.stringify({ worldToken: TOKEN }) })
  const form = new FormData()
  form.append('image', new Blob([new Uint8Array(2.5 * 2 ** 20).fill(7)]), 'large.bin')
  await object.ask('POST', '/w/one/upload/image', { body: form })
  object.evict()
  const view = await object.ask('GET', '/w/one/view?filename=large.bin&type=input')
  expect(view.text).toHaveLength(2.5 * 2 ** 20)
  expect(object.stored().filter((key) => key.startsWith('bytes:')).length).toBeGreaterThan(2)
  await object.ask('DELETE', place, { token: ADMIN })
  expect(object.stored()).toEqual([])
})

test('plain data keeps its references and kinds as text', () => {
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withMap: true, withSet: true, withNullPrototype: false }),
      fc.uint8Array({ maxLength: 6000 }),
      (value, bytes) => {
        const beside = new Map<string, Uint8Array>()
        const put = (large: Uint8Array): string => {
          beside.set(`${large.length}`, large)
          return `${large.length}`
        }
        const cyclic: unknown[] = [value, bytes, new Map([[bytes, value]])]
        cyclic.push(cyclic, -0, 0, JSON.parse('{"__proto__": {"a": 1}}'))
        const text = writePlain(cyclic, put)
        const read = readPlain(text, (name) => beside.get(name) as Uint8Array)
        expect(read).toEqual(cyclic)
        // The text names each reference.
        expect(writePlain(read, put)).toBe(text)
      },
    ),
    { seed: 28, numRuns: runs(1000) },
  )
})
