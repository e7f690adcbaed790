// Makes the worlds of an address: from options, from another world, or as they were saved.

import type { Effect, Input } from '../../machine.ts'
import { completeOptions, worldOptions } from '../../options/complete.ts'
import type { ServerOptions, ServerOptionsInput } from '../../options/server-options.ts'
import type { TypeTexts } from '../../server/state/nodes.ts'
import type { WorldOptions } from '../../server/state/options.ts'
import type { Hosted } from '../../server/state/server.ts'
import { readCatalog, requireKnownTypes } from '../catalog.ts'
import type { Codec } from '../codec.ts'
import type { WorldOptionsInput, WorldReader } from '../handles.ts'
import type { Hooks } from '../host.ts'
import type { JournalFile } from '../journal-file.ts'
import {
  forkedParts,
  type LastIds,
  newParts,
  type SavedWorld,
  type WorldParts,
} from '../world-parts.ts'
import { type ExpiryClock, tokenFor } from '../shared/policy.ts'
import { nodeTypeFiles } from './node-types.ts'
import { listenerOptionsIn, worldOptionsIn } from './saved/given-options.ts'
import { withContent } from './scenarios.ts'
import type { Pages } from './pages.ts'
import type { OwnListener } from './ports.ts'
import type { Listeners } from './wiring.ts'
import type { RuleHeaders } from './explain.ts'

/** What an address has before its first world. */
export type AddressParts = {
  /** The options of the caller, */
  readonly given: ServerOptionsInput
  /** and those on which the options of further worlds are based. */
  readonly laterOptions: () => ServerOptionsInput
  readonly hosted: Hosted | null
  readonly ca: string | null
  /** The port of the signed links, if any. */
  readonly linksPort: number | null
  readonly listeners: Listeners
  /** Stops listening and closes all connections. */
  readonly closing: () => Promise<void>
  /** Opens a listener for one world alone. */
  readonly openOwn: () => Promise<OwnListener>
  /** Adds to replies which rules are behind them; null without the option. */
  readonly explain: RuleHeaders | null
  /** The files of a front end; null without one. */
  readonly pages: Pages | null
  readonly onWorld: WorldReader | undefined
  /** Whether its clock moves over HTTP alone, so that its port stays open while it is down. */
  readonly movesOverHttp: boolean
  /** By what clock worlds expire; undefined for the real one. */
  readonly expiry: ExpiryClock | undefined
}

/** A world with its origin. */
export type MadeWorld = WorldParts & Origin

type Origin = {
  /** Its options as they were given. */
  readonly given: ServerOptionsInput
  /** When it was created, in milliseconds since 1970, */
  readonly createdMs: number
  /** and how old it is at its start in this process, in milliseconds. */
  readonly ageMs: number
}

const savedOrigin = ({ options: given, createdMs }: SavedWorld): Origin => ({
  given,
  createdMs,
  ageMs: Math.max(0, Date.now() - createdMs),
})

type Maker = {
  /** The world at the root. */
  readonly root: (
    hooks: Hooks<Input, Effect>,
    file: JournalFile | null,
    saved: SavedWorld | undefined,
  ) => Promise<MadeWorld>
  /** A world with the options of the address except for these. Throws a usage error for unusable ones. */
  readonly create: (
    name: string,
    given: Omit<WorldOptionsInput, 'name' | 'port' | 'saved'>,
  ) => Promise<MadeWorld>
  readonly fork: (world: MadeWorld, name: string, lastIds: LastIds) => MadeWorld
  /** A world as it was saved; `resume` continues it. */
  readonly continue: (name: string, saved: SavedWorld) => Promise<MadeWorld>
}

/** The least time between the creations of two worlds, in milliseconds. */
const ORDER_MS = 0.001

/** @param made the options of the world at the root. */
export function createMaker(
  { given, laterOptions, hosted, linksPort, pages, onWorld }: AddressParts,
  options: ServerOptions,
  made: WorldOptions,
  codec: Codec,
): Maker {
  const secrets = new Set<string>()
  const ofRoot = worldOptionsIn(given)
  /** The options of worlds that change none: these share them. */
  let plainOptions: ServerOptions | undefined
  let lastMs = 0
  /** No two of them are created at the same time, so that saved ones have an order. */
  const newOrigin = (of: ServerOptionsInput): Origin => {
    lastMs = Math.max(Date.now(), lastMs + ORDER_MS)
    return { given: of, createdMs: lastMs, ageMs: 0 }
  }

  const hooksOf = (name: string, own: ServerOptions): Hooks<Input, Effect> => ({
    onEntry: onWorld?.(name, own),
  })
  const partOf = async (
    name: string,
    complete: ServerOptions,
    objectInfo: () => TypeTexts,
    of: Origin,
    saved?: SavedWorld,
  ): Promise<MadeWorld> => {
    const epochMs = saved?.epochMs ?? Date.now()
    const part = await newParts({
      name,
      options: complete,
      made: worldOptions(complete, objectInfo, epochMs, linksPort, pages?.scripts),
      hosted,
      hooks: hooksOf(name, complete),
      codec,
      file: null,
      secrets,
      saved,
    })
    return Object.assign(part, of)
  }
  return {
    root: async (hooks, file, saved) => {
      const begun = saved && Object.assign({}, made, { epochMs: saved.epochMs })
      const parts = { options, made: begun ?? made, hosted, hooks, codec, file, secrets, saved }
      const part = await newParts(Object.assign({ name: null }, parts))
      return Object.assign(part, saved === undefined ? newOrigin(ofRoot) : savedOrigin(saved))
    },
    create: async (name, { worldToken, ...own }) => {
      const base = laterOptions()
      const content = await withContent(own, base)
      const isAsGiven = base === given
      const isPlain = isAsGiven && Object.keys(own).length === 0
      const completed = isPlain
        ? (plainOptions ??= completeOptions(Object.assign({ port: 0 }, given)))
        : completeOptions(Object.assign({ port: 0 }, base, content))
      const complete = tokenFor(completed, worldToken)
      const isShared =
        isAsGiven && !('objectInfo' in own || 'nodes' in own || 'scenario' in content)
      const objectInfo = isShared ? made.objectInfo : readCatalog(complete, nodeTypeFiles)
      if (!isShared || 'failures' in own) requireKnownTypes(complete, objectInfo)
      const as = isPlain ? ofRoot : worldOptionsIn(Object.assign({}, base, content))
      return partOf(name, complete, objectInfo, newOrigin(as))
    },
    fork: (world, name, lastIds) => {
      const { options: own, given: as } = world
      const part = forkedParts(world, name, hooksOf(name, own), lastIds)
      return Object.assign(part, newOrigin(as))
    },
    continue: (name, saved) => {
      const { options: as } = saved
      const completed = completeOptions(Object.assign({ port: 0 }, listenerOptionsIn(given), as))
      const token = options.worldTokens ? (saved.worldToken ?? undefined) : undefined
      const objectInfo = readCatalog(completed, nodeTypeFiles)
      return partOf(name, tokenFor(completed, token), objectInfo, savedOrigin(saved), saved)
    },
  }
}
