// A world that cannot keep up with its clock: its time waits, and requests are answered between what is due.

import { expect, test } from 'vitest'
import { type Graph, node } from '../graphs.ts'
import { startSubject } from '../subject.ts'

const IDS = ['1', '2', '3', '4', '5', '6']
const SECONDS = 10_000

test('behind/interrupt A run that is far behind its clock can be interrupted', async () => {
  const subject = await startSubject({ clock: 'x999999999' })
  const session = await subject.connect('me')
  const steps = (id: string): Graph[string] =>
    node('FlowdoubleSlow', { seconds: SECONDS + Number(id), steps: 10_000 })
  const graph: Graph = Object.fromEntries(IDS.map((id) => [id, steps(id)]))
  await subject.submit(graph, { client_id: 'me', prompt_id: 'late' })
  await session.next(({ type }) => type === 'execution_start')
  expect((await subject.post('/interrupt', {})).status).toBe(200)
  await session.next(({ type, data }) => type === 'executing' && data['node'] === null)
  const { late } = (await subject.get('/history')).json()
  expect(late.status.messages.at(-1)[0]).toBe('execution_interrupted')
  await subject.close()
})
