// A webhook gateway behind Node's sockets: starts one, and gives the tests a handle on its clock and on what it did.

import type { ServerResponse } from 'node:http'
import { limits } from '../../../spec/limits.ts'
import { usageError } from '../../options/complete.ts'
import { answer } from '../../gateway/answers.ts'
import {
  entryBytes,
  journalLines,
  noteSecretsOf,
  type GatewayEntry,
  secretsOf,
} from '../../gateway/journal.ts'
import { createRecent, note, outboxOf, runsText } from '../../gateway/recent.ts'
import type {
  AgentRun,
  OutboxEntry,
  GatewayEffect,
  GatewayInput,
  ScriptedFailure,
} from '../../gateway/machine.ts'
import { logLines } from '../../gateway/log-lines.ts'
import { isWaitingForOthers } from '../../gateway/timers.ts'
import { createGatewayState, staticFault, timeMs } from '../../gateway/state.ts'
import { nextWakeMs, routeNameIn, step } from '../../gateway/step.ts'
import { type ClockHandle, createClockHandle } from '../clock.ts'
import { CONTROL_PREFIX, writeAnswer } from '../control.ts'
import { createDriver } from '../driver.ts'
import { watchFile } from './file-watch.ts'
import { answerGatewayControl, isOwn } from './control.ts'
import { gatewayHeaders } from './headers.ts'
import {
  type CompleteGatewayOptions,
  completeGatewayOptions,
  type GatewayOptions,
  stateOptions,
  type RouteGiven,
} from './options.ts'
import { createWork, type WorkTimeOuts } from './work.ts'
import { writeReply } from '../node/http.ts'
import { followConnections } from '../lifetime.ts'
import { type Arrived, createWebServer, serve } from '../node/listener.ts'
import { hostOf, listen, portOf } from '../node/listening.ts'
import { createMemory } from './memory.ts'
import { receiveRaw } from '../node/raw-bodies.ts'
import { placeholdersOfProcess } from '../recorder.ts'
import { createRing } from '../../journal/ring.ts'

/** A running gateway. */
export type Gateway = ClockHandle<GatewayEffect> & {
  /** Base address, such as `http://127.0.0.1:8644`. */
  readonly url: string
  readonly port: number
  readonly options: CompleteGatewayOptions
  /** The names of the routes that are served: static ones first, then those of the file or of memory. */
  readonly routes: () => readonly string[]
  /** The latest entries of the journal as lines of JSON, after a line that tells the options. They hold no secret. */
  readonly journal: () => Promise<readonly string[]>
  /** The latest deliveries, each attempt an entry, oldest first. */
  readonly outbox: () => readonly OutboxEntry[]
  /** The latest agent runs, oldest first, with their payloads as JSON. */
  readonly runs: () => readonly (Omit<AgentRun, 'payload'> & { readonly payload: unknown })[]
  /** Lets deliveries into the outbox fail from now on. */
  readonly failDeliveries: (failure: ScriptedFailure) => void
  /**
   * Adds or replaces a subscription that is kept in memory. Throws a usage error where there is a file, where a static
   * route has the name, and where the route cannot be served: without a secret, or direct to `log`.
   */
  readonly subscribe: (name: string, route: RouteGiven) => void
  /** Removes a subscription that is kept in memory; tells whether there was one. Throws where there is a file. */
  readonly remove: (name: string) => boolean
  /** Stops listening, closes all connections, and ends what is under way. */
  readonly close: () => Promise<void>
}

/**
 * Starts a gateway and resolves when it listens. Throws a usage error for options that cannot be used, routes that
 * cannot be served among them, and the system's error when the address is taken.
 */
export async function startGateway(given: GatewayOptions = {}): Promise<Gateway> {
  const options = completeGatewayOptions(given)
  const startedMs = Date.now()
  // Loaded here, so that nothing else of this package waits for it.
  const { createHmac } = await import('node:crypto')
  const state = createGatewayState(stateOptions(options, startedMs), (key, message) =>
    createHmac('sha256', key).update(message).digest(),
  )
  const fault = staticFault(state.options)
  if (fault !== undefined) throw usageError(fault)
  const recent = createRecent()
  const kept = createRing(entryBytes)
  const everKnown = secretsOf(state.options)
  const responses = new Map<number, ServerResponse>()
  let lastRequest = 0

  const carryOut = (input: GatewayInput, effects: readonly GatewayEffect[]): void => {
    const entry: GatewayEntry = { input, effects }
    kept.add(entry)
    noteSecretsOf(input, everKnown)
    note(recent, effects)
    for (const effect of effects) {
      if (effect.kind !== 'reply') continue
      const response = responses.get(effect.request)
      responses.delete(effect.request)
      if (response !== undefined) write(response, effect)
    }
    work.carryOut(effects)
    given.onEntry?.(entry)
    if (given.onLog !== undefined) logLines(state, effects).forEach(given.onLog)
  }
  const machine = {
    step: (input: GatewayInput) => step(state, input),
    nextWakeMs: () => nextWakeMs(state),
    isWaitingForOthers: () => isWaitingForOthers(state),
    nowMs: () => state.nowMs,
    epochMs: state.options.epochMs,
    // Real senders sign with the time of the wall, which goes on while a machine sleeps.
    ...(options.epoch === 'now' && {
      elapsedMs: () => Date.now() - startedMs,
    }),
  }
  const driver = createDriver<GatewayInput, GatewayEffect>(
    machine,
    options.clock,
    carryOut,
    (all) => all(),
    given.tamper,
  )
  const { agent, deliveries } = options
  // An instant clock stands still while others work.
  const realTimeOuts = options.clock === 'instant' ? workTimeOuts(options) : null
  const ownAgent = typeof agent === 'function' ? agent : null
  const work = createWork(driver.dispatch, ownAgent, deliveries, realTimeOuts)
  const { clocks } = given
  const clock = createClockHandle(
    options.clock,
    driver,
    () => Promise.resolve(),
    clocks,
    work.ended,
    'Was an event posted?',
  )
  const gatewayTimeMs = (): number => timeMs(state)
  const write = (response: ServerResponse, reply: Parameters<typeof writeReply>[1]): void =>
    writeReply(response, reply, gatewayTimeMs(), noPictures)

  const memory = createMemory(state, options, driver.dispatch)
  const look =
    options.subscriptionsFile === null ? () => undefined : watchFile(options.subscriptionsFile)
  const loadFile = (): void => {
    const changed = look()
    if (changed !== undefined) driver.dispatch((atMs) => ({ kind: 'file', atMs, ...changed }))
  }

  const control = {
    ...clock,
    ...memory,
    journal: async () =>
      journalLines(
        state.options,
        kept.entries(),
        kept.first(),
        everKnown,
        await placeholdersOfProcess(),
      ),
    outbox: () => outboxOf(recent),
    failDeliveries: (failure: ScriptedFailure) =>
      driver.dispatch((atMs) => ({ kind: 'fail', atMs, ...failure })),
    runsText: () => runsText(recent),
  }
  const respond = async (arrived: Arrived, response: ServerResponse): Promise<void> => {
    const { method, target, body } = arrived
    const [path = ''] = target.split('?', 1)
    if (options.control && path.startsWith(CONTROL_PREFIX) && isOwn(response.req)) {
      const asked = { method, path: path.slice(CONTROL_PREFIX.length), body }
      return writeAnswer(response, await answerGatewayControl(asked, control), {})
    }
    loadFile()
    const request = ++lastRequest
    responses.set(request, response)
    // Who has gone away waits for no answer.
    response.once('close', () => responses.delete(request))
    driver.dispatch((atMs) => ({ kind: 'request', atMs, request, ...arrived }))
  }

  const http = await createWebServer(null)
  const closing = followConnections([http])
  serve(http, {
    readHeaders: gatewayHeaders,
    receive: (request, limitBytes) => receiveRaw(request, limitBytes()),
    isSocketPath: () => false,
    refusals: { badRequest: answer('badRequest'), internal: answer('internal') },
    upgrade: null,
    limitBytes: ({ target }) => limitOf(options, target),
    answer: respond,
    write,
    timeMs: gatewayTimeMs,
  })
  // An expectation that nobody knows is none that has to be met.
  http.on('checkExpectation', (request, response) => http.emit('request', request, response))
  loadFile()
  await listen(http, options.host, options.port)
  const port = portOf(http)
  return {
    url: `http://${hostOf(options.host, port)}`,
    port,
    ...control,
    options,
    routes: () => [...state.staticRoutes.keys(), ...state.dynamicRoutes.keys()],
    runs: () => JSON.parse(runsText(recent)) as ReturnType<Gateway['runs']>,
    close: async () => {
      driver.stop()
      work.stop()
      await closing()
    },
  }
}

const workTimeOuts = ({ agentTimeOutMs }: CompleteGatewayOptions): WorkTimeOuts => ({
  runMs: agentTimeOutMs,
  deliveryMs: limits.senderTimeOut.value * 1000,
})

/** Bodies of requests that are no posts to a route are not listened to, but for what a test asks. */
function limitOf({ maxBodyBytes }: CompleteGatewayOptions, target: string): number {
  const [path = ''] = target.split('?', 1)
  if (path.startsWith(CONTROL_PREFIX)) return MAX_CONTROL_BYTES
  return routeNameIn(path) === undefined ? 0 : maxBodyBytes
}
const MAX_CONTROL_BYTES = 65_536

const noPictures = (): never => {
  throw new TypeError('A gateway has no pictures.')
}
