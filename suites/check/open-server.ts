// Opens the server or the gateway that options name, and removes what was made there.

import { resolve } from 'node:path'
import type { CheckOptions } from '../../spec/check.ts'
import { described, type Generation } from '../../spec/generations.ts'
import type { Place } from '../../spec/language.ts'
import type { Judged } from './plan.ts'
import type { Subject } from '../judge/subject.ts'
import { openGateway } from './gateway/target.ts'
import { type Ledger, type LedgerEntry, openLedger } from './ledger.ts'
import { commandDeadline } from './probe/ask.ts'
import { probe } from './probe/probe.ts'
import type { CheckIo } from './reports/reports.ts'
import { type CheckedServer, newRunning } from './running.ts'
import { type Kept, openKept } from './sessions/kept.ts'
import { openTarget } from './target.ts'

/** A server that has been asked what it is. */
export type OpenedServer = {
  readonly place: Place
  readonly generation: Generation
  /** The APIs that it has; null for those of a workflow server. */
  readonly apis: NonNullable<Judged['apis']> | null
  readonly url: string
  /** How many runs are submitted at most. */
  readonly maxRuns: number
  readonly software: string | null
  readonly library: string | null
  readonly server: CheckedServer
  /** What is made there; a gateway keeps nothing that could be removed. */
  readonly ledger: Ledger | null
  /** Counterexamples of earlier checks; a gateway has none. */
  readonly kept: Kept | null
}

/** How many runs are submitted at most where nothing plans them. */
const UNPLANNED_RUNS = 50

/**
 * Asks a server what it is, and opens it.
 * @param usualRuns how many runs are submitted at most if the options do not say it.
 */
export async function openServer(
  asked: CheckOptions,
  { cwd }: Pick<CheckIo, 'cwd'>,
  usualRuns: (where: Judged) => number = () => UNPLANNED_RUNS,
): Promise<OpenedServer> {
  const signal = commandDeadline()
  const within = (where: Judged): CheckOptions & { readonly maxRuns: number } => ({
    ...asked,
    maxRuns: asked.maxRuns ?? usualRuns(where),
  })
  if (asked.gateway !== undefined) {
    const where = { place: 'gateway', generation: described } as const
    const options = within(where)
    const { target, server } = await openGateway(options, asked.gateway, signal)
    const { url, software } = target
    const { maxRuns } = options
    const none = { apis: null, library: null, ledger: null, kept: null }
    return { ...where, url, maxRuns, software, server, ...none }
  }
  const target = await probe(asked, signal)
  const { url, deployment: place, generation, apis, software, library } = target
  const file = resolve(cwd, asked.ledger)
  const ledger = openLedger(file, { kind: 'server', url, deployment: place, version: 1 })
  const kept = openKept(file, place)
  const options = within({ place, generation, apis })
  const server = openTarget(target, options, ledger, kept.sessions)
  const { maxRuns } = options
  return { place, generation, apis, url, maxRuns, software, library, server, ledger, kept }
}

/** Removes what was made, and returns what is left. A server that is gone keeps it all. */
export async function clean(server: CheckedServer, ledger: Ledger): Promise<Left> {
  let left: Left = { names: [], isWorthATry: false }
  try {
    await server.use(newRunning(), async (subject) => {
      left = await cleanUp(subject, ledger)
    })
  } catch (error) {
    const all = `all that ${ledger.file} lists: ${(error as Error).message}`
    return { names: [all], isWorthATry: true }
  }
  return left
}

/** How many runs one request deletes. */
const MAX_IDS = 100

/** What is left after a removal. */
type Left = {
  /** As texts. */
  readonly names: readonly string[]
  /** Whether another try may remove more of it: a server that was busy, or did not let us in, has refused for now. */
  readonly isWorthATry: boolean
}

/** Removes what the ledger lists. What cannot be removed is listed once, and forgotten: the file goes. */
export async function cleanUp(subject: Subject, ledger: Ledger): Promise<Left> {
  const entries = ledger.entries()
  const named = (kind: LedgerEntry['kind']): readonly string[] =>
    entries.flatMap((one) => (one.kind === kind && 'name' in one ? one.name : []))
  const removed = (of: 'run' | 'userdata', names: readonly string[]): void =>
    names.forEach((name) => ledger.add({ kind: 'removed', of, name }))

  let isWorthATry = false
  const note = (status: number): void => {
    // Real servers answer the removal of a folder with 500.
    isWorthATry ||= [401, 403, 429, 502, 503, 504].includes(status)
  }
  const runs = named('run')
  for (let at = 0; at < runs.length; at += MAX_IDS) {
    const ids = runs.slice(at, at + MAX_IDS)
    const replies = [
      await subject.post('/queue', { delete: ids }),
      await subject.post('/history', { delete: ids }),
    ]
    replies.forEach(({ status }) => note(status))
    if (replies.every(({ status }) => status < 300)) removed('run', ids)
  }
  for (const one of entries) {
    if (one.kind !== 'userdata') continue
    const path = `/userdata/${encodeURIComponent(one.name)}`
    const { status } =
      one.before === null
        ? await subject.request('DELETE', path)
        : await subject.request('POST', path, Buffer.from(one.before, 'base64'))
    if (status < 300 || status === 404) removed('userdata', [one.name])
    else note(status)
  }
  const left = ledger.entries().filter(({ kind }) => kind !== 'server')
  if (!isWorthATry) ledger.discard()
  return {
    names: left.map((one) => ('name' in one ? `${one.kind} ${one.name}` : one.kind)),
    isWorthATry,
  }
}
