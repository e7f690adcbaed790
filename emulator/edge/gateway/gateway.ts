// A webhook gateway behind Node's sockets: starts one, and gives the tests a handle on its clock and on what it did.

import type { ServerResponse } from 'node:http'
import { limits } from '../../../spec/limits.ts'
import type { IncomingRequest, RequestHead } from '../../http/requests.ts'
import { usageError } from '../../options/usage.ts'
import { answer } from '../../gateway/answers.ts'
import {
  entryBytes,
  journalLines,
  noteSecretsOf,
  type GatewayEntry,
  secretsOf,
} from '../../gateway/journal.ts'
import { createRecent, note, outboxOf, runsText } from '../../gateway/recent.ts'
import { type LogLine, logLines } from '../../gateway/log-lines.ts'
import type { GatewayEffect, GatewayInput, ScriptedFailure } from '../../gateway/machine.ts'
import { isWaitingForOthers } from '../../gateway/timers.ts'
import { createGatewayWorld, type GatewayWorld, staticFault, timeMs } from '../../gateway/state.ts'
import { needsBody, nextWakeMs, step } from '../../gateway/step.ts'
import { type ClockGroup, createClockHandle } from '../clock.ts'
import { CONTROL_PREFIX, writeAnswer } from '../control.ts'
import { createDriver, type Tamper } from '../driver.ts'
import { watchFile } from './file-watch.ts'
import { answerGatewayControl, isOwn } from './control.ts'
import { gatewayHeaders } from './headers.ts'
import {
  type CompleteGatewayOptions,
  completeGatewayOptions,
  type GatewayOptionsGiven,
  stateOptions,
} from '../../options/gateway.ts'
import { nameLike } from '../../options/like.ts'
import { createWork, type WorkTimeOuts } from './work.ts'
import { noPictures, writeReply } from '../node/http.ts'
import { after, type Later } from '../later.ts'
import { followConnections } from '../lifetime.ts'
import { createWebServer, serve } from '../node/listener.ts'
import { hostOf, listen, portOf } from '../node/listening.ts'
import { createMemory } from './memory.ts'
import { receiveRaw } from '../node/raw-bodies.ts'
import { placeholdersOfProcess } from '../recorder.ts'
import { createRing } from '../../journal/ring.ts'
import type { Gateway } from './handle.ts'

/** Options of `startGateway`: those of the gateway, and an ear for what happens. */
export type GatewayOptions = GatewayOptionsGiven & {
  /** Called with each input and its effects, after they have been carried out. */
  readonly onEntry?: (entry: GatewayEntry) => void
  /** Called with each line of the log: one for each post, run and delivery, without secrets. */
  readonly onLog?: (line: LogLine) => void
  /** For suites only: makes a deliberately wrong gateway, to show that a case catches it. */
  readonly tamper?: Tamper<GatewayInput, GatewayEffect>
  /** For commands only: servers whose manual clocks are one. */
  readonly clocks?: ClockGroup
}

/**
 * Starts a gateway and resolves when it listens. Throws a usage error for options that cannot be used, routes that
 * cannot be served among them, and the system's error when the address is taken.
 */
export async function startGateway(given: GatewayOptions = {}): Promise<Gateway> {
  const { onEntry, onLog, tamper, clocks, ...rest } = given
  const options = completeGatewayOptions(rest)
  const startedMs = Date.now()
  // Loaded here, so that nothing else of this package waits for it.
  const { createHmac } = await import('node:crypto')
  const world = createGatewayWorld(stateOptions(options, startedMs), (key, message) =>
    createHmac('sha256', key).update(message).digest(),
  )
  const fault = staticFault(world.setup.options)
  if (fault !== undefined) throw usageError(fault)
  const recent = createRecent()
  const kept = createRing(entryBytes)
  const everKnown = secretsOf(world.setup.options)
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
    onEntry?.(entry)
    if (onLog !== undefined) logLines(world.state, effects).forEach(onLog)
  }
  const machine = {
    step: (input: GatewayInput) => step(world, input),
    nextWakeMs: () => nextWakeMs(world),
    isWaitingForOthers: () => isWaitingForOthers(world),
    // The scripted agent answers at once: that needs no timer of the system.
    isEager: true,
    nowMs: () => world.state.nowMs,
    epochMs: world.setup.options.epochMs,
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
    tamper,
  )
  const { agent, deliveries } = options
  // An instant clock stands still while others work.
  const realTimeOuts = options.clock === 'instant' ? workTimeOuts(options) : null
  const ownAgent = typeof agent === 'function' ? agent : null
  const work = createWork(driver.dispatch, ownAgent, deliveries, realTimeOuts)
  const clock = createClockHandle(
    options.clock,
    driver,
    () => Promise.resolve(),
    clocks,
    work.ended,
    'Was an event posted?',
  )
  const gatewayTimeMs = (): number => timeMs(world)
  const write = (response: ServerResponse, reply: Parameters<typeof writeReply>[1]): void =>
    writeReply(response, reply, gatewayTimeMs(), noPictures, nameLike(options.like))

  const memory = createMemory(world, options, driver.dispatch)
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
        world.setup.options,
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
      return limitOf(world, head)
    },
    answer: respond,
    write,
    timeMs: gatewayTimeMs,
    name: nameLike(options.like),
  })
  loadFile()
  await listen(http, options.host, options.port)
  const port = portOf(http)
  return {
    url: `http://${hostOf(options.host, port)}`,
    port,
    ...control,
    options,
    routes: () => [...world.setup.staticRoutes.keys(), ...world.state.dynamicRoutes.keys()],
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
function limitOf(world: GatewayWorld, head: RequestHead): number | null {
  if (head.target.startsWith(CONTROL_PREFIX)) return MAX_CONTROL_BYTES
  return needsBody(world, head) ? world.setup.options.maxBodyBytes : null
}
const MAX_CONTROL_BYTES = 65_536
