// What a request does to a server, read from the request alone: whom it concerns, what it makes, whether it costs money.

import type { Allowance } from '../../spec/check.ts'
import { profiles } from '../../spec/server/deployments.ts'

/** Files and userdata that `check` makes are below this folder. */
export const ownFolder = 'flowdouble-check'

/** A request in the form in which it is looked at. */
export type GuardedRequest = {
  readonly method: string
  /** In local form, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string
}

/** What a request does. */
export type Deed = {
  /** What the operator must have allowed. */
  readonly needs: readonly Allowance[]
  /** Runs that it stops or deletes: each must be one of ours, or none at all. */
  readonly runs: readonly string[]
  /** The graph that it submits, with the id that it asks for. */
  readonly submits?: { readonly graph: unknown; readonly prompt_id?: string }
  /** What it makes that stays, in a few words for the ledger. */
  readonly makes?: { readonly kind: 'upload' | 'userdata' | 'setting'; readonly name: string }
}

/** A request as sent, in the form in which it is looked at. */
export function guardedRequest(method: string, target: string, body: string): GuardedRequest {
  const [way = '', ...rest] = target.split('?')
  const { prefix } = profiles.hosted
  const decoded = decodedPath(way).replace(/\/{2,}/g, '/')
  const path = decoded.startsWith(`${prefix}/`) ? decoded.slice(prefix.length) : decoded
  return {
    method: method.toUpperCase(),
    path,
    query: new URLSearchParams(rest.join('?')),
    body,
  }
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

const harmless: Deed = { needs: [], runs: [] }
const needing = (...needs: readonly Allowance[]): Deed => ({ needs, runs: [] })

function jsonOf(body: string): any {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

/** A listing of runs is cleared as a whole, or loses the runs that are named. */
function deletesRuns({ body }: GuardedRequest): Deed {
  const value = jsonOf(body)
  return value?.clear ? needing('global') : { needs: [], runs: texts(value?.delete) }
}

function interrupts({ body }: GuardedRequest): Deed {
  const id: unknown = jsonOf(body)?.prompt_id
  return typeof id === 'string' && id !== '' ? { needs: [], runs: [id] } : needing('global')
}

function submits({ body }: GuardedRequest): Deed {
  const value = jsonOf(body)
  if (value?.prompt === undefined) return harmless
  const prompt_id: unknown = value.prompt_id
  return {
    ...harmless,
    submits: { graph: value.prompt, ...(typeof prompt_id === 'string' && { prompt_id }) },
  }
}

/** The value of a field of a form. */
const fieldOf = (body: string, name: string): string =>
  new RegExp(`name="${name}"\\r\\n(?:[^\\r\\n]+\\r\\n)*\\r\\n([^\\r\\n]*)`).exec(body)?.[1] ?? ''

function uploads({ body }: GuardedRequest): Deed {
  const subfolder = fieldOf(body, 'subfolder')
  const filename = /filename="([^"]*)"/.exec(body)?.[1]
  if (filename === undefined) return harmless
  const isOwn = subfolder === ownFolder || subfolder.startsWith(`${ownFolder}/`)
  return {
    needs: isOwn ? [] : ['destructive'],
    runs: [],
    makes: { kind: 'upload', name: subfolder === '' ? filename : `${subfolder}/${filename}` },
  }
}

function writesUserdata({ path }: GuardedRequest): Deed {
  const [, name = ''] = path.split('/userdata/')
  const names = name.split('/move/')
  const isOwn = names.every((one) => one.startsWith(`${ownFolder}/`))
  return {
    needs: isOwn ? [] : ['destructive'],
    runs: [],
    makes: { kind: 'userdata', name: names.at(-1) ?? '' },
  }
}

/** What the requests to a path do; the first that matches counts. Others change nothing. */
const deeds: readonly (readonly [
  asked: RegExp,
  deed: Deed | ((request: GuardedRequest) => Deed),
])[] = [
  [/^POST \/prompt$/, submits],
  [/^POST \/interrupt$/, interrupts],
  [/^POST \/(queue|history)$/, deletesRuns],
  [/^POST \/free$/, needing('global')],
  [/^POST \/jobs\/[^/]+\/cancel$/, ({ path }) => ({ needs: [], runs: [path.split('/')[2] ?? ''] })],
  [/^POST \/upload\//, uploads],
  [/^(POST|DELETE) \/userdata\//, writesUserdata],
  [/^(POST|GET) .*\/manager\/(?!queue\/status)/, needing('destructive')],
  [
    /^(POST|PUT|PATCH|DELETE) \/(settings|users|customnode|snapshot|v2)(\/|$)/,
    needing('destructive'),
  ],
  [/^DELETE /, needing('destructive')],
]

/** What a request does. */
export function deedOf(request: GuardedRequest): Deed {
  const line = `${request.method} ${request.path}`
  const [, deed = harmless] = deeds.find(([asked]) => asked.test(line)) ?? []
  return typeof deed === 'function' ? deed(request) : deed
}

/** The node types of a graph. */
export const classTypesOf = (graph: unknown): readonly string[] =>
  typeof graph === 'object' && graph !== null
    ? Object.values(graph).flatMap((node: any) => texts([node?.class_type]))
    : []
