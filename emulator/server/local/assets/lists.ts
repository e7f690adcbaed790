// Lists of assets, and of their tags [assets/list, assets/tags].

import { firstTags } from '../../../../spec/assets/assets.ts'
import { type Json, writeJson } from '../../../lib/json.ts'
import { json, type Reply } from '../../../http/replies.ts'
import type { Request } from '../../../http/requests.ts'
import { allAssets } from '../../world/assets.ts'
import type { Asset } from '../../state/assets.ts'
import type { World } from '../../state/world.ts'
import { cursorAt, hasCursors, inOrder, readCursor } from './order.ts'
import { countQuery, isListed, listQuery, tagsQuery } from './queries.ts'
import { assetJson, refuseAsset } from './replies.ts'

/** A page of the assets that fit, behind a cursor or an offset. */
export function listAssets(world: World, request: Request): Reply {
  const query = listQuery(world, request.query)
  if ('status' in query) return query
  const { filter, after, limit } = query
  const place = after === null ? null : readCursor(after, query)
  if (place !== null && 'reason' in place) return refuseAsset('cursor', place)
  const found = allAssets(world).filter((asset) => isListed(asset, filter))
  const ordered = inOrder(found, query, place)
  const start = place === null ? query.offset : 0
  const page = ordered.slice(start, start + limit)
  const last = page.at(-1)
  const hasMore = start + page.length < ordered.length
  const cursor = hasMore && last !== undefined && hasCursors(query) ? cursorAt(last, query) : null
  const members: readonly (readonly [string, Json])[] = [
    ['assets', page.map((asset) => assetJson(world, asset))],
    ['total', found.length],
    ['has_more', hasMore],
  ]
  return json(writeJson(new Map(cursor === null ? members : [...members, ['next_cursor', cursor]])))
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
  const found = allAssets(world).filter((asset) => isListed(asset, query.filter))
  const counts = [...countTags(found)].toSorted(byCount).slice(0, query.limit)
  return json(writeJson(new Map([['tag_counts', new Map<string, Json>(counts)]])))
}

/** The tags of all assets, with those that none has any more, or none has had yet [assets/first-tags]. */
export function listTags(world: World, request: Request): Reply {
  const query = tagsQuery(request.query)
  if ('status' in query) return query
  const { prefix, limit, offset, order, includesZero } = query
  const counts = countTags(allAssets(world))
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
