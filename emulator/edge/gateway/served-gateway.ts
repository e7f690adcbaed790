// A gateway behind an address: connects its machine to requests, to its agents and senders, and to its subscriptions.

import type { ServerResponse } from 'node:http'
import { limits } from '../../../spec/limits.ts'
import type { RequestHead, IncomingRequest, WorldChange } from '../../machine.ts'
import { type LogLine, logLines } from '../../gateway/log.ts'
import { answer as refusalOf } from '../../gateway/answers.ts'
import type { GatewayEffect, GatewayInput } from '../../gateway/state/inputs.ts'
import type { AgentRun } from '../../gateway/state/run.ts'
import { gatewayMachine } from '../../gateway/machine.ts'
import {
  copyRecent,
  createRecent,
  note,
  outboxOf,
  type Recent,
  runsText,
} from '../../gateway/recent.ts'
import { problemsOf } from '../../gateway/state/problems.ts'
import type { GatewayWorld } from '../../gateway/state/state.ts'
import { isAtWork, keysOfRuns, roomForRuns, unfinished } from '../../gateway/runs.ts'
import { metricsReply } from '../../gateway/metrics.ts'
import { asksForMetrics, needsBody } from '../../gateway/step.ts'
import type { CompleteGatewayOptions } from '../../options/gateway.ts'
import type { Reply } from '../../http/replies.ts'
import { nameLike } from '../../options/like.ts'
import { type ControlLoader, MAX_CONTROL_BYTES } from '../control.ts'
import type { Gateway } from '../handles.ts'
import { whyRefused } from '../control-access.ts'
import { processFacts } from '../node/metrics/process-facts.ts'
import { createHost, type Hooks, type Host } from '../host.ts'
import type { Later } from '../later.ts'
import { noPictures, nodeParts, nodeResponses } from '../node/http.ts'
import type { Recorder } from '../recorder.ts'
import { createWorldHandle } from '../world-handle.ts'
import { createWork, type WorkTimeOuts } from './external-work.ts'
import { createKeeper, type Keeper } from './store/keeper.ts'
import { isPostgres, throwUnusable } from './store/place.ts'
import type { SocketAnswers } from './store/socket.ts'
import type { Store } from './store/store.ts'
import type { AskRuns } from './store/stored-runs.ts'
import { watchFile } from '../../config/file-watch.ts'
import type { BodyBound } from './unfinished.ts'
import { createMemory, type Subscriptions } from './memory-subscriptions.ts'

export type GatewayHooks = Hooks<GatewayInput, GatewayEffect> & {
  /** Called with each log line. */
  readonly onLog: ((line: LogLine) => void) | undefined
}

const waitHint = 'Was an event posted?'
const noEvent =
  "No event has been accepted yet. Wait for the post first: await gateway.received({ method: 'POST' })."

/** The states of agent runs. */
const agentStates = ['running', 'completed', 'failed'] satisfies AgentRun['status'][]

/** What the edge keeps beside a state of the machine. */
type KeptState = { readonly recent: Recent; readonly subscriptions: Subscriptions }

/** The same for the present state of a gateway and for its snapshots. */
type Kept = { readonly now: KeptState; readonly snapshots: ReadonlyMap<string, KeptState> }

/** A gateway that is to be served. */
export type GatewayPart = {
  readonly options: CompleteGatewayOptions
  readonly world: GatewayWorld
  readonly recorder: Recorder<GatewayInput, GatewayEffect>
  readonly hooks: GatewayHooks
  /** Where the numbers of its requests begin: those of a fork follow those of the other gateway. */
  readonly lastRequest: number
  /** What the gateway that it continues has kept; null for a new one. */
  readonly kept: Kept | null
  /** What keeps accepted posts beyond this process; null for nothing. */
  readonly store: Store | null
}

/** The parts of a handle that need no address. */
type GatewayHandle = Omit<
  Gateway,
  'name' | 'url' | 'port' | 'options' | 'fork' | 'world' | 'worlds' | 'close'
>

export type ServedGateway = {
  readonly host: Pick<
    Host<GatewayInput, GatewayEffect, ServerResponse>,
    'lastRequest' | 'changeWorld' | 'write' | 'timeMs'
  >
  readonly handle: GatewayHandle
  /** The agent runs as JSON text. */
  readonly runsText: () => string
  /** Answers requests for the runs of its store; null without one. */
  readonly storedRuns: AskRuns | null
  readonly kept: () => Kept
  readonly limitBytes: (head: RequestHead) => number | null
  readonly answer: (arrived: IncomingRequest, response: ServerResponse) => Later<void>
  /** Takes the runs that its store has. */
  readonly start: () => Promise<void>
  /** Stops its clock, ends running work, and hands back what its store has. */
  readonly stop: () => Promise<void>
}

/** @param control loads its control paths. */
export function connectGateway(
  part: GatewayPart,
  control: ControlLoader<GatewayEffect>,
): ServedGateway {
  const { options, world, recorder, hooks, lastRequest, store } = part
  const { onLog } = hooks
  let recent = part.kept === null ? createRecent() : copyRecent(part.kept.now.recent)
  const settled = async (): Promise<void> => {
    for (let busy = keeper?.busy(); busy !== undefined; busy = keeper?.busy()) await busy
  }
  const responses = nodeResponses(noPictures, nameLike(options.like))
  const guard = { host: options.host, origin: null, token: options.controlToken }
  const host = createHost(
    gatewayMachine(world),
    recorder,
    {
      clock: options.clock,
      emit: (effects) => {
        note(recent, effects)
        keeper?.emit(effects)
        work.emit(effects)
        if (onLog !== undefined) logLines(world, effects).forEach(onLog)
      },
      batch: (all) => all(),
      flushed: settled,
      worked: () => keeper?.busy() ?? work.ended(),
      hint: (own) => (recent.runs.entries.entries.size === 0 ? noEvent : (own ?? waitHint)),
      states: agentStates,
      responses,
      ready: () => undefined,
      control: options.control,
      about: { deployment: 'gateway', like: options.like, generation: null },
      isDown: () => false,
      isClosing: () => world.state.isDraining,
      guard,
      lastRequest,
      ...nodeParts({ place: 'gateway' }),
    },
    hooks,
    control,
  )
  const { agent, deliveries } = options
  const work = createWork(
    host.driver.dispatch,
    typeof agent === 'function' ? agent : null,
    deliveries,
    // An instant clock does not advance while external work runs.
    options.clock === 'instant' ? workTimeOuts(options) : null,
    (key, pid) => keeper?.noteAgent(key, pid),
  )
  const keeper: Keeper | null =
    store === null
      ? null
      : createKeeper(store, {
          dispatch: host.driver.dispatch,
          room: () => roomForRuns(world),
          held: () => keysOfRuns(world),
          timeMs: host.timeMs,
          isLive: options.clock === 'real',
          leaseMs: options.leaseMs,
          log: (level, text) => onLog?.({ level, kind: 'gateway', text, fields: {} }),
        })
  const storedRuns: AskRuns | null =
    store === null || keeper === null
      ? null
      : async (request) => {
          const { answerRuns } = await import('./store/stored-runs.ts')
          return answerRuns(store, request, keeper)
        }
  const earlier = part.kept?.now.subscriptions ?? null
  const memory = createMemory(world, options, host.driver.dispatch, earlier)
  const file = createFileLoader(options, host.driver.dispatch)
  const keep = (): KeptState => ({ recent: copyRecent(recent), subscriptions: memory.kept() })
  const snapshots = new Map(part.kept?.snapshots)
  const changeWorld = (change: WorldChange): void => {
    if (change.do === 'snapshot') snapshots.set(change.name, keep())
    // Work outside ends: the other state asks for its own.
    else work.stop()
    const before = change.do === 'restore' ? snapshots.get(change.name) : undefined
    if (change.do === 'reset') recent = createRecent()
    else if (before !== undefined) recent = copyRecent(before.recent)
    host.changeWorld(change)
    if (change.do !== 'reset' && change.do !== 'restore') return
    memory.restart(before?.subscriptions)
    file.restart()
  }
  const limitBytes: ServedGateway['limitBytes'] = (head) => {
    if (host.isControl(head)) return MAX_CONTROL_BYTES
    file.load()
    return needsBody(world, head) ? options.maxBodyBytes : null
  }
  const answer: ServedGateway['answer'] = (arrived, response) => {
    if (host.isControl(arrived)) {
      const { bound } = arrived
      if (bound === undefined) return host.answerControl(arrived, response, {})
      return host.write(response, replyTo(bound))
    }
    file.load()
    if (asksForMetrics(world, arrived)) return answerMetrics(response)
    host.enter(response, dated(arrived))
  }
  /** Not by way of the machine: who reads often would push everything else out of the journal. */
  const answerMetrics = (response: ServerResponse): void => {
    const why = whyRefused(responses.callerOf(response), guard)
    host.write(
      response,
      why === undefined
        ? metricsReply(world, processFacts())
        : refusalOf('metricsForbidden', { why }),
    )
  }
  // Real senders sign with the time of day.
  const isDated = options.clock === 'real' && options.epoch === 'now'
  const dated = (arrived: IncomingRequest): IncomingRequest =>
    isDated ? Object.assign({}, arrived, { wallMs: Date.now() }) : arrived
  let closeSocket: (() => Promise<void>) | undefined
  const drain: GatewayHandle['drain'] = async (withinMs) => {
    host.driver.dispatch((atMs) => ({ kind: 'drain', atMs }))
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        unwatch()
        resolve()
      }
      const timer = setTimeout(end, withinMs)
      const unwatch = host.watch((isClosed) => {
        if (isClosed || !isAtWork(world)) setImmediate(end)
      })
      if (!isAtWork(world)) setImmediate(end)
    })
    await settled()
    return unfinished(world)
  }
  file.load()
  return {
    host: { ...host, changeWorld },
    handle: {
      ...host.clock,
      ...createWorldHandle({
        host: { changeWorld, watch: host.watch },
        recorder,
        flushed: settled,
        snapshots: () => new Set(world.snapshots.keys()),
        received: async () => {
          const { requestsOf } = await import('./received.ts')
          return requestsOf(world, await recorder.view())
        },
        recording: async () => {
          const { gatewayRecording } = await import('./recording.ts')
          return gatewayRecording(world, options, recorder)
        },
        keepsTime: options.epoch === 'now',
      }),
      outbox: () => outboxOf(recent),
      runs: () => JSON.parse(runsText(recent)) as ReturnType<Gateway['runs']>,
      routes: () => [...world.setup.staticRoutes.keys(), ...world.state.dynamicRoutes.keys()],
      failDeliveries: (failure) =>
        host.driver.dispatch((atMs) => ({ kind: 'fail', atMs, ...failure })),
      subscribe: memory.subscribe,
      remove: memory.remove,
      drain,
    },
    runsText: () => runsText(recent),
    storedRuns,
    kept: () => ({ now: keep(), snapshots }),
    limitBytes,
    answer,
    start: async () => {
      if (keeper === null || storedRuns === null) return
      await keeper.start().catch(throwUnusable)
      const problems = (): readonly string[] => problemsOf(world.state)
      closeSocket = await serveStore(options, { runs: storedRuns, problems })
    },
    stop: async () => {
      // What is being stored may start no further work.
      if (keeper !== null) host.driver.dispatch((atMs) => ({ kind: 'drain', atMs }))
      work.stop()
      await closeSocket?.()
      await keeper?.close()
      host.close()
    },
  }
}

/** The reply to a control request whose body met a bound. */
const replyTo = (bound: BodyBound): Reply =>
  refusalOf(bound === 'slow-body' ? 'tooSlow' : 'tooManyBodies')

/** Lets commands of the same user reach a store in a file; the result ends that. */
async function serveStore(
  { store: place }: CompleteGatewayOptions,
  answers: SocketAnswers,
): Promise<(() => Promise<void>) | undefined> {
  if (place === null || isPostgres(place)) return undefined
  const { serveSocket, socketPath } = await import('./store/socket.ts')
  const path = socketPath(place)
  return path === undefined ? undefined : serveSocket(path, answers)
}

/** Loads the subscriptions file whenever it has changed; does nothing without one. */
function createFileLoader(
  { subscriptionsFile }: CompleteGatewayOptions,
  dispatch: (at: (atMs: number) => GatewayInput) => void,
): { readonly load: () => void; readonly restart: () => void } {
  const createLook = (): ReturnType<typeof watchFile> =>
    subscriptionsFile === null ? () => undefined : watchFile(subscriptionsFile)
  let look = createLook()
  const load = (): void => {
    const changed = look()
    if (changed !== undefined) dispatch((atMs) => ({ kind: 'file', atMs, ...changed }))
  }
  const restart = (): void => {
    look = createLook()
    load()
  }
  return { load, restart }
}

const workTimeOuts = ({ agentTimeOutMs }: CompleteGatewayOptions): WorkTimeOuts => ({
  runMs: agentTimeOutMs,
  deliveryMs: limits.senderTimeOut.value * 1000,
})
