// The handle of a running replay, and its control paths.

import { controlEndpoints } from '../../../spec/control.ts'
import { ownName } from '../../http/respond.ts'
import { isMatch } from '../../lib/match.ts'
import type { RunView } from '../../journal/received.ts'
import type { Effect, Input } from '../../machine.ts'
import { isPlainObject } from '../../options/json-schema.ts'
import { runsOf } from '../../recording/replay/run-state.ts'
import type { ReplayWorld } from '../../recording/replay/state.ts'
import { type ClockMover, type ControlPaths, ok } from '../control.ts'
import { queryFilter } from '../filters.ts'
import type { ClockHandle, Emulator, WorldHandle } from '../handles.ts'
import type { Recorder } from '../recorder.ts'
import type { HandledHost } from '../server-handle.ts'
import { messageData, requireMessageType, untilMessageOf } from '../until-message.ts'
import { createWorldHandle } from '../world-handle.ts'
import { clockPaths, type Finder, handlePaths } from '../world-paths.ts'

/** A recording that is replayed as a server. Its clock, its journal and what it has received are those of an emulator. */
export type Replay = ClockHandle &
  WorldHandle &
  Pick<Emulator, 'untilMessage' | 'messages' | 'frames' | 'runs' | 'url' | 'port' | 'close'>

/** The methods that need no address. */
export function createReplayHandle(
  world: ReplayWorld,
  recorder: Recorder<Input, Effect>,
  host: HandledHost,
): Omit<Replay, 'url' | 'port' | 'close'> {
  // Loaded on demand, so that the server starts fast.
  const lists = () => import('../../server/received.ts')
  const chosen = async <T extends object>(
    name: 'messages' | 'frames',
    items: readonly T[],
    filter: object,
  ): Promise<readonly T[]> => {
    const { requireFilter } = await import('../filters.ts')
    requireFilter(name, filter)
    return items.filter((one) => isMatch(one, filter))
  }
  return {
    ...createWorldHandle({
      host,
      recorder,
      flushed: host.flushed,
      snapshots: () => new Set(world.snapshots.keys()),
      received: async () => (await lists()).requestsBy(world, await recorder.view(), () => null),
      recording: async () => {
        const { recordedEntries, recordingText } = await import('../recording.ts')
        const { encodeFrame } = await import('../../server/world/frames.ts')
        const { epochMs, seed } = world.options
        const { place } = world.script
        const info = { version: 1, origin: 'a replay of flowdouble', place, seed } as const
        const entries = recordedEntries(await recorder.view())
        const machine = { info, scheme: 'http', epochMs, serverName: ownName } as const
        return recordingText(entries, machine, await recorder.redaction(), encodeFrame)
      },
      keepsTime: false,
    }),
    advance: host.advance,
    until: host.until,
    untilMessage: untilMessageOf(host, () => []),
    messages: async (filter = {}) =>
      chosen('messages', (await lists()).messagesOf(world, await recorder.view()).items, filter),
    frames: async (filter = {}) =>
      chosen('frames', (await lists()).framesOf(world, await recorder.view()).items, filter),
    runs: () => runsOf(world).map(viewOf),
  }
}

const viewOf = ({ prompt_id, state }: ReturnType<typeof runsOf>[number]): RunView => ({
  prompt_id,
  state: state === null ? 'pending' : state === 'started' ? 'running' : state,
  user: null,
})

/** What a clock moves to: a message, or a state of one run. */
function finderFor(until: Readonly<Record<string, unknown>>): Finder<Effect> | undefined {
  const { message, data = {}, run, state } = until
  if (typeof message === 'string' && isPlainObject(data)) {
    requireMessageType(message, [])
    return (effect) => messageData(effect, message, data)
  }
  if (typeof run !== 'string') return undefined
  return (effect) =>
    effect.kind === 'run' && effect.prompt_id === run && (state ?? effect.state) === effect.state
      ? { prompt_id: run, state: effect.state }
      : undefined
}

const { listMessages, listFrames } = controlEndpoints

export const replayPaths = (
  replay: Omit<Replay, 'url' | 'port' | 'close'>,
  move: ClockMover<Effect>,
): ControlPaths => ({
  ...clockPaths(move, finderFor),
  ...handlePaths(replay),
  'GET runs': () => ok(replay.runs()),
  'GET messages': async ({ query }) =>
    ok(await replay.messages(queryFilter(listMessages.query, query))),
  'GET frames': async ({ query }) => ok(await replay.frames(queryFilter(listFrames.query, query))),
})
