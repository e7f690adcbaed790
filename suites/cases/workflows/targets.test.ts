// Submits of which a part is executed: the outputs that are valid, or those that the client names.

import { type Graph, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { listedRun, me, occupy, shown, submitFor } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { nodesOf } from '../../support/transcript.ts'

/** Two outputs of one picture, of which the first is broken. */
const twoOutputs = (subject: Subject, images: unknown): Graph => ({
  '1': shown(subject, 'two')['1']!,
  '9': node('PreviewImage', images === undefined ? {} : { images }),
  '11': node('PreviewAny', { source: ['1', 0] }),
})

proves(['workflows/half-valid', 'workflows/invalid-names-nodes'], async (subject) => {
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
})

proves('workflows/partial-targets', async (subject) => {
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
})

// Of a run that waits, the queue lists the outputs that it will execute.
proves(['workflows/partial-targets', 'workflows/half-valid'], async (subject) => {
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
})
