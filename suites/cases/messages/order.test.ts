// The messages of a run in order, by the order table, and what a server sends of its queue meanwhile. Others may submit at the
// same time; sequences.test.ts has the whole sequence for each kind of run.

import { type Graph, node, slow, solid, talking, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { isAtWork } from '../../judge/hosted/busy-account.ts'
import { cancel, submitAll, submitOne } from '../../judge/hosted/jobs.ts'
import {
  me,
  messagesAbout,
  occupy,
  onlyOurs,
  runInTurn,
  shown,
  sortedNodes,
  submitFor,
  uniqueNumber,
  watchCounts,
} from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { endsRun } from '../../judge/responses.ts'
import { dataOf, typesOf } from '../../support/transcript.ts'

proves(
  'messages/order',
  async (subject) => {
    const session = await me(subject)
    const graph = { ...shown(subject, 'order'), said: talking(subject.unique('said'))['1']! }
    const runs = await runInTurn(subject, session, [graph, graph])
    for (const { messages } of runs)
      expect(sortedNodes('executed', messages)).toEqual(['2', 'said'])
    expect(sortedNodes('executing', runs[0]!.messages)).toEqual(['1', '2', 'said'])
    // The laws judge the order of these too.
    await subject.run(session, (await subject.workloads.failing()).graph)
    await subject.run(session, await subject.workloads.sampling(3))
    const held = await occupy(subject, session)
    await held.stop()
  },
  { deployment: 'local' },
)

/** A node that sends a notification by itself. */
const notifying: Graph = { '1': node('FlowdoubleNotify', { value: 'hello' }) }

// Several runs at a time: their messages mix, and each run keeps its own order.
proves(
  ['messages/order', 'messages/hosted-names-run', 'messages/hosted-no-executing-null'],
  async (subject) => {
    const session = await subject.connect('any')
    const { graph: fails } = await subject.workloads.failing()
    const stopped = await submitOne(subject, await subject.workloads.slow())
    const color = uniqueNumber(subject, 'mixed')
    const graphs: readonly Graph[] = [solid(color), talking(), fails, solid(color)]
    const more = subject.isOwn ? [textToImage(), notifying, slow(1, 3), textToImage()] : []
    const ids = await submitAll(subject, [...graphs, ...more])
    await subject.reach(session, isAtWork(stopped))
    await cancel(subject, stopped)
    const all = [stopped, ...ids]
    const isEnd = endsRun('hosted')
    for (const id of all)
      await subject.reach(session, (one) => isEnd(one) && one.data['prompt_id'] === id)
    const ends = all.map((id) => messagesAbout(session, id).at(-1)?.type)
    const [ok, error, interrupted] = ['success', 'error', 'interrupted'].map(
      (word) => `execution_${word}`,
    )
    expect(ends).toEqual([interrupted, ok, ok, error, ok, ...more.map(() => ok)])
    const messages = session.messages()
    const nameless = messages.filter(({ data }) => data['prompt_id'] === undefined)
    expect(new Set(typesOf(nameless))).toEqual(new Set(['status']))
    if (!subject.isOwn) return
    const starts = dataOf('execution_start', messages).map((data) => data['prompt_id'])
    expect([starts.length, new Set(starts)]).toEqual([all.length, new Set(all)])
    const before = messages.slice(0, messages.findIndex(isEnd))
    expect(dataOf('execution_start', before).length).toBeGreaterThan(1)
  },
)

proves(
  'messages/status',
  async (subject) => {
    const session = await me(subject)
    await onlyOurs(subject, [])
    const counts = watchCounts(session)
    await subject.run(session, talking(subject.unique('alone')))
    await onlyOurs(subject, [])
    expect(await counts(3)).toEqual([1, 1, 0])
  },
  { deployment: 'hosted' },
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
  { deployment: 'local' },
)
