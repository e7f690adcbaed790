// Advances the clock of a server until it sends a matching message.

import type { Effect } from '../machine.ts'
import type { HintingClock } from './clock-handle.ts'
import type { Emulator } from './handles.ts'

export const untilMessageOf =
  ({ until }: HintingClock<Effect>): Emulator['untilMessage'] =>
  async (type, data = {}) => {
    let found: unknown
    const matches = (effect: Effect): boolean => {
      // Skip parsing a text that does not contain the type.
      if (effect.kind !== 'send' || !effect.text.includes(type)) return false
      const message = JSON.parse(effect.text) as { readonly type: string; readonly data: unknown }
      if (message.type !== type || !isMatch(message.data, data)) return false
      found = message.data
      return true
    }
    await until(matches, `Messages of type ${type} go to open sockets only: is one open?`)
    return found as typeof data
  }

/** Whether a value matches; objects may have additional members at any depth. */
function isMatch(value: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return value === expected
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(expected) && (!Array.isArray(value) || value.length !== expected.length))
    return false
  const members: Readonly<Record<string, unknown>> = { ...value }
  return Object.entries(expected).every(([name, member]) => isMatch(members[name], member))
}
