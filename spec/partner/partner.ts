// The proxy to partners, and the customers who pay for it: api.comfy.org, without its Router.

import { partnerNodeCost } from '../server/access.ts'
import { hosted, type Endpoints, type Rules, chosen, observedAt } from '../language.ts'
import { get, post, remove } from '../endpoint.ts'
import { id, time } from '../v2/shapes.ts'
import {
  anyObject,
  boolean,
  count,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  positive,
  text,
  volatile,
} from '../schema.ts'
import { partnerError } from './errors.ts'

/** How long a task takes, in milliseconds of the world's time, and for how much of it the task waits. */
export const taskTimes = { ms: 1000, waitsMs: 200 } as const

/** How long the links to a stored file work, in hours. */
export const STORED_H = 24

/** How many runs of partner nodes a customer may have at a time: as many as there are. */
export const NO_LIMIT = -1

export const customer = object({
  id: text,
  name: optional(text),
  email: optional(text),
  has_fund: optional(volatile(boolean)),
  subscription_tier: optional(text),
})

const micros = volatile(number)

/** Amounts are millionths of a dollar. */
export const customerBalance = object({
  amount_micros: micros,
  currency: text,
  effective_balance_micros: optional(micros),
  prepaid_balance_micros: optional(micros),
  cloud_credit_balance_micros: optional(micros),
  pending_charges_micros: optional(micros),
})

export const customerEvents = object({
  events: list(object({ event_id: id, event_type: text, params: anyObject, createdAt: time })),
  total: volatile(count),
  page: positive,
  limit: positive,
  totalPages: volatile(count),
})

export const concurrency = object({
  limit: integer,
  reason: oneOf('manual_override', 'spend_ladder', 'never_paid', 'default'),
})

export const storageRequest = object({
  file_name: { type: 'string', minLength: 1, maxLength: 255 },
  content_type: optional(text),
  file_hash: optional({ type: 'string', pattern: '^[0-9a-f]{64}$' }),
})

export const storage = object({
  upload_url: volatile(text),
  download_url: volatile(text),
  expires_at: time,
  existing_file: boolean,
})

/** What each path can return. */
const refusals = { 401: partnerError } as const

export const endpoints = {
  partnerSubmit: post('/proxy/{path...}', hosted, {
    does: 'Asks a partner for something: its task, or the result.',
    body: 'bytes',
    bodyIsOptional: true,
    replies: { ...refusals, 200: 'bytes', 402: partnerError, 404: partnerError, 413: partnerError },
  }),
  partnerPoll: get('/proxy/{path...}', hosted, {
    does: 'Returns the state of the task that the path or the query names, with the result at its end.',
    replies: { ...refusals, 200: anyObject, 404: partnerError },
  }),
  partnerCancel: remove('/proxy/{path...}', hosted, {
    does: 'Cancels the task that the path or the query names.',
    replies: { ...refusals, 204: 'empty', 404: partnerError },
  }),
  partnerHealth: get('/health', hosted, {
    does: 'Returns 200: the server is reachable.',
    replies: { 200: object({ status: text }) },
  }),
  createCustomer: post('/customers', hosted, {
    does: 'Returns the customer of a key.',
    body: anyObject,
    bodyIsOptional: true,
    replies: { ...refusals, 200: customer, 413: partnerError },
  }),
  readCustomer: get('/customers/me', hosted, {
    does: 'Returns the customer of a key.',
    replies: { ...refusals, 200: customer },
  }),
  customerBalance: get('/customers/balance', hosted, {
    does: 'Returns the balance of a customer.',
    replies: { ...refusals, 200: customerBalance },
  }),
  customerEvents: get('/customers/events', hosted, {
    does: 'Returns what a customer has paid for, newest first.',
    query: { page: positive, limit: { ...positive, maximum: 100 }, filter: text },
    replies: { ...refusals, 200: customerEvents, 400: partnerError },
  }),
  customerConcurrency: get('/customers/me/partner-node-concurrency', hosted, {
    does: 'Returns how many partner nodes of a customer can run at a time.',
    replies: { ...refusals, 200: concurrency },
  }),
  customerStorage: post('/customers/storage', hosted, {
    does: 'Returns links to upload a file and to download it.',
    body: storageRequest,
    replies: { ...refusals, 200: storage, 400: partnerError, 413: partnerError },
  }),
} as const satisfies Endpoints

const observed = observedAt('clients of api.comfy.org: comfy-cli 1.23.0').hosted

export const rules = {
  ...observed({
    'partner/key':
      'Paths below /proxy and /customers take a key as X-API-Key or as a bearer token.',
    'partner/refusals': 'Their refusals are JSON with error and message; without a key it is 401.',
    'partner/task': 'POST below /proxy returns the id of a task, in the members of its partner.',
    'partner/poll':
      'GET below /proxy with the id of a task returns its state in the words of its partner.',
    'partner/result':
      'A task that is done has a link to a file of its kind, where its partner puts it.',
    'partner/json': 'Partners without tasks return a link to the file, or the file in base64.',
    'partner/bytes': 'Partners of speech and of some videos return the bytes of the file.',
    'partner/funds': 'Without enough balance a POST below /proxy returns 402.',
    'partner/balance': 'GET /customers/balance returns the balance in millionths of a dollar.',
    'partner/customer': 'POST /customers returns the customer of a key, as GET /customers/me does.',
    'partner/events':
      'GET /customers/events returns the charges page by page, newest first, 10 by default.',
    'partner/storage':
      'POST /customers/storage returns a link for a PUT without a key, and one to download the file.',
    'partner/storage-known':
      'A file_hash of an earlier upload returns existing_file true, and the file needs no PUT.',
    'partner/storage-type': 'A PUT with another Content-Type than the announced one returns 403.',
  }),
  ...observedAt('ComfyUI 0.27.0, partner nodes').hosted({
    'partner/health': 'GET /health returns 200 without a key.',
  }),
  ...chosen.hosted({
    'partner/partner-key': 'The partner key of an account works there, too.',
    'partner/concurrency': `The number of partner nodes at a time has no limit: it is ${NO_LIMIT}.`,
    'partner/price': `Each accepted POST below /proxy deducts ${partnerNodeCost} from the balance of the account.`,
    'partner/time': `A task takes ${taskTimes.ms} ms; for the first ${taskTimes.waitsMs} it waits.`,
    'partner/any': 'A partner that the server does not know has tasks, with the usual members.',
    'partner/cancel': 'DELETE below /proxy with the id of a task that is not done cancels it.',
    'partner/unknown': 'A task that the account does not have returns 404.',
    'partner/storage-bad':
      'A POST /customers/storage without a file_name, or with a file_hash that is not one, returns 400.',
    'partner/storage-bound': 'A PUT of more bytes than the server stores returns 400.',
    'partner/links': `The links to a stored file work for ${STORED_H} hours.`,
    'partner/unknown-path':
      'Another path returns 404, and another method 405 with Allow; a body above the limit 413.',
  }),
} as const satisfies Rules
