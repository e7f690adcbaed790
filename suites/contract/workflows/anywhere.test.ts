// Submits on any local server, whose counter is not at 0 and whose queue holds runs of others: reply, members, refusals.

import { submitReply } from '../../../spec/server/workflows.ts'
import { type Graph, node, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import {
  listedIds,
  messagesAbout,
  occupy,
  onlyOurs,
  sentBy,
  shown,
  submitFor,
  uniqueId,
  uniqueNumber,
} from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { nodesOf } from '../../support/transcript.ts'

const local = { deployment: 'local' } as const
const me = ({ connect, unique }: Subject) => connect(unique('me'))
const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A pending or running run as the queue lists it. */
async function listedRun({ queue }: Subject, id: string) {
  const { running, pending } = await queue()
  return [...running, ...pending].find(({ prompt_id }) => prompt_id === id)
}

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

proves(
  ['workflows/extra-data-kept', 'workflows/unknown-members', 'workflows/undeclared-inputs'],
  async (subject) => {
    const { submit, finished } = subject
    const session = await me(subject)
    const held = await occupy(subject, session)
    const extra_data = {
      extra_pnginfo: { workflow: { nodes: [1.5, null, 'ü'] } },
      mine: { deep: [true] },
    }
    const { '1': fill, '2': show } = shown(subject, 'kept')
    const undeclared = { extra: 'x', depth: -1, list: [1, 2, 3], nothing: null }
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
    expect(JSON.stringify(entry)).not.toContain('"version"')
  },
  local,
)

/** Two outputs of one picture, of which the first is broken. */
const twoOutputs = (subject: Subject, images: unknown): Graph => ({
  '1': shown(subject, 'two')['1']!,
  '9': node('PreviewImage', images === undefined ? {} : { images }),
  '11': node('PreviewAny', { source: ['1', 0] }),
})

proves(
  'workflows/half-valid',
  async (subject) => {
    const session = await me(subject)
    const graph = twoOutputs(subject, undefined)
    const reply = await subject.submit(graph, { client_id: session.clientId })
    expect(reply.status).toBe(200)
    const { prompt_id, node_errors } = reply.json()
    expect(node_errors).toEqual({
      '9': {
        errors: [expect.objectContaining({ type: 'required_input_missing', details: 'images' })],
        dependent_outputs: ['9'],
        class_type: 'PreviewImage',
      },
    })
    await subject.idle()
    const entry = await subject.finished(prompt_id)
    expect(Object.keys(entry?.outputs)).toEqual(['11'])
    expect(entry?.targets).toEqual(['11'])
    expect(entry?.status.status_str).toBe('success')
  },
  local,
)

proves(
  'workflows/partial-targets',
  async (subject) => {
    const { submit, run } = subject
    const session = await me(subject)
    const named = (...ids: readonly string[]) => ({ partial_execution_targets: ids })
    const broken = twoOutputs(subject, undefined)
    const { entry } = await run(session, broken, named('11', 'nowhere'))
    expect([Object.keys(entry.outputs), entry.targets]).toEqual([['11'], ['11']])
    const other = await run(session, twoOutputs(subject, ['1', 0]), named('9'))
    expect(nodesOf('executed', other.messages)).toEqual(['9'])
    expect((await submit(broken, named('11'))).json().node_errors).toEqual({})
    expect(Object.keys((await submit(broken, named('9'))).json().node_errors)).toEqual(['9'])
    expect((await submit(broken, named())).json().error.type).toBe('prompt_no_outputs')
    expect((await submit(broken, named('1'))).json().error.type).toBe('prompt_no_outputs')
  },
  local,
)

proves('workflows/number-counts', async (subject) => {
  const number = async (fields = {}): Promise<number> =>
    (await subject.submit(talking(subject.unique('number')), fields)).json().number
  const first = await number()
  expect(Number.isInteger(first)).toBe(true)
  for (const body of [{}, [], { prompt: {} }])
    expect((await subject.post('/prompt', body)).status).toBe(400)
  const afterRefusals = await number()
  expect(afterRefusals).toBeGreaterThanOrEqual(first + 4)
  await number({ number: first + 100_000 })
  const last = await number()
  expect(last).toBeGreaterThan(afterRefusals)
  expect(last).toBeLessThan(first + 100_000)
})

proves('workflows/number-given', async (subject) => {
  const text = async (fields: object): Promise<string> =>
    /"number": *([^,}]*)/.exec(
      (await subject.submit(talking(subject.unique('number')), { ...fields })).text,
    )?.[1] ?? ''
  const counted = Number(await text({}))
  expect(Number(await text({ front: true }))).toBeLessThan(-counted)
  expect(await text({ front: 'yes' })).toMatch(/^-\d+$/)
  expect(await text({ number: 5 })).toBe('5.0')
  expect(await text({ number: -2.5 })).toBe('-2.5')
  expect(await text({ number: '7' })).toBe('7.0')
  expect(await text({ number: 3, front: true })).toBe('3.0')
  expect(Number(await text({ front: 0 }))).toBeGreaterThan(counted)
  for (const number of [null, 'first', [1]])
    expect((await subject.submit(talking(), { number })).status).toBe(500)
})

proves('workflows/number-as-float', async (subject) => {
  const session = await me(subject)
  const held = await occupy(subject, session)
  const returned: [id: string, number: string][] = []
  for (const fields of [{ number: 5 }, {}, { number: 0 }, { front: true }]) {
    const graph = talking(subject.unique('number'))
    const reply = await subject.submit(graph, { client_id: session.clientId, ...fields })
    const number = /"number": *([^,}]*)/.exec(reply.text)?.[1] ?? ''
    returned.push([reply.json().prompt_id, number])
  }
  const [given, counted, zero, front] = returned.map(([, number]) => number)
  expect([given, zero]).toEqual(['5.0', '0.0'])
  for (const one of [counted, front]) expect(one).toMatch(/^-?\d+$/)
  const numberOf = (text: string, id: string) =>
    new RegExp(`\\[(-?[\\d.]+), *"${id}"`).exec(text)?.[1]
  const { text: queue } = await subject.get('/queue')
  await held.stop()
  await subject.idle()
  for (const [id, number] of returned) {
    const { text } = await subject.get(`/history/${id}`)
    expect([numberOf(queue, id), numberOf(text, id)]).toEqual([number, number])
  }
})

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

proves(
  'workflows/invalid-leaves-nothing',
  async (subject) => {
    const session = await me(subject)
    const held = await occupy(subject, session)
    const cycle = {
      '1': node('ImageInvert', { image: ['2', 0] }),
      '2': node('ImageInvert', { image: ['1', 0] }),
      '3': node('PreviewImage', { images: ['2', 0] }),
    }
    const prompts = [undefined, {}, cycle, { '1': node('Nope') }, { '7': node('SaveImage') }]
    const fields = { client_id: session.clientId, prompt_id: uniqueId(subject, 'refused') }
    await onlyOurs(subject, [held.prompt_id])
    const sent = await sentBy(session, async () => {
      for (const prompt of prompts)
        expect((await subject.post('/prompt', { prompt, ...fields })).status).toBe(400)
    })
    await onlyOurs(subject, [held.prompt_id])
    expect(sent.filter(({ type }) => type === 'status')).toEqual([])
    const queued = await sentBy(session, () =>
      submitFor(subject, session, talking(subject.unique('valid'))),
    )
    expect(queued.filter(({ type }) => type === 'status')).toHaveLength(1)
    await held.stop()
    await subject.idle()
    expect((await subject.get(`/history/${fields.prompt_id}`)).json()).toEqual({})
    expect(messagesAbout(session, fields.prompt_id)).toEqual([])
  },
  local,
)

proves('workflows/details', async ({ submit }) => {
  const details = async (graph: Graph): Promise<string[]> =>
    (await submit(graph)).json().error.details.split('\n').toSorted()
  const missing = { '1': node('PreviewImage'), '2': node('PreviewImage') }
  expect(await details(missing)).toEqual([
    'Required input is missing: images',
    'Required input is missing: images',
  ])
  const animated = { fps: 0, lossless: true, quality: -1, method: 'default', filename_prefix: 'x' }
  expect(await details({ '1': node('SaveAnimatedWEBP', animated) })).toEqual([
    'Required input is missing: images',
    'Value -1 smaller than min of 0: quality',
    'Value 0.0 smaller than min of 0.01: fps',
  ])
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
