// A webhook gateway behind Node's sockets: starts one, and gives the tests a handle on its clock and on what it did.

import type { ServerResponse } from 'node:http'
import { limits } from '../../../spec/limits.ts'
import { usageError } from '../../options/complete.ts'
import { gatewayMachine } from '../../gateway/adapter.ts'
import { answer } from '../../gateway/answers.ts'
import { createLedger, note, outboxOf, runsText } from '../../gateway/ledger.ts'
import { createReceiver, staticFault } from '../../gateway/state.ts'
import { routeNameIn } from '../../gateway/step.ts'
import { isControl, MAX_CONTROL_BYTES } from '../control.ts'
import { createHost } from '../host.ts'
import type { Gateway } from '../handles.ts'
import { followConnections } from '../lifetime.ts'
import { type Arrived, createWebServer, serve } from '../node/listener.ts'
import { hostOf, listen, portOf } from '../node/listening.ts'
import { receiveRaw } from '../node/raw-bodies.ts'
import { createRecorder } from '../recorder.ts'
import { gatewayPaths } from './control.ts'
import { watchFile } from './file-watch.ts'
import { gatewayHeaders } from './headers.ts'
import { createMemory } from './memory.ts'
import {
  type CompleteGatewayOptions,
  completeGatewayOptions,
  type GatewayOptions,
  receiverOptions,
} from './options.ts'
import { createWork, type Patience } from './work.ts'

/**
 * Starts a gateway and resolves when it listens. Throws a usage error for options that cannot be used, routes that
 * cannot be served among them, and the system's error when the address is taken.
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
  const options = completeGatewayOptions(given)
  const startedMs = Date.now()
  // Loaded here, so that nothing else of this package waits for it.
  const { createHmac } = await import('node:crypto')
  const state = createReceiver(receiverOptions(options, startedMs), (key, message) =>
    createHmac('sha256', key).update(message).digest(),
  )
  const fault = staticFault(state.options)
  if (fault !== undefined) throw usageError(fault)
  const machine = gatewayMachine(state)
  const ledger = createLedger()
  const recorder = await createRecorder(
    machine,
    state.options,
    async () => (await import('../../gateway/journal.ts')).gatewayFormat,
    null,
  )
  const failDeliveries: Gateway['failDeliveries'] = (failure) =>
    host.driver.dispatch((atMs) => ({ kind: 'fail', atMs, ...failure }))
  const own = {
    outbox: () => outboxOf(ledger),
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
        note(ledger, effects)
        work.emit(effects)
      },
      batch: (all) => all(),
      flushed: () => Promise.resolve(),
      worked: () => work.ended(),
      // Real senders sign with the time of the wall, which goes on while a machine sleeps.
      elapsedMs: options.epoch === 'now' ? () => Date.now() - startedMs : undefined,
      hint: 'Was an event posted?',
      encodeFile: noPictures,
      guard: { host: options.host, origin: null, token: options.controlToken },
    },
    given,
    gatewayPaths({ ...own, runsText: () => runsText(ledger) }),
  )
  const { agent, deliveries } = options
  const work = createWork(
    host.driver.dispatch,
    typeof agent === 'function' ? agent : null,
    deliveries,
    // An instant clock stands still while others work.
    options.clock === 'instant' ? patienceOf(options) : null,
  )
  const memory = createMemory(state, options, host.driver.dispatch)
  const look =
    options.subscriptionsFile === null ? () => undefined : watchFile(options.subscriptionsFile)
  const loadFile = (): void => {
    const changed = look()
    if (changed !== undefined) host.driver.dispatch((atMs) => ({ kind: 'file', atMs, ...changed }))
  }
  const respond = async (arrived: Arrived, response: ServerResponse): Promise<void> => {
    if (options.control && isControl(arrived.method, arrived.target))
      return host.answerControl(arrived, response, {})
    loadFile()
    host.enter(response, (atMs, request) => ({ kind: 'request', atMs, request, ...arrived }))
  }

  const http = await createWebServer(null)
  const closing = followConnections([http])
  serve(http, {
    readHeaders: gatewayHeaders,
    receive: (request, limitBytes) => receiveRaw(request, limitBytes()),
    isSocketPath: () => false,
    refusals: { badRequest: answer('badRequest'), internal: answer('internal') },
    upgrade: null,
    limitBytes: (asked) => limitOf(options, asked),
    answer: respond,
    write: host.write,
    timeMs: host.timeMs,
  })
  // An expectation that nobody knows is none that has to be met.
  http.on('checkExpectation', (request, response) => http.emit('request', request, response))
  loadFile()
  await listen(http, options.host, options.port)
  const port = portOf(http)
  return {
    url: `http://${hostOf(options.host, port)}`,
    port,
    ...host.clock,
    ...own,
    options,
    journal: recorder.lines,
    routes: () => [...state.staticRoutes.keys(), ...state.dynamicRoutes.keys()],
    runs: () => JSON.parse(runsText(ledger)) as ReturnType<Gateway['runs']>,
    close: async () => {
      host.driver.stop()
      work.stop()
      await closing()
    },
  }
}

const patienceOf = ({ agentTimeOutMs }: CompleteGatewayOptions): Patience => ({
  runMs: agentTimeOutMs,
  deliveryMs: limits.senderTimeOut.value * 1000,
})

/** Bodies of requests that are no posts to a route are not listened to, but for what a test asks. */
function limitOf(
  { control, maxBodyBytes }: CompleteGatewayOptions,
  { method, target }: Omit<Arrived, 'body'>,
): number {
  if (control && isControl(method, target)) return MAX_CONTROL_BYTES
  const [path = ''] = target.split('?', 1)
  return routeNameIn(path) === undefined ? 0 : maxBodyBytes
}

const noPictures = (): never => {
  throw new TypeError('A gateway has no pictures.')
}
