// Accepts or rejects a submitted workflow [workflows/*]: POST /prompt.

import { secretKeys } from '../../../spec/server/access.ts'
import { promptErrors } from '../../../spec/server/errors.ts'
import {
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  floatText,
  numberOf,
  copyText,
  readDocument,
  writeJson,
} from '../../lib/json.ts'
import { isKeyOf } from '../../journal/known-secrets.ts'
import { isCanonicalUuid } from '../../lib/uuid.ts'
import { drawUuid } from '../../lib/random.ts'
import { json, type Reply, refuse } from '../../http/replies.ts'
import { type Request, bodyText } from '../../http/requests.ts'
import { graphText } from '../graph/graph.ts'
import { nodeErrorsJson } from '../graph/node-errors-json.ts'
import { replaceNodes } from '../graph/replacements.ts'
import { collisionText, enqueue, metBound, priorityCollisions } from '../world/queue.ts'
import { takesPartnerKey } from '../behaviours/partner-nodes.ts'
import { runScript } from '../runs/run-script.ts'
import { isTruthy, pythonText, toFloat } from '../../lib/python.ts'
import { validate } from '../graph/validate.ts'
import type { NodeErrors, PromptError, Targets, Verdict } from '../graph/verdict.ts'
import { timestamp } from '../world/derived.ts'
import type { Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** The maximum number of pending runs whose parsed graphs are kept, */
const MAX_KEPT_GRAPHS = 1000
/** while the runs before them hold no more than this, in bytes; later ones are parsed again from their text. */
const MAX_KEPT_BYTES = 16 * 2 ** 20

/** Queues a workflow. Replies before the run does anything [workflows/answers-first]. */
export function submit(world: World, request: Request): Reply {
  let text: string
  let document: JsonDocument
  try {
    text = bodyText(request)
    document = readDocument(text)
  } catch {
    return refuse('internal')
  }
  const body = document.value
  if (!isObject(body)) {
    if (!Array.isArray(body) && typeof body !== 'string') return refuse('internal')
    // Looks for a member like Python: a text contains each of its substrings, but none can be read from it.
    if (body.includes('number') || body.includes('front')) return refuse('internal')
    world.state.counter++
    return body.includes('prompt') ? refuse('internal') : refused(promptErrors.noPrompt, new Map())
  }
  const number = priority(world, body)
  if (number === undefined) return refuse('internal')
  const prompt = body.get('prompt')
  if (prompt === undefined) return refused(promptErrors.noPrompt, new Map())
  const { refusesOddIds, stampsSubmits } = world.setup.traits
  const givenId = body.get('prompt_id')
  const chosenId = refusesOddIds && givenId === null ? undefined : givenId
  if (refusesOddIds && chosenId !== undefined && !isCanonicalUuid(chosenId))
    return refused(promptErrors.invalidPromptId, new Map())
  const targets = targetsOf(body.get('partial_execution_targets'))
  const verdict = validatePrompt(world, prompt, targets)
  const prompt_id =
    chosenId === undefined ? drawUuid(world.state.random) : copyText(pythonText(chosenId))
  if (verdict.kind === 'crash') return refuse('internal')
  if (verdict.kind === 'refused') {
    if (world.setup.quirks.has('workflows.invalid-is-200')) {
      return accepted(prompt_id, number.text, verdict.nodeErrors)
    }
    return refused(verdict.error, verdict.nodeErrors)
  }
  const extra = stampsSubmits
    ? stampedExtra(world, body, request.headers['comfy-usage-source'])
    : extraDataOf(world, body)
  if (extra === undefined) return refuse('internal')
  const own = { prompt_id, number: number.value, numberText: number.text, workflow_id: null }
  const run = runOf(world, text, document, verdict, Object.assign(own, extra))
  if (typeof run === 'string') return refuse('queueFull', {}, { limit: run })
  const collisions = priorityCollisions(world, run)
  if (collisions > 0) {
    enqueue(
      world,
      collisions < 2 ? run : Object.assign({}, run, { poison: collisionText }),
      'silently',
    )
    return refuse('internal')
  }
  enqueue(world, run)
  return accepted(prompt_id, number.text, verdict.nodeErrors)
}

/**
 * A run of the valid graph in the text of a body, with everything else known about it. If the queue is full, the bound that it meets.
 */
export function runOf(
  world: World,
  text: string,
  document: JsonDocument,
  verdict: Extract<Verdict, { kind: 'valid' }>,
  known: ExtraData & Pick<Run, 'prompt_id' | 'number' | 'numberText' | 'workflow_id'>,
): Run | string {
  const prompt = (document.value as JsonObject).get('prompt') as JsonObject
  const isKept =
    world.state.pendingCount < MAX_KEPT_GRAPHS && world.state.pendingBytes < MAX_KEPT_BYTES
  const run: Run = Object.assign({}, known, {
    serial: world.state.nextSerial,
    graphText: graphText(text, document, verdict.coerced) ?? copyText(writeJson(prompt)),
    graph: isKept ? prompt : null,
    outputs: verdict.outputs,
    submittedAtMs: world.state.nowMs,
    script: runScript(world, world.state.nextSerial, prompt),
    deleted: false,
  })
  const bound = metBound(world, run)
  if (bound !== undefined) return bound
  world.state.nextSerial++
  return run
}

const errorsText = (nodeErrors: NodeErrors): string => writeJson(nodeErrorsJson(nodeErrors))

/**
 * The reply to an accepted workflow, or to one that a quirk accepts although it will not run. `number` is JSON text.
 */
export function accepted(prompt_id: string, number: string, nodeErrors: NodeErrors): Reply {
  const id = JSON.stringify(prompt_id)
  return json(`{"prompt_id": ${id}, "number": ${number}, "node_errors": ${errorsText(nodeErrors)}}`)
}

/** The reply to a rejected workflow. */
export function refused(error: PromptError, nodeErrors: NodeErrors): Reply {
  const { type, message, details, extra_info = new Map() } = error
  const members = [
    `"type": ${JSON.stringify(type)}`,
    `"message": ${JSON.stringify(message)}`,
    `"details": ${JSON.stringify(details)}`,
    `"extra_info": ${writeJson(extra_info)}`,
  ]
  const text = `{"error": {${members.join(', ')}}, "node_errors": ${errorsText(nodeErrors)}}`
  return json(text, 400)
}

/**
 * The priority of a prompt: the client's number (then a float in replies), or the counter, negated by `front`. Rejected
 * submits advance the counter too. Undefined if the number is invalid.
 */
function priority(world: World, body: JsonObject): { value: number; text: string } | undefined {
  const own = body.get('number')
  if (own !== undefined) {
    const conversion = toFloat(own)
    if ('failure' in conversion) return undefined
    const value = numberOf(conversion.value) ?? 0
    // A value that is not a number has no order: it runs last.
    return { value: Number.isNaN(value) ? Infinity : value, text: floatText(value) }
  }
  const value =
    isTruthy(body.get('front')) && world.state.counter > 0
      ? -world.state.counter
      : world.state.counter
  world.state.counter++
  return { value, text: `${value}` }
}

/**
 * The ids of the output nodes to run: null for all. A text contains each of its substrings, as in Python.
 */
export function targetsOf(value: Json | undefined): Targets | null {
  if (value === undefined || value === null) return null
  if (Array.isArray(value))
    return new Set(value.filter((id): id is string => typeof id === 'string'))
  if (typeof value === 'string') return { has: (id) => value.includes(id) }
  return isObject(value) ? value : 'crash'
}

/** Whether the prompt of a body can run. */
export function validatePrompt(world: World, prompt: Json, targets: Targets | null): Verdict {
  if (world.setup.traits.replacesNodes)
    return isReplaceable(prompt) ? validateReplaced(world, prompt, targets) : { kind: 'crash' }
  if (isObject(prompt)) return validate(world, prompt, targets)
  const empty = prompt === '' || (Array.isArray(prompt) && prompt.length === 0)
  if (!empty) return { kind: 'crash' }
  return { kind: 'refused', error: promptErrors.noOutputs, nodeErrors: new Map() }
}

/** Whether the server can look for nodes to replace [workflows/no-objects-crash]. */
const isReplaceable = (prompt: Json): prompt is JsonObject =>
  isObject(prompt) &&
  [...prompt.values()].every(
    (node) => isObject(node) && (!node.has('inputs') || isObject(node.get('inputs'))),
  )

/** The same once the node types of older workflows are replaced [workflows/replaced]. */
function validateReplaced(world: World, graph: JsonObject, targets: Targets | null): Verdict {
  const replaced = replaceNodes(world, graph)
  if (replaced === 'crash') return { kind: 'crash' }
  const verdict = validate(world, graph, targets)
  if (!replaced || verdict.kind !== 'valid') return verdict
  // Its nodes differ from those in the text of the client.
  const coerced = new Map(verdict.coerced).set(graph, [...graph.keys()])
  return Object.assign({}, verdict, { coerced })
}

/** The values that a run reads from extra_data. */
export type ExtraData = Pick<
  Run,
  'extraDataText' | 'shownExtraDataText' | 'client_id' | 'hasPartnerKey' | 'poison'
>

/**
 * Removes the keys of partner nodes, and on hosted any member that is a key of the account
 * [access/hosted-extra-data-keys], at any depth; returns whether there were any.
 */
function dropSecrets(value: Json, world: World): boolean {
  let dropped = false
  if (Array.isArray(value)) for (const item of value) dropped = dropSecrets(item, world) || dropped
  if (!isObject(value)) return dropped
  for (const name of secretKeys) dropped = value.delete(name) || dropped
  for (const [name, member] of value) {
    if (isOwnKey(world, member)) dropped = value.delete(name) || dropped
    else dropped = dropSecrets(member, world) || dropped
  }
  return dropped
}

const isOwnKey = ({ setup: { hosted } }: World, value: Json): boolean =>
  hosted !== null && typeof value === 'string' && isKeyOf(hosted.account, value)

/** The extra_data of a prompt: an empty object if absent. */
export const givenExtra = (body: JsonObject): Json =>
  body.get('extra_data') ?? (body.has('extra_data') ? null : new Map<string, Json>())

/** extra_data as a local run keeps it, including the client id; undefined if it cannot contain one. */
function extraDataOf(world: World, body: JsonObject): ExtraData | undefined {
  const given = givenExtra(body)
  const client_id = body.get('client_id')
  if (isObject(given)) {
    if (client_id !== undefined) given.set('client_id', client_id)
    return keepExtra(world, given, given.get('client_id') ?? null)
  }
  if (client_id !== undefined) return undefined
  dropSecrets(given, world)
  const text = copyText(writeJson(given))
  const poison = 'extra_data is not an object'
  return {
    extraDataText: text,
    shownExtraDataText: text,
    client_id: null,
    hasPartnerKey: false,
    poison,
  }
}

/** The same with the time and the source of the submit; undefined if they cannot be added [workflows/create-time]. */
function stampedExtra(
  world: World,
  body: JsonObject,
  source: string | undefined,
): ExtraData | undefined {
  const given = givenExtra(body)
  if (!isObject(given)) return undefined
  const client_id = body.get('client_id')
  if (client_id !== undefined) given.set('client_id', client_id)
  given.set('create_time', timestamp(world))
  if (source !== undefined && !given.has('comfy_usage_source'))
    given.set('comfy_usage_source', source)
  return keepExtra(world, given, given.get('client_id') ?? null)
}

/** The extra_data that a run keeps. `client_id` addresses its messages, null for none. */
export function keepExtra(world: World, given: JsonObject, client_id: Json): ExtraData {
  const full = copyText(writeJson(given))
  const hasPartnerKey = secretKeys.some(
    (name) => given.has(name) && takesPartnerKey(world, given.get(name)),
  )
  const hidesKeys = dropSecrets(given, world)
  const unusable = Array.isArray(client_id) || isObject(client_id)
  return {
    // Most runs contain no secret: both texts are the same string.
    extraDataText: hidesKeys ? copyText(writeJson(given)) : full,
    shownExtraDataText: full,
    client_id: client_id === null ? null : typeof client_id === 'string' ? copyText(client_id) : '',
    hasPartnerKey,
    poison: unusable ? 'client_id is not a text' : null,
  }
}
