// Accepts or rejects a workflow on hosted [workflows/hosted-*]: POST /api/prompt. Validates the graph as on local.

import { maxWaiting, partnerNodeCost } from '../../../spec/server/access.ts'
import { promptErrors } from '../../../spec/server/errors.ts'
import {
  isObject,
  type JsonDocument,
  type JsonObject,
  copyText,
  readDocument,
} from '../../lib/json.ts'
import { drawUuid } from '../../lib/random.ts'
import { badRequest, refuseByPlan, type Reply } from '../../http/replies.ts'
import { bodyText, type Request } from '../../http/requests.ts'
import { nodeTypes } from '../nodes/catalog.ts'
import { accountFailure } from '../runs/account-failures.ts'
import { enqueue } from '../world/queue.ts'
import {
  accepted,
  givenExtra,
  validatePrompt,
  keepExtra,
  refused,
  runOf,
  targetsOf,
} from '../local/submit.ts'
import { rememberRefused } from './refused-jobs.ts'
import type { HostedWorld, World } from '../state/world.ts'

/**
 * Queues a workflow. The server chooses the id and the number of the run: those of a client have no effect
 * [workflows/hosted-own-id, workflows/hosted-number].
 */
export function submit(world: HostedWorld, request: Request): Reply {
  let text: string
  let document: JsonDocument
  try {
    text = bodyText(request)
    document = readDocument(text)
    // Python's NaN and Infinity are not valid JSON [workflows/hosted-finite].
    if (/NaN|Infinity/.test(text)) JSON.parse(text)
  } catch {
    return badRequest('The body is not valid JSON.')
  }
  const body = document.value
  if (!isObject(body)) return badRequest('The body is not a JSON object.')
  const prompt = body.get('prompt')
  if (prompt === undefined) return refused(promptErrors.noPrompt, new Map())
  const targets = targetsOf(body.get('partial_execution_targets'))
  if (targets === 'crash') return badRequest('partial_execution_targets is not a list of node ids.')
  const extra = givenExtra(body)
  if (!isObject(extra)) return badRequest('extra_data is not an object.')
  const verdict = validatePrompt(world, prompt, targets)
  if (verdict.kind === 'crash') return badRequest('The prompt is not a workflow.')
  const isTaken = verdict.kind === 'valid' || world.setup.quirks.has('workflows.invalid-is-200')
  if (!isTaken) return refused(verdict.error, verdict.nodeErrors)
  const refusal = verdict.kind === 'valid' ? refusedByPlan(world, prompt as JsonObject) : undefined
  if (refusal !== undefined) return refusal
  const workflow_id = body.get('workflow_id')
  const known = {
    prompt_id: drawUuid(world.state.random),
    number: world.state.counter,
    numberText: `${world.state.counter}`,
    workflow_id: typeof workflow_id === 'string' ? copyText(workflow_id) : null,
    // Messages are not addressed by client id: all sockets of the account receive them [workflows/hosted-client-id].
    ...keepExtra(world, extra, null),
  }
  if (verdict.kind === 'refused') {
    rememberRefused(world, prompt, verdict, known)
    world.state.counter++
    return accepted(known.prompt_id, known.numberText, verdict.nodeErrors)
  }
  const run = runOf(world, text, document, verdict, known)
  if (typeof run === 'string') return refuseByPlan('queueFull')
  enqueue(world, run)
  world.state.counter++
  return accepted(known.prompt_id, known.numberText, verdict.nodeErrors)
}

/** The refusal of a submit by the plan of the account or its queue; undefined without the quirks. */
function refusedByPlan(world: HostedWorld, graph: JsonObject): Reply | undefined {
  const { quirks } = world.setup
  const { account } = world.setup.hosted
  if (account.tier === 'free' && quirks.has('hosted.free-tier-402')) return refuseByPlan('freeTier')
  if (!quirks.has('hosted.refuse-at-submit')) return undefined
  const word = accountFailure(world)?.exception_type
  if (word === 'InactiveSubscriptionError') return refuseByPlan('subscriptionInactive')
  if (cannotPay(world, graph)) return refuseByPlan('fundsMissing')
  return world.state.pendingCount >= maxWaiting ? refuseByPlan('queueFull') : undefined
}

/** Whether the account cannot pay for a graph: its plan or balance does not allow it. */
export function cannotPay(world: HostedWorld, graph: JsonObject): boolean {
  const word = accountFailure(world)?.exception_type
  if (word === 'InactiveSubscriptionError' || word === 'InsufficientFundsError') return true
  return world.state.balance < partnerNodeCost * partnerNodesIn(world, graph)
}

function partnerNodesIn(world: World, graph: JsonObject): number {
  const types = nodeTypes(world)
  let count = 0
  for (const node of graph.values()) {
    const class_type = isObject(node) ? node.get('class_type') : undefined
    if (typeof class_type === 'string' && types.get(class_type)?.apiNode) count++
  }
  return count
}
