// Why the server has refused a request: what the log of `serve` says behind it, and which option would accept it.

import type { Generation } from '../../spec/generations.ts'
import type { Deployment } from '../../spec/language.ts'
import { isOfEditor } from '../client/editor-format.ts'
import { endpointHint } from '../http/nearest-endpoint.ts'
import { splitTarget } from '../http/requests.ts'
import { parseLenient } from '../lib/json-text.ts'
import type { Effect, Headers, RequestHead } from '../machine.ts'
import { judgeOrigin } from '../server/local/access.ts'
import { isModelFile } from '../server/nodes/catalog.ts'

type Reply = Extract<Effect, { kind: 'reply' }>

/** What a log line says behind a refused request. */
type Refusal = { readonly reason?: string; readonly hints?: readonly string[] }
type Mask = (text: string) => string

/** Why a page of another origin was rejected, and the option that allows it. */
export function originRefusal(
  headers: Headers,
  { status }: Reply,
  masked: Mask,
): Refusal | undefined {
  if (status !== 403) return undefined
  if (headers['sec-fetch-site'] === 'cross-site')
    return { reason: 'a page of another site', hints: ['--cors lets all pages in'] }
  if (judgeOrigin(headers) !== 'foreign') return undefined
  const origin = masked(headers['origin'] ?? '')
  return { reason: `a page of ${origin}`, hints: [`--cors ${origin} lets its pages in`] }
}

/** The endpoint that a client may mean whose request has none. */
export function unknownPath(
  { deployment, generation }: { deployment: Deployment; generation: Generation | undefined },
  { method, target }: RequestHead,
  { status }: Reply,
  masked: Mask,
): Refusal | undefined {
  const [path] = splitTarget(target)
  // Clients find out with this path whether a server is local.
  if ((status !== 404 && status !== 405) || path === '/system_stats') return undefined
  const hint = endpointHint(deployment, method, path, generation)
  return hint === undefined ? undefined : { hints: [masked(hint)] }
}

/** Why the server rejected a prompt, and which flags would accept it. */
export function submitRefusal(
  { target, body: sent }: RequestHead & { readonly body: Uint8Array },
  { status, body }: Reply,
  masked: Mask,
  isKnown: (class_type: string) => boolean,
): Refusal {
  const isSubmit = /^(\/api)?\/prompt$/.test(splitTarget(target)[0])
  if (!isSubmit || typeof body !== 'string') return {}
  if (status === 500) return unreadable(sent, masked)
  if (status !== 400) return {}
  const { error, message = '', node_errors = {} } = errorIn(body)
  // A hosted server rejects a prompt that it cannot parse with a message alone.
  const reason = error?.details === undefined ? message : `${error.message} ${error.details}`.trim()
  const found = Object.entries(node_errors).flatMap(([id, { class_type, errors = [] }]) =>
    errors.map((one) => ({ ...one, where: `node ${id} (${class_type})` })),
  )
  // The error of the whole prompt is that of its first node of an unknown type.
  const others = found.filter(({ details }) => details !== error?.details)
  const named = others.slice(0, MOST_NAMED).map(errorText)
  const more = others.length > MOST_NAMED ? [`${others.length - MOST_NAMED} more`] : []
  const hints: string[] = []
  if (found.some(({ extra_info }) => isModelFile(extra_info?.received_value ?? null)))
    hints.push('--for WORKFLOW.json adds its models, --models any accepts any model file')
  const isUnknown = /does not exist\.|not found\. The custom node/.test(error?.message ?? '')
  const unknown = isUnknown ? unknownTypes(sent, isKnown) : []
  if (isUnknown)
    hints.push(
      '--for WORKFLOW.json infers them from the workflow, --object-info FILE has those of your server, --nodes FILE adds some, --unknown-nodes accept runs any as pass-through',
    )
  // The reply names the first one alone.
  const all = unknown.length > 1 ? [`unknown node types: ${listed(unknown, MOST_TYPES)}`] : []
  const text = [reason, ...named, ...more, ...all].join('; ')
  return { reason: masked(text), ...(hints.length > 0 && { hints }) }
}

/** How many errors a line names, and how long the text of each may be. */
const MOST_NAMED = 5
const MOST_CHARACTERS = 160
const MOST_TYPES = 50

type NodeError = {
  readonly message: string
  readonly details: string
  readonly extra_info?: { readonly received_value?: string }
}

type ErrorBody = {
  readonly error?: { readonly message: string; readonly details: string }
  readonly message?: string
  readonly node_errors?: Readonly<
    Record<string, { readonly class_type: string; readonly errors?: readonly NodeError[] }>
  >
}

/** The error in the body of an answer. That of a fault can be any text. */
function errorIn(body: string): ErrorBody {
  try {
    return Object(JSON.parse(body)) as ErrorBody
  } catch {
    return {}
  }
}

const errorText = ({ where, message, details }: NodeError & { readonly where: string }): string =>
  cut(`${where} ${message}: ${details}`)

/** The types of the nodes in a submit that the server does not have, each once, in their order. */
function unknownTypes(
  sent: Uint8Array,
  isKnown: (class_type: string) => boolean,
): readonly string[] {
  const types = Object.values(promptIn(sent)).map((node) => Object(node).class_type as unknown)
  const names = types.filter((type): type is string => typeof type === 'string' && !isKnown(type))
  return [...new Set(names)]
}

/** A body as a server reads it: with NaN and infinities. */
const bodyIn = (sent: Uint8Array): unknown => parseLenient(new TextDecoder().decode(sent))

/** The graph in a submit; an empty one without a body that can be read. */
function promptIn(sent: Uint8Array): object {
  try {
    return Object(Object(bodyIn(sent)).prompt) as object
  } catch {
    return {}
  }
}

const listed = (names: readonly string[], most: number): string => {
  const shown = names.slice(0, most).map((name) => cut(name))
  const more = names.length > most ? [`${names.length - most} more`] : []
  return [...shown, ...more].join(', ')
}

const cut = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text

/** Why a server fails on a submit instead of refusing it: Python reads what is not there. */
function unreadable(sent: Uint8Array, masked: Mask): Refusal {
  let body: unknown
  try {
    body = bodyIn(sent)
  } catch {
    return { reason: 'the body cannot be read as JSON' }
  }
  const prompt = Object(body).prompt as Readonly<Record<string, unknown>> | null | undefined
  if (typeof prompt !== 'object' || prompt === null)
    return { reason: 'prompt has to be an object of nodes' }
  if (isOfEditor(prompt))
    return {
      reason: 'prompt is a workflow as the browser saves it',
      hints: ['export it in API format: Workflow, Export (API)'],
    }
  const at = Object.entries(prompt).find(([, node]) => !hasClass(node))?.[0]
  return at === undefined
    ? {}
    : { reason: masked(`node ${at} has to be an object with class_type and inputs`) }
}

const hasClass = (node: unknown): boolean =>
  typeof node === 'object' && node !== null && 'class_type' in node && 'inputs' in node
