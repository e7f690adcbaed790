// What a session showed on a server, in a form in which two servers can be compared: without what may differ, and without
// what depends on how fast they are.

import {
  audienceOf,
  isAbout,
  messagesOn,
  outcomeOf,
  type RunLog,
  type SessionLog,
} from '../sessions/log.ts'
import { kindOf, type Message } from '../../judge/judge.ts'
import { mayDiffer } from './may-differ.ts'

/** Facts by what they are about. */
export type Transcript = ReadonlyMap<string, unknown>

/** A value in which what may differ is replaced. */
function plain(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return ids.get(value) ?? value
  if (Array.isArray(value)) return value.map((one) => plain(one, ids))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const row = mayDiffer.find(({ keys }) => keys.has(key))
      return [key, row === undefined ? plain(one, ids) : row.as(one)]
    }),
  )
}

/** The facts of a session. */
export function transcriptOf(log: SessionLog): Transcript {
  const ids = new Map(log.runs.map(({ prompt_id, run }) => [prompt_id, `<run ${run}>`]))
  const facts = new Map<string, unknown>()
  for (const run of log.runs)
    for (const [what, value] of factsOf(log, run))
      facts.set(`run ${run.run} (${run.work}), ${what}`, plain(value, ids))
  for (const { name, status, contentType, bytes, sent, run } of log.files)
    facts.set(
      sent === undefined ? `file of run ${run} ${name.replace(/\d{5}_|_temp_\w+/g, '')}` : 'upload',
      sent === undefined ? [status, contentType] : [status, contentType, bytes.length],
    )
  const slow = new Set(log.runs.flatMap((run) => (run.work === 'slow' ? [run.prompt_id] : [])))
  // What waits behind a slow run does not depend on how fast the server is.
  const still = log.looks.filter(({ running }) => running.some(([, id]) => slow.has(id)))
  for (const { step, pending } of log.isShared ? [] : still)
    facts.set(
      `queue at step ${step}, waiting`,
      pending.map(([, id]) => ids.get(id as string) ?? '<another run>'),
    )
  return facts
}

/**
 * The messages of a run with several outputs, which a server executes in any order: all but the first and the last by
 * what they say, without the states that depend on what came before.
 */
const inAnyOrder = (all: readonly Message[]): readonly Message[] => [
  ...all.slice(0, 1),
  ...all
    .slice(1, -1)
    .filter(({ type }) => type !== 'progress_state')
    .toSorted((a, b) => compareTexts(orderOf(a), orderOf(b))),
  ...all.slice(-1),
]
const orderOf = ({ type, data }: Message): string => `${String(data['node'])} ${type}`
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

type Fact = readonly [what: string, value: unknown]

function factsOf(log: SessionLog, run: RunLog): readonly Fact[] {
  const reply: Fact = ['reply to the submit', [run.reply.status, run.reply.body]]
  const outcome = outcomeOf(log, run)
  if (run.prompt_id === '' || outcome === 'any') return [reply]
  const arrived = audienceOf(log, run).map((socket) => messagesOn(log, socket).filter(isAbout(run)))
  const isTimed = run.work === 'slow'
  const sent: readonly Fact[] = arrived
    .slice(0, 1)
    .map((all) => [
      'messages',
      isTimed
        ? all.map(kindOf).filter((kind) => kind.startsWith('execution_'))
        : run.planned.targets.length > 1
          ? inAnyOrder(all)
          : all,
    ])
  const { outputs, status } = run.entry ?? {}
  const kept = isTimed
    ? { status_str: status?.status_str, completed: status?.completed }
    : { outputs, status }
  const others = log.sockets
    .filter((socket) => !audienceOf(log, run).includes(socket))
    .flatMap((socket) => messagesOn(log, socket).filter(isAbout(run)).map(kindOf))
  return [
    reply,
    ...sent,
    ['number of listeners', arrived.length],
    ['history', [run.historyStatus, run.entry === undefined ? 'no entry' : kept]],
    ...(arrived.length === 0
      ? []
      : [['messages at other clients', isTimed ? [...new Set(others)] : others] as const]),
  ]
}
