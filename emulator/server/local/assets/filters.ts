// Which assets a list contains: reads the filters of a query, and applies them.

import { isObject, type Json, type JsonObject, readJson } from '../../../lib/json.ts'
import { pythonRepr } from '../../../lib/python.ts'
import type { Reply } from '../../../http/replies.ts'
import { cleanTags, isPublic } from '../../world/assets.ts'
import type { Asset } from '../../state/assets.ts'
import type { World } from '../../state/world.ts'
import { isList, type Issue, wrongValue } from './issues.ts'
import { readFlag } from './queries.ts'
import { refuseAsset, refuseIssues } from './replies.ts'

/** Which assets a list contains. */
export type Filter = {
  readonly all: readonly string[]
  readonly any: readonly string[]
  readonly none: readonly string[]
  readonly nameContains: string
  readonly hash: string | null
  readonly metadata: JsonObject
  /** Whether assets that all accounts share are listed too. */
  readonly includesPublic: boolean
}

/** Tags of a query: lists with commas, which can be repeated. */
const readTags = (query: URLSearchParams, name: string): readonly string[] =>
  cleanTags(query.getAll(name).flatMap((list) => list.split(',')))

/** The tags that one parameter can list. */
const MAX_TAGS = 100

type TagFilter = Pick<Filter, 'all' | 'any' | 'none'>

/** The tag filters of a query, or its refusal. The first servers have only the older ones, and ignore the newer ones. */
function tagFilterOf(world: World, query: URLSearchParams): TagFilter | Reply {
  const older = { all: readTags(query, 'include_tags'), none: readTags(query, 'exclude_tags') }
  if (!world.setup.traits.filtersByTags) return { all: older.all, any: [], none: older.none }
  const newer = {
    all: readTags(query, 'tags_all'),
    any: readTags(query, 'tags_any'),
    none: readTags(query, 'tags_none'),
  }
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['include_tags', older.all],
    ['exclude_tags', older.none],
    ['tags_all', newer.all],
    ['tags_any', newer.any],
    ['tags_none', newer.none],
  ]
  const long = lists.find(([, tags]) => tags.length > MAX_TAGS)
  if (long !== undefined) {
    const [name, { length }] = long
    return refuseAsset(
      world,
      'tagFilter',
      { reason: `'${name}' lists ${length} tags; the maximum is ${MAX_TAGS}.` },
      [
        ['parameter', name],
        ['count', length],
        ['max', MAX_TAGS],
      ],
    )
  }
  if (newer.all.length + newer.any.length + newer.none.length === 0)
    return { all: older.all, any: [], none: older.none }
  return (
    twice(world, 'include_tags', older.all, 'tags_all', newer.all) ??
    twice(world, 'exclude_tags', older.none, 'tags_none', newer.none) ??
    contradiction(world, older, newer) ?? {
      all: newer.all.length > 0 ? newer.all : older.all,
      any: newer.any,
      none: newer.none.length > 0 ? newer.none : older.none,
    }
  )
}

/** The refusal of a query that uses both names of a filter. */
function twice(
  world: World,
  older: string,
  olderTags: readonly string[],
  newer: string,
  newerTags: readonly string[],
): Reply | undefined {
  if (olderTags.length === 0 || newerTags.length === 0) return undefined
  const reason = `Cannot combine '${older}' with '${newer}'; use '${newer}'.`
  return refuseAsset(world, 'tagFilter', { reason }, [['parameters', [older, newer]]])
}

type NamedTags = readonly [name: string, tags: readonly string[]]

/** The refusal of a query that requires a tag and rejects it. */
function contradiction(
  world: World,
  older: Pick<Filter, 'all' | 'none'>,
  newer: Pick<Filter, 'all' | 'none'>,
): Reply | undefined {
  const [allName, all]: NamedTags =
    newer.all.length > 0 ? ['tags_all', newer.all] : ['include_tags', older.all]
  const [noneName, none]: NamedTags =
    newer.none.length > 0 ? ['tags_none', newer.none] : ['exclude_tags', older.none]
  const tags = all.filter((tag) => none.includes(tag)).toSorted()
  if (tags.length === 0) return undefined
  const named = tags.map((tag) => pythonRepr(tag)).join(', ')
  const reason = `Query can never match: ${named} required by '${allName}' but rejected by '${noneName}'.`
  return refuseAsset(world, 'tagFilter', { reason }, [
    ['conflicting_tags', tags],
    ['parameters', [allName, noneName]],
  ])
}

/** The metadata that a query requires; null without a filter. */
function readMetadata(query: URLSearchParams, issues: Issue[]): JsonObject {
  const none: JsonObject = new Map()
  const text = query.getAll('metadata_filter').at(-1)
  if (text === undefined || text.trim() === '') return none
  let value: Json
  try {
    value = readJson(text)
  } catch {
    issues.push(wrongValue(['metadata_filter'], text, 'metadata_filter must be JSON'))
    return none
  }
  if (isObject(value)) return value
  issues.push(wrongValue(['metadata_filter'], text, 'metadata_filter must be a JSON object'))
  return none
}

/** What a list and the counts of tags share: which assets they are about. */
export function filterOf(world: World, query: URLSearchParams, issues: Issue[]): Filter | Reply {
  const { hasNewerAssets, filtersByMetadata, sharesModels } = world.setup.traits
  if (!filtersByMetadata && query.has('metadata_filter'))
    return refuseAsset(world, 'unsupportedParameter', { name: 'metadata_filter' })
  const metadata = filtersByMetadata ? readMetadata(query, issues) : new Map<string, Json>()
  const includesPublic = !sharesModels || readFlag(query, 'include_public', true, issues)
  if (issues.length > 0) return refuseIssues(world, 'assetQuery', issues)
  const tags = tagFilterOf(world, query)
  if ('status' in tags) return tags
  const hash = hasNewerAssets ? (query.get('hash')?.trim().toLowerCase() ?? null) : null
  const nameContains = query.get('name_contains') ?? ''
  const { all, any, none } = tags
  return { all, any, none, nameContains, hash, metadata, includesPublic }
}

const isEqual = (a: Json, b: Json): boolean => pythonRepr(a) === pythonRepr(b)

/** Whether a member has a value, or a list that contains it; null stands for its absence. */
const holds = (member: Json | undefined, value: Json): boolean =>
  isList(member) ? member.some((one) => isEqual(one, value)) : isEqual(member ?? null, value)

/** Whether the metadata of an asset has the members of a filter; a list names alternatives. */
function hasMetadata(asset: Asset, wanted: JsonObject): boolean {
  if (wanted.size === 0) return true
  // What a client says outweighs what the server knows.
  const own: JsonObject = new Map([
    ...(readJson(asset.metadata ?? '{}') as JsonObject),
    ...(readJson(asset.userMetadata) as JsonObject),
  ])
  return [...wanted].every(([name, value]) =>
    Array.isArray(value)
      ? value.some((one) => holds(own.get(name), one))
      : holds(own.get(name), value),
  )
}

/** Whether a list with this filter contains an asset. */
export function isListed(world: World, asset: Asset, filter: Filter): boolean {
  const { all, any, none, nameContains, hash, metadata, includesPublic } = filter
  const has = (tag: string): boolean => asset.tags.includes(tag)
  return (
    all.every(has) &&
    (any.length === 0 || any.some(has)) &&
    !none.some(has) &&
    asset.name.toLowerCase().includes(nameContains.toLowerCase()) &&
    (hash === null || hash === '' || asset.hash === hash) &&
    hasMetadata(asset, metadata) &&
    (includesPublic || !isPublic(world, asset))
  )
}
