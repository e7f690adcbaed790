// Advances the clock of a server until it sends a matching message.

import { isMatch } from '../lib/match.ts'
import type { Effect } from '../machine.ts'
import type { HintingClock } from './clock-handle.ts'
import type { Emulator } from './handles.ts'

export const untilMessageOf =
  ({ until }: HintingClock<Effect>): Emulator['untilMessage'] =>
  async (type, data = {}, limit = {}) => {
    let found: unknown
    const matches = (effect: Effect): boolean => {
      found = messageData(effect, type, data)
      return found !== undefined
    }
    const hint = `Messages of type ${type} go to open sockets only: is one open?`
    await until(matches, { hint, ...limit })
    return found as typeof data
  }

/** The data of a sent message of this type that contains these members; undefined for any other effect. */
export function messageData(effect: Effect, type: string, data: object): unknown {
  // Skip parsing a text that does not contain the type.
  if (effect.kind !== 'send' || !effect.text.includes(type)) return undefined
  const message = JSON.parse(effect.text) as { readonly type: string; readonly data: unknown }
  return message.type === type && isMatch(message.data, data) ? message.data : undefined
}
