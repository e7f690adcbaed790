// The command `check --recording` behind its door: plays a recorded session on a server, and says what has changed since.

import { resolve } from 'node:path'
import { endpointRules } from '../../../../spec/answers.ts'
import { checkExitCodes, type DriftOptions } from '../../../../spec/check.ts'
import { quirks, rules } from '../../../../spec/index.ts'
import type { Place, Quirks, Rule } from '../../../../spec/language.ts'
import { openKnown } from '../../baseline/known.ts'
import type { CheckEvent } from '../../events.ts'
import { releaseOf, ruleInfosOf } from '../../judgement.ts'
import { clean, openServer } from '../../open-server.ts'
import { NotMeasured } from '../../probe/ask.ts'
import { shownUrl } from '../../probe/unreachable.ts'
import { replaceFile } from '../../output/replace-file.ts'
import { endOf, ofDrift } from '../../reports/outcome.ts'
import { type CheckIo, reportsFor } from '../../reports/reports.ts'
import { newRunning } from '../../running.ts'
import { type Trace, traceOf } from '../../../../dist/emulator/session/index.js'
import type { NamedRecording } from '../main.ts'
import { wireOf } from '../spots.ts'
import { type Difference, worstOf } from './compare.ts'
import {
  comparedFrames,
  comparedRuns,
  frameDifferences,
  replyDifferences,
  runDifferences,
} from './judge.ts'
import { play, type Played } from './play.ts'
import { playPosts } from './posts.ts'
import { quirksBehind, quirksOf } from '../../shown-quirks.ts'
import { judgeTraces } from '../judge-traces.ts'
import { laws } from '../../../laws/index.ts'

type CaseEvent = Extract<CheckEvent, { readonly event: 'case' }>

/** Plays a recording on a server; resolves to the exit code. Throws an error with the code USAGE for wrong usage. */
export async function runDrift(
  options: DriftOptions,
  named: NamedRecording,
  io: CheckIo,
): Promise<number> {
  try {
    return await judge(options, named, io)
  } catch (error) {
    if (!(error instanceof NotMeasured)) throw error
    io.stderr.write(`${error.message}\n`)
    return checkExitCodes.notMeasured
  }
}

/** The trace of a recording that can be played there. */
function playable({ name, recording }: NamedRecording, place: string): Trace {
  const trace = traceOf(recording, name)
  if (trace === undefined) throw new NotMeasured(`${name} contains no request that the spec knows.`)
  if (trace.place !== place)
    throw new NotMeasured(`${name} is of a ${trace.place} server, and this one is ${place}.`)
  return trace
}

async function judge(options: DriftOptions, named: NamedRecording, io: CheckIo): Promise<number> {
  const startMs = performance.now()
  const { place, url, software, server, ledger } = await openServer(options, io)
  const trace = playable(named, place)
  const reports = reportsFor(options, io)
  const running = { ...newRunning(), isRecorded: true } as const
  const cases: CaseEvent[] = []
  await server.use(running, async (subject) => {
    const { gateway } = options
    const played = await (gateway === undefined
      ? play(subject, trace)
      : playPosts(subject, trace, gateway))
    const info = trace.recording.info ?? played.recording.info
    const now = traceOf({ ...played.recording, info }, 'now', place)
    const explain = explainerOf(trace, now, options)
    cases.push(...eventsOf(trace, played, { command: commandOf(options, named.name), explain }))
  })
  const knownCases = cases.map(({ title, rules }) => ({
    title,
    place,
    ids: rules.map(({ id }) => id),
  }))
  // Each recorded request is judged by itself, and none of them by what happens to a file of ours.
  const problem = ledger?.problem()
  if (ledger && problem) {
    await clean(server, ledger)
    throw problem
  }
  const known = openKnown(options, io, knownCases, knownCases)
  reports.take({
    event: 'start',
    version: 1,
    target: {
      name: options.name ?? shownUrl(url),
      place,
      generation: releaseOf(place, software),
      software,
    },
    cases: cases.length,
    startedAt: io.now(),
  })
  for (const event of cases) reports.take(known.mark(event))
  const { names: left } = ledger === null ? { names: [] } : await clean(server, ledger)
  const { stale, warnings } = known.close()
  for (const one of warnings) reports.take(one)
  const end = endOf(known.done, { isStopped: io.signal?.aborted === true, stale }, ofDrift)
  if (options.isUpdate) reports.take({ event: 'warning', text: update(named, end.exitCode, io) })
  const durationMs = Math.round(performance.now() - startMs)
  reports.take({ ...end, runs: server.runs(), durationMs, left })
  await reports.end()
  return end.exitCode
}

/** Writes the date into the recording, if nothing has broken since. */
function update(
  { name, recording }: NamedRecording,
  exitCode: number,
  { cwd, now, writeHar }: CheckIo,
): string {
  if (exitCode !== checkExitCodes.asExpected)
    return `${name} stays as it is: not all of it could be confirmed.`
  const validated = now().slice(0, 10)
  const place = traceOf(recording, name)?.place ?? 'local'
  const info = {
    version: 1,
    origin: 'a recorded session',
    place,
    ...recording.info,
    validated,
  } as const
  replaceFile('the recording', resolve(cwd, name), writeHar({ ...recording, info }))
  return `${name} is validated: ${validated}.`
}

const commandOf = (options: DriftOptions, name: string): string =>
  `flowdouble check --recording ${name} ${shownUrl(options.url)}`

/** The rules of an endpoint that hold at a place. */
const rulesAt = (name: string, place: Place): readonly string[] =>
  ((endpointRules as Readonly<Record<string, readonly string[]>>)[name] ?? []).filter((id) =>
    (rules as Readonly<Record<string, Rule>>)[id]?.on.includes(place),
  )

/** What a failure says besides its differences. */
type Context = {
  readonly command: string
  readonly explain: ReturnType<typeof explainerOf>
}

/** One event for each exchange, and one for each run on each socket. */
function eventsOf(trace: Trace, played: Played, context: Context): readonly CaseEvent[] {
  const { place } = trace
  const replies = played.replayed.map((one): CaseEvent => {
    const { exchange, skip } = one
    const { recorded, path, endpoint } = exchange
    const ids = endpoint === undefined ? [] : rulesAt(endpoint.name, place)
    const described = {
      event: 'case',
      title: `entry ${recorded.entry} [${place}] ${recorded.method} ${path}`,
      area: ids[0]?.split('/')[0] ?? (place === 'gateway' ? 'webhooks' : 'http'),
      place,
      rules: ruleInfosOf({ ids }),
      durationMs: 0,
    } as const
    if (skip) return { ...described, verdict: 'skip', reason: skip.reason, detail: skip.detail }
    const differences = replyDifferences(one, trace, played.identities)
    return withVerdict(described, differences, () => wireOf(trace, { exchange }), context)
  })
  const runs = [...comparedRuns(trace, played)].map((one): CaseEvent => {
    const { run, received } = one
    const described = {
      event: 'case',
      title: `entry ${received.socket.recorded.entry} [${place}] messages of ${run.prompt_id}`,
      area: 'messages',
      place,
      rules: ruleInfosOf({ ids: ['messages/order'] }),
      durationMs: 0,
    } as const
    const [item] = received.items
    const at = item === undefined ? { socket: received.socket } : { socket: received.socket, item }
    return withVerdict(described, runDifferences(one, played), () => wireOf(trace, at), context)
  })
  const frames = comparedFrames(trace, played).map((socket): CaseEvent => {
    const described = {
      event: 'case',
      title: `entry ${socket.recorded.entry} [${place}] frames`,
      area: 'frames',
      place,
      rules: ruleInfosOf({ ids: ['frames/preview'] }),
      durationMs: 0,
    } as const
    const differences = frameDifferences(socket, played.sessions.get(socket))
    return withVerdict(described, differences, () => wireOf(trace, { socket }), context)
  })
  return [...replies, ...runs, ...frames]
}

/** How many differences a report shows. */
const MAX_SHOWN = 5

function withVerdict(
  described: Omit<CaseEvent, 'verdict'>,
  differences: readonly Difference[],
  wire: () => NonNullable<CaseEvent['failure']>['wire'],
  { command, explain }: Context,
): CaseEvent {
  const drift = worstOf(differences)
  if (drift === 'same') return { ...described, verdict: 'pass' }
  const shown = differences.filter((one) => one.drift === drift).slice(0, MAX_SHOWN)
  const message = `${drift}: ${shown.map(({ says }) => says).join('; ')}.`
  if (drift === 'cosmetic') return { ...described, verdict: 'note', detail: message }
  const behind = explain(described.rules.map(({ id }) => id))
  const failure = { message, wire: wire(), command }
  if (behind === undefined) return { ...described, verdict: 'fail', detail: message, failure }
  const { quirk, says, isAccepted } = behind
  const detail = `${message} The quirk ${quirk} would explain it: ${says}`
  return isAccepted
    ? { ...described, verdict: 'note', quirk, detail, failure }
    : {
        ...described,
        verdict: 'fail',
        quirk,
        detail: `${detail} --accept ${quirk} makes it a note.`,
        failure,
      }
}

/** A quirk, and whether the operator accepts it. */
type Explanation = {
  readonly quirk: string
  readonly says: string
  readonly isAccepted: boolean
}

type Accepted = { readonly accept: readonly string[]; readonly like?: string }

const brokenIn = (trace: Trace | undefined): ReadonlySet<string> =>
  new Set(
    judgeTraces(trace === undefined ? [] : [trace], laws)
      .filter(({ found }) => found.length > 0)
      .flatMap(({ ids }) => ids),
  )

const areaOf = (id: string): string => id.split('/')[0] ?? ''

/** Areas that say the same of runs in several places. */
const aboutRuns: ReadonlySet<string> = new Set(['runs', 'messages', 'history', 'jobs', 'frames'])

/** Explains a change by the quirks whose rules one of the two servers keeps, and the other breaks. */
function explainerOf(
  then: Trace,
  now: Trace | undefined,
  { accept, like }: Accepted,
): (rules: readonly string[]) => Explanation | undefined {
  const [before, after] = [brokenIn(then), brokenIn(now)]
  const changed = [...before, ...after].filter((id) => before.has(id) !== after.has(id))
  const accepted = new Set([...accept, ...(like === undefined ? [] : quirksOf(like))])
  return (rules) => {
    const areas = new Set(rules.map(areaOf))
    const isNear = (id: string): boolean =>
      rules.includes(id) ||
      areas.has(areaOf(id)) ||
      (aboutRuns.has(areaOf(id)) && [...areas].some((area) => aboutRuns.has(area)))
    const found = quirksBehind(changed.filter(isNear), then.place, [])
    const quirk = found.find((id) => accepted.has(id)) ?? found[0]
    if (quirk === undefined) return undefined
    const says = (quirks as Quirks)[quirk as keyof Quirks]?.quirk ?? quirk
    return { quirk, says, isAccepted: accepted.has(quirk) }
  }
}
