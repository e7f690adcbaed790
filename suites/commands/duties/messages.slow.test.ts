// Duties of a client, about messages and frames that it does not expect: a client that breaks one is caught.

import { ownWorld, proves } from '../../judge/proves.ts'
import { isCaught } from '../../support/scripted-client/proves-duty.ts'

proves('duties/unknown-messages', isCaught('unknown-messages'), ownWorld)
proves('duties/unknown-fields', isCaught('unknown-fields'), ownWorld)
proves('duties/empty-status', isCaught('empty-status'), ownWorld)
proves('duties/short-frames', isCaught('short-frames'), ownWorld)
proves('duties/large-messages', isCaught('large-messages'), ownWorld)
proves('duties/order', isCaught('order'), ownWorld)
proves('duties/repeated-end', isCaught('repeated-end'), ownWorld)
proves('duties/missing-end', isCaught('missing-end'), ownWorld)
proves('duties/missing-executed', isCaught('missing-executed'), ownWorld)
proves('duties/foreign-messages', isCaught('foreign-messages'), ownWorld)
