// Refusals of what a hosted account has beside its runs and files: saved workflows, secrets, workspaces. They are among
// those of the hosted server, and have their form.

import type { Refusals } from '../language.ts'
import { coded } from '../refusal.ts'

const refusal = coded((code, message) => ({ json: { code, message } }))

export const accountRefusals = {
  fields: refusal(422, 'A JSON object with a member that is missing, or of a wrong type.', {
    UNPROCESSABLE_ENTITY: '{reason}',
  }),
  accountFull: refusal(422, 'More saved workflows or secrets than an account can have.', {
    LIMIT_REACHED: 'An account stores up to {limit}.',
  }),
  workspaceUnknown: refusal(400, 'A token for a workspace that the account does not have.', {
    workspace_id_invalid: 'There is no such workspace.',
  }),
  versionStale: refusal(409, 'A version that is not based on the latest one.', {
    CONFLICT: 'The latest version is {version}.',
  }),
} as const satisfies Refusals

const oauthRefusal = coded((error, error_description) => ({ json: { error, error_description } }), {
  headers: { 'Cache-Control': 'no-store' },
})

/** Refusals of `/oauth`. Clients act on `error`. */
export const oauthRefusals = {
  unknownPath: oauthRefusal(404, 'A path below /oauth that is not served.', {
    not_found: 'There is no such path.',
  }),
  methodNotAllowed: oauthRefusal(405, 'Another method; Allow lists those of the path.', {
    method_not_allowed: 'The path has other methods.',
  }),
  bodyTooLarge: oauthRefusal(413, 'A body above the configured limit.', {
    invalid_request: 'The body is too large.',
  }),
  clientUnknown: oauthRefusal(400, 'A request to authorize from a client that is not registered.', {
    invalid_client: 'The client is not registered.',
  }),
  clientRefused: oauthRefusal(401, 'A request for tokens from a client that is not registered.', {
    invalid_client: 'The client is not registered.',
  }),
  redirectInvalid: oauthRefusal(400, 'A request to authorize with a redirect_uri of others.', {
    invalid_request: 'The redirect_uri is neither registered nor on the loopback interface.',
  }),
  redirectsInvalid: oauthRefusal(400, 'A registration without usable redirect_uris.', {
    invalid_redirect_uri: 'redirect_uris lists addresses with HTTPS, or on the loopback interface.',
  }),
  metadataInvalid: oauthRefusal(400, 'A registration that is not a JSON object.', {
    invalid_client_metadata: 'The body is a JSON object.',
  }),
  grantUnsupported: oauthRefusal(400, 'A request for tokens with another grant_type.', {
    unsupported_grant_type: 'grant_type is authorization_code or refresh_token.',
  }),
  refreshReused: oauthRefusal(400, 'A refresh token that was used before.', {
    invalid_grant: 'refresh token reuse detected',
  }),
  grantInvalid: oauthRefusal(
    400,
    'A code or refresh token that is unknown, expired or of others.',
    {
      invalid_grant: 'The {grant} is not valid.',
    },
  ),
  parameterMissing: oauthRefusal(400, 'A request for tokens that lacks a parameter.', {
    invalid_request: '{name} is missing.',
  }),
} as const satisfies Refusals
