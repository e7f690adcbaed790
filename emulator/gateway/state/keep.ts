// Asks the store to keep facts [store/stored-first].

import type { Fact } from './facts.ts'
import { type GatewayWorld, nextSerial, type Pending } from './state.ts'

/** Whether there is a store. */
export const keeps = ({ setup }: GatewayWorld): boolean => setup.options.store !== 'none'

/** Keeps a fact for which nothing waits. */
export function noteFact(world: GatewayWorld, fact: Fact): void {
  if (keeps(world)) world.effects.push({ kind: 'store', number: null, facts: [fact] })
}

/** Keeps facts together. What is pending goes on when they are kept. */
export function keep(world: GatewayWorld, facts: readonly Fact[], pending: Pending): void {
  const number = nextSerial(world)
  world.state.pending.set(number, pending)
  world.effects.push({ kind: 'store', number, facts })
}
