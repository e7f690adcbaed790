// Which requests to a replay go to the server behind it: those that were not recorded, and all that is about a run which that
// server has. What is about a run that is replayed never does.

import { decodePart, parameter, splitTarget } from '../../http/requests.ts'
import type { Place } from '../../../spec/language.ts'
import { jsonIn } from '../../lib/loose.ts'
import type { IncomingRequest } from '../../machine.ts'
import { withoutPrefix } from '../../session/endpoints.ts'
import { stateIn } from '../../journal/run-states.ts'
import { contentOf } from '../../session/sockets.ts'
import { exchangeOf } from '../../session/exchanges.ts'
import { headerOf, type RecordedExchange, targetOf } from '../../session/recording.ts'
import { acceptedId } from '../../session/runs.ts'
import { clientIn } from '../identities.ts'
import { inPlace } from './answers.ts'
import { canonicalRequest, keyOf, targetKey, workflowKey } from './canonical.ts'
import { isNamed } from './run-state.ts'
import { exchangeAt, type ReplayWorld } from './state.ts'

/** What the server behind a replay has in this session. */
export type Forwarded = {
  /** The ids of its runs, */
  readonly runs: Set<string>
  /** the clients of those that are not over, as far as their messages say, */
  readonly open: Map<string, string | null>
  /** and the names of the files that it has named, unless a run that is replayed has made one of the same name since. */
  readonly files: Set<string>
  /** Where the last run went: what is about no certain run, such as the queue, is answered there. */
  latest: 'recorded' | 'forwarded' | null
}

export const nothingForwarded = (): Forwarded => ({
  runs: new Set(),
  open: new Map(),
  files: new Set(),
  latest: null,
})

/** Whether a request submits a run. */
export const isSubmit = ({ method, target }: Pick<IncomingRequest, 'method' | 'target'>): boolean =>
  method === 'POST' && /^\/(?:prompt|v2\/jobs)$/.test(pathOf(target))

const pathOf = (target: string): string => withoutPrefix(splitTarget(target)[0])

/** Requests about runs that name none: lists, and what stops or deletes. */
const aboutRuns = /^\/(?:queue|prompt|history|history_v2|jobs|v2\/jobs|interrupt|free)$/

/** Whether a request goes to the server behind the replay. */
export function isForwarded(
  world: ReplayWorld,
  { runs, files, latest }: Forwarded,
  request: IncomingRequest,
): boolean {
  const path = pathOf(request.target)
  if (isSubmit(request)) return !isRecorded(world, request)
  if (namesOne(request, (id) => runs.has(id), runs)) return true
  const replayed = world.state.runs
  if (namesOne(request, (id) => replayed.has(id), replayed.keys())) return false
  if (aboutRuns.test(path) && latest !== null) return latest === 'forwarded'
  const filename = parameter(splitTarget(request.target)[1], 'filename')
  if (filename !== undefined && files.has(filename)) return true
  if (path === '/view' && filename !== undefined && isNamed(world, filename)) return false
  return !isRecorded(world, request)
}

/** Whether a request names one of these runs: in its path, its query, or as a text of its body. */
function namesOne(
  { method, target, body }: IncomingRequest,
  isOne: (id: string) => boolean,
  ids: Iterable<string>,
): boolean {
  const [path, query] = splitTarget(target)
  if (path.split('/').some((part) => isOne(decodePart(part)))) return true
  if ([...new URLSearchParams(query).values()].some(isOne)) return true
  if (method === 'GET' || body.length === 0 || body.length > MAX_NAMING_BYTES) return false
  const text = new TextDecoder().decode(body)
  for (const id of ids) if (text.includes(JSON.stringify(id))) return true
  return false
}

/** Bodies that name runs are short. */
const MAX_NAMING_BYTES = 1 << 16

/** Whether the recording has the answer to a request. */
function isRecorded(world: ReplayWorld, request: IncomingRequest): boolean {
  const { script, state } = world
  const { method, target, body, headers } = request
  const contentType = headers['content-type'] ?? ''
  const own = canonicalRequest({ method, target, contentType, body }, state.recorded, script.any)
  const group = script.byKey.get(keyOf(own))
  if (own.method === 'GET')
    return inPlace(world, target, group)?.some((at) => !exchangeAt(script, at).lacksBody) ?? false
  return (
    group !== undefined ||
    script.byWorkflow.has(workflowKey(own) ?? '') ||
    script.byTarget.has(targetKey(own))
  )
}

/** Notes the runs and files in an exchange with the server behind the replay. */
export function noteExchange(forwarded: Forwarded, place: Place, exchange: RecordedExchange): void {
  const traced = exchangeOf(place, exchange, new URL(exchange.url))
  const created: unknown = traced.status === 201 ? traced.reply()?.id : undefined
  const id = acceptedId(traced) ?? created
  if (typeof id === 'string' && isSubmit({ method: exchange.method, target: traced.localPath })) {
    const { url, headers, body } = exchange
    const contentType = headerOf(headers, 'content-type') ?? ''
    forwarded.runs.add(id)
    forwarded.open.set(id, clientIn({ target: targetOf(url), contentType, body }))
    forwarded.latest = 'forwarded'
  }
  if (/\bjson\b/.test(traced.type) && exchange.response !== null)
    noteFiles(forwarded, new TextDecoder().decode(exchange.response.body))
}

/** Notes the end of a run and the files in a message of the server. */
export function noteMessage(forwarded: Forwarded, text: string): void {
  const { type, data = {} } = contentOf(text).message ?? {}
  const state = stateIn(type, data)
  const { prompt_id } = data
  if (state !== null && state !== 'started') forwarded.open.delete(String(prompt_id))
  noteFiles(forwarded, text)
}

/** Notes the files that a text of the server names. */
function noteFiles({ files }: Forwarded, text: string): void {
  for (const [, quoted = '""'] of text.matchAll(/"filename":\s*("(?:[^"\\]|\\.)*")/g)) {
    const name: unknown = jsonIn(quoted)
    if (typeof name === 'string') files.add(name)
  }
}

/** Notes that a recorded run is replayed: the files that it makes are those of the recording again. */
export function noteReplayed(world: ReplayWorld, forwarded: Forwarded): void {
  forwarded.latest = 'recorded'
  for (const name of forwarded.files) if (isNamed(world, name)) forwarded.files.delete(name)
}
