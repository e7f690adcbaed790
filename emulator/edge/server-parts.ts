// The parts of an edge that every workflow server has: the server with its journal, who may use its control paths, the replies of its HTTP layer, and
// the path below which a world is served.

import { type Reply, refuse, refuseHosted } from '../http/replies.ts'
import type { Effect, Input } from '../machine.ts'
import type { ServerOptions } from '../options/server-options.ts'
import { finish } from '../server/response-headers.ts'
import { serverMachine } from '../server/machine.ts'
import { createServer } from '../server/server.ts'
import type { WorldOptions } from '../server/state/options.ts'
import type { Hosted, Server } from '../server/state/server.ts'
import { runViews } from '../server/run-views.ts'
import type { Guard } from './control-access.ts'
import type { RunState } from './handles.ts'
import type { Responses } from './host.ts'
import type { JournalFile } from './journal-file.ts'
import { createRecorder, type Recorder } from './recorder.ts'

/** A server, and what records its journal. */
export type RecordedServer = {
  readonly server: Server
  readonly recorder: Recorder<Input, Effect>
}

/**
 * Creates a server with its journal, which does not repeat the catalogue among the options.
 * @param types the node types that its scenario adds to the catalogue.
 * @param file the journal is also written to it; null for none.
 * @param secrets those of the other servers at the address.
 */
export async function recordedServer(
  options: WorldOptions,
  types: object,
  hosted: Hosted | null,
  file: JournalFile | null,
  secrets: Set<string>,
): Promise<RecordedServer> {
  const server = createServer(options, hosted)
  const { objectInfo, ...others } = options
  const recorder = await createRecorder(
    serverMachine(server),
    { ...others, types },
    async () => (await import('../server/journal.ts')).serverFormat(() => objectInfo),
    file,
    secrets,
  )
  return { server, recorder }
}

/** The states that the runs of a server reach. */
export const runStates = ['started', 'success', 'error', 'interrupted'] satisfies RunState[]

/** What to check if a test waits in vain. */
export const waitHint =
  (server: Server) =>
  (own = 'Was the workflow submitted? A run that never ends has no timer.'): string =>
    runViews(server).length === 0 ? noRun : own

const noRun =
  "No run has been submitted yet, so there is nothing to wait for. Wait for the submit first: await server.received({ path: '/prompt' })."

/** The guard of the control paths of a server that is reached at this host. */
export const guardOf = (
  { cors, controlToken }: Pick<ServerOptions, 'cors' | 'controlToken'>,
  host: string,
): Guard => ({
  host,
  // Pages of any origin may then use the server, but not the control paths.
  origin: cors === '*' ? null : cors,
  token: controlToken,
})

/** The replies to requests that do not reach a world. */
export function refusalsOf(
  options: WorldOptions,
): Readonly<Record<'badRequest' | 'internal', Reply>> {
  if (options.deployment === 'local')
    return { badRequest: refuse('badRequestText'), internal: refuse('internal') }
  const reason = 'This is not a valid HTTP request, or one of its lines is too long.'
  const badRequest = refuseHosted('badRequest', { reason }, { Connection: 'close' })
  const inHosted = (reply: Reply): Reply => finish(options, '', undefined, reply)
  return { badRequest: inHosted(badRequest), internal: inHosted(refuseHosted('internal')) }
}

/** Whether the server reads the credentials of requests. */
export const readsCredentialsOf = ({
  token,
  deployment,
}: Pick<ServerOptions, 'token' | 'deployment'>): boolean =>
  token !== null || deployment === 'hosted'

/** Adds the path of a world to the links in its redirects. */
export const below = <R>(base: string, responses: Responses<R>): Responses<R> =>
  base === ''
    ? responses
    : Object.assign({}, responses, {
        write: (response, reply, timeMs) => {
          const { Location: to } = reply.headers
          if (to === undefined) return responses.write(response, reply, timeMs)
          const Location = to.replace(/^(https?:\/\/[^/]*)?/, (start) => start + base)
          const headers = Object.assign({}, reply.headers, { Location })
          responses.write(response, Object.assign({}, reply, { headers }), timeMs)
        },
      } satisfies Partial<Responses<R>>)
