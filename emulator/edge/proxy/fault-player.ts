// Plays the faults of a scenario on what passes through a proxy. The code of the emulator's world decides what they do, here
// on a world that has nothing but the sockets of the clients: what the server itself does is behind the proxy.

import { keyHeader } from '../../../spec/server/access.ts'
import type { PlayedFault } from '../../../spec/recording.ts'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { parameter, splitTarget } from '../../http/requests.ts'
import { nextTimer, takeTimer } from '../../lib/timers.ts'
import type { Effect, Input, ReplyEffect, RequestHead, SocketEnd } from '../../machine.ts'
import type { Place } from '../../../spec/language.ts'
import { completeOptions, worldOptions } from '../../options/complete.ts'
import { openBy, openDisturbed, type Answers } from '../../server/faults/handshakes.ts'
import { report } from '../../server/faults/match.ts'
import { disturbMessages } from '../../server/faults/messages.ts'
import { answerDisturbed, findRequestHit } from '../../server/faults/requests.ts'
import { fireFault } from '../../server/faults/timers.ts'
import { forgetSocket, wireOf } from '../../server/faults/wire.ts'
import { createServer } from '../../server/server.ts'
import type { FaultTimer, Hit } from '../../server/state/faults.ts'
import type { Server } from '../../server/state/server.ts'
import { closeSocket } from '../../server/world/sockets.ts'
import { loadHosted } from '../node/hosted.ts'
import { createPassing, type Passing } from './passing-messages.ts'

/** The faults of a proxy. */
export type FaultOptions = {
  readonly faults: readonly Fault[]
  /** Decides about faults with a probability. */
  readonly seed: string
  /** What the server is; undefined where its clients show it. */
  readonly place: Place | undefined
  /** Called with each fault that applies. */
  readonly played: () => void
}

/** What faults do to a request: they have been counted. */
export type RequestFaults = { readonly hit: Hit; readonly mark: PlayedFault }

/** What happens to a response: it is sent, perhaps as that of the fault, or its next part, or its connection is reset. */
export type ResponseEffect = ReplyEffect | Extract<Effect, { kind: 'part' | 'reset' }>

/** What happens to a socket of a client. */
export type SocketEffect =
  /** The handshake goes on to the server. */
  | { readonly kind: 'pass' }
  | Extract<Effect, { kind: 'refuse' }>
  /** A message, or with `cutBytes` only so many bytes of its frame. */
  | {
      readonly kind: 'deliver'
      readonly data: string | Uint8Array
      readonly cutBytes?: number | undefined
    }
  | { readonly kind: 'end'; readonly how: SocketEnd }

export type FaultPlayer = {
  /** Whether any fault concerns sockets. */
  readonly watchesSockets: boolean
  /** Counts a request that arrives; undefined if no fault applies to it. */
  readonly arrive: (head: RequestHead) => RequestFaults | undefined
  /**
   * Answers a request as faults say: with the answer of the fault, or the response of the server, which the caller has.
   * @param take is called with what happens to the response, from now on.
   */
  readonly respond: (
    request: number,
    head: RequestHead,
    faults: RequestFaults,
    take: (effect: ResponseEffect) => void,
  ) => void
  /** The client of a request is gone. */
  readonly leave: (request: number) => void
  /**
   * Opens a socket.
   * @param take is called with what happens to it, and which faults decided about its handshake.
   */
  readonly open: (
    socket: number,
    head: RequestHead,
    take: (effect: SocketEffect, mark: PlayedFault | undefined) => void,
  ) => void
  /**
   * A message of the server to a socket.
   * @param counted is called with the faults that apply to it, before they do.
   */
  readonly message: (
    socket: number,
    data: string | Uint8Array,
    counted: (mark: PlayedFault | undefined) => void,
  ) => void
  readonly close: (socket: number) => void
  /** The faults that have never applied, by their ids. */
  readonly unplayed: () => readonly string[]
  readonly stop: () => void
}

type Handshake = Extract<Input, { kind: 'open' }>

export async function createFaultPlayer(options: FaultOptions): Promise<FaultPlayer> {
  const { faults, seed, place, played } = options
  const scenario = [{ version: 1, faults }]
  const made = completeOptions({ seed, scenario })
  const server = createServer(worldOptions(made, () => new Map(), 0, null))
  // Only the bodies of refusals differ. Both have one state.
  const hostedServer = { ...server, hosted: await loadHosted() }
  const serverFor = (head: Pick<RequestHead, 'headers' | 'target'>): Server =>
    (place ?? (hasKey(head) ? 'hosted' : 'local')) === 'hosted' ? hostedServer : server
  const { state } = server
  const [world] = server.worlds
  const startMs = performance.now()
  const nowMs = (): number => Math.floor(performance.now() - startMs)
  const responses = new Map<number, (effect: ResponseEffect) => void>()
  const sockets = new Map<number, (effect: SocketEffect) => void>()
  let timer: NodeJS.Timeout | undefined

  const emit = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'fault') played()
      else if (effect.kind === 'reply' || effect.kind === 'part' || effect.kind === 'reset')
        responses.get(effect.request)?.(effect)
      else if (effect.kind === 'accept') sockets.get(effect.socket)?.({ kind: 'pass' })
      else if (effect.kind === 'refuse') sockets.get(effect.socket)?.(effect)
      else if (effect.kind === 'end')
        for (const id of effect.sockets) sockets.get(id)?.({ kind: 'end', how: effect.how })
      else if (effect.kind === 'send' || effect.kind === 'frame')
        for (const id of effect.sockets)
          sockets.get(id)?.({
            kind: 'deliver',
            data: passing.dataOf(effect),
            cutBytes: effect.cutBytes,
          })
    }
  }
  const fire = (effects: Effect[], what: FaultTimer): void => {
    if (what.kind !== 'handshake') return fireFault(server, effects, what)
    openBy(serverFor(what.input), effects, what.input, what.then, answersTo(effects, what.input))
  }
  /** Fires the timers that are due. A native timer can be up to a millisecond early. */
  const advance = (): void => {
    const untilMs = nowMs() + 1
    const effects: Effect[] = []
    for (let due = takeTimer(state.timers, untilMs); due; due = takeTimer(state.timers, untilMs)) {
      state.nowMs = Math.max(state.nowMs, due.dueMs)
      // Without runs a world has no timers but those of faults.
      fire(effects, due.what as FaultTimer)
    }
    state.nowMs = Math.max(state.nowMs, nowMs())
    emit(effects)
  }
  const schedule = (): void => {
    clearTimeout(timer)
    const next = nextTimer(state.timers)
    if (next === undefined) return
    timer = setTimeout(
      () => {
        advance()
        schedule()
      },
      Math.min(Math.max(0, next.dueMs - nowMs()), MAX_TIMER_MS),
    )
  }
  /** Lets time pass until now, and then does some work. */
  const apply = (
    work: (effects: Effect[]) => void,
    counted: (mark: PlayedFault | undefined) => void = () => undefined,
  ): void => {
    advance()
    const effects: Effect[] = []
    work(effects)
    counted(markOf(server, effects))
    emit(effects)
    schedule()
  }
  const answersTo = (effects: Effect[], { socket, target }: Handshake): Answers => ({
    open: () => {
      const askedId = parameter(splitTarget(target)[1], 'clientId')
      const own = { clientId: askedId ?? '', askedId }
      state.sockets.set(socket, 0)
      world.state.sockets.set(socket, {
        id: socket,
        ...own,
        negotiated: false,
        supportsPreviewMetadata: false,
      })
      effects.push({ kind: 'accept', socket })
    },
    refuse: (reply) => void effects.push({ kind: 'refuse', socket, ...reply }),
    userOf: () => null,
  })
  const send: Passing['send'] = (message, counted) =>
    apply((effects) => {
      effects.push(message)
      disturbMessages(server, effects, 0)
    }, counted)
  const passing = createPassing(faults, {
    send,
    deliver: (socket, data) => sockets.get(socket)?.({ kind: 'deliver', data }),
  })
  schedule()
  return {
    watchesSockets: faults.some(({ when }) => isOfSockets(when)),
    arrive: (head) => {
      advance()
      const hit = findRequestHit(server, head, () => null)
      if (hit === undefined) return undefined
      const effects: Effect[] = []
      report(effects, hit.faults)
      emit(effects)
      // They have been counted, and answerDisturbed would count them again.
      return { hit: { ...hit, faults: [] }, mark: markOf(server, effects) ?? { ids: [], did: [] } }
    },
    respond: (request, head, { hit }, take) => {
      responses.set(request, take)
      apply((effects) =>
        answerDisturbed(
          serverFor(head),
          effects,
          { request, target: head.target },
          hit,
          (reply = ofServer) => [{ kind: 'reply', request, ...reply }],
        ),
      )
    },
    leave: (request) => {
      responses.delete(request)
      wireOf(server).waiting.delete(request)
    },
    open: (socket, { target, headers }, take) => {
      let mark: PlayedFault | undefined
      sockets.set(socket, (effect) => take(effect, mark))
      const input = { kind: 'open', atMs: nowMs(), socket, target, headers } as const
      apply(
        (effects) => openDisturbed(serverFor(input), effects, input, answersTo(effects, input)),
        (counted) => (mark = counted),
      )
    },
    message: (socket, data, counted) => passing.take(socket, data, counted),
    close: (socket) => {
      passing.close(socket)
      sockets.delete(socket)
      state.sockets.delete(socket)
      forgetSocket(server, socket)
      closeSocket(world, socket)
    },
    unplayed: () => state.script.faults.flatMap(({ id, applied }) => (applied === 0 ? id : [])),
    stop: () => clearTimeout(timer),
  }
}

/** Longest delay of a native timer, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Stands for the response of the server, which the proxy has. */
const ofServer = { status: 0, headers: {}, body: '' }

const hasKey = ({ headers, target }: Pick<RequestHead, 'headers' | 'target'>): boolean =>
  headers[keyHeader.toLowerCase()] !== undefined ||
  parameter(splitTarget(target)[1], 'token') !== undefined

const isOfSockets = ({ socket, message, atMs }: Fault['when']): boolean =>
  socket !== undefined || message !== undefined || atMs !== undefined

/** The faults that some effects report; undefined without any. */
function markOf({ state }: Server, effects: readonly Effect[]): PlayedFault | undefined {
  const ids = effects.flatMap((effect) => (effect.kind === 'fault' ? effect.id : []))
  if (ids.length === 0) return undefined
  const own = state.script.faults.filter(({ id }) => ids.includes(id))
  return { ids, did: [...new Set(own.flatMap(({ fault }) => Object.keys(fault.then)))] }
}
