// Laws about the messages of a run on one socket: their order, how they end, and their times.

import { orderFault } from '../judge/judge.ts'
import type { Deployment } from '../../spec/language.ts'
import type { RuleId } from '../../spec/rules.ts'
import { equal, type Finding, law, type Law, shown, unless } from './law.ts'
import type { RunMessages, Trace, TracedRun } from '../../dist/emulator/session/index.js'

export type ReceivedRun = { readonly run: TracedRun; readonly received: RunMessages }

/** Each run with each socket that received of it as its client, and not only of its progress. */
export const receivedRuns = (isWanted: (one: ReceivedRun) => boolean = () => true) =>
  function* ({ runs, place }: Trace): Iterable<ReceivedRun> {
    for (const run of runs)
      for (const received of run.received)
        if ((place === 'hosted' || isOwn(run, received)) && isWanted({ run, received }))
          yield { run, received }
  }

/** Types that a local server sends to everyone if a run has no client. */
export const ofNobody: ReadonlySet<string> = new Set([
  'progress_state',
  'progress',
  'execution_interrupted',
])

/** Whether a socket is the client of a run, as far as the recording says. */
const isOwn = ({ client }: TracedRun, { socket, items }: RunMessages): boolean =>
  client === undefined
    ? items.some(({ message }) => !ofNobody.has(message.type))
    : client !== null && client === socket.clientId

const isFromStart = ({ received }: ReceivedRun): boolean => received.isFromStart

/** Whether a run was received from its submit to its end. */
export const isWhole = ({ received }: ReceivedRun): boolean =>
  received.isFromStart && received.isOver

export const terminals = {
  execution_success: 'success',
  execution_error: 'error',
  execution_interrupted: 'interrupted',
} as const

/** The message that ended a run. */
export const terminalOf = ({ items }: RunMessages): keyof typeof terminals | undefined =>
  items.findLast(({ message }) => Object.hasOwn(terminals, message.type))?.message
    .type as keyof typeof terminals

/** How the history or the job list says that a run ended, and when. */
function knownEnd({ entries, jobs }: TracedRun) {
  for (const { exchange, entry } of entries) {
    const types = entry.status?.messages?.map(([type]: readonly [string]) => type) as
      | readonly string[]
      | undefined
    const type = types?.findLast((one) => Object.hasOwn(terminals, one))
    if (type !== undefined) return { type, atMs: exchange.recorded.endMs }
  }
  for (const { exchange, entry } of jobs) {
    const type = jobEnds[entry.status]
    if (type !== undefined) return { type, atMs: exchange.recorded.endMs }
  }
  return undefined
}

const jobEnds: Readonly<Record<string, string>> = {
  completed: 'execution_success',
  failed: 'execution_error',
  cancelled: 'execution_interrupted',
}

/** Runs that are known to have ended in one of some ways, whose socket stayed open beyond it. */
export const endedWith = (types: readonly string[]) =>
  receivedRuns(({ run, received }) => {
    const end = knownEnd(run)
    const last = received.items.at(-1)
    const later = received.socket.items.at(-1)
    return (
      received.isFromStart &&
      end !== undefined &&
      types.includes(end.type) &&
      last !== undefined &&
      later !== undefined &&
      later.index > last.index &&
      later.atMs > end.atMs
    )
  })

/** The end of a run comes on its socket. */
const ends = (rule: RuleId, type: string): Law =>
  law(rule, endedWith([type]), ({ run, received }) =>
    unless(
      received.items.some(({ message }) => message.type === type),
      { socket: received.socket },
      () => `The run ${run.prompt_id} is over, and no ${type} came.`,
    ),
  )

function timeFaults({ run, received }: ReceivedRun): readonly Finding[] {
  let last = 0
  for (const item of received.items) {
    const { type, data } = item.message
    if (!type.startsWith('execution_')) continue
    const time = data['timestamp']
    // Whether it is an integer, the schema of the message says.
    if (time !== undefined && typeof time !== 'number') continue
    if (time === undefined || time < last)
      return [
        {
          at: { socket: received.socket, item },
          says: `The timestamp of ${type} of ${run.prompt_id} is ${shown(time)}, after ${last}.`,
        },
      ]
    last = time
  }
  return []
}

/** Whether no node of a run expands: the end of one that does comes after those of its parts, which the order does not describe. */
const isPlain = ({ received }: ReceivedRun): boolean =>
  !received.items.some(
    ({ message: { type, data } }) =>
      type === 'progress_state' &&
      Object.values<any>(data['nodes'] ?? {}).some(
        (node) => typeof node?.parent_node_id === 'string',
      ),
  )

const typesOf = ({ items }: RunMessages): readonly string[] =>
  items.map(({ message }) => message.type)

/** Whether the messages of a run are here from its start to its end. */
const isStarted = (one: ReceivedRun): boolean =>
  isWhole(one) && typesOf(one.received).includes('execution_start')

export const orderLaws: readonly Law[] = [
  law('messages/order', receivedRuns(isPlain), ({ run, received }, { place }) => {
    const messages = received.items.map(({ message }) => message)
    const fault = orderFault(place as Deployment, messages, received.isFromStart)
    if (fault === undefined) return []
    const item = received.items[fault.index]
    return [
      {
        at: item === undefined ? { socket: received.socket } : { socket: received.socket, item },
        says: `The run ${run.prompt_id}: ${fault.says}`,
      },
    ]
  }),
  ends('messages/success', 'execution_success'),
  ends('messages/error', 'execution_error'),
  ends('messages/interrupted', 'execution_interrupted'),
  law('messages/executing-null', endedWith(Object.keys(terminals)), ({ run, received }) =>
    unless(
      received.isOver,
      { socket: received.socket },
      () => `The run ${run.prompt_id} is over, and no executing with node null came.`,
    ),
  ),
  law('messages/execution-start', receivedRuns(isFromStart), ({ run, received }) => {
    const types = typesOf(received)
    return unless(
      types.includes('execution_start') || !types.includes('executing'),
      { socket: received.socket },
      () => `The run ${run.prompt_id} executes nodes, and no execution_start came.`,
    )
  }),
  law('messages/timestamps', receivedRuns(), timeFaults),
  law('messages/hosted-one-notification', receivedRuns(isStarted), ({ run, received }) => {
    const types = typesOf(received)
    return equal(
      { socket: received.socket },
      `the place of the first notification of ${run.prompt_id}`,
      types.indexOf('notification'),
      types.indexOf('execution_start') + 1,
    )
  }),
]
