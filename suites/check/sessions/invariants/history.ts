// Invariants of the history: it says the same as the messages did.

import { historyEntry } from '../../../../spec/server/history.ts'
import { violations } from '../../../judge/judge.ts'
import {
  audienceOf,
  isAbout,
  messagesOn,
  nameOf,
  outcomeOf,
  type RunLog,
  type SessionLog,
} from '../log.ts'
import { equal, type Judge, text } from './judge.ts'

/** The runs that have to be in the history: those that ended after they had begun. */
const ended = (log: SessionLog): readonly RunLog[] =>
  log.runs.filter((run) => ['success', 'error', 'interrupted'].includes(outcomeOf(log, run)))

/** Each run that is over has an entry. */
export const keepsEach: Judge = (log) =>
  ended(log).flatMap((run) =>
    [
      run.entry === undefined ? [`${nameOf(run)} is over, and has no history entry.`] : [],
      log.history.includes(run.prompt_id) ? [] : [`The history does not list ${nameOf(run)}.`],
    ].flat(),
  )

/** The entry has the form that the spec demands. */
export const entryFits: Judge = (log) =>
  ended(log).flatMap((run) =>
    run.entry === undefined
      ? []
      : violations(historyEntry, run.entry).map(
          (fault) => `${nameOf(run)}: the history entry: ${fault}`,
        ),
  )

/** status_str and completed say how the run ended. */
export const statusFits: Judge = (log) =>
  ended(log).flatMap((run) => {
    const status = run.entry?.status
    if (status === undefined) return []
    const expected = outcomeOf(log, run) === 'success' ? ['success', true] : ['error', false]
    return equal(
      `${nameOf(run)}: status_str and completed`,
      [status.status_str, status.completed],
      expected,
    )
  })

const withoutOrder = (value: any): unknown =>
  Object.entries<any>(value ?? {}).toSorted(([left], [right]) => (left < right ? -1 : 1))

/** The outputs are those that the messages reported. */
export const outputsFit: Judge = (log) =>
  ended(log).flatMap((run) => {
    const [socket] = audienceOf(log, run)
    if (socket === undefined || run.entry === undefined) return []
    const shown = messagesOn(socket)
      .filter(isAbout(run))
      .filter(({ type, data }) => type === 'executed' && data['output'] !== null)
      .map(({ data }) => [data['node'], data['output']])
    return equal(
      `${nameOf(run)}: the outputs in the history`,
      withoutOrder(run.entry.outputs),
      withoutOrder(Object.fromEntries(shown)),
    )
  })

/** The outputs of a run are those of its graph, whoever listened. */
export const outputsAreWhole: Judge = (log) =>
  ended(log).flatMap((run) => {
    const { targets, texts = {} } = run.planned
    if (run.entry === undefined || outcomeOf(log, run) !== 'success') return []
    const outputs = run.entry.outputs ?? {}
    return [
      equal(
        `${nameOf(run)}: the nodes with outputs in the history`,
        Object.keys(outputs).toSorted(),
        targets.toSorted(),
      ),
      Object.entries(texts).flatMap(([id, expected]) =>
        equal(`${nameOf(run)}: the output of node ${id} in the history`, outputs[id]?.text, [
          expected,
        ]),
      ),
    ].flat()
  })

/** The messages in the entry are those that were sent. */
export const messagesFit: Judge = (log) =>
  ended(log).flatMap((run) => {
    const [socket] = audienceOf(log, run)
    const kept = run.entry?.status?.messages
    if (socket === undefined || kept === undefined) return []
    const sent = messagesOn(socket)
      .filter(isAbout(run))
      .filter(({ type }) => type.startsWith('execution_'))
      .map(({ type, data }) => [type, data])
    return equal(`${nameOf(run)}: the messages in the history`, kept, sent)
  })

/** The prompt of an entry: the number and the id of the reply, the graph, extra_data and the outputs. */
export const promptFits: Judge = (log) =>
  ended(log).flatMap((run) => {
    const prompt = run.entry?.prompt
    return prompt === undefined ? [] : itemFaults(`${nameOf(run)}: the history entry`, run, prompt)
  })

/** What is wrong with a run as the queue and the history list it on local. */
export function itemFaults(where: string, run: RunLog, item: any): readonly string[] {
  if (!Array.isArray(item)) return [`${where}: it is ${text(item)}.`]
  const [number, prompt_id, graph, extra, targets] = item
  const { number: given } = run.reply.reply as any
  return [
    equal(`${where}: number and id`, [number, prompt_id], [given, run.prompt_id]),
    equal(
      `${where}: the ids of its nodes`,
      Object.keys(graph ?? {}),
      Object.keys(run.planned.graph),
    ),
    run.work === 'slow' ? [] : equal(`${where}: the graph`, graph, run.planned.graph),
    run.planned.hasOtherTargets
      ? []
      : equal(
          `${where}: the output nodes`,
          ((targets ?? []) as string[]).toSorted(),
          run.planned.targets.toSorted(),
        ),
    typeof extra?.session === 'string'
      ? []
      : [`${where}: extra_data lacks what the submit gave: ${text(extra)}.`],
  ].flat()
}

/** meta describes each node with an output. */
export const metaFits: Judge = (log) =>
  ended(log).flatMap((run) =>
    run.entry === undefined
      ? []
      : equal(
          `${nameOf(run)}: the nodes in meta`,
          Object.keys(run.entry.meta ?? {}).toSorted(),
          Object.keys(run.entry.outputs ?? {}).toSorted(),
        ),
  )

/** The list has the runs in the order in which they ended. */
export const listedInOrder: Judge = (log) => {
  const endsAt = (run: RunLog): number | undefined =>
    run.entry?.status?.messages?.at(-1)?.[1]?.timestamp as number | undefined
  const times = log.history.flatMap((id) => {
    const run = log.runs.find(({ prompt_id }) => prompt_id === id)
    return (run && endsAt(run)) ?? []
  })
  const isSorted = times.every((time, at) => time >= (times[at - 1] ?? 0))
  return isSorted ? [] : [`The history lists runs that ended at ${text(times)}, in this order.`]
}

/** What was deleted while it waited, or rejected, leaves nothing. */
export const removedLeaveNothing: Judge = (log) =>
  log.runs.flatMap((run) => {
    if (outcomeOf(log, run) !== 'removed') return []
    const messages = log.sockets.flatMap((socket) => messagesOn(socket).filter(isAbout(run)))
    return [
      run.entry === undefined && !log.history.includes(run.prompt_id)
        ? []
        : [`${nameOf(run)} was deleted while it waited, and is in the history.`],
      messages
        .slice(0, 1)
        .map(({ type }) => `${nameOf(run)} was deleted while it waited, and sent ${type}.`),
    ].flat()
  })
