// The parts of an edge that every workflow server has: what its host needs, its requests, and the replies of its
// HTTP layer.

import { generationLike } from '../../spec/truth/servers.ts'
import { surfaceOf } from '../../spec/hosted/surfaces.ts'
import { type Reply, refuse, refuseHosted } from '../http/replies.ts'
import { prefixHeader } from '../http/request-headers.ts'
import type { Effect, IncomingRequest } from '../machine.ts'
import type { ServerOptions } from '../options/server-options.ts'
import { publicPathOf } from '../options/shared-table.ts'
import { finishHosted } from '../server/response-headers.ts'
import type { WorldOptions } from '../server/state/options.ts'
import type { Server } from '../server/state/server.ts'
import { runViews } from '../server/run-views.ts'
import type { About } from './control.ts'
import type { Guard } from './control-access.ts'
import type { RunState } from './handles.ts'
import type { Edge, Host } from './host.ts'
import type { Responses } from './responses.ts'
import { pathOf } from './worlds.ts'
import type { WorldParts } from './world-parts.ts'

/** What the host of a world needs, the same on every edge. The paths in its redirects begin with that of the world. */
export const hostParts = <R>(
  { server, options, name, lastIds }: WorldParts,
  responses: Responses<R>,
): Pick<
  Edge<Effect, R>,
  | 'clock'
  | 'worked'
  | 'hint'
  | 'states'
  | 'responses'
  | 'control'
  | 'about'
  | 'isDown'
  | 'guard'
  | 'lastRequest'
> => ({
  clock: options.clock,
  worked: () => undefined,
  hint: waitHint(server),
  states: runStates,
  responses: below(publicPathOf(options), pathOf(name), responses),
  control: options.control,
  about: aboutOf(options),
  isDown: () => server.state.isDown,
  guard: guardOf(options),
  lastRequest: lastIds.request,
})

/** A request for a world: replies of the APIs beside the first contain links, which begin with its path. */
const requestFor = (name: string, arrived: IncomingRequest): IncomingRequest =>
  surfaceOf(arrived.target) !== 'v1'
    ? Object.assign({}, arrived, {
        headers: Object.assign({}, arrived.headers, { [prefixHeader]: pathOf(name) }),
      })
    : arrived

/** How requests enter a world: the one at the root gets them as they are. */
export const entryOf = <R>(
  { name }: Pick<WorldParts, 'name'>,
  { enter }: Pick<Host<never, never, R>, 'enter'>,
): typeof enter =>
  name === null ? enter : (response, arrived) => enter(response, requestFor(name, arrived))

/** The states that the runs of a server reach. */
const runStates = ['started', 'success', 'error', 'interrupted'] satisfies RunState[]

/** What to check if a test waits in vain. */
const waitHint =
  (server: Server) =>
  (
    own = 'Was the workflow submitted? A run that never ends has no timer, nor has a node that waits for a request.',
  ): string =>
    server.state.exitCode === null ? (runViews(server).length === 0 ? noRun : own) : exited

const noRun =
  "No run has been submitted yet, so there is nothing to wait for. Wait for the submit first: await server.received({ path: '/prompt' })."

const exited = 'A fault has ended the server: reset() starts it again.'

/** What a server with these options says about itself. */
export const aboutOf = ({ deployment, like }: ServerOptions): About => ({
  deployment,
  like,
  generation: deployment === 'local' ? generationLike(like) : null,
})

/** Who may use the control paths of a server. */
export const guardOf = ({ host, cors, controlToken, worldTokens }: ServerOptions): Guard => ({
  host,
  // Pages of any origin may then use the server, but not the control paths.
  origin: cors === '*' ? null : cors,
  token: controlToken,
  isTokenOnly: worldTokens,
})

/** The replies to requests that do not reach a world. */
export function refusalsOf(
  options: WorldOptions,
): Readonly<Record<'badRequest' | 'internal', Reply>> {
  if (options.deployment === 'local')
    return { badRequest: refuse('badRequestText'), internal: refuse('internal') }
  const reason = 'This is not a valid HTTP request, or one of its lines is too long.'
  const badRequest = refuseHosted('badRequest', { reason }, { Connection: 'close' })
  return { badRequest: finishHosted(badRequest), internal: finishHosted(refuseHosted('internal')) }
}

/** Adds the path of a world to the links in its redirects, and to those within the server that of a proxy. */
const below = <R>(proxy: string, base: string, responses: Responses<R>): Responses<R> =>
  proxy + base === ''
    ? responses
    : Object.assign({}, responses, {
        write: (response, reply, timeMs) => {
          const { Location: to } = reply.headers
          if (to === undefined) return responses.write(response, reply, timeMs)
          const Location = to.replace(/^(https?:\/\/[^/]*)?/, (start) =>
            start === '' ? proxy + base : start + base,
          )
          const headers = Object.assign({}, reply.headers, { Location })
          responses.write(response, Object.assign({}, reply, { headers }), timeMs)
        },
      } satisfies Partial<Responses<R>>)
