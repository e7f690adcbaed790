// The gateway as a machine: what drives, records and replays it needs no more than this.

import type { Entry, Machine } from '../machine.ts'
import type { GatewayEffect, GatewayInput } from './machine.ts'
import { secretsIn } from './routes.ts'
import { isWaitingForOthers } from './timers.ts'
import type { GatewayState } from './state.ts'
import { nextWakeMs, step } from './step.ts'

export const gatewayMachine = (state: GatewayState): Machine<GatewayInput, GatewayEffect> => ({
  epochMs: state.options.epochMs,
  nowMs: () => state.nowMs,
  step: (input) => step(state, input),
  wake: (atMs) => ({ kind: 'wake', atMs }),
  nextWakeMs: () => nextWakeMs(state),
  isWaitingForOthers: () => isWaitingForOthers(state),
  // The scripted agent answers at once: that needs no timer of the system.
  isEager: true,
  entryBytes,
  newSecrets: (input) => (input.kind === 'file' ? secretsIn(input.text ?? '') : []),
  nameOf,
})

function entryBytes({ input, effects }: Entry<GatewayInput, GatewayEffect>): number {
  let bytes = input.kind === 'request' ? input.body.length : 0
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

function nameOf(effect: GatewayEffect): string {
  switch (effect.kind) {
    case 'run':
      return `run ${effect.run.status}`
    case 'outbox':
      return `delivery ${effect.entry.status}`
    default:
      return effect.kind
  }
}
