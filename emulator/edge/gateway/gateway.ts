// A webhook gateway behind Node's sockets: starts one, and gives the tests a handle on its clock and on what it did.

import type { ServerResponse } from 'node:http'
import { limits } from '../../../spec/limits.ts'
import type { IncomingRequest, RequestHead } from '../../http/requests.ts'
import { usageError } from '../../options/complete.ts'
import { answer } from '../../gateway/answers.ts'
import {
  entryBytes,
  journalLines,
  noteSecretsOf,
  type ReceiverEntry,
  secretsOf,
} from '../../gateway/journal.ts'
import { createLedger, note, outboxOf, runsText } from '../../gateway/ledger.ts'
import type {
  AgentRun,
  OutboxEntry,
  ReceiverEffect,
  ReceiverInput,
  ScriptedFailure,
} from '../../gateway/machine.ts'
import { isPatient } from '../../gateway/schedule.ts'
import { createReceiver, type Receiver, staticFault, timeMs } from '../../gateway/state.ts'
import { needsBody, nextWakeMs, step } from '../../gateway/step.ts'
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
  receiverOptions,
  type RouteGiven,
} from './options.ts'
import { createWork, type Patience } from './work.ts'
import { noPictures, writeReply } from '../node/http.ts'
import { after, type Later } from '../later.ts'
import { followConnections } from '../lifetime.ts'
import { createWebServer, serve } from '../node/listener.ts'
import { hostOf, listen, portOf } from '../node/listening.ts'
import { createMemory } from './memory.ts'
import { receiveRaw } from '../node/raw-bodies.ts'
import { placeholdersOfProcess } from '../recorder.ts'
import { createRing } from '../../journal/ring.ts'

/** A running gateway. */
export type Gateway = ClockHandle<ReceiverEffect> & {
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
  const receiver = createReceiver(receiverOptions(options, startedMs), (key, message) =>
    createHmac('sha256', key).update(message).digest(),
  )
  const fault = staticFault(receiver.options)
  if (fault !== undefined) throw usageError(fault)
  const ledger = createLedger()
  const kept = createRing(entryBytes)
  const everKnown = secretsOf(receiver.options)
  const responses = new Map<number, ServerResponse>()
  let lastRequest = 0

  const carryOut = (input: ReceiverInput, effects: readonly ReceiverEffect[]): void => {
    const entry: ReceiverEntry = { input, effects }
    kept.add(entry)
    noteSecretsOf(input, everKnown)
    note(ledger, effects)
    for (const effect of effects) {
      if (effect.kind !== 'reply') continue
      const response = responses.get(effect.request)
      responses.delete(effect.request)
      if (response !== undefined) write(response, effect)
    }
    work.carryOut(effects)
    given.onEntry?.(entry)
  }
  const machine = {
    step: (input: ReceiverInput) => step(receiver, input),
    nextWakeMs: () => nextWakeMs(receiver),
    isPatient: () => isPatient(receiver),
    nowMs: () => receiver.nowMs,
    epochMs: receiver.options.epochMs,
    // Real senders sign with the time of the wall, which goes on while a machine sleeps.
    ...(options.epoch === 'now' && {
      elapsedMs: () => Date.now() - startedMs,
    }),
  }
  const driver = createDriver<ReceiverInput, ReceiverEffect>(
    machine,
    options.clock,
    carryOut,
    (all) => all(),
    given.tamper,
  )
  const { agent, deliveries } = options
  // An instant clock stands still while others work.
  const patience = options.clock === 'instant' ? patienceOf(options) : null
  const ownAgent = typeof agent === 'function' ? agent : null
  const work = createWork(driver.dispatch, ownAgent, deliveries, patience)
  const { clocks } = given
  const clock = createClockHandle(
    options.clock,
    driver,
    () => Promise.resolve(),
    clocks,
    work.ended,
    'Was an event posted?',
  )
  const gatewayTimeMs = (): number => timeMs(receiver)
  const write = (response: ServerResponse, reply: Parameters<typeof writeReply>[1]): void =>
    writeReply(response, reply, gatewayTimeMs(), noPictures)

  const memory = createMemory(receiver, options, driver.dispatch)
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
        receiver.options,
        kept.entries(),
        kept.first(),
        everKnown,
        await placeholdersOfProcess(),
      ),
    outbox: () => outboxOf(ledger),
    failDeliveries: (failure: ScriptedFailure) =>
      driver.dispatch((atMs) => ({ kind: 'fail', atMs, ...failure })),
    runsText: () => runsText(ledger),
  }
  const respond = (arrived: IncomingRequest, response: ServerResponse): Later<void> => {
    const { method, target, headers, body, fault } = arrived
    const [path = ''] = target.split('?', 1)
    if (options.control && path.startsWith(CONTROL_PREFIX) && isOwn(response.req)) {
      const asked = { method, path: path.slice(CONTROL_PREFIX.length), body }
      return after(answerGatewayControl(asked, control), (found) =>
        writeAnswer(response, found, {}),
      )
    }
    loadFile()
    const request = ++lastRequest
    responses.set(request, response)
    // Who has gone away waits for no answer.
    response.once('close', () => responses.delete(request))
    const kind = 'request'
    driver.dispatch((atMs) => ({ kind, atMs, request, method, target, headers, body, fault }))
  }

  const http = await createWebServer(null)
  const closing = followConnections([http])
  serve(http, {
    readHeaders: gatewayHeaders,
    receive: receiveRaw,
    isSocketPath: () => false,
    refusals: { badRequest: answer('badRequest'), internal: answer('internal') },
    // An expectation that nobody knows is none that has to be met.
    refuseExpectation: null,
    upgrade: null,
    limitBytes: (head) => {
      loadFile()
      return limitOf(receiver, head)
    },
    answer: respond,
    write,
    timeMs: gatewayTimeMs,
  })
  loadFile()
  await listen(http, options.host, options.port)
  const port = portOf(http)
  return {
    url: `http://${hostOf(options.host, port)}`,
    port,
    ...control,
    options,
    routes: () => [...receiver.staticRoutes.keys(), ...receiver.dynamicRoutes.keys()],
    runs: () => JSON.parse(runsText(ledger)) as ReturnType<Gateway['runs']>,
    close: async () => {
      driver.stop()
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
function limitOf(receiver: Receiver, head: RequestHead): number | null {
  if (head.target.startsWith(CONTROL_PREFIX)) return MAX_CONTROL_BYTES
  return needsBody(receiver, head) ? receiver.options.maxBodyBytes : null
}
const MAX_CONTROL_BYTES = 65_536
