// Seeded sessions of two clients: laws that hold in each of them, whatever the server did before.

import type { RuleId } from '../../../spec/rules.ts'
import { inSessions } from '../../check/sessions/judge-sessions.ts'
import { proves, sharedWorld } from '../../judge/proves.ts'
import { laws } from '../../laws/index.ts'

/** The rules of laws that sessions show. Messages come first, as what a socket may not receive ends the case that plays. */
const shown: ReadonlySet<RuleId> = new Set([
  'messages/json-text',
  'messages/type-first',
  'messages/status',
  'messages/execution-start',
  'messages/execution-cached',
  'messages/executing',
  'messages/progress-state',
  'messages/executed',
  'messages/success',
  'messages/error',
  'messages/interrupted',
  'messages/status-on-connect',
  'messages/sid',
  'messages/hosted-sid',
  'messages/hosted-no-executing-null',
  'messages/hosted-one-notification',
  'messages/order',
  'messages/timestamps',
  'messages/error-details',
  'messages/own-client',
  'messages/no-client',
  'messages/newest-socket',
  'messages/older-socket',
  'messages/reconnect',
  'messages/hosted-all-connections',
  'messages/status-to-everyone',
  'messages/status-of-a-run',
  'messages/executing-null',
  'messages/executing-null-last',
  'runs/sources-first',
  'runs/unchanged-is-cached',
  'workflows/prompt-id-made',
  'workflows/number-counts',
  'workflows/half-valid',
  'workflows/invalid-names-nodes',
  'workflows/extra-data-kept',
  'queue/listing',
  'queue/item',
  'queue/by-number',
  'queue/delete',
  'history/kept',
  'history/prompt',
  'history/meta',
  'history/outputs',
  'history/messages',
  'history/oldest-first',
  'history/status-words',
  'history/error-comes-first',
  'history/failed-not-completed',
  'history/hosted-two-ways',
  'files/entry',
  'files/view',
  'files/view-headers',
  'files/upload-renamed',
])

for (const law of laws)
  if (law.rules.every((id) => shown.has(id)))
    proves(law.rules as never, inSessions(law), sharedWorld)
