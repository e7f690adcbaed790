// Saved workflows of a hosted account, with their versions, and those that it publishes for others.

import { hosted, type Endpoints, type Rules, chosen, observedIn } from '../language.ts'
import { hostedError } from '../server/errors.ts'
import { pagination } from '../server/jobs.ts'
import {
  anyObject,
  boolean,
  count,
  list,
  object,
  oneOf,
  optional,
  partial,
  positive,
  text,
  textOrNull,
  volatile,
} from '../schema.ts'
import { time } from '../v2/shapes.ts'
import { get, patch, post, remove } from '../endpoint.ts'

const id = volatile(text)
/** In which view of a front end a workflow opens. */
export const workflowViews = ['workflow', 'app'] as const
/** What the list can be sorted by. */
export const workflowOrders = ['create_time', 'update_time', 'name'] as const
/** The size of a page: the largest, and without a limit. */
export const workflowPages = { most: 100, usual: 20 } as const

const view = oneOf(...workflowViews)

export const savedWorkflow = object({
  id,
  name: optional(text),
  description: optional(text),
  default_view: optional(view),
  forked_from: optional(partial({ workflow_id: text, workflow_version_id: text })),
  latest_version: positive,
  created_by: id,
  created_at: time,
  updated_at: time,
})

export const savedWorkflows = object({ data: list(savedWorkflow), pagination })

/** The latest version of a workflow, with what it holds. */
export const workflowContent = object({
  id,
  version: positive,
  workflow_json: anyObject,
  created_by: id,
  created_at: time,
})

/** A version that a request has added. */
export const workflowVersion = object({
  id,
  version: positive,
  latest_version: positive,
  created_by: id,
  created_at: time,
})

const workflow_json = anyObject

export const newWorkflow = object({
  workflow_json,
  name: optional(text),
  description: optional(text),
  default_view: optional(view),
  forked_from_workflow_id: optional(text),
  forked_from_workflow_version_id: optional(text),
})

export const workflowChange = partial({ name: text, description: text, default_view: view })

/** A version counts from 1, as requests most often name it. */
const version = { ...positive, examples: [1] } as const

export const newVersion = object({ base_version: version, workflow_json })

export const workflowFork = object({ source_version: version, name: optional(text) })

/** A file that comes with a published workflow. */
export const publishedAsset = object({
  id,
  name: text,
  preview_url: text,
  storage_url: text,
  model: boolean,
  public: boolean,
  in_library: boolean,
})

const published = {
  workflow_id: id,
  share_id: id,
  listed: boolean,
  publish_time: volatile(textOrNull),
  assets: list(publishedAsset),
} as const

/** How a workflow of the user data is published. */
export const publishing = object(published)

/** What everybody sees of it. */
export const publishedWorkflow = object({ ...published, name: text, workflow_json: anyObject })

export const publishRequest = object({ asset_ids: list(text) })

const unknown = { 404: hostedError } as const
const ofFields = { 422: hostedError } as const

export const endpoints = {
  savedWorkflows: get('/workflows', hosted, {
    does: 'Lists the saved workflows of the account.',
    query: {
      limit: { type: 'integer', minimum: 1, maximum: workflowPages.most },
      offset: count,
      name: text,
      default_view: view,
      sort: { enum: workflowOrders },
      order: oneOf('asc', 'desc'),
    },
    replies: { 200: savedWorkflows, 400: hostedError },
  }),
  saveWorkflow: post('/workflows', hosted, {
    does: 'Saves a workflow.',
    body: newWorkflow,
    replies: { 201: savedWorkflow, ...ofFields },
  }),
  savedWorkflow: get('/workflows/{id}', hosted, {
    does: 'Returns a saved workflow without its content.',
    replies: { 200: savedWorkflow, ...unknown },
  }),
  changeWorkflow: patch('/workflows/{id}', hosted, {
    does: 'Changes the name, the description or the view of a saved workflow.',
    body: workflowChange,
    replies: { 200: savedWorkflow, ...unknown, ...ofFields },
  }),
  deleteWorkflow: remove('/workflows/{id}', hosted, {
    does: 'Deletes a saved workflow.',
    replies: { 204: 'empty', ...unknown },
  }),
  workflowContent: get('/workflows/{id}/content', hosted, {
    does: 'Returns the content of the latest version of a saved workflow.',
    replies: { 200: workflowContent, ...unknown },
  }),
  addWorkflowVersion: post('/workflows/{id}/versions', hosted, {
    does: 'Adds a version to a saved workflow.',
    body: newVersion,
    replies: { 201: workflowVersion, ...unknown, 409: hostedError, ...ofFields },
  }),
  forkWorkflow: post('/workflows/{id}/fork', hosted, {
    does: 'Saves a version of a workflow as another workflow.',
    body: workflowFork,
    replies: { 201: savedWorkflow, ...unknown, ...ofFields },
  }),
  publishedWorkflow: get('/workflows/published/{share_id}', hosted, {
    does: 'Returns a workflow that somebody has published.',
    replies: { 200: publishedWorkflow, ...unknown },
  }),
  publishing: get('/userdata/{file}/publish', hosted, {
    does: 'Returns how a workflow of the user data is published.',
    replies: { 200: publishing, ...unknown },
  }),
  publishWorkflow: post('/userdata/{file}/publish', hosted, {
    does: 'Publishes a workflow of the user data, or its later content.',
    body: publishRequest,
    replies: { 200: publishing, 400: hostedError, ...unknown, ...ofFields },
    // The file has to be a workflow, and its assets have to exist.
    rejectsValid: hosted,
  }),
} as const satisfies Endpoints

export const rules = {
  ...observedIn('saved workflows').hosted({
    'saved-workflows/save':
      'POST of the saved workflows stores a workflow as version 1, and returns it with 201.',
    'saved-workflows/read':
      'GET of a saved workflow returns its members, and its content below /content.',
    'saved-workflows/list':
      'The list has the saved workflows of the account in data, the newest first.',
    'saved-workflows/list-pages':
      'limit (20, at most 100) and offset choose a page, which pagination describes.',
    'saved-workflows/list-order':
      'sort names create_time, update_time or name, and order asc or desc.',
    'saved-workflows/list-filters':
      'The list can be filtered by default_view and by a part of the name, ignoring case.',
    'saved-workflows/change':
      'PATCH changes name, description and default_view, and keeps the version.',
    'saved-workflows/delete':
      'DELETE returns 204; the list omits the workflow, and all of its paths return 404.',
    'saved-workflows/version':
      'A version names the latest one as its base_version, and becomes the content with 201.',
    'saved-workflows/stale-version':
      'A version with another base_version than the latest returns 409 and stores nothing.',
    'saved-workflows/fork':
      'A fork is a workflow with version 1 that names its source in forked_from.',
    'saved-workflows/unknown': 'An unknown workflow, or one of another account, returns 404.',
    'saved-workflows/publish':
      'POST of publish below a workflow in the user data returns its share_id, as GET then does.',
    'saved-workflows/not-published':
      'GET of publish returns 404 for a file that is not published or does not exist.',
    'saved-workflows/published':
      'Every account reads a published workflow by its share_id; an unknown one returns 404.',
  }),
  ...chosen.hosted({
    'saved-workflows/list-refusals': 'A list with an invalid query parameter returns 400.',
    'saved-workflows/fields':
      'A body with a missing member, or one of a wrong type, returns 422 and stores nothing.',
    'saved-workflows/fork-version': 'A fork of a version that does not exist returns 404.',
    'saved-workflows/publish-refusals':
      'Publishing a missing file returns 404; other content or an unknown asset returns 400.',
    'saved-workflows/publish-again':
      'A published workflow keeps its content and share_id until it is published again.',
    'saved-workflows/most':
      'An account saves up to 1000 workflows and publishes as many; another one returns 422.',
    'saved-workflows/room':
      'Above 64 MiB of versions and published workflows of an account another one returns 422.',
  }),
} as const satisfies Rules
