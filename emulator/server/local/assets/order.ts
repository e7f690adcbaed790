// The order of asset lists, and cursors: texts that name the place behind the last asset of a page, for the next request.

import { base64Url, bytesOfBase64 } from '../../../lib/base64.ts'
import { isObject, type Json, readJson } from '../../../lib/json.ts'
import { pythonRepr } from '../../../lib/python.ts'
import type { Asset, Moment } from '../../state/assets.ts'

/** What an asset is sorted by: a name, or a number with a second one for equal ones. */
type SortKey = string | readonly [number, number]

const momentKey = ({ ms, tick }: Moment): SortKey => [ms, tick]

const keys = {
  name: ({ name }: Asset): SortKey => name,
  size: ({ size }: Asset): SortKey => [size ?? 0, 0],
  created_at: ({ createdAt }: Asset): SortKey => momentKey(createdAt),
  updated_at: ({ updatedAt }: Asset): SortKey => momentKey(updatedAt),
  last_access_time: ({ accessedAt }: Asset): SortKey => momentKey(accessedAt),
} as const

export type SortField = keyof typeof keys

/** The order of a list. */
export type Order = { readonly sort: SortField; readonly order: 'asc' | 'desc' }

/** A place in a list: the key of an asset, and its id for equal keys. */
type Place = { readonly key: SortKey; readonly id: string }

function compareKeys(a: SortKey, b: SortKey): number {
  if (typeof a === 'string' || typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  return a[0] - b[0] || a[1] - b[1]
}

const comparePlaces = (a: Place, b: Place): number =>
  compareKeys(a.key, b.key) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const placeOf = (asset: Asset, sort: SortField): Place => ({ key: keys[sort](asset), id: asset.id })

/** Assets in this order, and only those behind a place, if there is one. */
export function inOrder(
  assets: readonly Asset[],
  { sort, order }: Order,
  after: Place | null,
): readonly Asset[] {
  const direction = order === 'asc' ? 1 : -1
  const places = assets.map((asset) => ({ asset, place: placeOf(asset, sort) }))
  const left =
    after === null
      ? places
      : places.filter(({ place }) => direction * comparePlaces(place, after) > 0)
  left.sort((a, b) => direction * comparePlaces(a.place, b.place))
  return left.map(({ asset }) => asset)
}

/** Cursors with longer ids are never sent. */
const MAX_ID_LENGTH = 128

/** Whether lists of this order have cursors. */
export const hasCursors = ({ sort }: Order): boolean => sort !== 'last_access_time'

/** The cursor behind an asset in this order. */
export function cursorAt(asset: Asset, { sort, order }: Order): string {
  const { key, id } = placeOf(asset, sort)
  const value = typeof key === 'string' ? key : key.join(':')
  const payload = new TextEncoder().encode(JSON.stringify({ s: sort, v: value, id, o: order }))
  return base64Url(payload)
}

/** The place that a cursor of this order names, or the reason why it is invalid. */
export function readCursor(cursor: string, order: Order): Place | { readonly reason: string } {
  const { sort } = order
  if (!hasCursors(order))
    return { reason: `cursor pagination is not supported for sort=${pythonRepr(sort)}` }
  const payload = payloadOf(cursor)
  if (payload === undefined) return { reason: 'payload: not a JSON text in base64' }
  if (!isObject(payload)) return { reason: 'payload: expected object' }
  const [field, value, id, direction] = ['s', 'v', 'id', 'o'].map((name) => payload.get(name))
  if (typeof field !== 'string' || typeof value !== 'string' || typeof id !== 'string')
    return { reason: 'payload: missing or non-string s/v/id' }
  if (id === '') return { reason: 'missing id' }
  if (id.length > MAX_ID_LENGTH) return { reason: 'id exceeds maximum length' }
  if (typeof direction !== 'string') return { reason: 'missing or non-string o' }
  if (direction !== order.order) {
    const [own, asked] = [direction, order.order].map(pythonRepr)
    return { reason: `cursor order ${own} does not match request order ${asked}` }
  }
  if (field !== sort) {
    const [own, asked] = [field, sort].map(pythonRepr)
    return { reason: `cursor sort field ${own} does not match request sort ${asked}` }
  }
  const key = sort === 'name' ? value : numbersOf(value)
  return key === undefined ? { reason: 'value is not a valid timestamp' } : { key, id }
}

function payloadOf(cursor: string): Json | undefined {
  try {
    const bytes = bytesOfBase64(cursor.replaceAll('-', '+').replaceAll('_', '/'))
    return readJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

function numbersOf(value: string): SortKey | undefined {
  const [, first, second] = /^(\d+(?:\.\d+)?):(\d+)$/.exec(value) ?? []
  return first === undefined || second === undefined ? undefined : [Number(first), Number(second)]
}
