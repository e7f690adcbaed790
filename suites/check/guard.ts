// What a request does to a server, read from the request alone: whom it concerns, what it makes, whether it costs money.

import { posix } from 'node:path'
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
  /** What it makes that nobody can remove. */
  readonly makes?: { readonly kind: 'upload' | 'user'; readonly name: string }
  /** The user's files that it writes, moves or deletes. */
  readonly writes?: readonly string[]
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

/** A path without dot segments, however often its characters are escaped. */
const plainPath = (path: string): string => {
  const decoded = decodedPath(path)
  return decoded === path ? posix.normalize(path) : plainPath(decoded)
}

const isOutside = (path: string): boolean => /^(\/|\.\.(\/|$))/.test(plainPath(path))

/** Whether a path leads into the folder of check. */
export const isOwnPath = (path: string): boolean => plainPath(path).startsWith(`${ownFolder}/`)

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

/** A submit to the hosted API v2. */
function submitsJob({ body }: GuardedRequest): Deed {
  const graph: unknown = jsonOf(body)?.workflow
  return graph === undefined ? harmless : { ...harmless, submits: { graph } }
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
  const name = subfolder === '' ? filename : `${subfolder}/${filename}`
  return {
    needs: isOwnPath(name) ? [] : ['destructive'],
    runs: [],
    makes: { kind: 'upload', name },
  }
}

function writesUserdata({ path }: GuardedRequest): Deed {
  const [, name = ''] = path.split('/userdata/')
  const names = name.split('/move/')
  // What leads out of the user's folder, or names a folder, is refused: there is nothing to put back.
  const writes = names.filter((one) => !isOutside(one) && !/(^|\/)\.{0,2}$/.test(one))
  return { needs: names.every(isOwnPath) ? [] : ['destructive'], runs: [], writes }
}

/** Settings are a file of the user. */
const writesSettings: Deed = { ...needing('destructive'), writes: ['comfy.settings.json'] }

const addsUser = ({ body }: GuardedRequest): Deed => ({
  ...needing('destructive'),
  makes: { kind: 'user', name: String(jsonOf(body)?.username) },
})

/** An upload to the hosted API v2, under its own path or none. */
function uploadsAsset({ body }: GuardedRequest): Deed {
  const name = fieldOf(body, 'file_path')
  if (name === '') return harmless
  const needs: readonly Allowance[] = isOwnPath(name) ? [] : ['destructive']
  return { needs, runs: [], makes: { kind: 'upload', name } }
}

/** What the requests to a path do; the first that matches counts. Others change nothing. */
const deeds: readonly (readonly [
  asked: RegExp,
  deed: Deed | ((request: GuardedRequest) => Deed),
])[] = [
  [/^POST \/prompt$/, submits],
  [/^POST \/v2\/jobs$/, submitsJob],
  [
    /^POST \/v2\/jobs\/[^/]+\/cancel$/,
    ({ path }) => ({ needs: [], runs: [path.split('/')[3] ?? ''] }),
  ],
  [/^POST \/v2\/assets$/, uploadsAsset],
  // An asset has an id that only its maker knows.
  [/^(POST|DELETE) \/v2\/assets\//, harmless],
  [/^POST \/interrupt$/, interrupts],
  [/^POST \/(queue|history)$/, deletesRuns],
  [/^POST \/free$/, needing('global')],
  [/^POST \/jobs\/[^/]+\/cancel$/, ({ path }) => ({ needs: [], runs: [path.split('/')[2] ?? ''] })],
  [/^POST \/upload\//, uploads],
  [/^POST \/assets$/, uploads],
  [/^(POST|PUT|DELETE) \/assets\//, needing('destructive')],
  [/^(POST|DELETE) \/userdata\//, writesUserdata],
  [/^POST \/settings(\/|$)/, writesSettings],
  [/^POST \/users$/, addsUser],
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

/** Node types that cases submit because no server has them. */
const inventedTypes: ReadonlySet<string> = new Set([
  'NoSuchNode',
  'NoSuchType',
  'Nope',
  'KSampelr',
  'saveimage',
  'crash',
  'constructor',
])
/** The models that the graphs of the suites load, with a node type that lists them. */
const usualModels: Readonly<Record<string, string>> = {
  'sd_xl_base_1.0.safetensors': 'CheckpointLoaderSimple',
  'ae.safetensors': 'VAELoader',
  'RealESRGAN_x4plus.pth': 'UpscaleModelLoader',
}

/** What a graph needs and a server with these node types lacks, as a sentence; undefined if it lacks nothing. */
export function lackFor(graph: unknown, types: Readonly<Record<string, any>>): string | undefined {
  const name = classTypesOf(graph).find((one) => !(one in types) && !inventedTypes.has(one))
  if (name !== undefined) return `The server does not list the node type ${name}.`
  const asked = JSON.stringify(graph)
  const model = Object.keys(usualModels).find((one) => {
    const loader = JSON.stringify(types[usualModels[one] ?? ''] ?? null)
    return asked.includes(`"${one}"`) && !loader.includes(`"${one}"`)
  })
  return model === undefined ? undefined : `The server does not list the model ${model}.`
}
