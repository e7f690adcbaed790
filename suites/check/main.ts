// The command `check` behind its door: probes a server, runs the cases, reports, and removes what it has made.

import { resolve } from 'node:path'
import { checkExitCodes, type CheckOptions } from '../../spec/check.ts'
import type { Case } from '../judge/proves.ts'
import type { Baseline } from '../../spec/baseline.ts'
import { baselineBefore, openKnown } from './baseline/known.ts'
import { commandFor } from './failures/failures.ts'
import { releaseOf, judgementOf } from './judgement.ts'
import { openLedger } from './ledger.ts'
import { clean, type OpenedServer, openServer } from './open-server.ts'
import { NotMeasured } from './probe/ask.ts'
import {
  isOfQuirk,
  asPlanned,
  enoughRuns,
  filesLeft,
  listText,
  type PlannedCase,
  planCases,
  requireMatches,
  usualRuns,
} from './plan.ts'
import { allCases } from './registry.ts'
import { endOf, ofServer, shareOf } from './reports/outcome.ts'
import { type CheckIo, reportsFor } from './reports/reports.ts'
import { runCases } from './run-cases.ts'
import { nearestOf } from './shown-quirks.ts'
import { shownUrl } from './probe/unreachable.ts'
import { wrongUse } from './usage.ts'
import { described, type Generation } from '../../spec/generations.ts'
import { serverOfGeneration } from '../../spec/truth/servers.ts'

export { runDiff } from './diff/main.ts'
export { clientCommand } from './duties/main.ts'
export { runReport } from './reports/reports.ts'
export { runDrift } from './trace/drift/main.ts'
export { runTrace } from './trace/main.ts'
export { runShrink } from './trace/shrink-main.ts'

/** Judges a server; resolves to the exit code. Throws an error with the code USAGE for wrong usage. */
export async function runCheck(options: CheckOptions, io: CheckIo): Promise<number> {
  const startMs = performance.now()
  // What cannot be used is said before the server is asked.
  const before = baselineBefore(options, io)
  const cases = await allCases()
  requireMatches(cases, options.select, io.didYouMean)
  return measured(io, async () => {
    const opened = await openServer(options, io, (where) => usualRuns(cases, where, options))
    const planned = planCases(cases, opened, { ...options, maxRuns: opened.maxRuns })
    if (!options.isList) return judge({ options, io, before, cases, planned, startMs, ...opened })
    io.stdout.write(listText(planned, options.isJson))
    return checkExitCodes.asExpected
  })
}

/** The exit code of what asks a server, which may not be one that can be judged. */
async function measured({ stderr }: CheckIo, run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof NotMeasured)) throw error
    stderr.write(`${error.message}\n`)
    return checkExitCodes.notMeasured
  }
}

/** Removes what an earlier check has left behind; resolves to the exit code. */
export async function runClean(options: CheckOptions, io: CheckIo): Promise<number> {
  const file = resolve(io.cwd, options.ledger)
  if (!io.exists(file)) throw wrongUse(`There is no file ${options.ledger}.`)
  const [begun] = openLedger(file).entries()
  if (begun?.kind !== 'server') throw wrongUse(`${options.ledger} is not the ledger of a check.`)
  const { url, deployment } = begun
  return measured(io, async () => {
    const { server, ledger } = await openServer({ ...options, url, deployment }, io)
    const { names, isWorthATry } =
      ledger === null ? { names: [], isWorthATry: false } : await clean(server, ledger)
    io.stdout.write(`${[leftText(names, isWorthATry, options.ledger), ...names].join('\n')}\n`)
    return isWorthATry ? checkExitCodes.notMeasured : checkExitCodes.asExpected
  })
}

function leftText(names: readonly string[], isWorthATry: boolean, file: string): string {
  if (names.length === 0) return 'All of it is removed.'
  return isWorthATry
    ? `These were not removed; ${file} keeps them for another try:`
    : `These cannot be removed, and are forgotten; ${file} is gone:`
}

/** A check that is under way. */
type Check = OpenedServer & {
  readonly options: CheckOptions
  readonly io: CheckIo
  readonly before: Baseline
  readonly cases: readonly Case[]
  readonly planned: readonly PlannedCase[]
  readonly startMs: number
}

/** The named server of a later generation; undefined for the first. */
const laterServer = (generation: Generation): string | undefined =>
  generation === described ? undefined : serverOfGeneration(generation)

async function judge(check: Check): Promise<number> {
  const {
    options,
    io,
    before,
    cases,
    place,
    generation,
    url,
    software,
    library,
    maxRuns,
    server,
    ledger,
    kept,
    planned,
    startMs,
  } = check
  const reports = reportsFor(options, io)
  const ours = planned.map(({ one }) => one)
  const known = openKnown(options, io, ours, cases, before)
  const release = releaseOf(place, software)
  const enough = enoughRuns(planned)
  reports.take({
    event: 'start',
    version: 1,
    target: { name: options.name ?? shownUrl(url), place, generation: release, software },
    cases: planned.length,
    startedAt: io.now(),
    plan: {
      maxRuns,
      stated: shareOf(planned.map(asPlanned), enough),
      // A hosted server keeps what it keeps for its account, and a gateway has no files.
      ...(place === 'local' && !options.isReadOnly && { files: filesLeft(planned) }),
    },
  })
  // Later servers are judged by what real ones of their generation do: the description is not about them.
  const { accept, like = laterServer(generation) } = options
  const judged = {
    place,
    generation,
    release,
    library,
    accept,
    ...(like !== undefined && { like }),
  }
  let missed: ReadonlySet<string> = new Set()
  const elsewhere = new Map<string, string>()
  const running = runCases(planned, server, {
    judge: (one, error, absent) => {
      missed = absent
      return judgementOf(one, error, judged, known.done, absent)
    },
    quirkCases: cases.filter((one) => one.place === place && isOfQuirk(one.ids)),
    commandFor: (one, seed) => commandFor(options, one, seed),
    maxRuns,
    endMs: startMs + options.maxSeconds * 1000,
    signal: io.signal,
    laws: { generation, elsewhere },
    writeHar: io.writeHar,
    kept,
  })
  try {
    for await (const event of running) reports.take(known.mark(event))
  } catch (error) {
    if (ledger !== null) await clean(server, ledger)
    throw error
  }
  // What reads alone has made nothing.
  const { names: left } =
    ledger === null || options.isReadOnly ? { names: [] } : await clean(server, ledger)
  for (const text of elsewhere.values()) reports.take({ event: 'warning', text })
  const { stale, warnings } = known.close()
  for (const one of warnings) reports.take(one)
  const ended = { isStopped: io.signal?.aborted === true, stale }
  const end = endOf(known.done, ended, ofServer)
  const nearest = nearestOf({ place, generation }, known.done, missed)
  reports.take({
    ...end,
    // A server that breaks rules for which no quirk stands does not resemble one that keeps them.
    ...(nearest && (end.counts.fail === 0 || nearest.differs.length > 0) && { nearest }),
    runs: server.runs(),
    stated: shareOf(known.done, enough),
    durationMs: Math.round(performance.now() - startMs),
    left,
  })
  await reports.end()
  return end.exitCode
}
