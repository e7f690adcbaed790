// A webhook gateway on Node sockets: starts one, and returns a handle to its clock, runs and deliveries.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits } from '../../../spec/limits.ts'
import type { Entry, IncomingRequest, WorldChange } from '../../machine.ts'
import { type LogLine, logLines } from '../../gateway/log.ts'
import type { GatewayEffect, GatewayInput } from '../../gateway/inputs.ts'
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
import {
  copyRecent,
  createRecent,
  note,
  outboxOf,
  type Recent,
  runsText,
} from '../../gateway/recent.ts'
import { staticFault } from '../../gateway/static-routes.ts'
import { createGatewayWorld } from '../../gateway/gateway.ts'
import { needsBody } from '../../gateway/step.ts'
import type { ClockGroup } from '../clock-handle.ts'
import { isControl, MAX_CONTROL_BYTES } from '../control.ts'
import type { Tamper } from '../driver.ts'
import type { Later } from '../later.ts'
import { trackConnections } from '../lifetime.ts'
import { createHost } from '../host.ts'
import { noPictures } from '../node/http.ts'
import { createWebServer, serve } from '../node/http-listener.ts'
import { hostOf, listen, portOf } from '../node/ports.ts'
import { nodeParts, nodeResponses } from '../node/responses.ts'
import { type BodyResult, unpacked } from '../node/bodies.ts'
import { receiveRaw } from '../node/raw-bodies.ts'
import { createRecorder } from '../recorder.ts'
import { createWorldHandle } from '../world-handle.ts'
import { watchFile } from './file-watch.ts'
import type { Gateway } from '../handles.ts'
import { gatewayHeaders } from './headers.ts'
import { createMemory } from './memory-subscriptions.ts'
import { createWork, type WorkTimeOuts } from './external-work.ts'

/** Options of `startGateway`: those of the gateway, and callbacks. */
export type GatewayOptions = GatewayOptionsInput & {
  /** Called with each input and its effects, after they have been emitted. */
  readonly onEntry?: (entry: Entry<GatewayInput, GatewayEffect>) => void
  /** Called with each log line: one per post, run and delivery, without secrets. */
  readonly onLog?: (line: LogLine) => void
  /** For suites only: creates a faulty gateway, to show that a case detects it. */
  readonly tamper?: Tamper<GatewayInput, GatewayEffect>
  /** For commands only: servers that share a manual clock. */
  readonly clocks?: ClockGroup
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
  const { onEntry, onLog, tamper, clocks, ...rest } = given
  const options = completeGatewayOptions(rest)
  const name = nameLike(options.like)
  const startedMs = Date.now()
  // Loaded here so that the rest of the package does not wait for it.
  const { createHmac } = await import('node:crypto')
  const world = createGatewayWorld(stateOptions(options, startedMs), (key, message) =>
    createHmac('sha256', key).update(message).digest(),
  )
  const fault = staticFault(world.setup.options)
  if (fault !== undefined) throw usageError(fault)
  const machine = gatewayMachine(world)
  let recent = createRecent()
  const recorder = await createRecorder(
    machine,
    world.setup.options,
    async () => (await import('../../gateway/journal.ts')).gatewayFormat,
    null,
  )
  const failDeliveries: Gateway['failDeliveries'] = (failure) =>
    host.driver.dispatch((atMs) => ({ kind: 'fail', atMs, ...failure }))
  const own = {
    outbox: () => outboxOf(recent),
    failDeliveries,
    subscribe: (...given: Parameters<Gateway['subscribe']>) => memory.subscribe(...given),
    remove: (name: string) => memory.remove(name),
  }
  const host = createHost(
    machine,
    recorder,
    {
      clock: options.clock,
      emit: (effects) => {
        note(recent, effects)
        work.emit(effects)
        if (onLog !== undefined) logLines(world.state, effects).forEach(onLog)
      },
      batch: (all) => all(),
      flushed: () => Promise.resolve(),
      worked: () => work.ended(),
      // Real senders sign with wall-clock time, which continues while a machine sleeps.
      elapsedMs: options.epoch === 'now' ? () => Date.now() - startedMs : undefined,
      hint: 'Was an event posted?',
      responses: nodeResponses(noPictures, name),
      ready: () => undefined,
      guard: { host: options.host, origin: null, token: options.controlToken },
      ...nodeParts('gateway'),
    },
    { onEntry, tamper, clocks },
    async (move) => {
      const { gatewayPaths } = await import('./control.ts')
      return gatewayPaths({ ...handle, ...own, runsText: () => runsText(recent) }, move)
    },
  )
  /** What the edge keeps beside the snapshots of the machine. */
  const kept = new Map<string, { recent: Recent; subscriptions: ReturnType<typeof memory.kept> }>()
  const changeWorld = (change: WorldChange): void => {
    if (change.do === 'snapshot') {
      kept.set(change.name, { recent: copyRecent(recent), subscriptions: memory.kept() })
      return host.changeWorld(change)
    }
    const before = change.do === 'restore' ? kept.get(change.name) : undefined
    // Work outside ends: the other state asks for its own.
    work.stop()
    recent = before === undefined ? createRecent() : copyRecent(before.recent)
    host.changeWorld(change)
    memory.restart(before?.subscriptions)
    look = createLook()
  }
  const handle = createWorldHandle({
    host: { changeWorld },
    recorder,
    flushed: () => Promise.resolve(),
    snapshots: () => new Set(world.snapshots.keys()),
    received: async () => {
      const { requestsOf } = await import('./received.ts')
      return requestsOf(world, await recorder.view())
    },
    keepsTime: options.epoch === 'now',
  })
  const { agent, deliveries } = options
  const work = createWork(
    host.driver.dispatch,
    typeof agent === 'function' ? agent : null,
    deliveries,
    // An instant clock does not advance while external work runs.
    options.clock === 'instant' ? workTimeOuts(options) : null,
  )
  const memory = createMemory(world, options, host.driver.dispatch)
  const createLook = (): ReturnType<typeof watchFile> =>
    options.subscriptionsFile === null ? () => undefined : watchFile(options.subscriptionsFile)
  let look = createLook()
  const loadFile = (): void => {
    const changed = look()
    if (changed !== undefined) host.driver.dispatch((atMs) => ({ kind: 'file', atMs, ...changed }))
  }
  const respond = (arrived: IncomingRequest, response: ServerResponse): Later<void> => {
    const { method, target, headers, body, fault } = arrived
    if (options.control && isControl(method, target))
      return host.answerControl(arrived, response, {})
    loadFile()
    const kind = 'request'
    host.enter(response, (atMs, request) => {
      return { kind, atMs, request, method, target, headers, body, fault }
    })
  }

  const http = await createWebServer(null)
  const closing = trackConnections([http])
  serve(http, {
    readHeaders: gatewayHeaders,
    receive: options.quirk.includes('webhooks.unpacked-body') ? receiveUnpacked : receiveRaw,
    isSocketPath: () => false,
    refusals: { badRequest: answer('badRequest'), internal: answer('internal') },
    // Ignore unknown expectations.
    refuseExpectation: null,
    upgrade: null,
    limitBytes: (head) => {
      if (options.control && isControl(head.method, head.target)) return MAX_CONTROL_BYTES
      loadFile()
      return needsBody(world, head) ? options.maxBodyBytes : null
    },
    answer: respond,
    write: host.write,
    timeMs: host.timeMs,
    name,
  })
  loadFile()
  await listen(http, options.host, options.port)
  const port = portOf(http)
  return {
    url: `http://${hostOf(options.host, port)}`,
    port,
    ...host.clock,
    ...handle,
    ...own,
    options,
    routes: () => [...world.setup.staticRoutes.keys(), ...world.state.dynamicRoutes.keys()],
    runs: () => JSON.parse(runsText(recent)) as ReturnType<Gateway['runs']>,
    close: async () => {
      host.driver.stop()
      work.stop()
      await closing()
    },
  }
}

/** Receives a body like the reference gateway, which validates the signature of the decompressed body. */
async function receiveUnpacked(request: IncomingMessage, limitBytes: number): Promise<BodyResult> {
  const received = await receiveRaw(request, limitBytes)
  return received.fault === undefined ? unpacked(request, received.body, limitBytes) : received
}

const workTimeOuts = ({ agentTimeOutMs }: CompleteGatewayOptions): WorkTimeOuts => ({
  runMs: agentTimeOutMs,
  deliveryMs: limits.senderTimeOut.value * 1000,
})
