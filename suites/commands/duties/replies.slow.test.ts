// Duties of a client, about replies that say no, not yet, or nothing: a client that breaks one is caught.

import { ownWorld, proves } from '../../judge/proves.ts'
import { isCaught } from '../../support/scripted-client/proves-duty.ts'

proves('duties/retry-after', isCaught('retry-after'), ownWorld)
proves('duties/retry-after-poll', isCaught('retry-after-poll'), ownWorld)
proves('duties/bad-gateway', isCaught('bad-gateway'), ownWorld)
proves('duties/lost-reply', isCaught('lost-reply'), ownWorld)
proves('duties/folder-not-found', isCaught('folder-not-found'), ownWorld)
proves('duties/rejected-key', isCaught('rejected-key'), ownWorld)
proves('duties/free-tier', isCaught('free-tier'), ownWorld)
proves('duties/job-not-yet', isCaught('job-not-yet'), ownWorld)
proves('duties/raw-states', isCaught('raw-states'), ownWorld)
