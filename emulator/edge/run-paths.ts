// The control paths of everything that plays runs, a world or a replay: its clock, its runs, and what it has sent.

import { controlEndpoints } from '../../spec/control.ts'
import type { Effect } from '../machine.ts'
import { isPlainObject } from '../options/json-schema.ts'
import { type ClockMover, type ControlPaths, ok } from './control.ts'
import { queryFilter } from './filters.ts'
import type { Emulator } from './handles.ts'
import { messageData, requireMessageType } from './until-message.ts'
import { clockPaths, type Finder } from './world-paths.ts'

type Faults = Parameters<typeof requireMessageType>[1]

/** What a clock moves to: a message, or a state of one run. */
const finderFor =
  (faults: () => Faults) =>
  (until: Readonly<Record<string, unknown>>): Finder<Effect> | undefined => {
    const { message, data = {}, run, state } = until
    if (typeof message === 'string' && isPlainObject(data)) {
      requireMessageType(message, faults())
      return (effect) => messageData(effect, message, data)
    }
    if (typeof run !== 'string') return undefined
    return (effect) =>
      effect.kind === 'run' && effect.prompt_id === run && (state ?? effect.state) === effect.state
        ? { prompt_id: run, state: effect.state }
        : undefined
  }

const { listMessages, listFrames } = controlEndpoints

/** @param faults its present faults: they can change the names of messages. */
export const runPaths = (
  player: Pick<Emulator, 'runs' | 'messages' | 'frames'>,
  move: ClockMover<Effect>,
  faults: () => Faults,
): ControlPaths => ({
  ...clockPaths(move, finderFor(faults)),
  'GET runs': () => ok(player.runs()),
  'GET messages': async ({ query }) =>
    ok(await player.messages(queryFilter(listMessages.query, query))),
  'GET frames': async ({ query }) => ok(await player.frames(queryFilter(listFrames.query, query))),
})
