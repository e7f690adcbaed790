// A webhook gateway on Node sockets: starts one, and returns a handle to its clock, runs and deliveries.

import type { Server } from 'node:http'
import type { Entry } from '../../machine.ts'
import type { LogLine } from '../../gateway/log.ts'
import type { GatewayEffect, GatewayInput } from '../../gateway/state/inputs.ts'
import {
  type CompleteGatewayOptions,
  completeGatewayOptions,
  type GatewayOptionsInput,
  stateOptions,
} from '../../options/gateway.ts'
import { nameLike } from '../../options/like.ts'
import { usageError } from '../../options/usage.ts'
import { gatewayMachine } from '../../gateway/machine.ts'
import { answer } from '../../gateway/answers.ts'
import type { Hmac } from '../../gateway/post/sign.ts'
import { staticFault } from '../../gateway/static-routes.ts'
import { createGatewayWorld, forkGateway } from '../../gateway/gateway.ts'
import type { ClockGroup } from '../clock-handle.ts'
import type { Tamper } from '../driver.ts'
import { trackConnections } from '../lifetime.ts'
import { loadRuleHeaders } from '../node/explain.ts'
import { createWebServer, KEEP_ALIVE_MS, serve } from '../node/http-listener.ts'
import { monotonicMs } from '../node/http.ts'
import { hostOf, listen, portOf } from '../node/ports.ts'
import { withScenarioFiles } from '../node/scenarios.ts'
import { createRecorder } from '../recorder.ts'
import { type Gateway, gatewayListenerOptions, type GatewayWorldInput } from '../handles.ts'
import { createWorlds, pathOf, requireOwnOptions, type Running, type Worlds } from '../worlds.ts'
import type { JournalReader } from '../../journal/explain.ts'
import { boundLines, limitLines } from './bound-lines.ts'
import { nodeHmac } from './hmac.ts'
import { type Bounds, usualBounds } from './bounds.ts'
import { boundConnections, listenerOptions } from './listener.ts'
import { createUnfinishedBodies, type UnfinishedBodies } from './unfinished.ts'
import type { Store } from './store/store.ts'
import { gatewayHeaders, receivePacked, receiveUnpacked } from './requests.ts'
import {
  connectGateway,
  type GatewayHooks,
  type GatewayPart,
  type ServedGateway,
} from './served-gateway.ts'

/** Options of `startGateway`: those of the gateway, and callbacks. */
export type GatewayOptions = GatewayOptionsInput & {
  /** Called with each input and its effects, after they have been emitted. */
  readonly onEntry?: (entry: Entry<GatewayInput, GatewayEffect>) => void
  /** Called with each log line, also of the gateways below `/w/NAME`: one per post, run and delivery, without secrets. */
  readonly onLog?: (line: LogLine) => void
  /** For suites only: creates a faulty gateway, to show that a case detects it. */
  readonly tamper?: Tamper<GatewayInput, GatewayEffect>
  /** For commands only: servers that share a manual clock. */
  readonly clocks?: ClockGroup
  /** For suites only: other bounds of unfinished requests and connections than the usual ones. */
  readonly bounds?: Partial<Bounds>
}

/**
 * Starts a gateway and resolves when it listens. Throws a usage error for invalid options, including invalid routes,
 * and the system's error if the address is in use.
 * @example
 * import assert from 'node:assert'
 * import { startGateway } from 'flowdouble'
 *
 * const routes = { ci: { secret: 'of-the-sender', prompt: 'Build {status}', deliver: 'telegram' } }
 * const gateway = await startGateway({ port: 0, clock: 'manual', routes })
 * const headers = { 'X-Gitlab-Token': 'of-the-sender' }
 * const body = JSON.stringify({ status: 'green' })
 * const posted = await fetch(`${gateway.url}/webhooks/ci`, { method: 'POST', headers, body })
 * assert.equal(posted.status, 202)
 * await gateway.until('idle')
 * assert.equal(gateway.runs()[0].prompt, 'Build green')
 * assert.equal(gateway.outbox()[0].target, 'telegram')
 * await gateway.close()
 */
export async function startGateway(given: GatewayOptions = {}): Promise<Gateway> {
  const { onEntry, onLog, tamper, clocks, bounds: ownBounds, ...rest } = given
  const scenario = await withScenarioFiles(rest.scenario)
  const options = completeGatewayOptions({ ...rest, ...scenario })
  // Loaded here so that the rest of the package does not wait for it.
  const hmac = nodeHmac(await import('node:crypto'))
  const limited = onLog && limitLines(onLog)
  const bounds = boundsOf(options, ownBounds)
  const http = await createWebServer(null, listenerOptions(bounds))
  const unfinished = createUnfinishedBodies(bounds, monotonicMs)
  const refused = boundLines(limited?.log)
  boundConnections(http, bounds, refused.connection)
  const closeConnections = trackConnections([http])
  const closing = async (): Promise<void> => {
    unfinished.stop()
    await closeConnections()
    limited?.end()
  }
  const explain = await loadRuleHeaders(options.explain)
  const hooksOf = (own: GatewayHooks): GatewayHooks =>
    explain === null
      ? own
      : Object.assign({}, own, {
          explain: explain.explainEffects({ place: 'gateway' }, () => undefined),
        })
  const secrets = new Set<string>()

  const logged = (world: string): GatewayHooks => ({
    onLog: limited && ((line) => limited.log({ ...line, world })),
  })
  const open = (part: GatewayPart, name: string | null): Running<ServedGateway, Gateway> =>
    worlds.add(name, {
      connect: (running) =>
        connectGateway(part, async (move) => {
          const { gatewayPaths } = await import('./control.ts')
          const { explainPath } = await import('../inspector/paths.ts')
          const { runsText, storedRuns } = running.served()
          return {
            ...gatewayPaths({ ...running.handle(), runsText, storedRuns }, move),
            ...explainPath(part.recorder, readerOf),
          }
        }),
      stop: (edge) => edge?.stop(),
      handle: (methods, { served }) => ({
        ...methods,
        url: `http://${hostOf(options.host, portOf(http))}${pathOf(name)}`,
        port: portOf(http),
        ...served().handle,
        options: part.options,
      }),
      fork: (to, { host, kept }) => {
        const forked = {
          options: part.options,
          world: forkGateway(part.world),
          recorder: part.recorder.fork(),
          hooks: hooksOf(logged(to)),
          lastRequest: host.lastRequest(),
          kept: kept(),
          store: null,
        }
        return open(forked, to)
      },
    })
  const worlds = createWorlds<ServedGateway, Gateway, GatewayWorldInput>({
    create: async (name, own) => {
      requireOwnOptions(own, gatewayListenerOptions)
      const ownScenario = await withScenarioFiles(own.scenario)
      const ownOptions = completeGatewayOptions({
        ...rest,
        ...scenario,
        ...own,
        ...ownScenario,
        store: null,
      })
      const part = await createPart(ownOptions, hmac, hooksOf(logged(name)), secrets, null)
      return open(part, name).handle()
    },
    close: closing,
  })

  const hooks = hooksOf({ onEntry, onLog: limited?.log, tamper, clocks })
  const { store: place } = options
  const store =
    place === null
      ? null
      : await (await import('./store/open.ts')).requireStore({ ...options, store: place })
  try {
    const main = await createPart(options, hmac, hooks, secrets, store)
    await listen(http, options.host, options.port)
    const { served, handle } = open(main, null)
    await served().start()
    serveGateways(http, options, served(), worlds.find, { unfinished, refused })
    return handle()
  } catch (error) {
    await store?.close()
    await closing()
    throw error
  }
}

/** A new gateway that can be served. Throws a usage error for an invalid static route. */
async function createPart(
  options: CompleteGatewayOptions,
  hmac: Hmac,
  hooks: GatewayHooks,
  secrets: Set<string>,
  store: Store | null,
): Promise<GatewayPart> {
  const world = createGatewayWorld(stateOptions(options, Date.now()), hmac)
  const fault = staticFault(world.setup.options)
  if (fault !== undefined) throw usageError(fault)
  const recorder = await createRecorder(
    gatewayMachine(world),
    () => world.setup.options,
    async () => (await import('../../gateway/journal.ts')).gatewayFormat(world.setup.options),
    null,
    secrets,
  )
  return { options, world, recorder, hooks, lastRequest: 0, kept: null, store }
}

/** What bounds the requests of a listener. */
type Bounded = {
  readonly unfinished: UnfinishedBodies
  readonly refused: ReturnType<typeof boundLines>
}

/** A known gateway keeps idle connections for as long as it does. Where bodies can be large, one of them has room. */
const boundsOf = (
  { like, maxBodyBytes }: CompleteGatewayOptions,
  own: Partial<Bounds> = {},
): Bounds => ({
  ...usualBounds,
  unfinishedBytes: Math.max(usualBounds.unfinishedBytes, 2 * maxBodyBytes),
  ...(like !== null && { idleMs: KEEP_ALIVE_MS }),
  ...own,
})

/**
 * Serves gateways, which answer from now on.
 * @param find finds the gateway of a target.
 */
function serveGateways(
  http: Server,
  options: CompleteGatewayOptions,
  { host }: ServedGateway,
  find: Worlds<ServedGateway, unknown, unknown>['find'],
  { unfinished, refused }: Bounded,
): void {
  const isUnpacked = options.quirk.includes('webhooks.unpacked-body')
  serve(http, {
    readHeaders: gatewayHeaders,
    receive: isUnpacked ? receiveUnpacked(unfinished) : receivePacked(unfinished),
    isSocketPath: () => false,
    refusals: { badRequest: answer('badRequest'), internal: answer('internal') },
    late: answer('tooSlow'),
    onRefused: (why, address) => (why === 'late' ? refused.head : refused.request)(address),
    // Ignore unknown expectations.
    refuseExpectation: null,
    upgrade: null,
    limitBytes: ({ method, target, headers }) => {
      const found = find(target)
      return found.world.limitBytes({ method, target: found.target, headers })
    },
    answer: (arrived, response) => {
      const { world, target } = find(arrived.target)
      const within = target === arrived.target ? arrived : Object.assign({}, arrived, { target })
      return world.answer(within, response)
    },
    write: host.write,
    timeMs: host.timeMs,
    name: nameLike(options.like),
  })
}

/** Loads what explains the entries of a gateway. */
const readerOf = async (): Promise<JournalReader> =>
  (await import('../../journal/explain-gateway.ts')).gatewayReader
