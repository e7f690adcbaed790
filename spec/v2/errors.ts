// The refusals of the hosted API v2: one envelope for all of them, with a code that clients act on.

import type { Refusals } from '../language.ts'
import { coded } from '../refusal.ts'
import { anyObject, nullable, object, optional, text } from '../schema.ts'

/** The body of a refusal. */
export const v2Error = object({
  error: object({ code: text, message: text, details: optional(nullable(anyObject)) }),
})

const v2Refusal = coded((code, message) => ({ json: { error: { code, message, details: null } } }))

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
  unauthorized: v2Refusal(401, 'The request carries no Authorization: Bearer with a known key.', {
    unauthorized: 'A valid API key is required: send it as a bearer token.',
  }),
  insufficientCredits: v2Refusal(
    402,
    'A submit of an account whose balance is too low, or whose subscription is inactive.',
    { insufficient_credits: 'The account cannot pay for this workflow.' },
  ),
  forbidden: v2Refusal(403, 'An account of the free tier.', {
    forbidden: 'The API requires a paid plan.',
  }),
  notFound: v2Refusal(404, 'A path below /api/v2 that does not exist.', {
    not_found: 'Not found.',
  }),
  jobNotFound: v2Refusal(404, 'An unknown job, or one of another account.', {
    job_not_found: 'There is no such job.',
  }),
  assetNotFound: v2Refusal(
    404,
    'An unknown, deleted or expired asset, or one of another account.',
    { asset_not_found: 'There is no such asset.' },
  ),
  blobNotFound: v2Refusal(404, 'A hash that no asset of the account has.', {
    blob_not_found: 'No asset has this hash.',
  }),
  methodNotAllowed: v2Refusal(
    405,
    'A path that exists, with a method that it does not support; Allow lists the supported methods.',
    { method_not_allowed: 'Method not allowed.' },
  ),
  hashMismatch: v2Refusal(409, 'An upload whose bytes have another hash than expected_hash.', {
    hash_mismatch: 'The bytes have another hash: {hash}',
  }),
  tooLarge: v2Refusal(413, 'A request body or the stored uploads exceed their limit.', {
    payload_too_large: 'The limit is {limit} bytes.',
  }),
  invalidRequest: v2Refusal(
    400,
    'A body that is not a JSON object, a key of the wrong length, or a bad parameter of the list.',
    { invalid_request: '{reason}' },
  ),
  invalidFields: v2Refusal(
    422,
    'A field of a body or form that is missing, in the wrong place, or has a value that is not allowed.',
    { invalid_request: '{reason}' },
  ),
  invalidFilter: v2Refusal(
    400,
    'A list with more than three filters, a label twice, or a label that is not valid.',
    { invalid_metadata_filter: '{reason}' },
  ),
  invalidCursor: v2Refusal(400, 'A list with a cursor that the server has not issued.', {
    invalid_cursor: 'This cursor is not from a list of this server.',
  }),
  invalidWorkflow: v2Refusal(
    422,
    'A submit without a workflow, with a reserved member, or with a workflow that cannot run.',
    { invalid_workflow: '{reason}' },
  ),
  workflowOfEditor: v2Refusal(422, 'A submit with a workflow in the format of the editor.', {
    workflow_format_ui: 'Export the workflow in the API format.',
  }),
  missingAsset: v2Refusal(
    422,
    'A workflow with a reference to an asset that the account does not have.',
    { missing_asset: 'The workflow refers to unknown assets: {ids}' },
  ),
  keyReuse: v2Refusal(422, 'A second request with the same Idempotency-Key.', {
    idempotency_key_reuse: 'This Idempotency-Key has been used.',
  }),
  labelsInvalid: v2Refusal(422, 'A submit whose labels break a limit.', {
    metadata_invalid: '{reason}',
  }),
  publicList: v2Refusal(
    403,
    'The list of jobs without a key, with the quirk `hosted.v2-public-demo`.',
    { public_deployment_no_list: 'A public deployment does not list jobs.' },
  ),
  labelsUnsupported: v2Refusal(
    422,
    'Labels with the quirk `hosted.v2-no-labels`, or without a key with `hosted.v2-public-demo`.',
    { metadata_not_supported: 'This server keeps no labels.' },
  ),
  queueFull: {
    ...v2Refusal(429, 'The waiting jobs of the account reach their limit.', {
      queue_full: 'Too many of your jobs are waiting.',
    }),
    headers: { 'Retry-After': `${RETRY_AFTER_S.queueFull}` },
  },
  tooManyStreams: {
    ...v2Refusal(429, 'The account has as many open event streams as it may have.', {
      too_many_streams: 'Too many event streams are open.',
    }),
    headers: { 'Retry-After': `${RETRY_AFTER_S.tooManyStreams}` },
  },
  notImplemented: v2Refusal(
    501,
    'Event streams with the quirk `hosted.v2-no-streams`, the list with `hosted.v2-no-labels`.',
    { not_implemented: 'This server does not implement this.' },
  ),
} as const satisfies Refusals
