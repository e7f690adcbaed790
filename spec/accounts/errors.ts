// Refusals of what a hosted account has beside its runs and files: saved workflows, secrets, workspaces. They are among
// those of the hosted server, and have their form.

import type { Refusals } from '../language.ts'
import { coded } from '../refusal.ts'

const refusal = coded((code, message) => ({ json: { code, message } }))

export const accountRefusals = {
  fields: refusal(422, 'A JSON object with a member that is missing, or of a wrong type.', {
    UNPROCESSABLE_ENTITY: '{reason}',
  }),
  workflowsFull: refusal(422, 'More saved workflows than the server keeps for an account.', {
    LIMIT_REACHED: 'An account stores up to {limit}.',
  }),
  versionStale: refusal(409, 'A version that is not based on the latest one.', {
    CONFLICT: 'The latest version is {version}.',
  }),
} as const satisfies Refusals
