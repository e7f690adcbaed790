// The history of any local server, which holds runs of others too: each case looks at its own entries only.

import { historyById } from '../../../spec/server/history.ts'
import { changed, type Graph, node, talking } from '../../generate/graphs.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import { expect } from '../../judge/expect.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import type { Message } from '../../judge/judge.ts'
import {
  messagesAbout,
  occupy,
  runInTurn,
  shown,
  submitFor,
  uniqueId,
} from '../../judge/own-runs.ts'
import { newUuid } from '../../judge/hosted/busy-account.ts'
import { proves } from '../../judge/proves.ts'
import { endsRun, type HistoryEntry } from '../../judge/responses.ts'
import type { Subject } from '../../judge/subject.ts'

/** The entry of a picture that is shown, with this in its name. */
const shownFile = (letters: string, count: number) => ({
  filename: `ComfyUI_temp_${letters}_${String(count).padStart(5, '0')}_.png`,
  subfolder: '',
  type: 'temp',
})

const idsOf = async ({ get }: Subject, query = ''): Promise<string[]> =>
  Object.keys((await get(`/history${query}`)).json())

/** Entries of a run that ends well, of one that fails, and of one that is interrupted, with their messages. */
async function endings(subject: Subject) {
  const session = await subject.connect(subject.unique('me'))
  const good = await subject.run(session, talking(subject.unique('good')))
  const failed = await subject.run(session, (await subject.workloads.failing()).graph)
  const held = await occupy(subject, session)
  await held.stop()
  const stopped = await subject.finished(held.prompt_id)
  if (stopped === undefined) throw new Error('The history has no entry of the interrupted run.')
  return { session, good, failed, stopped }
}

proves(['history/kept', 'history/by-id'], async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const one = (await subject.run(session, shown(subject, 'one'))).prompt_id
  const two = (await subject.run(session, shown(subject, 'two'))).prompt_id
  const all = fitting(historyById, await subject.get('/history'))
  const messages = session.messages()
  for (const id of [one, two]) {
    const [{ data }] = messages.filter(
      (message) => message.type === 'executed' && message.data['prompt_id'] === id,
    ) as [Message]
    expect(all[id]?.outputs).toEqual({ '2': data['output'] })
  }
  expect((await subject.get(`/history/${two}`)).json()).toEqual({ [two]: all[two] })
})

proves('history/prompt', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const { client_id } = { client_id: session.clientId }
  const held = await occupy(subject, session)
  const said = subject.unique('said')
  const graph = {
    ...talking(said),
    '3': node('SaveImage'),
    '10': node('PreviewAny', { source: `${said} too` }),
    b: node('PreviewAny', { source: `${said} as well` }),
  }
  const reply = (await subject.submit(graph, { client_id, extra_data: { note: 1 } })).json()
  const { queue_pending } = (await subject.get('/queue')).json()
  const listed = queue_pending.find((item: unknown[]) => item[1] === reply.prompt_id)
  await held.stop()
  await subject.idle()
  const entries = fitting(historyById, await subject.get(`/history/${reply.prompt_id}`))
  const { prompt } = entries[reply.prompt_id]
  expect(prompt).toEqual(listed)
  expect(prompt.slice(0, 5)).toEqual([
    reply.number,
    reply.prompt_id,
    graph,
    expect.objectContaining({ note: 1, client_id }),
    expect.toSatisfy((ids: string[]) => ids.toSorted().join() === '1,10,b'),
  ])
})

proves('history/outputs', async (subject) => {
  const graph: Graph = {
    ...changed(shown(subject, 'pair'), '1', { batch_size: 2 }),
    five: talking('words')['1']!,
  }
  const { entry } = await subject.run(await subject.connect(subject.unique('me')), graph)
  // A node with the same id may have shown pictures before: the count goes on.
  const [, letters = '', count] =
    /^ComfyUI_temp_([a-z]{5})_(\d{5})_\.png$/.exec(entry.outputs['2'].images[0].filename) ?? []
  expect(withoutAssets(entry.outputs)).toEqual({
    '2': { images: [shownFile(letters, Number(count)), shownFile(letters, Number(count) + 1)] },
    five: { text: ['words'] },
  })
})

proves(['history/status-words', 'history/error-comes-first'], async (subject) => {
  const { good, failed, stopped } = await endings(subject)
  expect(good.entry.status).toMatchObject({ status_str: 'success', completed: true })
  for (const { status } of [failed.entry, stopped])
    expect([status.status_str, typeof status.completed]).toEqual(['error', 'boolean'])
})

/** The nodes with outputs in the entry of a run that reaches one of two equal output nodes. */
async function outputsOfOne(subject: Subject): Promise<readonly string[]> {
  const { connect, run, unique } = subject
  const session = await connect(unique('me'))
  const graph = shown(subject, 'twice')
  const targets = { partial_execution_targets: ['2'] }
  const { entry } = await run(session, { ...graph, '3': graph['2']! }, targets)
  return Object.keys(entry.outputs).toSorted()
}

proves('history/outputs-of-unreached', async (subject) => {
  expect(await outputsOfOne(subject)).toEqual(['2', '3'])
})

proves('history/outputs-of-reached', async (subject) => {
  expect(await outputsOfOne(subject)).toEqual(['2'])
})

proves('history/outputs-in-order', async (subject) => {
  // The first one shows what the second one passes on.
  const graph = {
    later: node('PreviewImage', { images: ['sooner', 0] }),
    sooner: node('PreviewImage', { images: ['source', 0] }),
    source: shown(subject, 'in order')['1']!,
  }
  const { entry } = await subject.run(await subject.connect(subject.unique('me')), graph)
  expect(Object.keys(entry.outputs)).toEqual(['sooner', 'later'])
  expect(Object.keys(entry.meta)).toEqual(['sooner', 'later'])
})

proves('history/cached-needs-client', async (subject) => {
  const { connect, finished, run, submit, unique } = subject
  const graph = shown(subject, 'cached')
  const session = await connect(unique('me'))
  await run(session, graph)
  const { prompt_id } = (await submit(graph)).json()
  // It follows the one without a client.
  const { entry } = await run(session, graph)
  const other = await finished(prompt_id)
  expect({ outputs: other?.outputs, meta: other?.meta }).toEqual({ outputs: {}, meta: {} })
  expect(Object.keys(entry.outputs)).toEqual(['2'])
})

proves('history/failed-not-completed', async (subject) => {
  const { failed, stopped } = await endings(subject)
  expect(failed.entry.status).toMatchObject({ status_str: 'error', completed: false })
  expect(stopped.status).toMatchObject({ status_str: 'error', completed: false })
})

/** The types of the messages that an entry repeats. */
const kept = /^execution_(start|cached|success|error|interrupted)$/

proves('history/messages', async (subject) => {
  const { session, good, failed, stopped } = await endings(subject)
  const pairs = (messages: readonly Message[]) =>
    messages.filter(({ type }) => kept.test(type)).map(({ type, data }) => [type, data])
  const ends: readonly (readonly [HistoryEntry, string])[] = [
    [good.entry, 'execution_success'],
    [failed.entry, 'execution_error'],
    [stopped, 'execution_interrupted'],
  ]
  for (const [{ prompt_id, status }, end] of ends) {
    expect(status.messages).toEqual(pairs(messagesAbout(session, prompt_id)))
    expect(status.messages.map(([type]) => type)).toEqual([
      'execution_start',
      'execution_cached',
      end,
    ])
  }
})

proves(['history/outputs-of-failed', 'history/meta'], async (subject) => {
  const { graph } = await subject.workloads.failing()
  const said = subject.unique('said')
  const { entry } = await subject.run(await subject.connect(subject.unique('me')), {
    ...graph,
    said: talking(said)['1']!,
  })
  expect(entry.status.status_str).toBe('error')
  expect(entry.outputs).toEqual({ said: { text: [said] } })
  expect(Object.keys(entry.meta ?? {})).toEqual(['said'])
})

proves('history/meta', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const fill = shown(subject, 'meta')['1']!
  const showing = (id: string, source: string): Graph => ({
    [source]: fill,
    [id]: node('PreviewImage', { images: [source, 0] }),
  })
  const meta = (id: string) => ({
    node_id: id,
    display_node: id,
    parent_node: null,
    real_node_id: id,
  })
  const [fresh, cached] = await runInTurn(subject, session, [showing('2', '1'), showing('b', 'a')])
  expect(fresh?.entry.meta).toEqual({ '2': meta('2') })
  expect(cached?.entry.meta).toEqual({ b: meta('2') })
})

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
  const unfinished = [path, `/history/${held.prompt_id}`, `/history/none ${uniqueId(subject, 'x')}`]
  for (const target of unfinished)
    expect(await look(target.replaceAll(' ', '%20'))).toEqual([200, []])
  const ids = await idsOf(subject)
  for (const id of [prompt_id, held.prompt_id]) expect(ids).not.toContain(id)
  await held.stop()
  await subject.idle()
  expect(await look(path)).toEqual([200, [prompt_id]])
  expect(await idsOf(subject)).toContain(prompt_id)
})

// Also on a server whose runs take no time.
proves('history/unknown', async (subject) => {
  for (const id of [
    'none',
    'nowhere',
    '7',
    uniqueId(subject, 'x'),
    `none ${uniqueId(subject, 'x')}`,
  ]) {
    const { status, json } = await subject.get(`/history/${encodeURIComponent(id)}`)
    expect([id, status, json()]).toEqual([id, 200, {}])
  }
})

proves('history/only-finished', async (subject) => {
  const prompt_id = newUuid(subject, 'refused')
  expect((await subject.post('/prompt', { prompt: {}, prompt_id })).status).toBe(400)
  expect((await subject.get(`/history/${encodeURIComponent(prompt_id)}`)).text).toMatch(/^\{\s*\}$/)
  expect(await idsOf(subject)).not.toContain(prompt_id)
})

/** Runs small graphs of these names, and returns their ids. */
async function runAll(subject: Subject, ...names: readonly string[]): Promise<string[]> {
  const session = await subject.connect(subject.unique('runner'))
  const ids: string[] = []
  for (const name of names)
    ids.push((await subject.run(session, talking(subject.unique(name)))).prompt_id)
  return ids
}

proves('history/oldest-first', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const held = await occupy(subject, session)
  const add = async (name: string, fields: object): Promise<[string, number]> => {
    const graph = talking(subject.unique(name))
    const reply = (await subject.submit(graph, { client_id: session.clientId, ...fields })).json()
    return [reply.prompt_id, reply.number]
  }
  const [middle, number] = await add('middle', {})
  const [late] = await add('late', { number: number + 0.2 })
  const [early] = await add('early', { number: number - 0.2 })
  await held.stop()
  await subject.idle()
  const order = [held.prompt_id, early, middle, late]
  expect((await idsOf(subject)).filter((id) => order.includes(id))).toEqual(order)
})

// A run with a smaller number that ends later comes later.
proves('history/oldest-first', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const order: string[] = []
  let number: number | undefined
  for (const name of ['one', 'two', 'three']) {
    const graph = talking(subject.unique(name))
    const fields = number === undefined ? {} : { number: --number }
    const reply = await subject.submit(graph, { client_id: session.clientId, ...fields })
    const made = reply.json()
    number ??= made.number as number
    order.push(made.prompt_id)
    await subject.reach(session, endsRun('local', made.prompt_id))
  }
  for (const query of ['', '?max_items=1000000', '?offset=0'])
    expect((await idsOf(subject, query)).filter((id) => order.includes(id))).toEqual(order)
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

proves('history/clear', async (subject) => {
  const ours = await runAll(subject, 'a', 'b', 'c', 'd')
  const left = async () => (await idsOf(subject)).filter((id) => ours.includes(id))
  expect(await left()).toEqual(ours)
  const reply = await subject.post('/history', { delete: [ours[1], 'unknown', ours[3]] })
  expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([200, '', undefined])
  expect(await left()).toEqual([ours[0], ours[2]])
  expect((await subject.get(`/history/${ours[1]}`)).json()).toEqual({})
  await subject.post('/history', { clear: false })
  expect(await left()).toEqual([ours[0], ours[2]])
})

proves('history/clear', async (subject) => {
  const ours = await runAll(subject, 'a', 'b')
  expect((await subject.post('/history', { clear: true })).status).toBe(200)
  expect((await idsOf(subject)).filter((id) => ours.includes(id))).toEqual([])
})
