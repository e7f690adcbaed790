// Opens the server or the gateway that options name, and removes what was made there.

import { resolve } from 'node:path'
import type { CheckOptions } from '../../spec/check.ts'
import { described, type Generation } from '../../spec/generations.ts'
import type { Place } from '../../spec/language.ts'
import { cleanUp } from './clean.ts'
import { openGateway } from './gateway/target.ts'
import { type Ledger, openLedger } from './ledger.ts'
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
  readonly url: string
  readonly software: string | null
  readonly library: string | null
  readonly server: CheckedServer
  /** What is made there; a gateway keeps nothing that could be removed. */
  readonly ledger: Ledger | null
  /** Counterexamples of earlier checks; a gateway has none. */
  readonly kept: Kept | null
}

/** Asks a server what it is, and opens it. */
export async function openServer(
  options: CheckOptions,
  { cwd }: Pick<CheckIo, 'cwd'>,
): Promise<OpenedServer> {
  const signal = commandDeadline()
  if (options.gateway !== undefined) {
    const { target, server } = await openGateway(options, options.gateway, signal)
    const { url, software } = target
    return {
      place: 'gateway',
      generation: described,
      url,
      software,
      library: null,
      server,
      ledger: null,
      kept: null,
    }
  }
  const target = await probe(options, signal)
  const { url, deployment, generation, software, library } = target
  const file = resolve(cwd, options.ledger)
  const ledger = openLedger(file, { kind: 'server', url, deployment, version: 1 })
  const kept = openKept(file, deployment)
  const server = openTarget(target, options, ledger, kept.sessions)
  return { place: deployment, generation, url, software, library, server, ledger, kept }
}

/** Removes what was made, and returns what is left. A server that is gone keeps it all. */
export async function clean(server: CheckedServer, ledger: Ledger): Promise<readonly string[]> {
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
