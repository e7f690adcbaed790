// What a request does to a server, read from the request alone: whom it concerns, what it makes, whether it costs money.

import { posix } from 'node:path'
import type { Allowance } from '../../spec/check.ts'
import type { Endpoint } from '../../spec/language.ts'
import { profiles } from '../../spec/server/deployments.ts'
import { endpoints } from '../../spec/server/endpoints.ts'
import { fieldsOf, filesOf, type Readings, readingsOf } from './readings.ts'

/** Files and userdata that `check` makes are below this folder. */
export const ownFolder = 'flowdouble-check'

/** A request in the form in which it is looked at. */
export type GuardedRequest = {
  /** Empty for bytes that are not a valid request, or can be read as several. */
  readonly method: string
  /** In local form, without the query. */
  readonly path: string
  readonly body: Readings
  /** Whether its body is here: else it is still to come. */
  readonly isWhole: boolean
}

/** What a request does. */
export type Deed = {
  /** Whether it may change anything. What is not known to change nothing may. */
  readonly changes: boolean
  /** What the operator must have allowed. */
  readonly needs: readonly Allowance[]
  /** Runs that it stops or deletes: each must be one of ours, or none at all. */
  readonly runs: readonly string[]
  /** The graph that it submits, undefined if it cannot be read, with the id that it asks for. */
  readonly submits?: { readonly graph: unknown; readonly prompt_id?: string }
  /** What it makes that nobody can remove. */
  readonly makes?: readonly { readonly kind: 'upload' | 'user'; readonly name: string }[]
  /** The user's files that it writes, moves or deletes. */
  readonly writes?: readonly string[]
}

/** A request as sent, in the form in which it is looked at. */
export function guardedRequest(
  method: string,
  target: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  isWhole = true,
): GuardedRequest {
  const [way = ''] = target.split('?')
  const { prefix } = profiles.hosted
  // A server may take a path with a trailing slash for the one without.
  const decoded = decodedPath(way)
    .replace(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '')
  const path = decoded.startsWith(`${prefix}/`) ? decoded.slice(prefix.length) : decoded
  return { method: method.toUpperCase(), path, body: readingsOf(body, headers), isWhole }
}

export function decodedPath(path: string): string {
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

const harmless: Deed = { changes: false, needs: [], runs: [] }
const changing: Deed = { changes: true, needs: [], runs: [] }
const needing = (...needs: readonly Allowance[]): Deed => ({ ...changing, needs })

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

const isObject = (value: unknown): value is Readonly<Record<string, any>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether no reading of a body names any of these. */
const namesNone = ({ texts: all, isSealed }: Readings, names: RegExp): boolean =>
  !isSealed && all.every((text) => !names.test(text) && !text.includes('\\u'))

/** A listing of runs is cleared as a whole, or loses the runs that are named. */
function deletesRuns({ body, isWhole }: GuardedRequest): Deed {
  if (!isWhole) return harmless
  if (body.values.length === 0) return namesNone(body, /clear|delete/) ? harmless : changing
  const values = body.values.filter(isObject)
  if (values.some(({ clear }) => Boolean(clear))) return needing('global')
  const names = values.flatMap((one) => one['delete'] ?? [])
  return names.length === 0 ? harmless : { ...changing, runs: texts(names) }
}

/** Some servers do not wait for the body. */
function interrupts({ body, isWhole }: GuardedRequest): Deed {
  const ids = body.values.map((value) => value?.prompt_id)
  const isNamed =
    isWhole && ids.length > 0 && ids.every((id) => typeof id === 'string' && id !== '')
  return isNamed ? { ...changing, runs: texts(ids) } : needing('global')
}

/** A submit, by the member of its body that has the graph. A graph without nodes cannot run. */
const submits =
  (member: 'prompt' | 'workflow') =>
  ({ body, isWhole }: GuardedRequest): Deed => {
    if (!isWhole) return harmless
    if (body.values.length === 0)
      return namesNone(body, /class_type/)
        ? harmless
        : { ...changing, submits: { graph: undefined } }
    const found = body.values.find(
      (value) => isObject(value) && /class_type/.test(JSON.stringify(value[member]) ?? ''),
    )
    if (found === undefined) return harmless
    const prompt_id: unknown = found.prompt_id
    return {
      ...changing,
      submits: {
        graph: found[member],
        ...(typeof prompt_id === 'string' && member === 'prompt' && { prompt_id }),
      },
    }
  }

function uploads({ body, isWhole }: GuardedRequest): Deed {
  const files = isWhole ? filesOf(body) : []
  if (files.length === 0) return harmless
  const [subfolder = '', ...further] = fieldsOf(body, 'subfolder')
  const types = fieldsOf(body, 'type')
  const passes = types.length > 0 && types.every((type) => type === 'temp')
  const names = [subfolder, ...further].flatMap((folder) =>
    files.map((file) => (folder === '' ? file : `${folder}/${file}`)),
  )
  return {
    ...changing,
    needs: names.every(isOwnPath) ? [] : ['destructive'],
    // A server empties its temporary folder when it starts.
    makes: passes ? [] : [...new Set(names)].map((name) => ({ kind: 'upload', name })),
  }
}

function writesUserdata({ path }: GuardedRequest): Deed {
  const [, name = ''] = path.split('/userdata/')
  const names = name.split('/move/')
  // What leads out of the user's folder, or names a folder, is refused: there is nothing to put back.
  const writes = names.filter((one) => !isOutside(one) && !/(^|\/)\.{0,2}$/.test(one))
  return { ...changing, needs: names.every(isOwnPath) ? [] : ['destructive'], writes }
}

/** Settings are a file of the user. */
const writesSettings: Deed = { ...needing('destructive'), writes: ['comfy.settings.json'] }

const addsUser = ({ body }: GuardedRequest): Deed => ({
  ...needing('destructive'),
  makes: body.values.map((value) => ({ kind: 'user', name: String(value?.username) })),
})

/** An upload to the hosted API v2, under its own path or none. */
function uploadsAsset({ body }: GuardedRequest): Deed {
  const names = fieldsOf(body, 'file_path').filter((name) => name !== '')
  return {
    ...changing,
    needs: names.every(isOwnPath) ? [] : ['destructive'],
    makes: names.map((name) => ({ kind: 'upload', name })),
  }
}

const cancels =
  (at: number) =>
  ({ path }: GuardedRequest): Deed => ({
    ...changing,
    runs: [path.split('/')[at] ?? ''],
  })

/** Bytes that are not a valid request, or can be read as several: each method in them may begin one. */
function doubtful({ body }: GuardedRequest): Deed {
  const found = body.texts.flatMap((text) => [
    ...text.matchAll(
      /\b(POST|PUT|PATCH|DELETE)[ \t]+(\S+)([^]*?)(?=\b(?:POST|PUT|PATCH|DELETE)[ \t]|$)/gi,
    ),
  ])
  const deeds = found.map(([, method = '', target = '', rest = '']) =>
    deedOf(guardedRequest(method, target, rest.replace(/^[^]*?\r\n\r\n/, ''))),
  )
  return {
    changes: deeds.some(({ changes }) => changes),
    needs: deeds.flatMap(({ needs }) => needs),
    runs: deeds.flatMap(({ runs }) => runs),
    ...deeds.find((one) => one.submits !== undefined),
    makes: deeds.flatMap(({ makes = [] }) => makes),
  }
}

/** A subscription to the log needs both members. */
function subscribes({ body, isWhole }: GuardedRequest): Deed {
  const isNone = body.values.every(
    (one) => one?.clientId === undefined || one.enabled === undefined,
  )
  if (body.values.length === 0) return namesNone(body, /clientId|enabled/) ? harmless : changing
  return isNone || !isWhole ? harmless : changing
}

/** Methods and paths that cases ask for because no server knows them. */
const inventedMethods: ReadonlySet<string> = new Set(['FOO', 'NONSENSE'])
const inventedPath = /^(\*|\/nowhere\b.*)$/

const servedPaths = Object.values<Endpoint>(endpoints).map(({ method, path, hostedPath }) => ({
  method,
  hasParts: path.includes('{'),
  patterns: [path, ...(hostedPath === undefined ? [] : [hostedPath])].map(
    (one) => new RegExp(`^${one.replace(/\{[^}]*\}/g, '[^/]+').replaceAll('.', String.raw`\.`)}$`),
  ),
}))

/** Whether no server does anything for a method at a path: it is invented, or served for other methods alone. */
function isServedNowhere({ method, path }: GuardedRequest): boolean {
  if (inventedMethods.has(method) || inventedPath.test(path)) return true
  const served = servedPaths.filter(({ patterns }) => patterns.some((one) => one.test(path)))
  // Node packs add deletions below the paths of lists.
  return (
    served.length > 0 &&
    served.every((one) => one.method !== method && !(method === 'DELETE' && one.hasParts))
  )
}

/** What the requests to a path do; the first that matches counts. */
const deeds: readonly (readonly [
  asked: RegExp,
  deed: Deed | ((request: GuardedRequest) => Deed),
])[] = [
  [/^ /, doubtful],
  [
    /^(GET|HEAD) .*\/(manager|snapshot|customnode|externalmodel)\/(?!queue\/status)/,
    needing('destructive'),
  ],
  [/^(GET|HEAD|OPTIONS|CONNECT|TRACE) /, harmless],
  [/^PATCH \/internal\/logs\/subscribe$/, subscribes],
  [/^POST \/prompt$/, submits('prompt')],
  [/^POST \/v2\/models\/[^/]+\/[^/]+\/estimate$/, harmless],
  [/^POST \/(v2\/models|proxy|billing)\//, needing('paid')],
  // A request to a model, a task of a partner and a saved workflow have ids that only their maker knows.
  [/^PUT \/v2\/models\/.*\/cancel$/, changing],
  [/^DELETE \/proxy\//, changing],
  [/^(POST|PATCH|DELETE) \/workflows(\/|$)/, changing],
  [/^POST \/userdata\/.*\/publish$/, needing('global')],
  [/^POST \/v2\/jobs$/, submits('workflow')],
  [/^POST \/v2\/jobs\/[^/]+\/cancel$/, cancels(3)],
  [/^POST \/v2\/assets$/, uploadsAsset],
  // These have ids that only their makers know.
  [/^(POST|DELETE) \/v2\/assets\//, changing],
  [/^(POST|PATCH|DELETE) \/(workflows|secrets)(\/|$)/, changing],
  [/^POST \/interrupt$/, interrupts],
  [/^POST \/(queue|history)$/, deletesRuns],
  [/^POST \/free$/, needing('global')],
  [/^POST \/jobs\/[^/]+\/cancel$/, cancels(2)],
  [/^POST \/upload\//, uploads],
  [/^POST \/assets$/, uploads],
  [/^(POST|PUT|DELETE) \/assets\/([0-9a-f]{8}-[0-9a-f-]{27}(\/tags)?|from-hash)$/i, changing],
  [/^(POST|PUT|DELETE) \/assets\//, needing('destructive')],
  [/^(POST|DELETE) \/userdata\//, writesUserdata],
  [/^POST \/settings(\/|$)/, writesSettings],
  [/^POST \/users$/, addsUser],
  [/^POST .*\/manager\//, needing('destructive')],
  [
    /^(POST|PUT|PATCH|DELETE) \/(settings|users|customnode|snapshot|v2)(\/|$)/,
    needing('destructive'),
  ],
  [/^DELETE /, needing('destructive')],
]

/** What a request does. */
export function deedOf(request: GuardedRequest): Deed {
  if (request.method !== '' && isServedNowhere(request)) return harmless
  const line = `${request.method} ${request.path}`
  const [, deed = changing] = deeds.find(([asked]) => asked.test(line)) ?? []
  return typeof deed === 'function' ? deed(request) : deed
}

/** Whether a message of a socket changes nothing: it says what its client can do, or is none that a server knows. */
export const isHarmlessText = (text: string): boolean => {
  const { values } = readingsOf(text)
  return values.every((value) => !isObject(value) || value['type'] === 'feature_flags')
}

/** The node types of a graph. */
export const classTypesOf = (graph: unknown): readonly string[] =>
  typeof graph === 'object' && graph !== null
    ? Object.values(graph).flatMap((node: any) => texts([node?.class_type]))
    : []

/** Outside the folder of outputs saving must fail: a server that saves there all the same leaves a file with our name. */
const isOwnPrefix = (prefix: unknown): boolean =>
  typeof prefix === 'string' &&
  (isOwnPath(prefix) || (isOutside(prefix) && posix.basename(plainPath(prefix)) === ownFolder))

/** The files that the nodes of a graph save, at least one each: equal ones are saved once. */
export const savedBy = (graph: unknown, types: Readonly<Record<string, any>>): readonly string[] =>
  isObject(graph)
    ? Object.values(graph).flatMap((node) => {
        const prefix: unknown = node?.inputs?.filename_prefix
        const { required, optional } = types[node?.class_type]?.input ?? {}
        const isSaver = { ...required, ...optional }.filename_prefix !== undefined
        return isSaver && typeof prefix === 'string' && isOwnPath(prefix) ? [`saved ${prefix}`] : []
      })
    : []

/** Whether nodes of a graph may save files outside the folder of check, on a server with these node types. */
export const savesElsewhere = (graph: unknown, types: Readonly<Record<string, any>>): boolean =>
  isObject(graph) &&
  Object.values(graph).some((node) => {
    const { required, optional } = types[node?.class_type]?.input ?? {}
    const prefix: unknown = node?.inputs?.filename_prefix
    // A node that lacks a required input is refused.
    const isAsked = prefix !== undefined && required?.filename_prefix !== undefined
    return (isAsked || optional?.filename_prefix !== undefined) && !isOwnPrefix(prefix)
  })

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
