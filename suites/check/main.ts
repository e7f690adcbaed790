// The command `check` behind its door: probes a server, runs the cases, reports, and removes what it has made.

import { resolve } from 'node:path'
import { checkExitCodes, type CheckOptions } from '../../spec/check.ts'
import type { Place } from '../../spec/language.ts'
import type { Case } from '../judge/proves.ts'
import { openKnown } from './baseline/known.ts'
import { cleanUp } from './clean.ts'
import { commandFor } from './failures.ts'
import { openGateway } from './gateway/target.ts'
import { generationOf, judgementOf } from './judgement.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { listText } from './reports/list.ts'
import { type PlannedCase, planCases } from './plan.ts'
import { commandDeadline, NotMeasured } from './probe/ask.ts'
import { probe } from './probe/probe.ts'
import { allCases } from './registry.ts'
import { endOf, ofServer } from './reports/outcome.ts'
import { type CheckIo, reportsFor } from './reports/reports.ts'
import { runCases } from './run-cases.ts'
import { nearestOf } from './shown-quirks.ts'
import { type CheckedServer, newRunning } from './running.ts'
import { openTarget } from './target.ts'
import { shownUrl } from './probe/unreachable.ts'
import { wrongUse } from './usage.ts'

export { runDiff } from './diff/main.ts'
export { clientCommand } from './duties/main.ts'
export { runReport } from './reports/command.ts'
export { runTrace } from './trace/main.ts'
export { runShrink } from './trace/shrink-main.ts'

/** Judges a server; resolves to the exit code. Throws an error with the code USAGE for wrong usage. */
export async function runCheck(options: CheckOptions, io: CheckIo): Promise<number> {
  const startMs = performance.now()
  try {
    const opened = await openServer(options, io)
    const cases = await allCases()
    const planned = planCases(cases, opened.place, options)
    if (options.isList) {
      io.stdout.write(listText(planned, options.isJson))
      return checkExitCodes.asExpected
    }
    return await judge({ options, io, cases, planned, startMs, ...opened })
  } catch (error) {
    if (!(error instanceof NotMeasured)) throw error
    io.stderr.write(`${error.message}\n`)
    return checkExitCodes.notMeasured
  }
}

/** Removes what an earlier check has left behind; resolves to the exit code. */
export async function runClean(options: CheckOptions, io: CheckIo): Promise<number> {
  const file = resolve(io.cwd, options.ledger)
  const [begun] = io.exists(file) ? openLedger(file).entries() : []
  if (begun?.kind !== 'server') throw wrongUse(`${options.ledger} is not the ledger of a check.`)
  try {
    const { url, deployment } = begun
    const { server, ledger } = await openServer({ ...options, url, deployment }, io)
    const left = ledger === null ? [] : await clean(server, ledger)
    const says = left.length === 0 ? 'All of it is removed.' : 'These cannot be removed:'
    io.stdout.write(`${[says, ...left].join('\n')}\n`)
    return checkExitCodes.asExpected
  } catch (error) {
    if (!(error instanceof NotMeasured)) throw error
    io.stderr.write(`${error.message}\n`)
    return checkExitCodes.notMeasured
  }
}

/** A server that has been asked what it is. */
type OpenedServer = {
  readonly place: Place
  readonly url: string
  readonly software: string | null
  readonly server: CheckedServer
  /** What is made there; a gateway keeps nothing that could be removed. */
  readonly ledger: Ledger | null
}

/** Asks a server what it is, and opens it. */
async function openServer(options: CheckOptions, { cwd }: CheckIo): Promise<OpenedServer> {
  const signal = commandDeadline()
  if (options.gateway !== undefined) {
    const { target, server } = await openGateway(options, options.gateway, signal)
    const { url, software } = target
    return { place: 'gateway', url, software, server, ledger: null }
  }
  const target = await probe(options, signal)
  const { url, deployment, software } = target
  const file = resolve(cwd, options.ledger)
  const ledger = openLedger(file, { kind: 'server', url, deployment, version: 1 })
  const server = openTarget(target, options, ledger)
  return { place: deployment, url, software, server, ledger }
}

/** A check that is under way. */
type Check = OpenedServer & {
  readonly options: CheckOptions
  readonly io: CheckIo
  readonly cases: readonly Case[]
  readonly planned: readonly PlannedCase[]
  readonly startMs: number
}

async function judge(check: Check): Promise<number> {
  const { options, io, cases, place, url, software, server, ledger, planned, startMs } = check
  const reports = reportsFor(options, io)
  const ours = planned.map(({ one }) => one)
  const known = openKnown(options, io, ours, cases)
  const generation = generationOf(place, software)
  reports.take({
    event: 'start',
    version: 1,
    target: { name: options.name ?? shownUrl(url), place, generation, software },
    cases: planned.length,
    startedAt: io.now(),
  })
  const { accept, like } = options
  const judged = { place, generation, accept, ...(like !== undefined && { like }) }
  const running = runCases(planned, server, {
    judge: (one, error) => judgementOf(one, error, judged, known.done),
    commandFor: (one, seed) => commandFor(options, one, seed),
    endMs: startMs + options.maxSeconds * 1000,
    signal: io.signal,
  })
  for await (const event of running) reports.take(known.mark(event))
  const left = ledger === null ? [] : await clean(server, ledger)
  const stale = known.close()
  for (const text of stale) reports.take({ event: 'warning', text })
  const ended = { isStopped: io.signal?.aborted === true, stale: stale.length }
  const end = endOf(known.done, ended, ofServer)
  const nearest = nearestOf(place, known.done)
  reports.take({
    ...end,
    ...(nearest && { nearest }),
    runs: server.runs(),
    durationMs: Math.round(performance.now() - startMs),
    left,
  })
  await reports.end()
  return end.exitCode
}

/** Removes what was made, and returns what is left. A server that is gone keeps it all. */
async function clean(server: CheckedServer, ledger: Ledger): Promise<readonly string[]> {
  let left: readonly string[] = []
  try {
    await server.use(newRunning(), async (subject) => {
      left = await cleanUp(subject, ledger)
    })
  } catch (error) {
    return [`all that ${ledger.file} lists: ${(error as Error).message}`]
  }
  return left
}
