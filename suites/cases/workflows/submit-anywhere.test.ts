// Submits that any local server accepts, whose queue holds runs of others: the reply, the graph, extra_data, the id.

import { submitReply } from '../../../spec/server/workflows.ts'
import { type Graph, node, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import {
  me,
  listedIds,
  listedRun,
  occupy,
  shown,
  submitFor,
  uniqueId,
  uniqueNumber,
} from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'

const local = { deployment: 'local' } as const
const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

proves(
  ['workflows/submit-queues', 'workflows/reply', 'workflows/prompt-id-made'],
  async (subject) => {
    const session = await me(subject)
    const held = await occupy(subject, session)
    const graph = shown(subject, 'queued')
    const replies = [await subject.submit(graph), await subject.submit(graph)]
    const [first, second] = replies.map((reply) => fitting(submitReply, reply))
    for (const reply of [first, second])
      expect(reply).toEqual({
        prompt_id: expect.stringMatching(uuid4),
        number: expect.toSatisfy(Number.isInteger),
        node_errors: {},
      })
    expect(first.prompt_id).not.toBe(second.prompt_id)
    expect(second.number).toBeGreaterThan(first.number)
    expect(await listedRun(subject, first.prompt_id)).toMatchObject({ graph, targets: ['2'] })
    await held.stop()
    await subject.idle()
    for (const { prompt_id } of [first, second])
      expect(await subject.finished(prompt_id)).toMatchObject({
        graph,
        targets: ['2'],
        status: { status_str: 'success', completed: true },
      })
  },
  local,
)

// Two connections carry the reply and the messages, and nothing keeps the order between two connections. A server that sends
// the messages first is early each time.
proves(
  'workflows/answers-first',
  async (subject) => {
    const session = await me(subject)
    const isEarly: boolean[] = []
    for (const name of ['one', 'two', 'three', 'four', 'five']) {
      const starts = () => session.messages().filter(({ type }) => type === 'execution_start')
      const before = starts().length
      const reply = subject.submit(talking(subject.unique(name)), { client_id: session.clientId })
      const { prompt_id } = (await reply).json()
      isEarly.push(starts().length > before)
      await subject.reach(
        session,
        ({ type, data }) => type === 'execution_success' && data['prompt_id'] === prompt_id,
      )
    }
    expect(isEarly).toContain(false)
  },
  local,
)

proves(
  'workflows/graph-by-id',
  async (subject) => {
    const session = await me(subject)
    await occupy(subject, session)
    const { '1': fill } = shown(subject, 'ids')
    const ids: Graph = {
      'a b': fill!,
      '7:1': node('PreviewImage', { images: ['a b', 0] }),
    }
    const id = await submitFor(subject, session, ids)
    expect((await listedRun(subject, id))?.graph).toEqual(ids)
    const reply = await subject.post('/prompt', { prompt: { '1': { class_type: 'PreviewAny' } } })
    expect(reply.json().node_errors['1'].errors).toMatchObject([
      { type: 'exception_during_validation', details: "'inputs'" },
    ])
  },
  local,
)

/** Values that a careless server takes for none. */
const emptyValues = { nothing: null, no: false, zero: 0, blank: '', none: [], bare: {} }

proves(
  ['workflows/extra-data-kept', 'workflows/unknown-members', 'workflows/undeclared-inputs'],
  async (subject) => {
    const { submit, finished } = subject
    const session = await me(subject)
    const held = await occupy(subject, session)
    const extra_data = {
      extra_pnginfo: { workflow: { nodes: [1.5, null, 'ü'] } },
      mine: { deep: [true] },
      ...emptyValues,
    }
    const { '1': fill, '2': show } = shown(subject, 'kept')
    const undeclared = { extra: 'x', depth: -1, list: [1, 2, 3], ...emptyValues }
    const inputs = { ...fill!.inputs, ...undeclared }
    const graph = {
      '1': { class_type: 'EmptyImage', inputs, _meta: { title: 'Über' }, mine: null },
      '2': show!,
    }
    const reply = await submit(graph, { extra_data, mine: { a: 1 }, nodes: [], version: 0.4 })
    const { prompt_id, node_errors } = fitting(submitReply, reply)
    expect(node_errors).toEqual({})
    const outer = { extra_data: { client_id: 'inner' }, client_id: session.clientId }
    const named = await submitFor(subject, session, talking(subject.unique('named')), outer)
    const listed = await listedRun(subject, prompt_id)
    expect(listed).toMatchObject({ graph, extra_data })
    expect(listed?.graph).toEqual(graph)
    expect((await listedRun(subject, named))?.extra_data).toMatchObject({
      client_id: session.clientId,
    })
    await held.stop()
    await subject.idle()
    const entry = await finished(prompt_id)
    expect(entry).toMatchObject({ graph, extra_data })
    expect(entry?.graph).toEqual(graph)
    expect(entry?.extra_data).toEqual(listed?.extra_data)
    expect(JSON.stringify(entry)).not.toContain('"version"')
  },
  local,
)

proves('workflows/prompt-id-given', async (subject) => {
  const session = await me(subject)
  const given = `my run/${uniqueId(subject, '1')}`
  const { prompt_id, messages, entry } = await subject.run(
    session,
    talking(subject.unique('given')),
    { prompt_id: given },
  )
  expect([prompt_id, entry.prompt_id]).toEqual([given, given])
  expect(messages.at(-1)?.data).toEqual({ node: null, prompt_id: given })
  await occupy(subject, session)
  const number = uniqueNumber(subject, 'id')
  const graph = talking(subject.unique('number'))
  const reply = await subject.submit(graph, { prompt_id: number })
  expect(reply.json().prompt_id).toBe(`${number}`)
  expect((await listedIds(subject)).pending).toContain(`${number}`)
})

proves('workflows/any-pace', async (subject) => {
  const session = await me(subject)
  const ids = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      submitFor(subject, session, talking(subject.unique(`fast ${at}`))),
    ),
  )
  await subject.idle()
  for (const id of ids) expect((await subject.finished(id))?.status.status_str).toBe('success')
})
