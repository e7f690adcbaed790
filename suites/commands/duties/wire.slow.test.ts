// Duties of a client about what arrives: messages and frames that it does not expect, replies that say no, and sockets that
// break. A client that breaks one is caught.

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

proves('duties/retry-after', isCaught('retry-after'), ownWorld)
proves('duties/retry-after-poll', isCaught('retry-after-poll'), ownWorld)
proves('duties/bad-gateway', isCaught('bad-gateway'), ownWorld)
proves('duties/lost-reply', isCaught('lost-reply'), ownWorld)
proves('duties/folder-not-found', isCaught('folder-not-found'), ownWorld)
proves('duties/rejected-key', isCaught('rejected-key'), ownWorld)
proves('duties/free-tier', isCaught('free-tier'), ownWorld)
proves('duties/job-not-yet', isCaught('job-not-yet'), ownWorld)
proves('duties/raw-states', isCaught('raw-states'), ownWorld)

proves('duties/socket-drop', isCaught('socket-drop'), ownWorld)
proves('duties/socket-close', isCaught('socket-close'), ownWorld)
proves('duties/silent-socket', isCaught('silent-socket'), ownWorld)
proves('duties/reconnect', isCaught('reconnect'), ownWorld)
proves('duties/no-socket', isCaught('no-socket'), ownWorld)
proves('duties/handshake-pace', isCaught('handshake-pace'), ownWorld)
proves('duties/late-socket', isCaught('late-socket'), ownWorld)
