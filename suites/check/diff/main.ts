// The command `diff` behind its door: plays the same sessions on two servers, and says what differs.

import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { checkExitCodes, type DiffOptions } from '../../../spec/check.ts'
import { openLedger } from '../ledger.ts'
import { commandDeadline, NotMeasured } from '../probe/ask.ts'
import { probe } from '../probe/probe.ts'
import { sessionOf } from '../sessions/generate.ts'
import type { SessionLog } from '../sessions/log.ts'
import { freshSalt, play } from '../sessions/play.ts'
import { shrink } from '../sessions/shrink.ts'
import type { Session } from '../sessions/steps.ts'
import { type CheckedServer, newRunning, type Running } from '../running.ts'
import { openTarget } from '../target.ts'
import { type Difference, differencesOf, signatureOf } from './compare.ts'
import { transcriptOf } from './transcript.ts'

type Io = {
  readonly stdout: { write: (text: string) => unknown }
  readonly stderr: { write: (text: string) => unknown }
  /** Aborted when the user stops the command. */
  readonly signal?: AbortSignal
}

/** How long the clean-up of a session may take that is given up, in milliseconds. */
const MAX_CLEAN_MS = 5000

/** What one session showed. */
type Found = { readonly steps: Session; readonly differences: readonly Difference[] }

/** Compares two servers; resolves to the exit code. */
export async function runDiff(options: DiffOptions, io: Io): Promise<number> {
  const { stdout, stderr } = io
  try {
    const end = endOf(options, io)
    const servers = await openBoth(options, end)
    let count = 0
    for (let at = 0; at < options.sessions; at++) {
      const seed = options.seed + at
      const found = await compareOn(servers, sessionOf(seed), end)
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

/** Aborted, with the reason, when the time is used up or the user stops. */
function endOf({ maxSeconds }: DiffOptions, { signal }: Io): AbortSignal {
  const end = new AbortController()
  const late = AbortSignal.timeout(maxSeconds * 1000)
  const why = new Map([
    [late, 'The time is used up: see --max-seconds.'],
    ...(signal === undefined ? [] : [[signal, 'Stopped.'] as const]),
  ])
  for (const [one, reason] of why) {
    const giveUp = (): void => end.abort(new NotMeasured(reason))
    one.addEventListener('abort', giveUp)
    if (one.aborted) giveUp()
  }
  return end.signal
}

type Servers = readonly [a: CheckedServer, b: CheckedServer]

async function openBoth({ a, b }: DiffOptions, end: AbortSignal): Promise<Servers> {
  const signal = AbortSignal.any([commandDeadline(), end])
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
async function compareOn(servers: Servers, first: Session, end: AbortSignal): Promise<Found> {
  const compared = async (steps: Session): Promise<Found> => {
    end.throwIfAborted()
    const salt = freshSalt()
    const [a, b] = await Promise.all(servers.map((server) => playOn(server, steps, salt, end)))
    end.throwIfAborted()
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
  end.throwIfAborted()
  return { steps: smallest.steps, differences: found.differences }
}

async function playOn(
  server: CheckedServer,
  steps: Session,
  salt: string,
  end: AbortSignal,
): Promise<SessionLog> {
  let log: SessionLog | undefined
  const running = newRunning()
  const use = async (): Promise<void> =>
    server.use(running, async (subject) => {
      log = await play(subject, steps, salt)
    })
  const over = new AbortController()
  try {
    await Promise.race([use(), givenUp(running, end, over.signal)])
  } catch (error) {
    // What a socket must not receive is in the log.
    if (log === undefined) throw error
  } finally {
    over.abort()
  }
  return log as SessionLog
}

/** Gives up a session at the end, which cleans up, and throws if that does not end either. */
async function givenUp(running: Running, end: AbortSignal, over: AbortSignal): Promise<never> {
  if (!end.aborted) await once(end, 'abort', { signal: over })
  running.refuse(end.reason)
  await delay(MAX_CLEAN_MS, undefined, { signal: over })
  throw end.reason as Error
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
