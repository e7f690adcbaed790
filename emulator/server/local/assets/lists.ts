// Lists of assets [assets/list].

import { sortFields } from '../../../../spec/assets/assets.ts'
import { type Json, writeJson } from '../../../lib/json.ts'
import { json, type Reply } from '../../../http/replies.ts'
import type { Request } from '../../../http/requests.ts'
import { allAssets } from '../../world/assets.ts'
import type { World } from '../../state/world.ts'
import { type Filter, filterOf, isListed } from './filters.ts'
import type { Issue } from './issues.ts'
import { cursorAt, hasCursors, inOrder, type Order, readCursor, type SortField } from './order.ts'
import { readNumber, readWord } from './queries.ts'
import { assetJson, refuseAsset } from './replies.ts'

type ListQuery = Order & {
  readonly filter: Filter
  readonly limit: number
  readonly offset: number
  readonly after: string | null
}

const UNLIMITED = Number.MAX_SAFE_INTEGER

/** The query of a list, or its refusal. */
function listQuery(world: World, text: string): ListQuery | Reply {
  const query = new URLSearchParams(text)
  const issues: Issue[] = []
  const limit = readNumber(query, 'limit', [20, 1, 500], issues)
  const offset = readNumber(query, 'offset', [0, 0, UNLIMITED], issues)
  const sort = readWord<SortField>(query, 'sort', sortFields, 'created_at', issues)
  const order = readWord(query, 'order', ['asc', 'desc'] as const, 'desc', issues)
  const filter = filterOf(world, query, issues)
  if ('status' in filter) return filter
  return { sort, order, limit, offset, filter, after: query.get('after') }
}

/** A page of the assets that fit, behind a cursor or an offset. */
export function listAssets(world: World, request: Request): Reply {
  const query = listQuery(world, request.query)
  if ('status' in query) return query
  const { filter, after, limit } = query
  const place = after === null ? null : readCursor(after, query)
  if (place !== null && 'reason' in place) return refuseAsset(world, 'cursor', place)
  const found = allAssets(world).filter((asset) => isListed(world, asset, filter))
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
