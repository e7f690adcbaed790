// The entries of the history: what they say of a run. Each case looks at its own, since the server holds those of others too.

import { historyById, hostedHistoryById } from '../../../spec/server/history.ts'
import { changed, type Graph, node, solid, talking } from '../../generate/graphs.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import { expect } from '../../judge/expect.ts'
import { newUuid } from '../../judge/hosted/busy-account.ts'
import { detailOf, entryOf, fitting, historyOf } from '../../judge/hosted/jobs.ts'
import type { Message } from '../../judge/judge.ts'
import { messagesAbout, occupy, runInTurn, shown, uniqueNumber } from '../../judge/own-runs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import type { HistoryEntry } from '../../judge/responses.ts'
import { containing } from '../../judge/rows.ts'
import type { Subject } from '../../judge/subject.ts'

/** The entry of a picture that is shown, with this in its name. */
const shownFile = (letters: string, count: number) => ({
  filename: `ComfyUI_temp_${letters}_${String(count).padStart(5, '0')}_.png`,
  subfolder: '',
  type: 'temp',
})

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
  const client_id = session.clientId
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
    containing(subject, { note: 1, client_id }),
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

provesQuirk('history.completed-on-error', async (subject) => {
  const { good, failed, stopped } = await endings(subject)
  expect(good.entry.status).toMatchObject({ status_str: 'success', completed: true })
  for (const { status } of [failed.entry, stopped])
    expect(status).toMatchObject({ status_str: 'error', completed: true })
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

const extra_data = { note: [1, { deep: null }] }

proves('history/hosted-list-entry', async (subject) => {
  const session = await subject.connect()
  const workflow_id = newUuid(subject, 'entry')
  const fields = { workflow_id, extra_data }
  const good = (await subject.run(session, solid(), fields)).prompt_id
  const { graph } = await subject.workloads.failing()
  const bad = (await subject.run(session, graph, fields)).prompt_id
  const history = await historyOf(subject)
  const { create_time, outputs } = await detailOf(subject, good)
  const found = history.find(({ prompt_id }) => prompt_id === good)
  const entry = {
    prompt_id: good,
    create_time,
    workflow_id,
    prompt: {
      priority: expect.any(Number),
      prompt_id: good,
      extra_data: expect.objectContaining(extra_data),
    },
    outputs,
    status: { status_str: 'success', completed: true, messages: expect.any(Array) },
    meta: { '2': expect.any(Object) },
  }
  expect(found).toMatchObject(entry)
  if (subject.isOwn) expect(found).toEqual(entry)
  expect(found.prompt).not.toHaveProperty('prompt')
  expect(new Date(create_time).getUTCFullYear()).toBeGreaterThan(2000)
  expect(history.find(({ prompt_id }) => prompt_id === bad)).toMatchObject({
    status: { status_str: 'error', completed: false },
    outputs: {},
  })
})

proves('history/hosted-by-id', async (subject) => {
  const color = uniqueNumber(subject, 'by-id')
  const graph = subject.placed({ ...solid(color), '3': node('PreviewAny', { source: 'a' }) })
  const session = await subject.connect()
  const { prompt_id } = await subject.run(session, graph, { extra_data })
  const body = fitting(hostedHistoryById, await subject.get(`/history/${prompt_id}`))
  expect(Object.keys(body)).toEqual([prompt_id])
  const { outputs, execution_status, execution_meta } = await detailOf(subject, prompt_id)
  const entry = {
    prompt: {
      priority: expect.any(Number),
      prompt_id,
      extra_data: expect.objectContaining(extra_data),
      prompt: graph,
      outputs_to_execute: ['2', '3'],
    },
    outputs,
    status: execution_status,
    meta: execution_meta,
  }
  expect(body[prompt_id]).toMatchObject(entry)
  if (subject.isOwn) expect(body[prompt_id]).toEqual(entry)
  const types = execution_status.messages.map(([type]: [string]) => type)
  expect(types).toEqual(['execution_start', 'execution_cached', 'execution_success'])
})

proves('history/hosted-two-ways', async (subject) => {
  const session = await subject.connect()
  const { graph: failing } = await subject.workloads.failing()
  for (const graph of [solid(), failing]) {
    const { prompt_id } = await subject.run(session, graph)
    const { outputs, workflow, status } = await detailOf(subject, prompt_id)
    const entry = await entryOf(subject, prompt_id)
    expect({ outputs: entry.outputs, prompt: entry.prompt.prompt }).toEqual({
      outputs,
      prompt: workflow.prompt,
    })
    expect(entry.status.completed).toBe(status === 'completed')
  }
})
