// Invariants of the messages that a run sends.

import { judgeOrder, kindOf, type Message } from '../../../judge/judge.ts'
import {
  audienceOf,
  isAbout,
  messagesOn,
  nameOf,
  outcomeOf,
  type RunLog,
  type SessionLog,
  terminals,
} from '../log.ts'
import { equal, type Judge, text } from './judge.ts'

/** The accepted runs, each with what one of its listeners received about it. */
function received(
  log: SessionLog,
): readonly (readonly [run: RunLog, messages: readonly Message[]])[] {
  return log.runs.flatMap((run) => {
    const [socket] = run.prompt_id === '' ? [] : audienceOf(log, run)
    return socket === undefined ? [] : [[run, messagesOn(socket).filter(isAbout(run))] as const]
  })
}

const typesOf = (messages: readonly Message[], type: string): readonly Message[] =>
  messages.filter((one) => one.type === type)

/** Runs of which all messages have to arrive: they start, and are not cut off by another step. */
const whole = (log: SessionLog) =>
  received(log).filter(([run]) => ['success', 'error', 'interrupted'].includes(outcomeOf(log, run)))

export const fitsSchema: Judge = ({ sockets }) =>
  sockets.flatMap(({ client, faults }) => faults.map((fault) => `client ${client}: ${fault}`))

/** The first key of each message is its type. */
export const typeComesFirst: Judge = ({ sockets }) =>
  sockets.flatMap((socket) =>
    messagesOn(socket)
      .filter((message) => Object.keys(message)[0] !== 'type')
      .slice(0, 1)
      .map(
        (message) => `client ${socket.client}: the message ${text(message)} has its type later.`,
      ),
  )

export const followsOrder: Judge = (log) =>
  whole(log).flatMap(([run, messages]) =>
    judgeOrder(log.deployment, messages).map(
      (fault) => `${nameOf(run)}: ${fault} Its messages: ${messages.map(kindOf).join(' ')}`,
    ),
  )

const endTypes: readonly string[] = Object.values(terminals)

/** Each run has one message that ends it, of the right type. */
export const endsOnce: Judge = (log) =>
  whole(log).flatMap(([run, messages]) => {
    const expected = terminals[outcomeOf(log, run) as keyof typeof terminals]
    const ends = messages.map(({ type }) => type).filter((type) => endTypes.includes(type))
    return equal(`${nameOf(run)}: the messages that end it`, ends, [expected])
  })

/** A run is over once: `executing` with node null comes once, as the last message. */
export const endsWithNull: Judge = (log) =>
  whole(log).flatMap(([run, messages]) => {
    const at = messages.flatMap((message, index) =>
      kindOf(message) === 'executing_null' ? [index] : [],
    )
    return equal(`${nameOf(run)}: the places of executing with node null`, at, [
      messages.length - 1,
    ])
  })

/** What runs, runs once, and is not among the cached nodes; together they are what the run needs. */
export const runsWhatIsNeeded: Judge = (log) =>
  whole(log).flatMap(([run, messages]) => {
    const ran = typesOf(messages, 'executing').flatMap(({ data }) =>
      typeof data['node'] === 'string' ? [data['node']] : [],
    )
    const cached = cachedIn(messages)
    const { needed } = run.planned
    const isComplete = outcomeOf(log, run) === 'success'
    const both = [...cached, ...ran]
    return [
      new Set(both).size < both.length
        ? [
            `${nameOf(run)}: a node occurs twice among the cached ${text(cached)} and those that ran ${text(ran)}.`,
          ]
        : [],
      both
        .filter((id) => !needed.includes(id))
        .map((id) => `${nameOf(run)}: node ${id} ran or was cached, but the run does not need it.`),
      isComplete ? equal(`${nameOf(run)}: its nodes`, both.toSorted(), needed.toSorted()) : [],
    ].flat()
  })

const cachedIn = (messages: readonly Message[]): readonly string[] =>
  typesOf(messages, 'execution_cached').flatMap(({ data }) => data['nodes'] as string[])

/** A run of the same graph as the one before it runs nothing; a graph that nobody has sent is not cached. */
export const cachesTheLast: Judge = (log) => {
  if (log.isShared) return []
  const accepted = log.runs.filter((run) => run.prompt_id !== '')
  return whole(log).flatMap(([run, messages]) => {
    if (outcomeOf(log, run) !== 'success') return []
    const at = accepted.indexOf(run)
    const before = accepted[at - 1]
    if (isFollowing(log, before, run) && text(before.planned.graph) === text(run.planned.graph))
      return equal(
        `${nameOf(run)}, the same again: its cached nodes`,
        [...cachedIn(messages)].toSorted(),
        [...run.planned.needed].toSorted(),
      )
    const isNew = !accepted.slice(0, at).some((one) => isAlike(one, run))
    return isNew && run.work !== 'part'
      ? equal(`${nameOf(run)}, a new graph: its cached nodes`, cachedIn(messages), [])
      : []
  })
}

/** Whether a run is the next that ran after another, which was over when it was submitted and succeeded. */
const isFollowing = (log: SessionLog, before: RunLog | undefined, run: RunLog): before is RunLog =>
  before?.over !== undefined &&
  before.over < run.submitted &&
  outcomeOf(log, before) === 'success' &&
  before.planned.targets.length === run.planned.targets.length

const isAlike = (left: RunLog, right: RunLog): boolean =>
  left.work === right.work && left.variant === right.variant

/** The message `executed` of each output node, with the text that the graph gave it. */
export const showsOutputs: Judge = (log) =>
  whole(log).flatMap(([run, messages]) => {
    const shown = typesOf(messages, 'executed').map(({ data }) => data)
    const { targets, texts = {}, files = {} } = run.planned
    const isComplete = outcomeOf(log, run) === 'success'
    return [
      isComplete
        ? equal(
            `${nameOf(run)}: the nodes that sent executed`,
            shown.map(({ node }) => node as string).toSorted(),
            targets.toSorted(),
          )
        : [],
      shown.flatMap(({ node, output }: any) =>
        [
          node in texts && isComplete
            ? equal(`${nameOf(run)}: the output of node ${node}`, output?.text, [texts[node]])
            : [],
          node in files && isComplete
            ? equal(
                `${nameOf(run)}: the number of files of node ${node}`,
                output?.images?.length,
                files[node]?.count,
              )
            : [],
        ].flat(),
      ),
    ].flat()
  })

/** progress_state holds every node so far; at the end all that ran are finished. */
export const progressIsComplete: Judge = (log) =>
  whole(log).flatMap(([run, messages]) => {
    const states = typesOf(messages, 'progress_state').map(({ data }) => data['nodes'] as any)
    const seen = new Set<string>()
    const lost = states.flatMap((nodes) => {
      const gone = [...seen].filter((id) => !(id in nodes))
      for (const id of Object.keys(nodes)) seen.add(id)
      return gone
    })
    const ran = typesOf(messages, 'executing').flatMap(({ data }) => data['node'] ?? [])
    const last = states.at(-1) ?? {}
    const unfinished =
      outcomeOf(log, run) === 'success'
        ? (ran as string[]).filter((id) => last[id]?.state !== 'finished')
        : []
    return [
      lost.slice(0, 1).map((id) => `${nameOf(run)}: a later progress_state lacks node ${id}.`),
      unfinished
        .slice(0, 1)
        .map(
          (id) =>
            `${nameOf(run)}: the last progress_state does not say that node ${id} has finished.`,
        ),
    ].flat()
  })

/** progress_state holds nodes of its run alone. */
export const progressIsOwn: Judge = (log) =>
  whole(log).flatMap(([run, messages]) =>
    typesOf(messages, 'progress_state')
      .flatMap(({ data }) => Object.entries<any>(data['nodes'] as object))
      .filter(
        ([id, { prompt_id, node_id }]) =>
          !run.planned.needed.includes(id) ||
          (prompt_id ?? run.prompt_id) !== run.prompt_id ||
          (node_id ?? id) !== id,
      )
      .slice(0, 1)
      .map(([id, state]) => `${nameOf(run)}: a progress_state says of node ${id}: ${text(state)}.`),
  )

/** The times of a run do not run backwards, and lie in its time. */
export const timesIncrease: Judge = (log) =>
  whole(log).flatMap(([run, messages]) => {
    const times = messages.flatMap(({ type, data }) =>
      type.startsWith('execution_') ? [data['timestamp'] as number] : [],
    )
    const isSorted = times.every(
      (time, at) => Number.isInteger(time) && time >= (times[at - 1] ?? 0),
    )
    return isSorted ? [] : [`${nameOf(run)}: its timestamps are ${text(times)}.`]
  })

/** A failure names its node and the nodes that ran before it. */
export const failureIsNamed: Judge = (log) =>
  whole(log).flatMap(([run, messages]) => {
    if (outcomeOf(log, run) !== 'error') return []
    const { fails, needed } = run.planned
    return typesOf(messages, 'execution_error').flatMap(({ data }: any) =>
      [
        equal(`${nameOf(run)}: the node that failed`, data.node_id, fails),
        data.traceback?.length > 0 ? [] : [`${nameOf(run)}: the traceback is empty.`],
        (data.executed ?? [])
          .filter((id: string) => !needed.includes(id) || id === fails)
          .map((id: string) => `${nameOf(run)}: executed contains ${id}, which did not finish.`),
        needed
          .filter((id) => id !== fails && !data.executed?.includes(id))
          .map((id) => `${nameOf(run)}: executed lacks ${id}, which finished.`),
      ].flat(),
    )
  })

/** A hosted run sends one notification, right after its start. */
export const notifiesOnce: Judge = (log) =>
  whole(log).flatMap(([run, messages]) => {
    const types = messages.map(({ type }) => type)
    const at = types.flatMap((type, index) => (type === 'notification' ? [index] : []))
    return equal(`${nameOf(run)}: the places of its notifications`, at, [
      types.indexOf('execution_start') + 1,
    ])
  })
