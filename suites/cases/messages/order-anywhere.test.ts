// The order of the messages of any local server, and what it sends of its queue: others may submit at the same time.

import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { judgeOrder, type Message } from '../../judge/judge.ts'
import {
  me,
  occupy,
  onlyOurs,
  ordered,
  runInTurn,
  shown,
  sortedNodes,
  submitFor,
  watchCounts,
} from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { endsRun } from '../../judge/responses.ts'

const local = { deployment: 'local' } as const
const dataOf = (type: string, messages: readonly Message[]): Message['data'][] =>
  messages.filter((message) => message.type === type).map(({ data }) => data)

proves(
  'messages/order',
  async (subject) => {
    const session = await me(subject)
    const graph = { ...shown(subject, 'order'), said: talking(subject.unique('said'))['1']! }
    const before = session.messages().length
    const runs = await runInTurn(subject, session, [graph, graph])
    const failed = await subject.run(session, (await subject.workloads.failing()).graph)
    const held = await occupy(subject, session)
    await held.stop()
    const messages = session.messages().slice(before)
    for (const id of [...runs.map((one) => one.prompt_id), failed.prompt_id, held.prompt_id])
      expect(judgeOrder('local', ordered(messages, id))).toEqual([])
    expect(sortedNodes('executed', runs[0]!.messages)).toEqual(['2', 'said'])
    expect(sortedNodes('executed', runs[1]!.messages)).toEqual(['2', 'said'])
    expect(sortedNodes('executing', runs[0]!.messages)).toEqual(['1', '2', 'said'])
  },
  local,
)

proves(
  ['messages/order', 'messages/progress'],
  async (subject) => {
    const session = await me(subject)
    const { prompt_id, messages } = await subject.run(session, await subject.workloads.sampling(3))
    expect(judgeOrder('local', ordered(messages, prompt_id))).toEqual([])
    expect(dataOf('progress', messages).length).toBeGreaterThanOrEqual(3)
  },
  local,
)

proves(
  ['messages/status', 'messages/status-of-a-run'],
  async (subject) => {
    const session = await me(subject)
    const held = await occupy(subject, session)
    await onlyOurs(subject, [held.prompt_id])
    const counts = watchCounts(session)
    const ids: string[] = []
    const submitted: number[] = []
    for (const count of [2, 3]) {
      ids.push(await submitFor(subject, session, talking(subject.unique(`run ${count}`))))
      await onlyOurs(subject, [held.prompt_id, ...ids])
      submitted.push(count)
      expect(await counts(submitted.length)).toEqual(submitted)
    }
    await held.stop()
    await subject.reach(session, endsRun('local', ids[1]))
    await onlyOurs(subject, [])
    // Each end, and each start but that of the run that was at work.
    expect(await counts(7)).toEqual([...submitted, 2, 2, 1, 1, 0])
  },
  local,
)
