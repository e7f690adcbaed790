// Compares what came then with what comes now: the same, other in appearance alone, other in what a client relies on, or gone.

import type { Schema } from '../../../../spec/language.ts'
import { isExtra, mayDiffer } from '../../diff/may-differ.ts'
import { isMembers } from '../../../../dist/emulator/session/index.js'

export type Drift = 'same' | 'cosmetic' | 'breaking' | 'vanished'

/** A difference, and how much it matters. */
export type Difference = { readonly drift: Exclude<Drift, 'same'>; readonly says: string }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The longest text of a value in a sentence, in characters. */
const MAX_TEXT = 120

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

/** The schema of a member, as far as it can be found. */
function schemaOf(schema: Schema | undefined, key: string, isArray: boolean): Schema | undefined {
  if (schema === undefined) return undefined
  const { properties, additionalProperties, items, prefixItems, anyOf } = schema as {
    readonly properties?: Readonly<Record<string, Schema>>
    readonly additionalProperties?: Schema
    readonly items?: Schema
    readonly prefixItems?: readonly Schema[]
    readonly anyOf?: readonly Schema[]
  }
  const own = isArray
    ? (prefixItems?.[Number(key)] ?? items)
    : (properties?.[key] ?? additionalProperties)
  if (own !== undefined) return own
  return anyOf?.map((one) => schemaOf(one, key, isArray)).find((one) => one !== undefined)
}

/** What a server says of its machine and its versions: no client relies on these texts. */
const ofMachine = /^\/(?:system|devices)\//

/** What depends on the moment of asking, and on what others have run. */
const momentary: ReadonlySet<string> = new Set(['queue_remaining', 'total', 'has_more'])

/** How two values are compared that may differ: by their kind, or as the table of `diff` says. */
function mayBe(key: string, schema: Schema | undefined, then: unknown, now: unknown): boolean {
  const kind = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)
  if (schema?.['volatile'] === true || momentary.has(key)) return kind(then) === kind(now)
  const row = mayDiffer.find(({ keys }) => keys.has(key))
  return row !== undefined && row.as(then) === row.as(now)
}

/** Whether two lists hold the same texts in another order: lists of nodes have none that a client could rely on. */
const isReordered = (
  a: unknown,
  b: unknown,
  same: (then: string, now: string) => boolean,
): boolean =>
  Array.isArray(a) &&
  Array.isArray(b) &&
  a.length === b.length &&
  [...a, ...b].every((one) => typeof one === 'string') &&
  a.some((one, at) => !same(one, b[at])) &&
  a.every((one) => b.some((other) => same(one, other)))

/**
 * The differences of two values.
 * @param same whether a text of then stands for one of now.
 */
export function differencesOf(
  then: unknown,
  now: unknown,
  same: (then: string, now: string) => boolean,
  schema?: Schema,
): readonly Difference[] {
  const found: Difference[] = []
  const visit = (
    at: string,
    key: string,
    a: unknown,
    b: unknown,
    own: Schema | undefined,
  ): void => {
    if (mayBe(key, own, a, b)) return
    if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) {
      if (a === b || (typeof a === 'string' && typeof b === 'string' && same(a, b))) return
      const areTexts = typeof a === 'string' && typeof b === 'string'
      found.push({
        drift: areTexts && ofMachine.test(at) ? 'cosmetic' : 'breaking',
        says: `${at || 'the value'} was ${shown(a)}, and is ${shown(b)}`,
      })
      return
    }
    if (isReordered(a, b, same)) {
      found.push({ drift: 'cosmetic', says: `${at || 'the value'} has another order` })
      return
    }
    const isArray = Array.isArray(a)
    const nameNow = (name: string): string => Object.keys(b).find((one) => same(name, one)) ?? name
    const keys = Object.keys(a).map((name) => [name, nameNow(name)] as const)
    for (const [name, other] of keys) {
      const path = `${at}/${name}`
      if (other in b) visit(path, name, a[name], b[other], schemaOf(own, name, isArray))
      else
        found.push({
          drift:
            isExtra(name) && schemaOf(own, name, isArray) === undefined ? 'cosmetic' : 'breaking',
          says: `${path} was ${shown(a[name])}, and is missing`,
        })
    }
    const known = new Set(keys.map(([, other]) => other))
    for (const name of Object.keys(b))
      if (!known.has(name))
        found.push({
          drift: isArray ? 'breaking' : 'cosmetic',
          says: `${at}/${name} is new: ${shown(b[name])}`,
        })
    const order = keys.map(([, other]) => other).filter((name) => name in b)
    const orderNow = Object.keys(b).filter((name) => known.has(name))
    if (!isArray && order.join('\n') !== orderNow.join('\n'))
      found.push({
        drift: 'cosmetic',
        says: `the members of ${at || 'the value'} have another order`,
      })
  }
  visit('', '', then, now, schema)
  return found
}

const ranks: readonly Drift[] = ['same', 'cosmetic', 'breaking', 'vanished']

/** What several differences amount to: the worst of them. */
export const worstOf = (differences: readonly Difference[]): Drift =>
  ranks.findLast((drift) => differences.some((one) => one.drift === drift)) ?? 'same'

type Logged = readonly [type: string, data: Readonly<Record<string, unknown>>]

const isCached = (value: unknown): value is Logged =>
  Array.isArray(value) && value[0] === 'execution_cached' && isMembers(value[1])

/** The cached nodes that a value names, sorted, in the order of its runs. */
function cachedNodes(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  if (isCached(value))
    return [
      JSON.stringify(
        [value[1]['nodes']]
          .flat()
          .map(String)
          .toSorted((a, b) => a.localeCompare(b)),
      ),
    ]
  return Object.values(value).flatMap(cachedNodes)
}

function withoutCached(value: unknown): unknown {
  if (isCached(value)) return [value[0], { ...value[1], nodes: [] }]
  if (Array.isArray(value)) return value.map(withoutCached)
  if (!isMembers(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutCached(one)]))
}

/**
 * Two values as they are, or without the nodes that runs took from the cache if these differ: that depends on what ran before
 * them.
 */
export const withSameCache = (
  then: unknown,
  now: unknown,
): readonly [then: unknown, now: unknown] =>
  cachedNodes(then).join() === cachedNodes(now).join()
    ? [then, now]
    : [withoutCached(then), withoutCached(now)]
