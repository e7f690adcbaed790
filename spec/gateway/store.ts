// The store of the gateway: what an answer of 202 promises, and what becomes of accepted runs.

import { type Rules, chosen } from '../language.ts'

/** How a stored run ends for good. */
export const finalStates = ['delivered', 'silent', 'dead', 'cancelled'] as const

/** The states of stored runs, in the order in which they pass them. */
export const storedRunStates = ['waiting', 'running', 'answered', ...finalStates] as const

export const rules = {
  ...chosen.gateway({
    'store/stored-first':
      'With a store an accepted run is on disk before its 202, and its answer before its delivery.',
    'store/run-at-least-once':
      'After a restart every accepted run that has not ended runs again, or is delivered.',
    'store/delivered-once':
      'A delivery whose success is stored never repeats; one in flight at a kill repeats at most once.',
    'store/same-key': 'A repeat after a restart has the Idempotency-Key of the first attempt.',
    'store/ids-survive':
      'Delivery ids are known for their hour, also after a restart: a retry is a duplicate.',
    'store/direct-lease':
      'A direct delivery in flight at a kill leaves its id new, so that a retry by its sender counts.',
    'store/direct-parts':
      'A restart forgets which parts of a failed direct delivery arrived: a retry repeats them all.',
    'store/failure':
      'A post that the store cannot keep returns 503 with Retry-After, and its id stays new.',
    'store/recovers': 'A store that works again is used again, without a restart.',
    'store/no-secrets':
      'A store holds no secret, token, signature or header; its file has mode 0600.',
    'store/one-owner':
      'One gateway at a time uses a store in a file: a second one exits 1 and names the first.',
    'store/unusable':
      'A store that cannot be opened or written ends the start with one line: why, and the doctor.',
    'store/version': 'The store of a newer version is refused with both versions.',
    'store/agents-ended':
      'Agents that a killed gateway left behind are ended when the next one starts.',
    'store/bounded':
      'Ended runs are deleted after 30 days; a store of more than 1024 MiB keeps nothing new.',
    'store/drain':
      'SIGTERM refuses posts with 503, waits for runs and deliveries, and hands the rest back.',
    'store/drain-limit':
      'It waits for the seconds of --drain, 30 by default; a second signal ends it immediately.',
    'store/shared':
      'Gateways and workers on one PostgreSQL share runs, ids and rate limits, whoever accepted.',
    'store/shared-lease':
      'A post whose direct delivery another gateway makes returns 503 until that one ends.',
    'store/work':
      '`gateway work` runs agents and deliveries of the gateways on a PostgreSQL, and takes no posts.',
    'store/takeover':
      'The runs of a gateway that is dead for 15 seconds go to the others on the same PostgreSQL.',
    'store/runs-command':
      '`gateway runs` lists and shows the stored runs with state, attempts, error and text.',
    'store/retry':
      '`gateway runs retry` delivers the answer of a dead run again; a run without one runs again.',
    'store/cancel': '`gateway runs cancel` ends a run that has not ended: without a delivery.',
    'store/drop': '`gateway runs drop` deletes a run that has ended.',
    'store/resend': '`webhook resend` posts the payload of a stored run to its route again.',
  }),
} as const satisfies Rules
