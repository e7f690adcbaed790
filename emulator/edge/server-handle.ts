// The methods of a running workflow server beyond those of its clock: its script, what it has received, its sockets.

import { limits } from '../../spec/limits.ts'
import type { Fault } from '../../spec/scenario/faults.ts'
import { closeCodes, socketEnd } from '../../spec/socket-end.ts'
import { isMatch } from '../lib/match.ts'
import type { Received } from '../journal/received.ts'
import { nameLike } from '../options/like.ts'
import { faultViolations } from '../options/faults.ts'
import { fits, violationText } from '../options/json-schema.ts'
import { copyPlain } from '../options/plain-data.ts'
import { unusableText } from '../options/read.ts'
import { readScenarios, type ScenarioInput } from '../options/scenario.ts'
import type { ServerOptions } from '../options/server-options.ts'
import { conflictError, usageError } from '../options/usage.ts'
import type { Effect, Input, WorldChange } from '../machine.ts'
import { runViews } from '../server/run-views.ts'
import type { Server } from '../server/state/server.ts'
import type { RequestSource } from './await-request.ts'
import type { HintingClock } from './clock-handle.ts'
import type { Emulator, WorldHandle } from './handles.ts'
import type { Recorder } from './recorder.ts'
import type { RecordedMachine } from './recording.ts'
import { scriptedTypes, untilMessageOf } from './until-message.ts'
import { createWorldHandle } from './world-handle.ts'

/** What the methods need of a server. */
export type ServerParts = {
  readonly server: Server
  readonly options: ServerOptions
  readonly recorder: Recorder<Input, Effect>
}

/** What the methods do with the edge of a server. */
export type HandledHost = HintingClock<Effect> & {
  readonly dispatch: (at: (atMs: number) => Input) => void
  readonly changeWorld: (change: WorldChange) => void
  /** Calls back after each input and when the server closes, until the returned function is called. */
  readonly watch: RequestSource['watch']
  /** Resolves when all effects are sent. */
  readonly flushed: () => Promise<unknown>
}

/** Reads the scenarios that are files or names; throws a usage error where there is no disk. */
export type ScenarioReader = (given: unknown) => Promise<readonly ScenarioInput[]>

/** The methods that every edge has: none of them needs an address. */
export type ServerHandle = WorldHandle &
  Pick<
    Emulator,
    | 'advance'
    | 'until'
    | 'untilMessage'
    | 'fault'
    | 'faults'
    | 'removeFault'
    | 'load'
    | 'messages'
    | 'frames'
    | 'runs'
    | 'dropSockets'
    | 'exited'
  >

const endUsage = `Sockets end with "reset", "silence" or {close: 1012}; the code is ${closeCodes}.`

export function createServerHandle(
  { server, options, recorder }: ServerParts,
  host: HandledHost,
  readFiles: ScenarioReader,
): ServerHandle {
  const { advance, until, dispatch, flushed } = host
  const removeFault = (id: string): boolean => {
    const isKnown = server.state.script.faults.some((one) => one.id === id)
    if (isKnown) dispatch((atMs) => ({ kind: 'script', atMs, change: { remove: id } }))
    return isKnown
  }
  // Loaded on demand, so that the server starts fast.
  const lists = () => import('../server/received.ts')
  return {
    ...createWorldHandle({
      host,
      recorder,
      flushed,
      snapshots: () => new Set(server.snapshots.keys()),
      received: async () => (await lists()).requestsOf(server, await recorder.view()),
      recording: async () => {
        const { sessionText } = await import('./recording.ts')
        return sessionText(recorder, recordedServer(server, options))
      },
      keepsTime: options.epoch === 'now',
    }),
    advance,
    until,
    untilMessage: untilMessageOf(host, () => scriptedTypes(server.state.script)),
    fault: (fault) => {
      const [wrong] = faultViolations(fault, messageTypes(server))
      if (wrong !== undefined)
        throw usageError(`In the fault, ${violationText(wrong, 'it')} (see scenario.schema.json).`)
      requireFuture(server, fault)
      const add = copyPlain(fault)
      requireRoom(server, add)
      dispatch((atMs) => ({ kind: 'script', atMs, change: { add } }))
      const id = server.state.script.faults.at(-1)?.id ?? ''
      return { id, remove: () => void removeFault(id) }
    },
    faults: () =>
      server.state.script.faults.map(({ id, fault, matched, applied }) =>
        copyPlain({ id, fault, matched, applied }),
      ),
    removeFault,
    load: async (given) => {
      const isNamed = [given].flat().some((one) => typeof one === 'string')
      const scenarios = isNamed ? await readFiles(given) : given
      const scenario = readScenarios(scenarios)
      if (typeof scenario === 'string') throw usageError(unusableText('The scenario', scenario))
      requireRulesOnly(scenarios)
      const { runs, nodes, faults, answers, messages, models } = scenario
      dispatch((atMs) => ({
        kind: 'script',
        atMs,
        change: { load: { runs, nodes, faults, answers, messages, models } },
      }))
    },
    messages: async (filter = {}) => {
      const { requireFilter } = await import('./filters.ts')
      requireFilter('messages', filter)
      return chosen((await lists()).messagesOf(server, await recorder.view()), filter)
    },
    frames: async (filter = {}) => {
      const { requireFilter } = await import('./filters.ts')
      requireFilter('frames', filter)
      return chosen((await lists()).framesOf(server, await recorder.view()), filter)
    },
    runs: () => runViews(server),
    exited: () =>
      new Promise((resolve) => {
        const look = (): void => {
          const { exitCode } = server.state
          if (exitCode === null) return
          stop()
          resolve(exitCode)
        }
        const stop = host.watch(look)
        look()
      }),
    dropSockets: async (how = 'reset') => {
      if (!fits(socketEnd, how)) throw usageError(endUsage)
      const count = server.state.sockets.size
      dispatch((atMs) => ({ kind: 'drop', atMs, how }))
      await flushed()
      return count
    },
  }
}

/** What a recording says about a server. */
const recordedServer = (
  { options: { epochMs } }: Server,
  { deployment, like, seed, tlsCert, tls }: ServerOptions,
): RecordedMachine => ({
  info: {
    version: 1,
    origin: 'a world of flowdouble',
    place: deployment,
    ...(like !== null && { like }),
    seed,
  },
  scheme: tls === null && tlsCert === null ? 'http' : 'https',
  epochMs,
  serverName: nameLike(like),
})

const chosen = <T extends object>({ items }: Received<T>, filter: object): readonly T[] =>
  items.filter((one) => isMatch(one, filter))

/** The members of a scenario that only a new world takes, and the one that only a gateway takes. */
const startOnly = ['start', 'world', 'types', 'modelTypes', 'gateway']

/** Throws a usage error for members that a running world would ignore. */
function requireRulesOnly(given: unknown): void {
  const scenarios = [given].flat() as readonly object[]
  const ignored = startOnly.find((name) => scenarios.some((one) => name in one))
  if (ignored !== undefined)
    throw usageError(
      `load replaces rules, answers, messages and faults only; ${ignored} belongs to startEmulator, world() or POST /_flowdouble/worlds.`,
    )
}

/** The types of the messages that the scenario sends. */
const messageTypes = ({ state: { script } }: Server): readonly string[] =>
  script.messages.flatMap(({ type }) => type ?? [])

/** The sizes of the faults that worlds keep. */
const sizes = new WeakMap<object, number>()

function sizeOf(fault: object): number {
  const size = sizes.get(fault) ?? JSON.stringify(fault).length
  sizes.set(fault, size)
  return size
}

/** Rejects a fault beyond what a world keeps. One with a known id replaces that. */
function requireRoom({ state }: Server, fault: Fault): void {
  const kept = state.script.faults.filter(({ id }) => id !== fault.id)
  const size = kept.reduce((sum, one) => sum + sizeOf(one.fault), sizeOf(fault))
  if (kept.length < limits.faults.value && size <= limits.faultBytes.value) return
  throw conflictError(
    `A world keeps ${limits.faults.value} faults, of ${limits.faultBytes.value} bytes in all. Remove some first.`,
  )
}

/** Rejects a fault whose time is over: it would never apply. */
function requireFuture({ state }: Server, { when }: Parameters<Emulator['fault']>[0]): void {
  const nowMs = state.nowMs - state.script.startedMs
  if (when.atMs === undefined || when.atMs >= nowMs) return
  throw conflictError(`The world is already at ${nowMs} ms: choose a later atMs.`)
}
