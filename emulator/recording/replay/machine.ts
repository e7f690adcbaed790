// A replay as a machine: the interface that hosts use.

import { nextTimer } from '../../lib/timers.ts'
import type { Effect, Input, Machine } from '../../machine.ts'
import { requestInput, serverEffects } from '../../server/machine.ts'
import { refused } from '../../lib/refused.ts'
import type { Recording } from '../../session/recording.ts'
import { readScript } from './read-script.ts'
import { createState, type ReplayOptions, type ReplayWorld } from './state.ts'
import { step } from './step.ts'

/**
 * A new replay of a recording. Throws a refusal for a recording without anything to replay.
 * @param name the name of the recording, for messages.
 */
export function createReplay(
  recording: Recording,
  options: Omit<ReplayOptions, 'epochMs'> & { readonly epochMs: number | null },
  name: string,
): ReplayWorld {
  const script = readScript(recording, new Set(options.any))
  if (script.exchanges.length === 0 && script.sockets.length === 0)
    throw refused(`${name} holds no answered request and no socket: there is nothing to replay.`)
  const complete = { ...options, epochMs: options.epochMs ?? Math.floor(script.startMs) }
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
