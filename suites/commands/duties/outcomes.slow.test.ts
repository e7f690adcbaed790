// Duties of a client, about how runs end: a client that breaks one is caught.

import { ownWorld, proves } from '../../judge/proves.ts'
import { isCaught } from '../../support/scripted-client/proves-duty.ts'

proves('duties/status-first', isCaught('status-first'), ownWorld)
proves('duties/failed-run', isCaught('failed-run'), ownWorld)
proves('duties/interrupted-run', isCaught('interrupted-run'), ownWorld)
proves('duties/rejected-workflow', isCaught('rejected-workflow'), ownWorld)
proves('duties/names-the-node', isCaught('names-the-node'), ownWorld)
proves('duties/node-errors', isCaught('node-errors'), ownWorld)
proves('duties/cached-run', isCaught('cached-run'), ownWorld)
proves('duties/late-record', isCaught('late-record'), ownWorld)
proves('duties/lost-run', isCaught('lost-run'), ownWorld)
