// Duties of a client, about what its ordinary run shows: a client that breaks one is caught.

import { ownWorld, proves } from '../../judge/proves.ts'
import { isCaught } from '../../support/scripted-client/proves-duty.ts'

proves('duties/key-stays-home', isCaught('key-stays-home'), ownWorld)
proves('duties/key-in-header', isCaught('key-in-header'), ownWorld)
proves('duties/partner-key', isCaught('partner-key'), ownWorld)
proves('duties/client-id', isCaught('client-id'), ownWorld)
proves('duties/poll-pace', isCaught('poll-pace'), ownWorld)
proves('duties/runs-of-others', isCaught('runs-of-others'), ownWorld)
proves('duties/long-numbers', isCaught('long-numbers'), ownWorld)
