// Saved workflows of an account [saved-workflows/*]: saves, reads, changes, forks and deletes them.

import { limits } from '../../../../spec/limits.ts'
import { type workflowVersion, workflowViews } from '../../../../spec/accounts/saved-workflows.ts'
import type { Static } from '../../../../spec/static.ts'
import { utf8 } from '../../../lib/bytes.ts'
import { type JsonObject, numberOf, writeJson } from '../../../lib/json.ts'
import { drawUuid } from '../../../lib/random.ts'
import { json, noContent, refuseHosted, type Reply } from '../../../http/replies.ts'
import type { Request } from '../../../http/requests.ts'
import type { SavedWorkflow, WorkflowVersion } from '../../state/accounts.ts'
import type { HostedWorld } from '../../state/world.ts'
import { accountStateOf, isoTime, userIdOf } from './account-state.ts'
import {
  isAnObject,
  isOneOf,
  isOptional,
  isPositive,
  isText,
  keptText,
  readFields,
} from './fields.ts'
import { savedWorkflows } from './workflow-list.ts'
import { describeWorkflow, latestOf } from './workflow-text.ts'

const optionalText = isOptional(isText)
const details = {
  name: optionalText,
  description: optionalText,
  default_view: isOptional(isOneOf(workflowViews)),
} as const
const newChecks = {
  workflow_json: isAnObject,
  ...details,
  forked_from_workflow_id: optionalText,
  forked_from_workflow_version_id: optionalText,
} as const
const versionChecks = { base_version: isPositive, workflow_json: isAnObject } as const
const forkChecks = { source_version: isPositive, name: optionalText } as const

/** The refusal of more bytes than an account stores; undefined if there is room for them. */
export function refuseSize(world: HostedWorld, size: number): Reply | undefined {
  const { value } = limits.savedWorkflowBytes
  if (accountStateOf(world).workflowBytes + size <= value) return undefined
  return refuseHosted('accountFull', { limit: `${value} bytes of workflows` })
}

const versionOf = (world: HostedWorld, text: string): WorkflowVersion => ({
  id: drawUuid(world.state.random),
  text,
  size: utf8(text).length,
  createdMs: world.state.nowMs,
})

const contentOf = (body: JsonObject): string => writeJson(body.get('workflow_json') ?? null)

/** Stores a workflow with one version, and returns it; or the refusal. */
function store(
  world: HostedWorld,
  text: string,
  more: Pick<SavedWorkflow, 'name' | 'description' | 'view' | 'forkedFrom'>,
): Reply {
  const state = accountStateOf(world)
  const { value } = limits.savedWorkflows
  if (state.workflows.size >= value)
    return refuseHosted('accountFull', { limit: `${value} workflows` })
  const refusal = refuseSize(world, utf8(text).length)
  if (refusal !== undefined) return refusal
  const id = drawUuid(world.state.random)
  const version = versionOf(world, text)
  const workflow = Object.assign({ id, updatedMs: world.state.nowMs, versions: [version] }, more)
  state.workflows.set(id, workflow)
  state.workflowBytes += version.size
  return json(JSON.stringify(describeWorkflow(world, workflow)), 201)
}

function saveWorkflow(world: HostedWorld, request: Request): Reply {
  const body = readFields(request, newChecks)
  if ('status' in body) return body
  const workflow = keptText(body, 'forked_from_workflow_id')
  const version = keptText(body, 'forked_from_workflow_version_id')
  return store(world, contentOf(body), {
    name: keptText(body, 'name'),
    description: keptText(body, 'description'),
    view: keptText(body, 'default_view'),
    forkedFrom: workflow === null && version === null ? null : { workflow, version },
  })
}

type WorkflowHandler = (world: HostedWorld, workflow: SavedWorkflow, request: Request) => Reply

/** A handler of the workflow that the path names. */
const ofWorkflow =
  (handle: WorkflowHandler) =>
  (world: HostedWorld, request: Request): Reply => {
    const workflow = accountStateOf(world).workflows.get(request.segment)
    return workflow === undefined ? refuseHosted('notFound') : handle(world, workflow, request)
  }

const described = (world: HostedWorld, workflow: SavedWorkflow): Reply =>
  json(JSON.stringify(describeWorkflow(world, workflow)))

/** Puts a changed workflow in the place of the earlier one. */
function replace(
  world: HostedWorld,
  workflow: SavedWorkflow,
  changes: Partial<SavedWorkflow>,
): SavedWorkflow {
  const changed = Object.assign({}, workflow, changes, { updatedMs: world.state.nowMs })
  accountStateOf(world).workflows.set(workflow.id, changed)
  return changed
}

const changeWorkflow = ofWorkflow((world, workflow, request) => {
  const body = readFields(request, details)
  if ('status' in body) return body
  const changed = replace(world, workflow, {
    name: keptText(body, 'name') ?? workflow.name,
    description: keptText(body, 'description') ?? workflow.description,
    view: keptText(body, 'default_view') ?? workflow.view,
  })
  return described(world, changed)
})

const deleteWorkflow = ofWorkflow((world, workflow) => {
  const state = accountStateOf(world)
  state.workflows.delete(workflow.id)
  for (const { size } of workflow.versions) state.workflowBytes -= size
  return noContent
})

const workflowContent = ofWorkflow((world, workflow) => {
  const { id, text, createdMs } = latestOf(workflow)
  const version = workflow.versions.length
  const created_by = userIdOf(world)
  const more = JSON.stringify({ created_by, created_at: isoTime(world, createdMs) })
  return json(`{"id":"${id}","version":${version},"workflow_json":${text},${more.slice(1)}`)
})

const addWorkflowVersion = ofWorkflow((world, workflow, request) => {
  const body = readFields(request, versionChecks)
  if ('status' in body) return body
  const { length } = workflow.versions
  if (numberOf(body.get('base_version')) !== length)
    return refuseHosted('versionStale', { version: `${length}` })
  const text = contentOf(body)
  const refusal = refuseSize(world, utf8(text).length)
  if (refusal !== undefined) return refusal
  const version = versionOf(world, text)
  accountStateOf(world).workflowBytes += version.size
  replace(world, workflow, { versions: [...workflow.versions, version] })
  const reply: Static<typeof workflowVersion> = {
    id: version.id,
    version: length + 1,
    latest_version: length + 1,
    created_by: userIdOf(world),
    created_at: isoTime(world, version.createdMs),
  }
  return json(JSON.stringify(reply), 201)
})

const forkWorkflow = ofWorkflow((world, workflow, request) => {
  const body = readFields(request, forkChecks)
  if ('status' in body) return body
  const source = workflow.versions[(numberOf(body.get('source_version')) ?? 0) - 1]
  if (source === undefined) return refuseHosted('notFound')
  const { description, view } = workflow
  return store(world, source.text, {
    name: keptText(body, 'name') ?? workflow.name,
    description,
    view,
    forkedFrom: { workflow: workflow.id, version: source.id },
  })
})

export const workflowHandlers = {
  savedWorkflows,
  saveWorkflow,
  savedWorkflow: ofWorkflow(described),
  changeWorkflow,
  deleteWorkflow,
  workflowContent,
  addWorkflowVersion,
  forkWorkflow,
} as const
