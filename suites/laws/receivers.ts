// Laws about who receives the messages of a run, and about the statuses that all receive.

import { type Finding, law, type Law, shown, unless } from './law.ts'
import type {
  RunMessages,
  Trace,
  TracedRun,
  TracedSocket,
} from '../../dist/emulator/session/index.js'
import {
  endedWith,
  ofNobody,
  type ReceivedRun,
  receivedRuns,
  isWhole,
  terminalOf,
  terminals,
} from './order.ts'

/** Each run whose submit was recorded, with each socket that received anything of it. */
const submitted = (isWanted: (run: TracedRun) => boolean) =>
  function* ({ runs }: Trace): Iterable<ReceivedRun> {
    for (const run of runs)
      if (run.submit !== undefined && isWanted(run))
        for (const received of run.received) yield { run, received }
  }

const first = (received: RunMessages, says: string): Finding => {
  const [item] = received.items
  return {
    at: item === undefined ? { socket: received.socket } : { socket: received.socket, item },
    says,
  }
}

/** Runs that were submitted after a newer socket of their client was open, received on an older one. */
function* behindNewer(trace: Trace): Iterable<ReceivedRun & { readonly isOlder: boolean }> {
  const byClient = new Map<string | null, TracedSocket[]>()
  for (const socket of trace.sockets) {
    const known = byClient.get(socket.clientId)
    if (known === undefined) byClient.set(socket.clientId, [socket])
    else known.push(socket)
  }
  for (const one of submitted(({ client }) => typeof client === 'string')(trace)) {
    const { run, received } = one
    const own = byClient.get(run.client ?? null) ?? []
    if (own.length < 2 || !own.includes(received.socket)) continue
    const startMs = run.submit?.recorded.startMs ?? 0
    const isOlder = own.some(({ openMs }) => openMs > received.socket.openMs && openMs <= startMs)
    yield { ...one, isOlder }
  }
}

/** Pairs of sockets of one hosted account that both received a run from its submit. */
function* together({
  runs,
}: Trace): Iterable<readonly [run: TracedRun, a: RunMessages, b: RunMessages]> {
  for (const run of runs) {
    const [a, ...others] = run.received.filter(({ isFromStart }) => isFromStart)
    if (a === undefined) continue
    for (const b of others)
      if (a.socket.token !== null && a.socket.token === b.socket.token) yield [run, a, b]
  }
}

/** The text of a message. */
const textAt = ({ socket, items }: RunMessages, at: number): unknown =>
  socket.recorded.messages[items[at]?.index ?? -1]?.data

/** The first index at which two lists differ, up to the end of the shorter one; -1 without one. */
function differing(a: RunMessages, b: RunMessages): number {
  const length = Math.min(a.items.length, b.items.length)
  for (let at = 0; at < length; at++) if (textAt(a, at) !== textAt(b, at)) return at
  return -1
}

type Count = {
  readonly item: TracedSocket['items'][number]
  readonly count: number
  /** When it came; not before those ahead of it, whatever the recording says. */
  readonly sinceMs: number
}

/** The counts in the statuses of a socket, with their positions. */
function countsOf({ items }: TracedSocket): readonly Count[] {
  const counts: Count[] = []
  let sinceMs = -Infinity
  for (const item of items) {
    if (item.message?.type !== 'status') continue
    const { status } = item.message.data as Record<string, any>
    const count: unknown = status?.exec_info?.queue_remaining
    sinceMs = Math.max(sinceMs, item.atMs)
    if (typeof count === 'number') counts.push({ item, count, sinceMs })
  }
  return counts
}

/** The first position in a list from which on a condition holds, which then holds to its end. */
function firstWhere<One>(all: readonly One[], holds: (one: One) => boolean): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(all[middle] as One)) high = middle
    else low = middle + 1
  }
  return low
}

/** Runs that succeeded or failed before their socket, with the statuses between their submit and their end. */
function* counted(trace: Trace) {
  const counts = new Map(trace.sockets.map((socket) => [socket, countsOf(socket)]))
  const wanted = receivedRuns(
    (one) => isWhole(one) && terminalOf(one.received) !== 'execution_interrupted',
  )
  for (const { run, received } of wanted(trace)) {
    const start = received.items.find(({ message }) => message.type === 'execution_start')
    const end = received.items.findLast(({ message }) => message.type.startsWith('execution_'))
    const last = received.items.at(-1)
    if (start === undefined || end === undefined || last === undefined) continue
    const submitMs = run.submit?.recorded.startMs ?? Infinity
    const all = counts.get(received.socket) ?? []
    // Positions instead of the statuses themselves: of a run that waited long there are as many as of all before it.
    const from = firstWhere(all, ({ sinceMs }) => sinceMs >= submitMs)
    const to = firstWhere(all, ({ item }) => item.index >= last.index)
    yield { run, received, start, end, all, from, to }
  }
}

type Counted = ReturnType<typeof counted> extends Generator<infer One> ? One : never

/** While a run is at work, a status counts at least that run. */
function countFaults({ run, received, start, end, all, from }: Counted): readonly Finding[] {
  const begin = Math.max(
    from,
    firstWhere(all, ({ item }) => item.index > start.index),
  )
  const stop = firstWhere(all, ({ item }) => item.index >= end.index)
  return all
    .slice(begin, stop)
    .filter(({ count }) => count < 1)
    .slice(0, 1)
    .map(({ item, count }) => ({
      at: { socket: received.socket, item },
      says: `A status counts ${count} runs while ${run.prompt_id} is at work.`,
    }))
}

/** The runs that start at a socket whose runs all have a recorded submit: nothing waited when it opened. */
function* startedRuns({ sockets, runs, exchanges }: Trace): Iterable<ReceivedRun> {
  const isLost = exchanges.some(
    ({ endpoint, status, hasBody }) => endpoint?.name === 'submit' && (status === 0 || !hasBody),
  )
  if (isLost || !exchanges.some(({ endpoint }) => endpoint?.name === 'submit')) return
  const idle = new Set(
    sockets.filter((socket) => socket.clientId !== null && countsOf(socket)[0]?.count === 0),
  )
  // A submit that is still under way when the recording ends is not part of it.
  const lastMs = exchanges.at(-1)?.recorded.startMs ?? 0
  const isStart = (item: RunMessages['items'][number] | undefined): boolean =>
    item?.message.type === 'execution_start' && item.atMs < lastMs
  for (const run of runs)
    for (const received of run.received)
      if (idle.has(received.socket) && isStart(received.items[0])) yield { run, received }
}

export const receiverLaws: readonly Law[] = [
  law(
    'messages/own-client',
    submitted(({ client }) => typeof client === 'string'),
    ({ run, received }) =>
      unless(
        received.socket.clientId === run.client,
        first(received, '').at,
        () =>
          `The client ${shown(received.socket.clientId)} received a message of ${run.prompt_id}, which is of ${shown(run.client)}.`,
      ),
  ),
  law(
    'messages/no-client',
    submitted(({ client }) => client === null),
    ({ run, received }) =>
      received.items
        .filter(({ message }) => !ofNobody.has(message.type))
        .slice(0, 1)
        .map((item) => ({
          at: { socket: received.socket, item },
          says: `A client received ${item.message.type} of ${run.prompt_id}, which has no client.`,
        })),
  ),
  law(
    ['messages/newest-socket', 'messages/older-socket'],
    behindNewer,
    ({ run, received, isOlder }) =>
      isOlder
        ? [
            first(
              received,
              `The older socket of ${shown(run.client)} received a message of ${run.prompt_id}.`,
            ),
          ]
        : [],
  ),
  law('messages/hosted-all-connections', together, ([run, a, b]) => {
    const at = differing(a, b)
    const item = b.items[at]
    return at < 0 || item === undefined
      ? []
      : [
          {
            at: { socket: b.socket, item },
            says: `Another socket of the account received ${shown(a.items[at]?.message)} of ${run.prompt_id} instead.`,
          },
        ]
  }),
  law('messages/hosted-all-connections', endedWith(Object.keys(terminals)), ({ run, received }) =>
    unless(
      terminalOf(received) !== undefined,
      { socket: received.socket },
      () =>
        `The run ${run.prompt_id} is over, and a socket of its account has not received its end.`,
    ),
  ),
  law('messages/status-of-a-run', counted, (one) =>
    unless(
      one.to - one.from >= 2 && (one.all[one.from]?.item.index ?? Infinity) < one.start.index,
      { socket: one.received.socket, item: one.start },
      () =>
        `Of ${one.run.prompt_id} came ${Math.max(0, one.to - one.from)} statuses; there is one when it is queued, and one when it starts.`,
    ),
  ),
  law('messages/status', counted, countFaults),
  law('messages/executing-null-last', counted, (one) =>
    unless(
      one.to > one.from && (one.all[one.to - 1]?.item.index ?? -1) > one.end.index,
      { socket: one.received.socket, item: one.end },
      () => `No status came between the end of ${one.run.prompt_id} and executing with node null.`,
    ),
  ),
  law('messages/own-client', startedRuns, ({ run, received }) =>
    run.submit === undefined
      ? [
          first(
            received,
            `The run ${run.prompt_id} starts, and no recorded submit returned its id.`,
          ),
        ]
      : [],
  ),
]
