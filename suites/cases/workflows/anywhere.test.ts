// Submits on any local server of which a part is executed, or nothing, and what is wrong with them.

import { type Graph, node, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import {
  me,
  listedRun,
  messagesAbout,
  occupy,
  onlyOurs,
  shown,
  submitFor,
  uniqueId,
  watchCounts,
} from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { endsRun } from '../../judge/responses.ts'
import type { Subject } from '../../judge/subject.ts'
import { nodesOf } from '../../support/transcript.ts'

const local = { deployment: 'local' } as const

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

// Of a run that waits, the queue lists the outputs that it will execute.
proves(
  ['workflows/partial-targets', 'workflows/half-valid'],
  async (subject) => {
    const session = await me(subject)
    const held = await occupy(subject, session)
    const whole: Graph = {
      ...twoOutputs(subject, ['1', 0]),
      '12': node('PreviewAny', { source: 'x' }),
    }
    const wanted = [['11'], ['9'], ['9', '12'], undefined] as const
    const ids: string[] = []
    for (const partial_execution_targets of wanted)
      ids.push(await submitFor(subject, session, whole, { partial_execution_targets }))
    const half = await submitFor(subject, session, twoOutputs(subject, undefined))
    const listed = await Promise.all([...ids, half].map((id) => listedRun(subject, id)))
    await held.stop()
    await subject.idle()
    const expected = [['11'], ['9'], ['12', '9'], ['11', '12', '9'], ['11']]
    expect(listed.map((item) => item?.targets.toSorted())).toEqual(expected)
    // The history lists the same ones, in the same order.
    for (const [at, id] of [...ids, half].entries())
      expect((await subject.finished(id))?.targets).toEqual(listed[at]?.targets)
  },
  local,
)

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
