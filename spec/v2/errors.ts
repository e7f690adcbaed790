// The refusals of the hosted API v2: one envelope for all of them, with a code that clients act on.

import type { Refusals } from '../language.ts'
import { anyObject, nullable, object, optional, text } from '../schema.ts'

/** The body of a refusal. */
export const v2Error = object({
  error: object({
    code: text,
    message: text,
    details: optional(nullable(anyObject)),
  }),
})

const envelope = (code: string, message: string, details: object | null = null) => ({
  json: { error: { code, message, details } },
})

/** The codes of a fault with these statuses, which no refusal has, or for other reasons. */
export const faultCodes: Readonly<Record<number, string>> = {
  429: 'rate_limited',
  500: 'upstream_error',
  502: 'upstream_error',
  503: 'upstream_unreachable',
}

/** How long a client waits before it tries again, in seconds. */
export const RETRY_AFTER_S = { queueFull: 2, tooManyStreams: 5 } as const

/** Refusals of the hosted API v2. */
export const v2Refusals = {
  unauthorized: {
    status: 401,
    when: 'The request carries no Authorization: Bearer with a known key.',
    body: envelope('unauthorized', 'A valid API key is required: send it as a bearer token.'),
  },
  insufficientCredits: {
    status: 402,
    when: 'A submit of an account whose balance is too low, or whose subscription is inactive.',
    body: envelope('insufficient_credits', 'The account cannot pay for this workflow.'),
  },
  forbidden: {
    status: 403,
    when: 'An account of the free tier.',
    body: envelope('forbidden', 'The API requires a paid plan.'),
  },
  notFound: {
    status: 404,
    when: 'A path below /api/v2 that does not exist.',
    body: envelope('not_found', 'Not found.'),
  },
  jobNotFound: {
    status: 404,
    when: 'An unknown job, or one of another account.',
    body: envelope('job_not_found', 'There is no such job.'),
  },
  assetNotFound: {
    status: 404,
    when: 'An unknown, deleted or expired asset, or one of another account.',
    body: envelope('asset_not_found', 'There is no such asset.'),
  },
  blobNotFound: {
    status: 404,
    when: 'A hash that no asset of the account has.',
    body: envelope('blob_not_found', 'No asset has this hash.'),
  },
  methodNotAllowed: {
    status: 405,
    when: 'A path that exists, with a method that it does not support; Allow lists the supported methods.',
    body: envelope('method_not_allowed', 'Method not allowed.'),
  },
  hashMismatch: {
    status: 409,
    when: 'An upload whose bytes have another hash than expected_hash.',
    body: envelope('hash_mismatch', 'The bytes have another hash: {hash}'),
  },
  tooLarge: {
    status: 413,
    when: 'A request body or the stored uploads exceed their limit.',
    body: envelope('payload_too_large', 'The limit is {limit} bytes.'),
  },
  invalidRequest: {
    status: 400,
    when: 'A body that is not a JSON object, a key of the wrong length, or a bad parameter of the list.',
    body: envelope('invalid_request', '{reason}'),
  },
  invalidFields: {
    status: 422,
    when: 'A field of a body or form that is missing, in the wrong place, or has a value that is not allowed.',
    body: envelope('invalid_request', '{reason}'),
  },
  invalidFilter: {
    status: 400,
    when: 'A list with more than three filters, a label twice, or a label that is not valid.',
    body: envelope('invalid_metadata_filter', '{reason}'),
  },
  invalidCursor: {
    status: 400,
    when: 'A list with a cursor that the server has not issued.',
    body: envelope('invalid_cursor', 'This cursor is not from a list of this server.'),
  },
  invalidWorkflow: {
    status: 422,
    when: 'A submit without a workflow, with a reserved member, or with a workflow that cannot run.',
    body: envelope('invalid_workflow', '{reason}'),
  },
  workflowOfEditor: {
    status: 422,
    when: 'A submit with a workflow in the format of the editor.',
    body: envelope('workflow_format_ui', 'Export the workflow in the API format.'),
  },
  missingAsset: {
    status: 422,
    when: 'A workflow with a reference to an asset that the account does not have.',
    body: envelope('missing_asset', 'The workflow refers to unknown assets: {ids}'),
  },
  keyReuse: {
    status: 422,
    when: 'A second request with the same Idempotency-Key.',
    body: envelope('idempotency_key_reuse', 'This Idempotency-Key has been used.'),
  },
  labelsInvalid: {
    status: 422,
    when: 'A submit whose labels break a limit.',
    body: envelope('metadata_invalid', '{reason}'),
  },
  labelsUnsupported: {
    status: 422,
    when: 'A submit with labels, with the quirk `hosted.v2-no-labels`.',
    body: envelope('metadata_not_supported', 'This server keeps no labels.'),
  },
  queueFull: {
    status: 429,
    when: 'The waiting jobs of the account reach their limit.',
    body: envelope('queue_full', 'Too many of your jobs are waiting.'),
    headers: { 'Retry-After': `${RETRY_AFTER_S.queueFull}` },
  },
  tooManyStreams: {
    status: 429,
    when: 'The account has as many open event streams as it may have.',
    body: envelope('too_many_streams', 'Too many event streams are open.'),
    headers: { 'Retry-After': `${RETRY_AFTER_S.tooManyStreams}` },
  },
  notImplemented: {
    status: 501,
    when: 'Event streams with the quirk `hosted.v2-no-streams`, the list with `hosted.v2-no-labels`.',
    body: envelope('not_implemented', 'This server does not implement this.'),
  },
} as const satisfies Refusals
