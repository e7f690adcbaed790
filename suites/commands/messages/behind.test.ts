// A world that cannot keep up with its clock: its time waits, and requests are answered between due events.

import { test } from 'vitest'
import { type Graph, node } from '../../generate/graphs.ts'
import { startSubject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** This many steps take the server far longer than an interrupt takes to arrive. */
const NODES = 100
const STEPS = 10_000
const SECONDS = 10_000

test('behind/interrupt A run that is far behind its clock can be interrupted', async () => {
  const subject = await startSubject({ clock: 'x999999999' })
  // This client receives broadcasts, not the steps of the run: reading those would take longer than running them.
  const session = await subject.connect('me')
  const graph: Graph = Object.fromEntries(
    Array.from({ length: NODES }, (_, index) => [
      `${index}`,
      node('FlowdoubleSlow', { seconds: SECONDS + index, steps: STEPS }),
    ]),
  )
  await subject.submit(graph, { client_id: 'nobody', prompt_id: 'late' })
  const { queue_running } = (await subject.get('/queue')).json()
  expect(queue_running.map((run: readonly unknown[]) => run[1])).toEqual(['late'])
  expect((await subject.post('/interrupt', {})).status).toBe(200)
  // On connecting, at the submit, at the start of the run, and at its end.
  const remaining = (): unknown[] =>
    session.messages().map(({ data }) => (data['status'] as any).exec_info.queue_remaining)
  await session.next(() => remaining().join() === '0,1,1,0')
  const { late } = (await subject.get('/history')).json()
  expect(late.status.messages.at(-1)[0]).toBe('execution_interrupted')
  await subject.close()
})
