// The tags of assets: all of them, and how often those of a list occur [assets/tags].

import { firstTags } from '../../../../spec/assets/assets.ts'
import { type Json, writeJson } from '../../../lib/json.ts'
import { json, type Reply } from '../../../http/replies.ts'
import type { Request } from '../../../http/requests.ts'
import { allAssets, isPublic } from '../../world/assets.ts'
import type { Asset } from '../../state/assets.ts'
import type { World } from '../../state/world.ts'
import { type Filter, filterOf, isListed } from './filters.ts'
import { type Issue, tooLongText, tooShortText } from './issues.ts'
import { readFlag, readNumber, readWord } from './queries.ts'
import { refuseIssues } from './replies.ts'

/** The query of the counts of tags, or its refusal. */
function countQuery(
  world: World,
  text: string,
): { readonly filter: Filter; readonly limit: number } | Reply {
  const query = new URLSearchParams(text)
  const issues: Issue[] = []
  const limit = readNumber(query, 'limit', [100, 1, 1000], issues)
  const filter = filterOf(world, query, issues)
  return 'status' in filter ? filter : { filter, limit }
}

/** The longest prefix of tags that can be asked for. */
const MAX_PREFIX = 256

type TagsQuery = {
  readonly prefix: string
  readonly limit: number
  readonly offset: number
  readonly order: 'count_desc' | 'name_asc'
  readonly includesZero: boolean
  readonly includesPublic: boolean
}

/** The query of the list of tags, or its refusal. */
function tagsQuery(world: World, text: string): TagsQuery | Reply {
  const query = new URLSearchParams(text)
  const issues: Issue[] = []
  const prefix = query.get('prefix')?.trim()
  if (prefix === '') issues.push(tooShortText(['prefix'], '', 1))
  if (prefix !== undefined && prefix.length > MAX_PREFIX)
    issues.push(tooLongText(['prefix'], prefix, MAX_PREFIX))
  const limit = readNumber(query, 'limit', [100, 1, 1000], issues)
  const offset = readNumber(query, 'offset', [0, 0, 10_000_000], issues)
  const order = readWord(query, 'order', ['count_desc', 'name_asc'] as const, 'count_desc', issues)
  const { countsUnused, sharesModels } = world.setup.traits
  const includesZero = readFlag(query, 'include_zero', countsUnused, issues)
  const includesPublic = !sharesModels || readFlag(query, 'include_public', true, issues)
  if (issues.length > 0) return refuseIssues(world, 'tagsQuery', issues)
  return { prefix: prefix ?? '', limit, offset, order, includesZero, includesPublic }
}

/** How many assets have each tag. */
function countTags(assets: readonly Asset[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { tags } of assets) {
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  }
  return counts
}

type Count = readonly [tag: string, count: number]

const byName = ([a]: Count, [b]: Count): number => (a < b ? -1 : a > b ? 1 : 0)
const byCount = (a: Count, b: Count): number => b[1] - a[1] || byName(a, b)

/** The tags of the assets that fit, the most frequent first. */
export function assetTagCounts(world: World, request: Request): Reply {
  const query = countQuery(world, request.query)
  if ('status' in query) return query
  const found = allAssets(world).filter((asset) => isListed(world, asset, query.filter))
  const counts = [...countTags(found)].toSorted(byCount).slice(0, query.limit)
  return json(writeJson(new Map([['tag_counts', new Map<string, Json>(counts)]])))
}

/** The tags of all assets, with those that none has any more, or none has had yet [assets/first-tags]. */
export function listTags(world: World, request: Request): Reply {
  const query = tagsQuery(world, request.query)
  if ('status' in query) return query
  const { prefix, limit, offset, order, includesZero, includesPublic } = query
  const counted = allAssets(world).filter((asset) => includesPublic || !isPublic(world, asset))
  const counts = countTags(counted)
  const known = [
    ...(world.setup.traits.hasNewerAssets ? [] : firstTags),
    ...world.state.assets.tags.entries.keys(),
  ]
  if (includesZero) for (const tag of known) counts.set(tag, counts.get(tag) ?? 0)
  const found = [...counts]
    .filter(([tag]) => tag.startsWith(prefix))
    .toSorted(order === 'name_asc' ? byName : byCount)
  const page = found.slice(offset, offset + limit)
  const tags = page.map(
    ([name, count]) =>
      new Map<string, Json>([
        ['name', name],
        ['count', count],
      ]),
  )
  const members: readonly (readonly [string, Json])[] = [
    ['tags', tags],
    ['total', found.length],
    ['has_more', offset + page.length < found.length],
  ]
  return json(writeJson(new Map(members)))
}
