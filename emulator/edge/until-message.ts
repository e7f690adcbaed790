// Advances the clock of a server until it sends a matching message.

import { messages } from '../../spec/server/messages.ts'
import type { Fault } from '../../spec/scenario/faults.ts'
import { isMatch } from '../lib/match.ts'
import { nearest } from '../lib/nearest.ts'
import type { Effect } from '../machine.ts'
import { usageError } from '../options/usage.ts'
import type { HintingClock } from './clock-handle.ts'
import type { Emulator } from './handles.ts'
import { readExact } from '../lib/exact-json.ts'

/** @param faults the faults in force. */
export const untilMessageOf =
  (
    { until }: Pick<HintingClock<Effect>, 'until'>,
    faults: () => readonly { readonly fault: Fault }[],
  ): Emulator['untilMessage'] =>
  async (type, data = {}, limit = {}) => {
    requireMessageType(type, faults())
    let found: unknown
    const matches = (effect: Effect): boolean => {
      found = messageData(effect, type, data)
      return found !== undefined
    }
    const hint = `Messages of type ${type} go to open sockets only: is one open?`
    await until(matches, Object.assign({ hint }, limit))
    return found as typeof data
  }

/** Throws a usage error for a type that no message has: neither one of the server, nor one that a fault inserts. */
export function requireMessageType(
  type: string,
  faults: readonly { readonly fault: Fault }[],
): void {
  const inserted = faults.flatMap(({ fault: { then } }) => then.insert?.type ?? [])
  const known = [...Object.keys(messages), ...inserted]
  if (known.includes(type)) return
  const meant = nearest(type, known)
  const hint = meant === undefined ? `types: ${known.join(', ')}.` : `did you mean ${meant}?`
  throw usageError(`No message has the type ${type}; ${hint}`)
}

/** The data of a sent message of this type that contains these members; undefined for any other effect. */
export function messageData(effect: Effect, type: string, data: object): unknown {
  // Skip parsing a text that does not contain the type.
  if (effect.kind !== 'send' || !effect.text.includes(type)) return undefined
  const message = readExact(effect.text) as { readonly type: string; readonly data: unknown }
  return message.type === type && isMatch(message.data, data) ? message.data : undefined
}
