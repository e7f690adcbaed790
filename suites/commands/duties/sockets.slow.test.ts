// Duties of a client, about sockets that break, close, fall silent, are rejected or open late: a client that breaks one is caught.

import { ownWorld, proves } from '../../judge/proves.ts'
import { isCaught } from '../../support/scripted-client/proves-duty.ts'

proves('duties/socket-drop', isCaught('socket-drop'), ownWorld)
proves('duties/socket-close', isCaught('socket-close'), ownWorld)
proves('duties/silent-socket', isCaught('silent-socket'), ownWorld)
proves('duties/reconnect', isCaught('reconnect'), ownWorld)
proves('duties/no-socket', isCaught('no-socket'), ownWorld)
proves('duties/handshake-pace', isCaught('handshake-pace'), ownWorld)
proves('duties/late-socket', isCaught('late-socket'), ownWorld)
