// The gateway as a machine: the interface that drivers, recorders and replays use.

import type { Answer, Entry, Machine } from '../machine.ts'
import type { GatewayEffect, GatewayInput } from './state/inputs.ts'
import { gatewaySecrets, secretsIn } from './state/routes.ts'
import { isWaitingForOthers } from './state/timers.ts'
import type { GatewayWorld } from './state/state.ts'
import { nextWakeMs, step } from './step.ts'

export const gatewayMachine = (world: GatewayWorld): Machine<GatewayInput, GatewayEffect> => ({
  epochMs: world.setup.options.epochMs,
  nowMs: () => world.state.nowMs,
  step: (input) => step(world, input),
  request: (atMs, request, arrived) => {
    const { method, target, headers, body, packed, fault, bound, address, wallMs } = arrived
    const from = { method, target, headers, body, packed, fault, bound, address, wallMs }
    return Object.assign({ kind: 'request', atMs, request } as const, from)
  },
  wake: (atMs) => ({ kind: 'wake', atMs }),
  changeWorld: (atMs, change) => Object.assign({ kind: 'world', atMs } as const, change),
  nextWakeMs: () => nextWakeMs(world),
  isWaitingForOthers: () => isWaitingForOthers(world),
  // The scripted agent answers immediately, without a system timer.
  isEager: true,
  entryBytes,
  ownSecrets: () => gatewaySecrets(world.setup.options),
  newSecrets: (input) => (input.kind === 'file' ? secretsIn(input.text ?? '') : []),
  answerOf,
  nameOf: effectName,
})

function entryBytes({ input, effects }: Entry<GatewayInput, GatewayEffect>): number {
  let bytes = input.kind === 'request' ? input.body.length + (input.packed?.length ?? 0) : 0
  if (input.kind === 'file') bytes += input.text?.length ?? 0
  for (const effect of effects) {
    if ('run' in effect) bytes += effect.run.prompt.length + effect.run.payload.length
    else if (effect.kind === 'outbox') bytes += effect.entry.text.length
    else if (effect.kind === 'deliver') bytes += effect.delivery.text.length
    else if (effect.kind === 'reply') bytes += effect.body.length
    else if (effect.kind === 'log') bytes += effect.text.length
  }
  return bytes
}

/** The reply, and the delivery id of an accepted post. */
function answerOf(effect: GatewayEffect): Answer | undefined {
  if (effect.kind === 'reply') return effect
  return effect.kind === 'post' && effect.verdict === 'accepted'
    ? { request: effect.request, run: effect.delivery_id ?? undefined }
    : undefined
}

function effectName(effect: GatewayEffect): string {
  switch (effect.kind) {
    case 'run':
      return `run ${effect.run.status}`
    case 'outbox':
      return `delivery ${effect.entry.status}`
    default:
      return effect.kind
  }
}
