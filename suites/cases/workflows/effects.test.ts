// What a refused submit leaves behind, which is nothing, and servers that refuse in other ways.

import { submitRefusal, submitReply } from '../../../spec/server/workflows.ts'
import { changed, type Graph, node, solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { violations } from '../../judge/judge.ts'
import {
  me,
  messagesAbout,
  occupy,
  onlyOurs,
  submitFor,
  uniqueId,
  watchCounts,
} from '../../judge/own-runs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import type { Reply } from '../../judge/reply.ts'
import { endsRun } from '../../judge/responses.ts'
import { transcript } from '../../support/transcript.ts'

const hosted = { deployment: 'hosted' } as const

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
    const counts = watchCounts(session)
    for (const prompt of prompts)
      expect((await subject.post('/prompt', { prompt, ...fields })).status).toBe(400)
    await onlyOurs(subject, [held.prompt_id])
    const valid = await submitFor(subject, session, talking(subject.unique('valid')))
    await held.stop()
    await subject.reach(session, endsRun('local', valid))
    // The valid one alone is counted: when it is queued, when the first ends, when it starts and ends.
    expect(await counts(4)).toEqual([2, 1, 1, 0])
    expect((await subject.get(`/history/${fields.prompt_id}`)).json()).toEqual({})
    expect(messagesAbout(session, fields.prompt_id)).toEqual([])
  },
  { deployment: 'local' },
)

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
  async ({ connect, submit, post, get, idle, history, isOwn }) => {
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
    if (isOwn) expect(await history()).toEqual([])
    const reply = await submit(half)
    expect([reply.status, Object.keys(reply.json().node_errors)]).toEqual([200, ['3']])
    await idle()
    await session.settled()
    expect(transcript(session.messages())).toContain('executed 2')
    expect(transcript(session.messages()).at(-2)).toBe('execution_success')
  },
  hosted,
)

provesQuirk(
  'workflows.invalid-is-200',
  async ({ submit, connect, idle, get }) => {
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
  async ({ submit, get, history }) => {
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
