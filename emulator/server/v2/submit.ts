// POST /jobs [v2-jobs/created]: queues a workflow as a job, or refuses it.

import { maxWaiting, secretKeys } from '../../../spec/server/access.ts'
import { put } from '../../lib/bounded.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  readDocument,
  readJson,
  writeJson,
} from '../../lib/json.ts'
import { drawUuid } from '../../lib/random.ts'
import { json, refuseV2, type Reply } from '../../http/replies.ts'
import { bodyText, type Request } from '../../http/requests.ts'
import type { NodeErrors, Verdict } from '../graph/verdict.ts'
import { rememberRefused } from '../hosted/refused-jobs.ts'
import { cannotPay } from '../hosted/submit.ts'
import { keepExtra, runOf, validatePrompt } from '../local/submit.ts'
import type { Labels } from '../state/v2.ts'
import type { HostedWorld } from '../state/world.ts'
import { jobOf } from '../world/jobs.ts'
import { enqueue } from '../world/queue.ts'
import { isVisitor } from './access.ts'
import { jobText } from './jobs.ts'
import { underKey } from './keys.ts'
import { readLabels } from './labels.ts'
import { originOf } from './links.ts'
import { resolvePaths, resolveReferences } from './references.ts'

export function submit(world: HostedWorld, request: Request): Reply {
  const body = readBody(request)
  if (body === undefined)
    return refuseV2('invalidRequest', { reason: 'The body is not a JSON object.' })
  const form = readForm(world, body, isVisitor(world, request))
  if ('status' in form) return form
  return underKey(world, request, () => queue(world, request, form))
}

function readBody(request: Request): JsonObject | undefined {
  try {
    const text = bodyText(request)
    // Python's NaN and Infinity are not valid JSON.
    if (/NaN|Infinity/.test(text)) JSON.parse(text)
    const body = readJson(text)
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

/** What a submit asks for, as far as its form decides. */
type Form = {
  readonly workflow: JsonObject
  readonly extra: JsonObject
  readonly labels: Labels
}

const reserved = ['webhook_url', 'inputs']

function readForm(world: HostedWorld, body: JsonObject, isPublic: boolean): Form | Reply {
  const named = reserved.find((name) => (body.get(name) ?? null) !== null)
  if (named !== undefined) return badWorkflow(`${named} is reserved.`)
  const workflow = body.get('workflow')
  if (!isObject(workflow)) return badWorkflow('The body has no object workflow.')
  if (Array.isArray(workflow.get('nodes')) && workflow.has('links'))
    return refuseV2('workflowOfEditor')
  const labels = readLabels(body.get('metadata'))
  if (typeof labels === 'string') return refuseV2('labelsInvalid', { reason: labels })
  const hasLabels = Object.keys(labels).length > 0
  if (hasLabels && (isPublic || world.setup.quirks.has('hosted.v2-no-labels')))
    return refuseV2('labelsUnsupported')
  const extra = body.get('extra_data') ?? new Map<string, Json>()
  if (!isObject(extra) || ![...extra].every(isCredential)) {
    const reason = `extra_data takes texts under ${secretKeys.join(', ')}.`
    return refuseV2('invalidFields', { reason })
  }
  const missing: string[] = []
  resolveReferences(world, workflow, missing)
  resolvePaths(world, workflow)
  return missing.length === 0
    ? { workflow, extra, labels }
    : refuseV2('missingAsset', { ids: missing.join(', ') }, { missing_ids: missing })
}

const isCredential = ([name, value]: readonly [string, Json]): boolean =>
  secretKeys.some((one) => one === name) && typeof value === 'string'

const badWorkflow = (reason: string, details: unknown = null): Reply =>
  refuseV2('invalidWorkflow', { reason }, details)

function queue(world: HostedWorld, request: Request, { workflow, extra, labels }: Form): Reply {
  // The code of the hosted API finds the graph under its own name.
  const text = `{"prompt": ${writeJson(workflow)}}`
  const document = readDocument(text)
  const prompt = (document.value as JsonObject).get('prompt') as JsonObject
  const verdict = validatePrompt(world, prompt, null)
  if (verdict.kind === 'crash') return badWorkflow('The workflow is not a graph of nodes.')
  const fails = world.setup.quirks.has('hosted.v2-bad-graph-fails')
  if (verdict.kind === 'refused' && !fails) return refusedGraph(verdict)
  if (verdict.kind === 'valid') {
    if (cannotPay(world, prompt)) return refuseV2('insufficientCredits')
    const isLimited = world.setup.quirks.has('hosted.refuse-at-submit')
    if (isLimited && world.state.pendingCount >= maxWaiting) return refuseV2('queueFull')
  }
  const number = world.state.counter
  const known = {
    prompt_id: drawUuid(world.state.random),
    number,
    numberText: `${number}`,
    workflow_id: null,
    ...keepExtra(world, extra, null),
  }
  if (verdict.kind === 'refused') rememberRefused(world, prompt, verdict, known)
  else {
    const run = runOf(world, text, document, verdict, known)
    if (typeof run === 'string') return refuseV2('queueFull')
    enqueue(world, run)
  }
  world.state.counter++
  if (Object.keys(labels).length > 0) put(world.state.v2.labels, known.prompt_id, labels)
  const made = jobOf(world, known.prompt_id)
  if (made === undefined) throw new Error('A job that was queued is not there.')
  return json(jobText(world, made, originOf(request)), 201)
}

const refusedGraph = ({ error, nodeErrors }: Extract<Verdict, { kind: 'refused' }>): Reply =>
  badWorkflow([error.message, error.details].filter((part) => part !== '').join(' '), {
    node_errors: reasonsByNode(nodeErrors),
  })

const reasonsByNode = (nodeErrors: NodeErrors): object =>
  Object.fromEntries(
    Array.from(nodeErrors, ([id, { errors }]) => [
      id,
      errors.map(({ type, message, details, extra_info }) => {
        const input = extra_info.get('input_name')
        const field = type === 'missing_node_type' ? 'class_type' : ''
        const reason = details === '' ? message : `${message.replace(/\.$/, '')}: ${details}`
        return { field: typeof input === 'string' ? input : field, reason }
      }),
    ]),
  )
