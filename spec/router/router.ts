// The Router: partner models by one API. Access, the form of its errors, the catalog of models.

import { hosted, type Endpoints, type Rules, chosen, observedAt } from '../language.ts'
import { get } from '../endpoint.ts'
import { anyObject, boolean, list, object, optional, text, volatile } from '../schema.ts'
import { modelIdPattern, modelParts, routerError } from './shapes.ts'

/** The path below which everything of the Router is; it has no prefix. */
export const routerRoot = '/v2/models'

/** The pages of the catalog. */
export const pageLimits = { most: 100, usual: 20, cursor: 512 } as const

/** The headers that pages of every origin may send, and those that they may read. */
export const routerCors = {
  'Access-Control-Allow-Headers':
    'Content-Type, Authorization, X-API-Key, Idempotency-Key, If-None-Match',
  'Access-Control-Expose-Headers': [
    'Retry-After',
    'ETag',
    'Idempotent-Replayed',
    'X-Comfy-Request-Id',
    'X-Comfy-Error-Type',
    'X-Comfy-Credits-Used',
    'X-Comfy-Router-Fallback-Provider',
    'X-Comfy-Router-Dropped-Params',
    'X-Comfy-Upstream-Status',
    'X-Comfy-Upstream-Detail',
    'X-Comfy-Refusal-Subject',
  ].join(', '),
} as const

const entry = {
  id: { type: 'string', pattern: modelIdPattern },
  ...modelParts,
  billing: object({ charges_on_policy_rejection: text }),
} as const

export const routerModel = object(entry)

export const routerModelDetail = object({ ...entry, input_schema_url: optional(volatile(text)) })

export const routerPage = object({
  data: list(routerModel),
  has_more: boolean,
  next_cursor: optional(volatile(text)),
  limit: { type: 'integer', minimum: 1, maximum: pageLimits.most },
})

export const routerDocument = object({
  openapi: text,
  info: object({ title: text, version: text }),
  paths: anyObject,
})

const always = { 401: routerError, 403: routerError } as const
const ofOne = { ...always, 404: routerError } as const

export const endpoints = {
  routerModels: get(routerRoot, hosted, {
    does: 'Lists the models page by page.',
    query: { limit: { type: 'integer' }, cursor: text },
    replies: { 200: routerPage, 400: routerError, ...always },
    rejectsValid: hosted,
    acceptsInvalid: hosted,
  }),
  routerModel: get(`${routerRoot}/{provider}/{model}`, hosted, {
    does: 'Returns the catalog entry of a model.',
    parts: modelParts,
    replies: { 200: routerModelDetail, ...ofOne },
  }),
  routerDocument: get(`${routerRoot}/{provider}/{model}/openapi.json`, hosted, {
    does: 'Returns the schemas of the input and the output of a model, as an OpenAPI document.',
    parts: modelParts,
    headers: { 'If-None-Match': text },
    replies: { 200: routerDocument, 304: 'empty', ...ofOne },
  }),
} as const satisfies Endpoints

const { hosted: observed } = observedAt(
  'clients of Comfy Router: comfy-sdk 0.5.0 with its contract',
)

export const rules = {
  ...observed({
    'router/key': 'Paths of the Router take the key of an account as X-API-Key or bearer token.',
    'router/header-key-first': 'With both credentials the Router looks at X-API-Key alone.',
    'router/key-refusal': 'Without a known key each path of the Router returns 401 unauthorized.',
    'router/request-id': 'Each answer of the Router has another X-Comfy-Request-Id, a UUID.',
    'router/errors':
      'An error of the Router is detail and error_type; X-Comfy-Error-Type repeats the latter.',
    'router/list': 'GET /v2/models lists all models: id, provider, model and billing of each.',
    'router/list-pages':
      'A page of models has at most `limit` of them; next_cursor leads on while has_more is true.',
    'router/list-limit': `A limit above ${pageLimits.most} counts as ${pageLimits.most}, one below 1 as ${pageLimits.usual}; the page says which.`,
    'router/list-cursor': 'A cursor of models that the server has not issued returns 400.',
    'router/detail': 'GET of a model returns its entry.',
    'router/unknown-model':
      'A model that does not exist returns 404 model_not_found on each of its paths.',
    'router/suggestions': 'The refusal of an unknown model names up to three that are like it.',
    'router/document':
      'The openapi.json of a model has the schemas of its input and output at its path.',
    'router/document-tag':
      'The openapi.json of a model has a strong ETag; a request that knows it gets 304.',
    'router/document-cache': 'The openapi.json of a model is private, for 300 seconds.',
  }),
  ...chosen.hosted({
    'router/free-tier': 'A free account receives 403 forbidden on every path of the Router.',
    'router/no-prefix': 'The Router is at /v2/models, and has no paths below /api.',
    'router/unknown-path':
      'An unknown path below /v2/models returns 404 model_not_found, another method 405 with Allow.',
    'router/cors': 'Pages of every origin can call the Router, and read its headers.',
    'router/faults':
      'On paths of the Router, an answer of a fault without a body is an error in its form.',
  }),
} as const satisfies Rules
