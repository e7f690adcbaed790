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
  script: Script,
  { method, target }: { readonly method: string; readonly target: string },
  request: CanonicalRequest,
): Mismatch {
  const shown = replaceToken(target, () => '...')
  const what = `The recording has no answer to ${method} ${shown}.`
  const found = nearestExchange(script, request)
  if (found === undefined) {
    const count = script.exchanges.length
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

/** The recorded requests without repetitions: those of each path, and the first of each method and first segment. */
type Requests = {
  readonly byPath: ReadonlyMap<string, readonly ScriptExchange[]>
  readonly bySegment: ReadonlyMap<string, ScriptExchange>
}

/** Clients poll: a recording has far more requests than different ones, and an error can be the answer to each poll. */
const requests = new WeakMap<Script, Requests>()

function requestsOf(script: Script): Requests {
  const known = requests.get(script)
  if (known !== undefined) return known
  const keys = new Set<string>()
  const byPath = new Map<string, ScriptExchange[]>()
  const bySegment = new Map<string, ScriptExchange>()
  for (const one of script.exchanges) {
    if (keys.has(one.key)) continue
    keys.add(one.key)
    const { method, path } = one.request
    const same = byPath.get(path)
    if (same === undefined) byPath.set(path, [one])
    else same.push(one)
    const start = `${method} ${segment(path)}`
    if (!bySegment.has(start)) bySegment.set(start, one)
  }
  const found = { byPath, bySegment }
  requests.set(script, found)
  return found
}

function nearestExchange(
  script: Script,
  { method, path, query, body }: CanonicalRequest,
): Near | undefined {
  const { byPath, bySegment } = requestsOf(script)
  const atPath = byPath.get(path) ?? []
  const inside = { query: Object.fromEntries(query), body }
  let best: readonly [ScriptExchange, readonly Difference[]] | undefined
  for (const one of atPath) {
    if (one.request.method !== method) continue
    const recorded = { query: Object.fromEntries(one.request.query), body: one.request.body }
    const found = differs(inside, recorded)
    if (best === undefined || found.length < best[1].length) best = [one, found]
  }
  if (best !== undefined) {
    const [one, all] = best
    return { one, differs: firstOf(all.map(({ text }) => text)), places: all.map(({ at }) => at) }
  }
  const [otherMethod] = atPath
  if (otherMethod !== undefined) {
    const differs = `its method is ${otherMethod.request.method}`
    return { one: otherMethod, differs, places: [] }
  }
  const closest = byPath.get(nearest(path, byPath.keys()) ?? '')?.[0]
  const one = closest ?? bySegment.get(`${method} ${segment(path)}`)
  return one && { one, differs: `its path is ${one.request.path}`, places: [] }
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
