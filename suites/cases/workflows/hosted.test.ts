// Submitting on hosted: the few members that a client can set, and rejected requests.

import { hostedError } from '../../../spec/server/errors.ts'
import { submitRefusal, submitReply } from '../../../spec/server/workflows.ts'
import { changed, type Graph, node, solid, talking } from '../../generate/graphs.ts'
import { type Message, violations } from '../../judge/judge.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { transcript } from '../../support/transcript.ts'
import type { Subject } from '../../judge/subject.ts'
import type { Reply } from '../../judge/reply.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

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

proves(
  ['workflows/hosted-client-id', 'workflows/submit-queues', 'workflows/reply'],
  async ({ connect, submit, idle }) => {
    const session = await connect('me')
    const transcripts: string[][] = []
    for (const [index, client_id] of clientIds.entries()) {
      const before = session.messages().length
      const fields = client_id === undefined ? {} : { client_id, extra_data: { client_id } }
      const reply = await submit(talking(`${index}`), fields)
      expect({ client_id, status: reply.status }).toEqual({ client_id, status: 200 })
      expect(violations(submitReply, reply.json())).toEqual([])
      expect(reply.json()).toMatchObject({ number: index, node_errors: {} })
      await idle()
      await session.settled()
      transcripts.push(transcript(session.messages().slice(before)))
    }
    expect(transcripts[0]).toContain('execution_success')
    for (const one of transcripts) expect(one).toEqual(transcripts[0])
  },
  { ...hosted, ...ownWorld },
)

proves('workflows/hosted-own-id', async ({ connect, submit, idle }) => {
  const session = await connect()
  const ids: string[] = []
  for (const prompt_id of [undefined, 'mine', 'mine', '', 7, null, {}]) {
    const reply = await submit(solid(), prompt_id === undefined ? {} : { prompt_id })
    expect({ prompt_id, status: reply.status }).toEqual({ prompt_id, status: 200 })
    ids.push(reply.json().prompt_id)
  }
  for (const id of ids) expect(id).toMatch(uuid)
  expect(new Set(ids).size).toBe(ids.length)
  await idle()
  await session.settled()
  const ended = session.messages().filter(({ type }) => type === 'execution_success')
  expect(new Set(ended.map(({ data }) => data['prompt_id']))).toEqual(new Set(ids))
})

/** A tier that runs one job at a time, so that the order of runs is visible. */
const oneAtATime = {
  accounts: [
    {
      user: 'me',
      keys: ['test-key'],
      tier: 'standard',
      balance: 0,
      subscription: 'active',
      partnerKey: null,
      failsWith: null,
    },
  ],
} as const

proves(
  'workflows/hosted-number',
  async ({ connect, submit, idle }) => {
    const session = await connect()
    const ids: string[] = []
    const asked = [{}, { number: 7 }, { front: true }, { number: -1.5 }, { number: 'x' }, {}]
    for (const [index, fields] of asked.entries()) {
      // Rejected submits are not counted.
      expect((await submit({}, fields)).status).toBe(400)
      const reply = await submit(talking(`${index}`), fields)
      expect({ fields, number: reply.json().number }).toEqual({ fields, number: index })
      ids.push(reply.json().prompt_id)
    }
    await idle()
    await session.settled()
    const started = session.messages().filter(({ type }) => type === 'execution_start')
    expect(started.map(({ data }) => data['prompt_id'])).toEqual(ids)
  },
  oneAtATime,
)

const unreadable: readonly (readonly [what: string, body: string | Buffer])[] = [
  ['empty', ''],
  ['no JSON', '{"prompt": '],
  ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ['a list', '[]'],
  ['a text', '"prompt"'],
  ['a number', '7'],
  ['null', 'null'],
  ['prompt is a number', '{"prompt": 7}'],
  ['prompt is null', '{"prompt": null}'],
  ['prompt is a list', '{"prompt": [1]}'],
  ['a node is a number', '{"prompt": {"1": 7}}'],
  ['a class_type is a list', '{"prompt": {"1": {"class_type": [], "inputs": {}}}}'],
  ...[5, null, [], 'text', true].map(
    (extra_data) =>
      [
        `extra_data is ${JSON.stringify(extra_data)}`,
        JSON.stringify({ prompt: solid(), extra_data }),
      ] as const,
  ),
  ['targets are a number', JSON.stringify({ prompt: solid(), partial_execution_targets: 7 })],
]

proves('workflows/hosted-finite', async ({ request, submit }) => {
  const headers = { 'Content-Type': 'application/json' }
  for (const odd of ['NaN', 'Infinity', '-Infinity', '"nan"', '"inf"', '1e999']) {
    const graph = `{"1": {"class_type": "FlowdoubleSlow", "inputs": {"seconds": ${odd}}}}`
    const reply = await request('POST', '/prompt', `{"prompt": ${graph}}`, headers)
    expect({ odd, status: reply.status }).toEqual({ odd, status: 400 })
  }
  const extra = await request(
    'POST',
    '/prompt',
    '{"prompt": {}, "extra_data": {"n": NaN}}',
    headers,
  )
  expect({ status: extra.status, code: extra.json().code }).toEqual({
    status: 400,
    code: 'BAD_REQUEST',
  })
  expect((await submit(talking('NaN and Infinity'))).status).toBe(200)
})

proves('workflows/hosted-unreadable', async ({ connect, request, idle }) => {
  const session = await connect()
  for (const [what, body] of unreadable) {
    const isText = typeof body === 'string'
    const headers = { 'Content-Type': isText ? 'application/json' : 'application/octet-stream' }
    const reply = await request('POST', '/prompt', body, headers)
    expect({ what, status: reply.status }).toEqual({ what, status: 400 })
    expect([what, ...violations(hostedError, reply.json())]).toEqual([what])
    expect(reply.json().code).toBe('BAD_REQUEST')
  }
  const inLatin = await request('POST', '/prompt', '{}', { 'Content-Type': 'a/b; charset=none' })
  expect({ status: inLatin.status, code: inLatin.json().code }).toEqual({
    status: 400,
    code: 'BAD_REQUEST',
  })
  await idle()
  await session.settled()
  expect(session.messages()).toHaveLength(1)
})

const half: Graph = { ...solid(), '3': node('PreviewImage', {}) }

const circular: Graph = {
  '1': node('ImageInvert', { image: ['3', 0] }),
  '2': node('PreviewImage', { images: ['1', 0] }),
  '3': node('ImageInvert', { image: ['1', 0] }),
}

/** Rejected graphs: the type of the refusal, and the nodes that it blames. */
const refused: readonly (readonly [graph: Graph, type: string, blamed: readonly string[]])[] = [
  [{}, 'prompt_no_outputs', []],
  [{ '1': solid()['1']! }, 'prompt_no_outputs', []],
  [{ '1': node('NoSuchNode') }, 'invalid_prompt', ['1']],
  [changed(solid(), '1', { width: 0 }), 'prompt_outputs_failed_validation', ['1']],
  [circular, 'prompt_outputs_failed_validation', ['1', '3']],
  [changed(solid(), '2', { images: undefined }), 'prompt_outputs_failed_validation', ['2']],
]

const typeAndBlamed = (reply: Reply): unknown[] => {
  const { error, node_errors } = reply.json()
  return [reply.status, error?.type, Object.keys(node_errors)]
}

proves(
  [
    'workflows/invalid-is-400',
    'workflows/invalid-names-nodes',
    'workflows/invalid-leaves-nothing',
    'workflows/blame',
    'workflows/no-outputs',
    'workflows/no-prompt',
    'workflows/half-valid',
  ],
  async ({ connect, submit, post, get, idle }) => {
    const session = await connect()
    for (const [graph, type, blamed] of refused) {
      const reply = await submit(graph)
      expect(typeAndBlamed(reply)).toEqual([400, type, blamed])
      expect(violations(submitRefusal, reply.json())).toEqual([])
    }
    expect(typeAndBlamed(await post('/prompt', {}))).toEqual([400, 'no_prompt', []])
    expect((await get('/prompt')).json().exec_info.queue_remaining).toBe(0)
    await idle()
    await session.settled()
    expect(session.messages()).toHaveLength(1)
    const reply = await submit(half)
    expect([reply.status, Object.keys(reply.json().node_errors)]).toEqual([200, ['3']])
    await idle()
    await session.settled()
    expect(transcript(session.messages())).toContain('executed 2')
    expect(transcript(session.messages()).at(-2)).toBe('execution_success')
  },
  hosted,
)

proves(
  'workflows/answers-first',
  async ({ connect, submit, reach }) => {
    const session = await connect()
    const { prompt_id } = (await submit(solid())).json()
    await session.settled()
    expect(session.messages().filter(({ type }) => type !== 'status')).toEqual([])
    const first = await reach(session, ({ type }: Message) => type !== 'status')
    expect(first).toMatchObject({ type: 'execution_start', data: { prompt_id } })
  },
  { ...hosted, ...ownWorld },
)

provesQuirk(
  'workflows.bare-graph-errors',
  async ({ submit }) => {
    expect(typeAndBlamed(await submit({ '1': node('NoSuchNode') }))).toEqual([
      400,
      'invalid_prompt',
      [],
    ])
    expect(typeAndBlamed(await submit(circular))).toEqual([
      400,
      'prompt_outputs_failed_validation',
      [],
    ])
  },
  hosted,
)

provesQuirk(
  'workflows.invalid-is-200',
  async (subject: Subject) => {
    const { submit, connect, idle, get } = subject
    const session = await connect()
    for (const [index, [graph, , blamed]] of refused.entries()) {
      const reply = await submit(graph)
      expect(violations(submitReply, reply.json())).toEqual([])
      expect(typeAndBlamed(reply)).toEqual([200, undefined, blamed])
      expect(reply.json().number).toBe(index)
    }
    expect((await get('/prompt')).json().exec_info.queue_remaining).toBe(0)
    await idle()
    await session.settled()
    expect(session.messages()).toHaveLength(1)
    expect((await submit(solid())).json().node_errors).toEqual({})
  },
  hosted,
)

provesQuirk(
  'workflows.invalid-is-200',
  async ({ submit, get, history }: Subject) => {
    const ids: string[] = []
    for (const [graph, , blamed] of refused) {
      const { prompt_id, node_errors } = (await submit(graph)).json()
      ids.push(prompt_id)
      const status = await get(`/job/${prompt_id}/status`)
      expect([status.status, status.json().status]).toEqual([200, 'failed'])
      const detail = (await get(`/jobs/${prompt_id}`)).json()
      expect({ id: detail.id, status: detail.status }).toEqual({ id: prompt_id, status: 'failed' })
      // The word for a bad workflow and the details in node_errors, of one and the same submit.
      const { exception_type, node_id, exception_message } = detail.execution_error
      expect([exception_type, Object.keys(node_errors)]).toEqual(['ValidationError', blamed])
      expect(blamed.length === 0 ? [''] : blamed).toContain(node_id)
      expect(exception_message).toMatch(/./)
    }
    expect(await history()).toEqual(ids)
    const { jobs } = (await get('/jobs?status=failed')).json()
    expect(jobs.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted())
  },
  hosted,
)
