// A server elsewhere as the runner sees it, and a case while it runs there.

import type { Surface } from '../../spec/hosted/surfaces.ts'
import { randomUUID } from 'node:crypto'
import type { Allowance } from '../../spec/check.ts'
import type { Generation } from '../../spec/generations.ts'
import type { Deployment } from '../../spec/language.ts'
import type { Outgoing } from '../judge/traffic.ts'
import type { WireLine } from './events.ts'
import { ownFolder } from './guard.ts'
import type { KeptFiles } from './kept.ts'

/** A reply as a case received it. */
export type SeenReply = {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly status: number
  /** Its Content-Type; empty without one. */
  readonly type: string
  readonly bytes: Uint8Array
}

/** What probing has found out about a server. */
export type Target = {
  readonly url: string
  readonly deployment: Deployment
  /** Of a local server; others have one generation. */
  readonly generation: Generation
  /** The APIs that it has, of a server that is the Router and the proxy to partners alone; null for a workflow server. */
  readonly apis: readonly Surface[] | null
  /** The declaration of each node type that it lists. */
  readonly types: Readonly<Record<string, any>>
  /** Its software with the version, as it says itself. */
  readonly software: string | null
  /** How its HTTP library, or a proxy before it, names itself [see probe/probe.ts], with its Python and torch, as far as known. */
  readonly library: string | null
}

/** A case while it runs. */
export type Running = {
  readonly wire: WireLine[]
  /** The replies to it, whole. */
  readonly replies: SeenReply[]
  readonly runs: Set<string>
  /** What it did that has to be allowed. */
  readonly needs: Set<Allowance>
  readonly files: KeptFiles
  /** The files that it has made, and nobody can remove: its uploads, and what its runs may save. */
  readonly made: Set<string>
  /** The folder that only this case uses. */
  readonly folder: string
  /** Whether it sends the bearer token itself. */
  readonly isAboutToken: boolean
  /** Whether it sends what was recorded, also to a server that lacks a node type of then. */
  readonly isRecorded?: true
  /** Rejects as soon as something of it was not sent, */
  readonly refusal: Promise<never>
  /** with this reason. */
  readonly refuse: (reason: unknown) => void
  /** The last request, for a line that repeats it. */
  last?: Outgoing
  /** Set when the case has ended: what follows is the clean-up of the runner. */
  hasEnded?: true
  /** How long it has waited for the rate limit of the server, or may play further sessions, in milliseconds. */
  waitedMs?: number
}

export type CheckedServer = {
  /** Runs a body on a subject of this server. What happens on the wire is written down in `running`. */
  readonly use: (running: Running, body: (subject: any) => Promise<void>) => Promise<void>
  /** How many runs it has accepted from us. */
  readonly runs: () => number
  /** Whether runs of others have arrived since the last call. */
  readonly isDisturbed: () => Promise<boolean>
}

/** A case that begins. */
export function newRunning(isAboutToken = false): Running {
  let refuse: Running['refuse'] = () => undefined
  const refusal = new Promise<never>((_, reject) => {
    refuse = reject
  })
  // Not each case is waited for.
  refusal.catch(() => undefined)
  return {
    isAboutToken,
    wire: [],
    replies: [],
    runs: new Set(),
    needs: new Set(),
    files: new Map(),
    made: new Set(),
    folder: `${ownFolder}/${randomUUID().slice(0, 8)}`,
    refusal,
    refuse,
  }
}
