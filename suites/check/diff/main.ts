// The command `diff` behind its door: plays the same sessions on two servers, and says what differs.

import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkExitCodes, type DiffOptions } from '../../../spec/check.ts'
import { openLedger } from '../ledger.ts'
import { commandDeadline, NotMeasured } from '../probe/ask.ts'
import { probe } from '../probe/probe.ts'
import { sessionOf } from '../sessions/generate.ts'
import type { SessionLog } from '../sessions/log.ts'
import { freshSalt, play } from '../sessions/play.ts'
import { shrink } from '../sessions/shrink.ts'
import type { Session } from '../sessions/steps.ts'
import { type CheckedServer, newRunning } from '../running.ts'
import { openTarget } from '../target.ts'
import { type Difference, differencesOf, signatureOf } from './compare.ts'
import { transcriptOf } from './transcript.ts'

type Io = {
  readonly stdout: { write: (text: string) => unknown }
  readonly stderr: { write: (text: string) => unknown }
}

/** What one session showed. */
type Found = { readonly steps: Session; readonly differences: readonly Difference[] }

/** Compares two servers; resolves to the exit code. */
export async function runDiff(options: DiffOptions, { stdout, stderr }: Io): Promise<number> {
  try {
    const servers = await openBoth(options)
    let count = 0
    for (let at = 0; at < options.sessions; at++) {
      const seed = options.seed + at
      const found = await compareOn(servers, sessionOf(seed))
      count += found.differences.length
      for (const line of linesOf(options, seed, found)) stdout.write(`${line}\n`)
    }
    stdout.write(`${endLine(options, count)}\n`)
    return count > 0 ? checkExitCodes.ruleBroken : checkExitCodes.asExpected
  } catch (error) {
    if (!(error instanceof NotMeasured)) throw error
    stderr.write(`${error.message}\n`)
    return checkExitCodes.notMeasured
  }
}

type Servers = readonly [a: CheckedServer, b: CheckedServer]

async function openBoth({ a, b }: DiffOptions): Promise<Servers> {
  const signal = commandDeadline()
  const [first, second] = await Promise.all([probe(a, signal), probe(b, signal)])
  if (new URL(a.url).host === new URL(b.url).host)
    throw new NotMeasured('Both addresses name the same server.')
  if (first.deployment !== second.deployment)
    throw new NotMeasured(
      `The first server is ${first.deployment}, the second ${second.deployment}: only servers of one deployment can be compared.`,
    )
  const ledger = openLedger(join(tmpdir(), `flowdouble-diff-${process.pid}.ndjson`))
  process.once('exit', () => rmSync(ledger.file, { force: true }))
  return [openTarget(first, a, ledger), openTarget(second, b, ledger)]
}

/** Plays a session on both servers, and shortens it as long as something differs. */
async function compareOn(servers: Servers, first: Session): Promise<Found> {
  const compared = async (steps: Session): Promise<Found> => {
    const salt = freshSalt()
    const [a, b] = await Promise.all(servers.map((server) => playOn(server, steps, salt)))
    return {
      steps,
      differences: unlike(
        differencesOf(transcriptOf(a as SessionLog), transcriptOf(b as SessionLog)),
      ),
    }
  }
  const found = await compared(first)
  const [difference] = found.differences
  if (difference === undefined) return found
  const smallest = await shrink(found, async (steps) => {
    const again = await compared(steps)
    const isSame = again.differences.some((one) => signatureOf(one) === signatureOf(difference))
    return isSame ? again : undefined
  })
  return { steps: smallest.steps, differences: found.differences }
}

async function playOn(server: CheckedServer, steps: Session, salt: string): Promise<SessionLog> {
  let log: SessionLog | undefined
  const use = async (): Promise<void> =>
    server.use(newRunning(), async (subject) => {
      log = await play(subject, steps, salt)
    })
  // What a socket must not receive is in the log.
  await use().catch((error: unknown) => {
    if (log === undefined) throw error
  })
  return log as SessionLog
}

/** One of the differences of each kind. */
const unlike = (all: readonly Difference[]): readonly Difference[] =>
  [...new Map(all.toReversed().map((one) => [signatureOf(one), one])).values()].toReversed()

/** The longest text of a value, in characters. */
const MAX_TEXT = 400

function text(value: unknown): string {
  const json = value === undefined ? 'nothing' : JSON.stringify(value)
  return json.length > MAX_TEXT ? `${json.slice(0, MAX_TEXT)}…` : json
}

function linesOf(
  { isJson }: DiffOptions,
  seed: number,
  { steps, differences }: Found,
): readonly string[] {
  if (isJson)
    return [
      JSON.stringify({
        event: 'session',
        version: 1,
        seed,
        differences,
        ...(differences.length > 0 && { steps }),
      }),
    ]
  if (differences.length === 0) return [`seed ${seed}: equal`]
  return [
    `seed ${seed}: ${differences.length} kinds of differences`,
    ...differences.flatMap(({ at, a, b }) => [`  ${at}`, `    a: ${text(a)}`, `    b: ${text(b)}`]),
    `  The smallest session found for the first of them (${steps.length} steps):`,
    ...steps.map((step) => `    ${JSON.stringify(step)}`),
  ]
}

function endLine({ isJson, sessions }: DiffOptions, count: number): string {
  if (isJson) return JSON.stringify({ event: 'end', sessions, differences: count })
  return count === 0
    ? `Equal in ${sessions} sessions.`
    : `${count} differences in ${sessions} sessions.`
}
