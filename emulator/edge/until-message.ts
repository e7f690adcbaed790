// Advances the clock of a server until it sends a matching message.

import { messages } from '../../spec/server/messages.ts'
import { isMatch } from '../lib/match.ts'
import { nearest } from '../lib/nearest.ts'
import type { Effect } from '../machine.ts'
import type { ScriptState } from '../server/state/scenario.ts'
import { usageError } from '../options/usage.ts'
import type { HintingClock } from './clock-handle.ts'
import type { Emulator } from './handles.ts'
import { readExact } from '../lib/exact-json.ts'

/** @param scripted the types that the script adds. */
export const untilMessageOf =
  (
    { until }: Pick<HintingClock<Effect>, 'until'>,
    scripted: () => readonly string[],
  ): Emulator['untilMessage'] =>
  async (type, data = {}, limit = {}) => {
    requireMessageType(type, scripted())
    let found: unknown
    const matches = (effect: Effect): boolean => {
      found = messageData(effect, type, data)
      return found !== undefined
    }
    const hint = `Messages of type ${type} go to open sockets only: is one open?`
    await until(matches, Object.assign({ hint }, limit))
    return found as typeof data
  }

/** The types of messages that the script of a server adds: those that faults insert, and those of the scenario. */
export const scriptedTypes = ({
  faults,
  messages,
}: Pick<ScriptState, 'faults' | 'messages'>): readonly string[] => [
  ...faults.flatMap(({ fault: { then } }) => then.insert?.type ?? []),
  ...messages.flatMap(({ type }) => type ?? []),
]

/** Throws a usage error for a type that no message has: neither one of the server, nor one that the script adds. */
export function requireMessageType(type: string, scripted: readonly string[]): void {
  const known = [...Object.keys(messages), ...scripted]
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
