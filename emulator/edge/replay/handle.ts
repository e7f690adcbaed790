// The handle of a running replay, and its control paths.

import { isMatch } from '../../lib/match.ts'
import type { RunView } from '../../journal/received.ts'
import type { Effect, Input } from '../../machine.ts'
import { runsOf } from '../../recording/replay/run-state.ts'
import type { ReplayWorld } from '../../recording/replay/state.ts'
import type { ClockMover, ControlPaths } from '../control.ts'
import type { ClockHandle, Emulator, WorldHandle } from '../handles.ts'
import type { Recorder } from '../recorder.ts'
import type { RecordedMachine } from '../recording.ts'
import type { HandledHost } from '../server-handle.ts'
import { untilMessageOf } from '../until-message.ts'
import { createWorldHandle } from '../world-handle.ts'
import { runPaths } from '../run-paths.ts'
import { handlePaths } from '../world-paths.ts'

/** The value of the response header Server. */
export const replayServerName = 'flowdouble'

/** Its clock, its journal and what it has received are those of an emulator. They need no address. */
type ReplayMethods = ClockHandle &
  WorldHandle &
  Pick<Emulator, 'untilMessage' | 'messages' | 'frames' | 'runs'>

/** A recording that is replayed as a server. */
export type Replay = ReplayMethods &
  Pick<Emulator, 'url' | 'port' | 'close'> & {
    /** What its recording lacks, a sentence each. */
    readonly warnings: readonly string[]
  }

export function createReplayHandle(
  world: ReplayWorld,
  recorder: Recorder<Input, Effect>,
  host: HandledHost,
): ReplayMethods {
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
        const { sessionText } = await import('../recording.ts')
        return sessionText(recorder, recordedReplay(world))
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

/** What a recording says about a replay. */
const recordedReplay = ({ script, options }: ReplayWorld): RecordedMachine => ({
  info: {
    version: 1,
    origin: 'a replay of flowdouble',
    place: script.place,
    ...(script.software !== null && { software: script.software }),
    seed: options.seed,
  },
  scheme: 'http',
  epochMs: options.epochMs,
  serverName: replayServerName,
})

const viewOf = ({ prompt_id, state }: ReturnType<typeof runsOf>[number]): RunView => ({
  prompt_id,
  state: state === null ? 'pending' : state === 'started' ? 'running' : state,
  user: null,
})

export const replayPaths = (replay: ReplayMethods, move: ClockMover<Effect>): ControlPaths => ({
  ...runPaths(replay, move, () => []),
  ...handlePaths(replay),
})
