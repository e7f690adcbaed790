// The control paths that reset a machine, keep its states, and return what it has received: the same for all machines.

import { controlEndpoints, expectation } from '../../spec/control.ts'
import type { Expectation } from '../journal/received.ts'
import { readJson } from '../lib/json.ts'
import { fits, isPlainObject } from '../options/json-schema.ts'
import {
  type ClockMover,
  type ControlPaths,
  jsonText,
  ok,
  readMembers,
  unusable,
} from './control.ts'
import { unusableText } from '../options/read.ts'
import { readScenarios } from '../options/scenario.ts'
import { queryFilter } from './filters.ts'
import type { WaitLimit, WorldHandle } from './handles.ts'
import { pathOf, type WorldUsage } from './worlds.ts'

/** A JSON body. */
export function jsonBody(body: Uint8Array): unknown {
  const text = new TextDecoder().decode(body)
  try {
    // Unlike the engine's reader, it rejects what is nested so deeply that nobody could work with it.
    readJson(text)
    return JSON.parse(text)
  } catch {
    throw unusable('The body must be JSON, nested at most 900 levels deep.')
  }
}

const nameUsage = 'The body must be {"name": "..."} or {}.'

/** The name in a body, if any; an empty body has none. */
function nameIn(body: Uint8Array): string | undefined {
  if (body.length === 0) return undefined
  const { name } = readMembers(body, ['name'], nameUsage)
  if (name !== undefined && typeof name !== 'string') throw unusable(nameUsage)
  return name
}

const filterUsage =
  'Choose requests by method, path, query, headers, body, status, user and run, such as {"method": "POST", "path": "/prompt"}.'
const filterNames = ['method', 'path', 'query', 'headers', 'body', 'status', 'user', 'run'] as const

/** @param more further members, which the caller checks. */
function readExpectation(
  body: Uint8Array,
  more: readonly 'withinMs'[] = [],
): Expectation & WaitLimit {
  const given = readMembers(body, [...filterNames, 'times', ...more], filterUsage)
  const { withinMs: _, ...filter } = given
  if (!fits(expectation, filter)) throw unusable(filterUsage)
  return given as Expectation & WaitLimit
}

const clockUsage =
  'The body must be {"ms": 100}, or {"until": "idle"}, "next", a state of runs, {"run": "ID", "state": "..."} or {"message": "TYPE", "data": {...}}; with "withinMs" as a limit.'

/** What an effect has of what a clock moves to; undefined for any other effect. */
export type Finder<E> = (effect: E) => unknown

/** @param finderOf the finder for an object that says what to move to; undefined for an unknown one. */
export const clockPaths = <E>(
  move: ClockMover<E>,
  finderOf: (until: Readonly<Record<string, unknown>>) => Finder<E> | undefined,
): ControlPaths => ({
  'POST advance': async ({ body }) => {
    const { ms, until, withinMs } = readMembers(body, ['ms', 'until', 'withinMs'], clockUsage)
    if (withinMs !== undefined && !(typeof withinMs === 'number' && withinMs >= 0))
      throw unusable(clockUsage)
    const limit = withinMs === undefined ? {} : { withinMs }
    if (typeof ms === 'number' && until === undefined)
      return ok(await move((clock) => clock.advance(ms)))
    if (ms !== undefined) throw unusable(clockUsage)
    if (typeof until === 'string') return ok(await move((clock) => clock.until(until, limit)))
    const find = isPlainObject(until) ? finderOf(until) : undefined
    if (find === undefined) throw unusable(clockUsage)
    let found: unknown
    const matches = (effect: E): boolean => {
      found = find(effect)
      return found !== undefined
    }
    const moved = await move((clock) => clock.until(matches, limit))
    return ok({ ...moved, found })
  },
})

/** The paths of what every handle has. */
export const handlePaths = (handle: WorldHandle): ControlPaths => ({
  'GET requests': async ({ query }) =>
    ok(await handle.requests(queryFilter(controlEndpoints.listRequests.query, query))),
  'GET recording': async () => jsonText(await handle.recording()),
  'POST verify': async ({ body }) => ok(await handle.verify(readExpectation(body))),
  'POST received': async ({ body }) => {
    const { withinMs, ...expected } = readExpectation(body, ['withinMs'])
    return ok(await handle.received(expected, withinMs === undefined ? {} : { withinMs }))
  },
  'POST reset': async () => {
    await handle.reset()
    return ok({})
  },
  'POST snapshot': ({ body }) => ok({ name: handle.snapshot(nameIn(body)) }),
  'POST restore': async ({ body }) => {
    const name = nameIn(body)
    if (name === undefined) throw unusable('The body must be {"name": "..."}.')
    await handle.restore(name)
    return ok({})
  },
})

/** A handle that creates worlds. */
type WorldMaker = WorldHandle & {
  readonly fork: (name?: string) => Promise<Place>
  readonly worlds: () => readonly (Place & { readonly close: () => Promise<void> })[]
}

type UsageOf = (name: string | null) => WorldUsage | undefined

const listed = (place: Place, usageOf: UsageOf): object =>
  Object.assign(placeOf(place), usageOf(place.name))

type Place = {
  readonly name: string | null
  readonly url: string
  readonly worldToken?: string | null
  readonly options: object
}

/**
 * The paths that create, fork, list and close worlds, and those of each world.
 * @param create creates a world with the options of a body, and its name.
 * @param usageOf the age and size of a world, where they are known.
 */
export const worldPaths = (
  handle: WorldMaker,
  create: (given: object) => Promise<Place>,
  usageOf: UsageOf = () => undefined,
): ControlPaths => ({
  ...handlePaths(handle),
  'GET worlds': () => ok(handle.worlds().map((one) => listed(one, usageOf))),
  'POST worlds': async ({ body }) => ok(newPlace(await create(optionsIn(body)))),
  'PUT worlds/{name}': async ({ body, segment }) => {
    const given = optionsIn(body)
    if (given['name'] !== undefined) throw unusable('The path names the world: leave out "name".')
    const found = handle.worlds().find(({ name }) => name === segment)
    if (found !== undefined) return ok(placeOf(found))
    return { ...ok(newPlace(await create({ ...given, name: segment }))), status: 201 }
  },
  'POST fork': async ({ body }) => ok(newPlace(await handle.fork(nameIn(body)))),
  'DELETE worlds/{name}': async ({ segment }) => {
    const world = handle.worlds().find(({ name }) => name === segment)
    await world?.close()
    return ok({ closed: world !== undefined })
  },
})

/**
 * The same for a world with a token: its holder sees and closes that world, and no other [shared/own-world].
 * @param self the world.
 */
export const ownWorldPaths = (
  self: WorldMaker & Place & { readonly close: () => Promise<void> },
  usageOf: UsageOf = () => undefined,
): ControlPaths => ({
  ...handlePaths(self),
  'GET worlds': () => ok([listed(self, usageOf)]),
  'DELETE worlds/{name}': async ({ segment }) => {
    const isSelf = segment === self.name
    if (isSelf) await self.close()
    return ok({ closed: isSelf })
  },
})

/** The options of a world in a body, which name no file. */
function optionsIn(body: Uint8Array): Readonly<Record<string, unknown>> {
  const given = body.length === 0 ? {} : jsonBody(body)
  const isText = (name: string): boolean =>
    isPlainObject(given) && ['string', 'undefined'].includes(typeof given[name])
  if (!isPlainObject(given) || !isText('name') || !isText('worldToken'))
    throw unusable('The body must be {"name": "..."} with options, or {}.')
  requireNoFiles(given)
  return given
}

/** The options that can name files. */
const fileOptions = ['objectInfo', 'nodes', 'for', 'subscriptionsFile']

/** Rejects options that name files of this machine, which clients cannot read. */
export function requireNoFiles(given: Readonly<Record<string, unknown>>): void {
  const isFile = (name: string): boolean =>
    [given[name]].flat().some((one) => typeof one === 'string')
  const named = fileOptions.find(isFile)
  if (named !== undefined)
    throw unusable(`${named} names a file, which is not read over HTTP: give its content.`)
  for (const one of [given['scenario'] ?? []].flat() as unknown[]) {
    if (typeof one === 'string' && /[/\\]|\.(ya?ml|json)$/i.test(one))
      throw unusable(
        'scenario names a file, which is not read over HTTP: give its content or a name.',
      )
    if (!isPlainObject(one)) continue
    const read = readScenarios(one)
    if (typeof read === 'string') throw unusable(unusableText('The scenario', read))
    if (isPlainObject(one['world'])) requireNoFiles(one['world'])
  }
}

function placeOf({ name, url, options }: Place): object {
  // Gateways have no such option.
  const { publicUrl = null } = options as { readonly publicUrl?: string | null }
  return { name, url: publicUrl === null ? url : publicUrl + pathOf(name) }
}

/** A new world with its token, if it has one, which no other reply contains [shared/tokens]. */
export const newPlace = (place: Place): object =>
  (place.worldToken ?? null) === null
    ? placeOf(place)
    : { ...placeOf(place), worldToken: place.worldToken }
