// The schemes of signatures, the one that a post uses, and the places in a post that a scheme names.

import {
  type OwnScheme,
  ownScheme,
  type Place,
  type Scheme,
  type SchemeName,
  schemes,
  tokenHeader,
} from '../../../spec/gateway/signatures.ts'
import { isObject, type Json, numberOf } from '../../lib/json.ts'
import type { Headers } from '../../machine.ts'

export type NamedScheme = { readonly name: string; readonly scheme: Scheme }

/** The schemes of config.yaml by name. */
export type OwnSchemes = Readonly<Record<string, OwnScheme>>

/** A scheme with its headers in lower case. */
type KnownScheme = NamedScheme & {
  readonly header: string
  readonly selectedBy: readonly string[]
}

const known: readonly KnownScheme[] = Object.entries<Scheme>(schemes).map(([name, scheme]) => ({
  name,
  scheme,
  header: scheme.header.toLowerCase(),
  selectedBy: scheme.selectedBy.map((one) => one.toLowerCase()),
}))
export const builtInSchemes: readonly NamedScheme[] = known

/** The schemes that a route can name: those of the table, and those of config.yaml. */
export const schemesWith = (own: OwnSchemes): ReadonlyMap<string, NamedScheme> =>
  new Map([
    ...known.map((one) => [one.name, one] as const),
    ...Object.entries(own).map(
      ([name, given]) => [name, { name, scheme: ownScheme(given) }] as const,
    ),
  ])

/** Schemes that the reference gateway of July 2026 understands. */
const earlier: ReadonlySet<string> = new Set([
  'svix',
  'github',
  'gitlab',
  'generic-v2',
  'generic',
] satisfies SchemeName[])

const detected = known.filter(({ selectedBy }) => selectedBy.length > 0)
const detectedEarlier = detected.filter(({ name }) => earlier.has(name))

/** The schemes that a route accepts if it names none, in order of precedence. */
export const schemesByHeader = (isEarlier: boolean): readonly NamedScheme[] =>
  isEarlier ? detectedEarlier : detected

/** The scheme that a header of a post selects; undefined if it is not signed. */
export const schemeByHeader = (headers: Headers, isEarlier: boolean): NamedScheme | undefined =>
  (isEarlier ? detectedEarlier : detected).find(({ scheme, selectedBy }) =>
    isFamily(scheme)
      ? signaturesIn(scheme, headers).length > 0
      : selectedBy.some((header) => (headers[header] ?? '') !== ''),
  )

/** Whether a scheme has any header of a form, such as X-Acme-Token. */
const isFamily = ({ header }: Scheme): boolean => header.includes('<')

const headersInFull: ReadonlySet<string> = new Set(known.map(({ header }) => header))

/** Whether a header, in lower case, is that of a scheme. A header that another scheme names belongs to no family. */
export const hasHeader = (scheme: Scheme, name: string): boolean =>
  isFamily(scheme)
    ? tokenHeader.test(name) && !headersInFull.has(name)
    : name === scheme.header.toLowerCase()

/**
 * The headers in which schemes name the id, the event or the time of a post, unless another scheme has its signature there.
 * Whatever they are called, a replay needs what they say [signatures/replayed].
 */
export function plainHeaders(own: OwnSchemes): readonly string[] {
  const all = [...schemesWith(own).values()]
  return all
    .flatMap(({ scheme: { id, event, time } }) => [id, event, time])
    .flatMap((place) => (place !== undefined && 'header' in place ? place.header : []))
    .filter((name) => !all.some(({ scheme }) => hasHeader(scheme, name.toLowerCase())))
}

/** The values of the header of a scheme in a post, without empty ones. */
export function signaturesIn(scheme: Scheme, headers: Headers): readonly string[] {
  if (!isFamily(scheme)) return [headerIn(headers, scheme.header)].filter((one) => one !== '')
  return Object.entries(headers).flatMap(([name, value]) =>
    value !== '' && hasHeader(scheme, name) ? value : [],
  )
}

/** The address to which a sender posts, as it knows it [signatures/signed-url]. */
export const addressOf = (
  { headers, target }: { readonly headers: Headers; readonly target: string },
  baseUrl: string | null,
): string => (baseUrl ?? `http://${headers['host'] ?? ''}`) + target

export const headerIn = (headers: Headers, name: string): string =>
  headers[name.toLowerCase()] ?? ''

/** The items of a signature header. */
export const itemsOf = (value: string, separator: Scheme['separator']): readonly string[] =>
  separator === undefined
    ? [value]
    : value.split(separator === ' ' ? /[\t\n\v\f\r ]+/ : separator).map((item) => item.trim())

/** The text in a place of the headers; empty without one. */
export function textIn(place: Place, scheme: Scheme, headers: Headers): string {
  if ('header' in place) return headerIn(headers, place.header)
  if ('member' in place) return ''
  const prefix = `${place.item}=`
  const items = itemsOf(headerIn(headers, scheme.header), scheme.separator)
  return items.find((item) => item.startsWith(prefix))?.slice(prefix.length) ?? ''
}

/** The value of a member of a payload; undefined without one. */
export function memberIn(path: string, payload: Json | undefined): Json | undefined {
  let value = payload
  for (const name of path.split('.')) value = isObject(value) ? value.get(name) : undefined
  return value
}

/** The same for a member with a number. */
export const numberIn = (path: string, payload: Json | undefined): number | undefined =>
  numberOf(memberIn(path, payload))
