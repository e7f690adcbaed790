// Says why a request has no answer in a recording: which recorded one is nearest, and what differs.

import { differences } from '../../lib/match.ts'
import { nearest } from '../../lib/nearest.ts'
import { replaceToken } from '../../http/requests.ts'
import type { CanonicalRequest } from './canonical.ts'
import type { Script, ScriptExchange } from './script.ts'

/** The body of the reply to a request that the recording does not hold. */
export type Mismatch = {
  readonly error: string
  /** The nearest recorded request; null if none is near. */
  readonly nearest: {
    readonly entry: number
    readonly method: string
    readonly target: string
    readonly differs: string
  } | null
}

export function mismatch(
  { exchanges }: Script,
  { method, target }: { readonly method: string; readonly target: string },
  request: CanonicalRequest,
): Mismatch {
  const shown = replaceToken(target, () => '...')
  const what = `The recording has no answer to ${method} ${shown}.`
  const found = nearestExchange(exchanges, request)
  if (found === undefined) {
    const count = exchanges.length
    return { error: `${what} None of its ${count} requests is near.`, nearest: null }
  }
  const { one, differs, places } = found
  const { entry, request: other } = one
  const near = { entry, method: other.method, target: shownTarget(other), differs }
  return {
    error: `${what} The nearest is entry ${entry}, ${near.method} ${near.target}: ${differs}.${hintFor(places)}`,
    nearest: near,
  }
}

/** What lets a request match of which only seeds differ. */
function hintFor(places: readonly string[]): string {
  const names = [...new Set(places.map((at) => at.split('.').at(-1) ?? ''))]
  const areSeeds = names.length > 0 && names.every((name) => /seed$/i.test(name))
  return areSeeds ? ` With --any ${names.join(',')} it need not match.` : ''
}

/** The path and the parameters of a request, for people. */
function shownTarget({ path, query }: CanonicalRequest): string {
  const parameters = new URLSearchParams(
    query.map(([name, value]): [string, string] => [name, value]),
  )
  return query.length === 0 ? path : `${path}?${parameters.toString()}`
}

type Near = {
  readonly one: ScriptExchange
  readonly differs: string
  /** The members and parameters that differ. */
  readonly places: readonly string[]
}

function nearestExchange(
  exchanges: readonly ScriptExchange[],
  { method, path, query, body }: CanonicalRequest,
): Near | undefined {
  const same = exchanges.filter(({ request }) => request.method === method && request.path === path)
  const inside = { query: Object.fromEntries(query), body }
  let best: readonly [ScriptExchange, readonly Difference[]] | undefined
  for (const one of same) {
    const recorded = { query: Object.fromEntries(one.request.query), body: one.request.body }
    const found = differs(inside, recorded)
    if (best === undefined || found.length < best[1].length) best = [one, found]
  }
  if (best !== undefined) {
    const [one, all] = best
    return { one, differs: firstOf(all.map(({ text }) => text)), places: all.map(({ at }) => at) }
  }
  const otherMethod = exchanges.find(({ request }) => request.path === path)
  if (otherMethod !== undefined) {
    const differs = `its method is ${otherMethod.request.method}`
    return { one: otherMethod, differs, places: [] }
  }
  const closest = nearest(path, new Set(exchanges.map(({ request }) => request.path)))
  const byPath =
    exchanges.find(({ request }) => request.path === closest) ??
    exchanges.find(
      ({ request }) => request.method === method && segment(request.path) === segment(path),
    )
  return byPath && { one: byPath, differs: `its path is ${byPath.request.path}`, places: [] }
}

const segment = (path: string): string => path.split('/')[1] ?? ''

/** Where two requests differ, in both directions: a member can be missing on either side. */
function differs(present: unknown, recorded: unknown): readonly Difference[] {
  const missing = differences(present, recorded).map(({ at, expected, received }) => ({
    at,
    text: `${at} is ${text(received)}, and was ${text(expected)}`,
  }))
  const added = differences(recorded, present)
    .filter(({ received }) => received === undefined)
    .map(({ at, expected }) => ({ at, text: `${at} is ${text(expected)}, and was absent` }))
  return [...missing, ...added]
}

type Difference = { readonly at: string; readonly text: string }

const MAX_SHOWN = 3

function firstOf(all: readonly string[]): string {
  const rest = all.length - MAX_SHOWN
  return all.slice(0, MAX_SHOWN).join('; ') + (rest > 0 ? `; and ${rest} more` : '')
}

const MAX_TEXT = 60

function text(value: unknown): string {
  if (value === undefined) return 'absent'
  const written = JSON.stringify(value)
  return written.length > MAX_TEXT ? `${written.slice(0, MAX_TEXT)}...` : written
}
