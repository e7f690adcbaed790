// Submits that a server accepts, whose queue may hold runs of others: the reply, the graph, extra_data.

import { submitReply } from '../../../spec/server/workflows.ts'
import { changed, type Graph, node, solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { fitting, isOf } from '../../judge/hosted/jobs.ts'
import type { Message } from '../../judge/judge.ts'
import { listedRun, me, messagesAbout, occupy, shown, submitFor } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { passes, uuid4 } from '../../judge/verdicts.ts'
import { dial } from '../../judge/wire.ts'
import { dataOf, transcript, typesOf } from '../../support/transcript.ts'

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
    if (subject.isOwn && subject.deployment === 'local')
      expect([first.number, second.number]).toEqual([1, 2])
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
)

const clientIds: readonly unknown[] = [
  undefined,
  'me',
  '',
  '4c2f8ad1-5a2b-4f64-9f0b-0d6e9a1b7c11',
  7,
  null,
  ['me'],
  { me: 1 },
]

proves('workflows/hosted-client-id', async ({ connect, submit, reach, idle, isOwn }) => {
  const session = await connect('me')
  const received: (readonly string[])[] = []
  for (const [index, client_id] of clientIds.entries()) {
    const before = session.messages().length
    const fields = client_id === undefined ? {} : { client_id, extra_data: { client_id } }
    const reply = await submit(talking('the same'), fields)
    expect({ client_id, status: reply.status }).toEqual({ client_id, status: 200 })
    const { prompt_id } = reply.json() as { readonly prompt_id: string }
    await reach(session, isOf('execution_success', prompt_id))
    received.push(typesOf(messagesAbout(session, prompt_id)))
    if (!isOwn) continue
    expect(reply.json().number).toBe(index)
    await idle()
    await session.settled()
    received[index] = transcript(session.messages().slice(before))
  }
  // The first may be the only one that is in no cache.
  const [, second, ...others] = received
  expect(second).toContain('execution_start')
  for (const one of others) expect(one).toEqual(second)
})

// Two connections carry the reply and the messages, and nothing keeps the order between two connections. A server that sends
// the messages first is early each time.
proves('workflows/answers-first', async (subject) => {
  const session = await me(subject)
  const isEarly: boolean[] = []
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    const starts = () => dataOf('execution_start', session.messages())
    const before = starts().length
    const reply = subject.submit(talking(subject.unique(name)), { client_id: session.clientId })
    const { prompt_id } = (await reply).json()
    isEarly.push(starts().length > before)
    if (subject.isOwn) {
      await session.settled()
      expect(messagesAbout(session, prompt_id)).toEqual([])
    }
    await subject.reach(session, isOf('execution_success', prompt_id))
    expect(messagesAbout(session, prompt_id)[0]).toMatchObject({ type: 'execution_start' })
  }
  expect(isEarly).toContain(false)
})

// On an instant clock the whole run happens in the moment of its submit, and still the reply is first.
proves(
  'workflows/answers-first',
  async ({ connect, url }) => {
    const session = await connect('me')
    const isStart = ({ type }: Message): boolean => type === 'execution_start'
    const body = JSON.stringify({ prompt: solid(), client_id: 'me' })
    const socket = dial(url)
    const isHere = await new Promise((resolve, reject) => {
      socket.once('data', () => resolve(session.messages().some(isStart))).once('error', reject)
      const head = `POST /prompt HTTP/1.1\r\nHost: here\r\nContent-Length: ${body.length}\r\n\r\n`
      socket.write(head + body)
    })
    socket.destroy()
    expect(isHere).toBe(false)
    await session.next(isStart)
    await session.next(({ type, data }) => type === 'executing' && data['node'] === null)
  },
  { clock: 'instant', deployment: 'local' },
)

proves('workflows/graph-by-id', async (subject) => {
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
})

proves('workflows/linked-inputs', async ({ connect, run }) => {
  const session = await connect('me')
  const { entry } = await run(session, {
    '1': node('EmptyImage', { width: 48, height: 32, batch_size: 1, color: 0 }),
    '2': node('GetImageSize', { image: ['1', 0] }),
    '3': node('PreviewAny', { source: ['2', 0] }),
    '4': node('PreviewAny', { source: ['2', 1] }),
    '5': node('PreviewAny', { source: 'a literal' }),
  })
  expect(entry.outputs).toEqual({
    '3': { text: ['48'] },
    '4': { text: ['32'] },
    '5': { text: ['a literal'] },
  })
})

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
      '1': {
        class_type: 'EmptyImage',
        inputs,
        _meta: { title: 'Über' },
        ...(subject.isOwn && { is_changed: ['x'] }),
        mine: null,
      },
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
    if (subject.isOwn) expect(listed?.extra_data).toEqual(extra_data)
    // A hosted server ignores the outer one.
    const client_id = subject.deployment === 'local' ? session.clientId : 'inner'
    expect((await listedRun(subject, named))?.extra_data).toMatchObject({ client_id })
    await held.stop()
    await subject.idle()
    const entry = await finished(prompt_id)
    expect(entry).toMatchObject({ graph, extra_data })
    expect(entry?.graph).toEqual(graph)
    expect(entry?.extra_data).toEqual(listed?.extra_data)
    expect(JSON.stringify(entry)).not.toContain('"version"')
    // Nor is it checked, even one that looks like a link.
    if (subject.isOwn) await passes(subject, changed(graph, '1', { link: ['2', 7] }))
  },
)

proves(['workflows/create-time', 'workflows/usage-source'], async (subject) => {
  const session = await me(subject)
  const held = await occupy(subject, session)
  const extraOf = async (extra_data: object, headers: Readonly<Record<string, string>> = {}) => {
    const prompt = talking(subject.unique('stamped'))
    const body = JSON.stringify({ prompt, extra_data, client_id: session.clientId })
    const type = { 'Content-Type': 'application/json' }
    const reply = await subject.request('POST', '/prompt', body, { ...type, ...headers })
    return (await listedRun(subject, reply.json().prompt_id))?.extra_data
  }
  const plain = await extraOf({})
  expect(Number.isSafeInteger(plain.create_time)).toBe(true)
  // Seconds would be a thousand times less.
  expect(new Date(plain.create_time).getUTCFullYear()).toBeGreaterThan(2000)
  expect(plain).not.toHaveProperty('comfy_usage_source')
  expect((await extraOf({ create_time: 1 })).create_time).toBeGreaterThanOrEqual(plain.create_time)
  const source = { 'Comfy-Usage-Source': 'a test' }
  expect(await extraOf({}, source)).toMatchObject({ comfy_usage_source: 'a test' })
  const own = { comfy_usage_source: 'mine' }
  expect(await extraOf(own, source)).toMatchObject(own)
  await held.stop()
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
