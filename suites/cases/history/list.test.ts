// The list of the history: which runs it contains, in which order, page by page. Cases look at their own runs.

import { errors } from '../../../spec/index.ts'
import { solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { cancelAll, keepBusy, newUuid } from '../../judge/hosted/busy-account.ts'
import {
  cancel,
  detailOf,
  entryOf,
  historyIds,
  historyOf,
  isOf,
  nobody,
  submitAll,
} from '../../judge/hosted/jobs.ts'
import { idsOf, occupy, runAll, submitFor, uniqueId } from '../../judge/own-runs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { endsRun } from '../../judge/responses.ts'
import { exchanges, toEach } from '../../judge/rows.ts'
import { expectRefusal } from '../../judge/hosted/refusals.ts'

proves(['history/only-finished', 'history/unknown'], async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const held = await occupy(subject, session)
  const prompt_id = newUuid(subject, 'run')
  const path = `/history/${encodeURIComponent(prompt_id)}`
  await submitFor(subject, session, talking(subject.unique('run')), { prompt_id })
  const look = async (target: string) => {
    const { status, json } = await subject.get(target)
    return [status, Object.keys(json() ?? {})]
  }
  for (const target of [path, `/history/${held.prompt_id}`])
    expect(await look(target)).toEqual([200, []])
  const ids = await idsOf(subject)
  for (const id of [prompt_id, held.prompt_id]) expect(ids).not.toContain(id)
  await held.stop()
  await subject.idle()
  expect(await look(path)).toEqual([200, [prompt_id]])
  expect(await idsOf(subject)).toContain(prompt_id)
  const refused = newUuid(subject, 'refused')
  expect((await subject.post('/prompt', { prompt: {}, prompt_id: refused })).status).toBe(400)
  expect(await look(`/history/${refused}`)).toEqual([200, []])
  expect(await idsOf(subject)).not.toContain(refused)
})

proves('history/unknown', (subject) => {
  const own = uniqueId(subject, 'x')
  const ids = ['none', 'nowhere', '7', own, `none ${own}`]
  const paths = ids.map((id) => `/history/${encodeURIComponent(id)}`)
  return exchanges(subject, toEach(paths, 'GET', 200, {}))
})

proves('history/oldest-first', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const held = await occupy(subject, session)
  const add = async (name: string, fields: object = {}): Promise<[string, number]> => {
    const graph = talking(subject.unique(name))
    const reply = (await subject.submit(graph, { client_id: session.clientId, ...fields })).json()
    return [reply.prompt_id, reply.number]
  }
  const [middle, number] = await add('middle')
  const [late] = await add('late', { number: number + 0.2 })
  const [early] = await add('early', { number: number - 0.2 })
  await held.stop()
  await subject.idle()
  const order = [held.prompt_id, early, middle, late]
  // A run with a smaller number that ends later comes later.
  for (const less of [1, 2]) {
    const [id] = await add(`less ${less}`, { number: number - less })
    await subject.reach(session, endsRun('local', id))
    order.push(id)
  }
  const ids = async (query = '') => (await idsOf(subject, query)).filter((id) => order.includes(id))
  for (const query of ['', '?max_items=1000000', '?offset=0'])
    expect(await ids(query)).toEqual(order)
  if (!subject.isOwn) return
  // A run with the id of another takes its place.
  await add('again', { prompt_id: middle })
  await subject.idle()
  expect(await ids()).toEqual(order)
  expect((await subject.finished(middle))?.outputs).toEqual({ '1': { text: ['again'] } })
})

proves('history/max-items', async (subject) => {
  const ours = await runAll(subject, 'a', 'b', 'c', 'd')
  const before = await idsOf(subject)
  const page = (query: string) => idsOf(subject, `?${query}`)
  const begin = (ids: readonly string[]) => ids.slice(0, before.length)
  expect(before.filter((id) => ours.includes(id))).toEqual(ours)
  expect(await page('max_items=2&offset=0')).toEqual(before.slice(0, 2))
  expect(await page('max_items=2&offset=1')).toEqual(before.slice(1, 3))
  expect(await page(`max_items=1&offset=${before.length - 1}`)).toEqual(before.slice(-1))
  expect(await page('max_items=0&offset=0')).toEqual(before.slice(0, 1))
  expect(await page('max_items=0')).toEqual([])
  expect(await page('max_items=-1')).toEqual([])
  expect(begin(await page('offset=-1'))).toEqual(before)
  expect((await page('offset=1')).slice(0, before.length - 1)).toEqual(before.slice(1))
  expect(begin(await page('max_items=1000000'))).toEqual(before)
  // Others may have added to the end.
  for (const query of ['max_items=3', 'max_items=3&offset=-1']) {
    const latest = await page(query)
    const after = await idsOf(subject)
    const at = after.indexOf(latest[0]!)
    expect(latest).toEqual(after.slice(at, at + 3))
    expect(at).toBeGreaterThanOrEqual(before.length - 3)
  }
})

proves('history/bad-numbers', (subject) => {
  const wrong = ['', 'x', '1.5', '1e3', 'null', '0x10', '1 2'].map(encodeURIComponent)
  const queries = wrong.flatMap((text) => [`max_items=${text}`, `offset=${text}`])
  const fine = ['max_items=%201%20&offset=%2B0', 'max_items=1_0']
  const paths = (of: readonly string[]) => of.map((query) => `/history?${query}`)
  return exchanges(subject, [
    ...toEach(paths(queries), 'GET', 500, errors.refusals.internal.body.text),
    ...toEach(paths(fine), 'GET', 200),
  ])
})

proves(['history/hosted-list', 'deployments/hosted-history-renamed'], async (subject) => {
  const ids = await runAll(subject, 'a', 'b', 'c')
  const own = (await historyIds(subject)).filter((id) => ids.includes(id))
  expect(own).toEqual(ids.toReversed())
  for (const { prompt } of await historyOf(subject)) expect(Array.isArray(prompt)).toBe(false)
  const headers = { 'X-API-Key': 'test-key' }
  const { status, text } = await subject.raw('GET', '/api/history_v2', undefined, headers)
  expect(status).toBe(200)
  for (const id of ids) expect(text).toContain(id)
})

proves('history/hosted-pages', async (subject) => {
  const ids = await runAll(subject, 'a', 'b', 'c')
  for (const max of [0, 1, 2])
    expect(await historyIds(subject, `?max_items=${max}`)).toHaveLength(max)
  const placeOf = async (id: string, query = ''): Promise<number> =>
    (await historyIds(subject, query)).indexOf(id)
  // Runs of somebody else with this key that end meanwhile are newer.
  const [oldest = ''] = ids
  const before = await placeOf(oldest)
  expect(before).toBeGreaterThanOrEqual(2)
  const place = await placeOf(oldest, `?offset=${before}&max_items=20`)
  const after = await placeOf(oldest)
  expect(place).toBeGreaterThanOrEqual(0)
  expect(place).toBeLessThanOrEqual(after - before)
  expect(await historyIds(subject, '?max_items=9&offset=1000000')).toEqual([])
  for (const value of ['-1', 'x', '1.5', '%20', '0x1']) {
    for (const name of ['max_items', 'offset'])
      expectRefusal(await subject.get(`/history?${name}=${value}`), 400, 'BAD_REQUEST')
  }
})

proves('history/hosted-once-begun', async (subject) => {
  const session = await subject.connect()
  const busy = await keepBusy(subject)
  const [id = '', never = ''] = await submitAll(subject, ['a', 'b'].map(talking))
  await cancel(subject, never)
  for (const waiting of [id, never])
    expectRefusal(await subject.get(`/history/${waiting}`), 404, 'NOT_FOUND')
  const begun = await entryOf(subject, busy[0])
  expect(begun).toHaveProperty('prompt')
  for (const name of ['outputs', 'status']) expect(begun).not.toHaveProperty(name)
  expect(await historyIds(subject)).not.toContain(busy[0])
  await cancelAll(subject, busy)
  await subject.reach(session, isOf('execution_success', id))
  expect(await entryOf(subject, id)).toMatchObject({ status: { status_str: 'success' } })
  expectRefusal(await subject.get(`/history/${never}`), 404, 'NOT_FOUND')
  const own = (await historyIds(subject)).filter((one) => [id, never].includes(one))
  expect(own).toEqual([id])
})

proves('history/hosted-unknown', async ({ get }) => {
  for (const id of [nobody, 'no-uuid', '%20', '__proto__'])
    expectRefusal(await get(`/history/${id}`), 404, 'NOT_FOUND')
})

provesQuirk('hosted.history-as-map', async (subject) => {
  const [first = '', second = ''] = await submitAll(subject, [solid(), talking()])
  await subject.idle()
  const history = (await subject.get('/history')).json()
  expect(Object.keys(history)).toEqual([second, first])
  const { outputs, execution_status } = await detailOf(subject, first)
  const prompt = [expect.any(Number), first, solid(), expect.any(Object), ['2']]
  expect(history[first]).toMatchObject({ prompt, outputs, status: execution_status })
  expect((await subject.get(`/history/${first}`)).json()).toEqual({ [first]: history[first] })
  expect(Object.keys((await subject.get('/history?max_items=1')).json())).toEqual([second])
})
