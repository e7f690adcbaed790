// What does not fit to several worker processes, with what to do instead; and at which port each of them listens.

import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { folderOfWorker, requireWorkers } from '../../edge/node/saved/state-folder.ts'
import { isLoopback } from '../../lib/loopback.ts'
import type { ServerOptions } from '../../options/server-options.ts'
import { usageError } from '../../options/usage.ts'

/** The flags of `serve` that matter here. */
export type GivenFlags = {
  readonly run?: string
  readonly tlsCa?: string
  readonly gatewayPort?: string
  readonly configDir?: string
  readonly withGateway: boolean
  readonly watch: boolean
}

/** The most workers: each is a process of 50 MiB or more. */
const MAX_WORKERS = 256

/** The number that --workers names. Throws a usage error for any other text. */
export function workerCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= MAX_WORKERS) return count
  throw usageError(
    `--workers must be a number from 1 to ${MAX_WORKERS}, not ${JSON.stringify(text)}.`,
  )
}

/** What is refused beside --workers: what it is, whether it is there, and what to do instead. */
type Misfit = readonly [what: string, isThere: boolean, instead: string]

/**
 * The options of the workers. Throws a usage error for what one process alone can do [shared/workers-fit].
 * @param planned the options of each server that the flags would start.
 */
export function optionsForWorkers(
  planned: readonly ServerOptions[],
  flags: GivenFlags,
): ServerOptions {
  const [options, ...others] = planned
  if (options === undefined || others.length > 0)
    throw usageError(
      '--workers starts servers of one kind: choose --deployment local or hosted, and start the other one separately.',
    )
  const { withGateway, gatewayPort, configDir, run, watch, tlsCa } = flags
  const hasGateway = withGateway || gatewayPort !== undefined || configDir !== undefined
  const { journal, tls, tlsCert, control, unknownWorlds, host, controlToken } = options
  const misfits: readonly Misfit[] = [
    ['--with-gateway', hasGateway, 'Start it separately: flowdouble gateway run.'],
    [
      '--run',
      run !== undefined,
      'Start flowdouble run separately, with --url and that of a world.',
    ],
    ['--watch', watch, 'Create worlds with the scenario, which reads its file for each of them.'],
    ['--journal', journal !== null, 'Read that of a world at /w/NAME/_flowdouble/journal.'],
    ['--tls', tls !== null || tlsCert !== null || tlsCa !== undefined, 'Let a proxy end TLS.'],
    ['--no-control', !control, 'The control API creates the worlds.'],
    [
      '--unknown-worlds create',
      unknownWorlds === 'create',
      'Any worker would create a world. Create it with PUT /_flowdouble/worlds/NAME.',
    ],
    [
      `--host ${host}`,
      controlToken === null && !isLoopback(host),
      'Others can reach it: add --control-token TOKEN, with which worlds are created.',
    ],
  ]
  const found = misfits.find(([, isThere]) => isThere)
  if (found !== undefined) throw usageError(`--workers does not go with ${found[0]}. ${found[2]}`)
  return options
}

/** Where a worker is to listen: its port, 0 for any, the public addresses of its worlds, and its folder for their state. */
export type WorkerPlace = {
  readonly port: number
  readonly publicUrl: string | null
  readonly signedBaseUrl: string | null
  readonly state: string | null
}

/**
 * The places of the workers: their ports follow that of the admin's address, and so do those of their public addresses.
 * Throws a usage error if there are too few ports.
 */
export function placesOf(options: ServerOptions, count: number): readonly WorkerPlace[] {
  const { port, deployment, publicUrl, signedBaseUrl, state } = options
  // The signed links of a hosted server are at the port after that of the server.
  const each = deployment === 'hosted' ? 2 : 1
  if (port === 0 && each > 1)
    throw usageError(
      'Each hosted worker uses 2 ports in a row: name the first port of all, such as --port 8188.',
    )
  if (port + count * each > 65_535)
    throw usageError(
      `--workers ${count} uses ${count * each + 1} ports in a row: choose a --port up to ${65_535 - count * each}, not ${port}.`,
    )
  return Array.from({ length: count }, (_, at) => {
    const after = 1 + at * each
    return {
      port: port === 0 ? 0 : port + after,
      publicUrl: urlAfter('--public-url', publicUrl, port, after),
      signedBaseUrl: urlAfter('--signed-base-url', signedBaseUrl, port, after),
      state: state && join(state, folderOfWorker(at + 1, count)),
    }
  })
}

/**
 * Creates the folder for the states of all workers. Throws a usage error if it cannot be used, or if it has those of another
 * number of workers, which would have other worlds [shared/workers-state].
 */
export function createStateFolder(folder: string, count: number): void {
  let files: readonly string[]
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    files = readdirSync(folder)
  } catch (error) {
    throw usageError(`The state cannot be in ${folder}: ${(error as Error).message}.`)
  }
  requireWorkers(folder, files, count)
}

/** The address of this flag whose port is this much higher; null without one. */
function urlAfter(flag: string, url: string | null, port: number, after: number): string | null {
  if (url === null) return null
  const { port: named } = new URL(url)
  if (named === '' || port === 0)
    throw usageError(
      `With --workers each worker has a port: ${flag} counts up like --port, such as http://ci.example:8188 with --port 8188. For one address without ports, start servers without --workers behind a proxy that routes by /w/NAME.`,
    )
  return url.replace(`:${named}`, `:${Number(named) + after}`)
}
