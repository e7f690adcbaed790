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
  sentBy,
  shown,
  sortedNodes,
  submitFor,
} from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'

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
    await session.settled()
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
    const counts = (messages: readonly Message[]) =>
      dataOf('status', messages).map((data) => (data as any).status.exec_info.queue_remaining)
    const held = await occupy(subject, session)
    await onlyOurs(subject, [held.prompt_id])
    const ids: string[] = []
    for (const count of [2, 3]) {
      const sent = await sentBy(session, async () => {
        ids.push(await submitFor(subject, session, talking(subject.unique(`run ${count}`))))
      })
      await onlyOurs(subject, [held.prompt_id, ...ids])
      expect(counts(sent)).toEqual([count])
    }
    const before = session.messages().length
    await held.stop()
    await subject.idle()
    await session.settled()
    await onlyOurs(subject, [])
    // Each end, and each start but that of the run that was at work.
    expect(counts(session.messages().slice(before))).toEqual([2, 2, 1, 1, 0])
  },
  local,
)
