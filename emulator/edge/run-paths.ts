// The control paths of everything that plays runs, a world or a replay: its clock, its runs, and what it has sent.

import { controlEndpoints } from '../../spec/control.ts'
import type { Effect } from '../machine.ts'
import { isPlainObject } from '../options/json-schema.ts'
import { type ClockMover, type ControlPaths, ok } from './control.ts'
import { queryFilter } from './filters.ts'
import type { Emulator } from './handles.ts'
import { messageData, requireMessageType } from './until-message.ts'
import { clockPaths, type Finder } from './world-paths.ts'

/** What a clock moves to: a message, or a state of one run. */
const finderFor =
  (scripted: () => readonly string[]) =>
  (until: Readonly<Record<string, unknown>>): Finder<Effect> | undefined => {
    const { message, data = {}, run, state } = until
    if (typeof message === 'string' && isPlainObject(data)) {
      requireMessageType(message, scripted())
      return (effect) => messageData(effect, message, data)
    }
    if (typeof run !== 'string') return undefined
    return (effect) =>
      effect.kind === 'run' && effect.prompt_id === run && (state ?? effect.state) === effect.state
        ? { prompt_id: run, state: effect.state }
        : undefined
  }

const { listMessages, listFrames } = controlEndpoints

/** @param scripted the types of messages that its script adds now. */
export const runPaths = (
  player: Pick<Emulator, 'runs' | 'messages' | 'frames'>,
  move: ClockMover<Effect>,
  scripted: () => readonly string[],
): ControlPaths => ({
  ...clockPaths(move, finderFor(scripted)),
  'GET runs': () => ok(player.runs()),
  'GET messages': async ({ query }) =>
    ok(await player.messages(queryFilter(listMessages.query, query))),
  'GET frames': async ({ query }) => ok(await player.frames(queryFilter(listFrames.query, query))),
})
