// A replay as a machine: the interface that hosts use.

import { nextTimer, takeTimer } from '../../lib/timers.ts'
import type { Effect, Input, Machine, WorldChange } from '../../machine.ts'
import { requestInput, serverEffects } from '../../server/machine.ts'
import { refused } from '../../lib/refused.ts'
import type { Recording } from '../../session/recording.ts'
import { readScript } from './read-script.ts'
import { createState, type Due, type ReplayOptions, type ReplayWorld } from './state.ts'
import { copyOf } from '../../lib/copy.ts'
import { answer } from './answers.ts'
import { closeSocket, deliver, endSockets, openSocket, readMessage } from './sockets.ts'

/**
 * A new replay of a recording. Throws a refusal for a recording without anything to replay.
 * @param name the name of the recording, for messages; null if it may be empty.
 */
export function createReplay(
  recording: Recording,
  options: Omit<ReplayOptions, 'epochMs'> & { readonly epochMs: number | null },
  name: string | null,
): ReplayWorld {
  const script = readScript(recording, new Set(options.any))
  const isEmpty = script.exchanges.length === 0 && script.sockets.length === 0
  if (isEmpty && name !== null)
    throw refused(`${name} holds no answered request and no socket: there is nothing to replay.`)
  const complete = {
    ...options,
    epochMs: options.epochMs ?? (isEmpty ? 0 : Math.floor(script.startMs)),
  }
  return {
    script,
    options: complete,
    state: createState(complete),
    snapshots: new Map(),
    effects: [],
  }
}

export const replayMachine = (world: ReplayWorld): Machine<Input, Effect> => ({
  epochMs: world.options.epochMs,
  nowMs: () => world.state.nowMs,
  step: (input) => step(world, input),
  request: requestInput,
  wake: (atMs) => ({ kind: 'wake', atMs }),
  changeWorld: (atMs, change) => Object.assign({ kind: 'world', atMs } as const, change),
  nextWakeMs: () => nextTimer(world.state.timers)?.dueMs,
  isWaitingForOthers: () => false,
  isEager: false,
  // The recording holds its secrets as placeholders; a client's own are those of its requests.
  ownSecrets: () => [],
  newSecrets: () => [],
  ...serverEffects,
})

/** Applies an input and returns the effects in order. First sends what is due before the input. */
function step(world: ReplayWorld, input: Input): readonly Effect[] {
  const effects: Effect[] = []
  world.effects = effects
  advanceTo(world, input.atMs)
  apply(world, input)
  // What follows within a millisecond follows immediately. Another state has another time.
  if (input.kind !== 'world') advanceTo(world, input.atMs)
  return effects
}

function advanceTo(world: ReplayWorld, atMs: number): void {
  const { timers } = world.state
  for (let timer = takeTimer(timers, atMs); timer; timer = takeTimer(timers, atMs)) {
    world.state.nowMs = Math.max(world.state.nowMs, timer.dueMs)
    fire(world, timer.what)
  }
  world.state.nowMs = Math.max(world.state.nowMs, atMs)
}

function fire(world: ReplayWorld, due: Due): void {
  if (due.kind === 'message') return deliver(world, due)
  if (due.kind === 'answer') return
  const { script, state, effects } = world
  const moment = script.moments[due.moment]
  if (moment === undefined || moment.state === 'requested') return
  // What interrupts a run has submitted none.
  const submit = state.latest.get(script.submits.get(moment.run ?? '') ?? -1)
  const prompt_id = due.instance.run ?? submit?.run ?? null
  if (prompt_id !== null) effects.push({ kind: 'run', prompt_id, state: moment.state })
}

function apply(world: ReplayWorld, input: Input): void {
  switch (input.kind) {
    case 'request': {
      const { request } = input
      const at = world.effects.length
      const { status, headers, body, file } = answer(world, input)
      const reply = {
        kind: 'reply',
        request,
        status,
        headers,
        body,
        ...(file && { file }),
      } as const
      world.effects.splice(at, 0, reply)
      return
    }
    case 'open':
      return input.fault === undefined
        ? openSocket(world, input)
        : refuseSocket(world, input.socket)
    case 'message':
      return readMessage(world, input.socket, input.text)
    case 'close':
      return closeSocket(world, input.socket)
    case 'drop':
      return endSockets(world, [...world.state.sockets.keys()], input.how)
    case 'world':
      return changeState(world, input)
    // A replay has no script that could change.
    case 'script':
    case 'trim':
    case 'wake':
  }
}

function refuseSocket(world: ReplayWorld, socket: number): void {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
  const body = 'This is not a valid WebSocket handshake.'
  world.effects.push({ kind: 'refuse', socket, status: 400, headers, body })
}

function changeState(world: ReplayWorld, change: WorldChange): void {
  if (change.do === 'snapshot') return void world.snapshots.set(change.name, copyOf(world.state))
  endSockets(world, [...world.state.sockets.keys()], { close: 1012 })
  const { nowMs } = world.state
  if (change.do === 'restore') {
    const kept = world.snapshots.get(change.name)
    if (kept === undefined) return
    world.state = copyOf(kept)
    world.state.sockets.clear()
  } else if (change.do === 'reset') {
    world.state = createState(world.options)
    if (change.keepsTime) world.state.nowMs = nowMs
  }
}
