// The public entry of replays: it loads their code on demand, so that the package loads fast.

import type { Entry } from '../../machine.ts'
import type { ServerOptionsInput } from '../../options/server-options.ts'
import type { Replay } from './handle.ts'

/** The options of a server that a replay has too: the others are what was recorded. */
export const replayOptionNames = [
  'host',
  'port',
  'clock',
  'epoch',
  'seed',
  'cors',
  'control',
  'controlToken',
] as const

/** Options of `startReplay`. The port is a free one by default. */
export type ReplayOptionsInput = Pick<ServerOptionsInput, (typeof replayOptionNames)[number]> & {
  /** A HAR file, or its content. */
  readonly recording: string | object
  /**
   * Members and parameters of requests that need not be as recorded: by name, `seed`, or with the type or id of their node
   * before it, `KSampler.seed`. The responses hold what was recorded.
   */
  readonly any?: readonly string[]
  /** Called with each input and its effects, after they have been emitted. */
  readonly onEntry?: (entry: Entry) => void
}

/**
 * Starts a replay and resolves when it listens. Throws a usage error for invalid options, a refusal for a file that is not
 * a recording, and the system's error if the address is in use. Without an `epoch`, a manual or instant clock begins when
 * the recording does.
 * @example
 * import assert from 'node:assert'
 * import { startReplay } from 'flowdouble'
 *
 * const response = { status: 200, content: { mimeType: 'application/json', text: '["euler"]' } }
 * const request = { method: 'GET', url: 'http://localhost:8188/samplers' }
 * const entries = [{ startedDateTime: '2026-01-01T00:00:00Z', request, response }]
 * const replay = await startReplay({ recording: { log: { entries } } })
 * assert.deepEqual(await (await fetch(`${replay.url}/samplers`)).json(), ['euler'])
 * assert.equal((await fetch(`${replay.url}/models`)).status, 404)
 * await replay.close()
 */
export async function startReplay(options: ReplayOptionsInput): Promise<Replay> {
  const { serveReplay } = await import('./server.ts')
  return serveReplay(options)
}
