// What a refused submit leaves behind, which is nothing, and servers that refuse in other ways.

import { submitReply } from '../../../spec/server/workflows.ts'
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
import { endsRun } from '../../judge/responses.ts'
import type { Subject } from '../../judge/subject.ts'

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

const circular: Graph = {
  '1': node('ImageInvert', { image: ['3', 0] }),
  '2': node('PreviewImage', { images: ['1', 0] }),
  '3': node('ImageInvert', { image: ['1', 0] }),
}

/** Rejected graphs, and the nodes that a refusal blames. */
const refused: readonly (readonly [graph: Graph, blamed: readonly string[]])[] = [
  [{}, []],
  [{ '1': solid()['1']! }, []],
  [{ '1': node('NoSuchNode') }, ['1']],
  [changed(solid(), '1', { width: 0 }), ['1']],
  [circular, ['1', '3']],
  [changed(solid(), '2', { images: undefined }), ['2']],
]

/** Submits the rejected graphs, each of which gets this status, and expects that nothing runs. Returns the replies. */
async function submitRefused(subject: Subject, expected: number): Promise<readonly any[]> {
  await onlyOurs(subject, [])
  const session = await subject.connect()
  const replies: any[] = []
  for (const [graph, blamed] of refused) {
    const { status, json } = await subject.submit(graph)
    expect({ status, blamed: Object.keys(json().node_errors) }).toEqual({
      status: expected,
      blamed,
    })
    replies.push(json())
  }
  expect((await subject.get('/prompt')).json().exec_info.queue_remaining).toBe(0)
  await subject.idle()
  await session.settled()
  expect(session.messages()).toHaveLength(1)
  return replies
}

proves(
  'workflows/invalid-leaves-nothing',
  async (subject) => {
    await submitRefused(subject, 400)
    if (subject.isOwn) expect(await subject.history()).toEqual([])
  },
  hosted,
)

provesQuirk('workflows.invalid-is-200', async (subject) => {
  const { deployment, isOwn, history } = subject
  const replies = await submitRefused(subject, 200)
  for (const reply of replies) expect(violations(submitReply, reply)).toEqual([])
  if (isOwn) expect(replies.map(({ number }) => number)).toEqual(replies.map((_, at) => at))
  const ids = replies.map(({ prompt_id }) => prompt_id)
  if (isOwn) expect(await history()).toEqual(deployment === 'hosted' ? ids : [])
  expect((await subject.submit(solid())).json().node_errors).toEqual({})
})

provesQuirk(
  'workflows.invalid-is-200',
  async ({ submit, get }) => {
    const ids: string[] = []
    for (const [graph, blamed] of refused) {
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
    const { jobs } = (await get('/jobs?status=failed')).json()
    expect(jobs.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted())
  },
  hosted,
)
