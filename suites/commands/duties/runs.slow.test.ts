// Duties of a client about its runs: what its ordinary run shows, how runs end, and the files that it downloads and uploads.
// A client that breaks one is caught.

import { ownWorld, proves } from '../../judge/proves.ts'
import { isCaught } from '../../support/scripted-client/proves-duty.ts'

proves('duties/key-stays-home', isCaught('key-stays-home'), ownWorld)
proves('duties/key-in-header', isCaught('key-in-header'), ownWorld)
proves('duties/partner-key', isCaught('partner-key'), ownWorld)
proves('duties/client-id', isCaught('client-id'), ownWorld)
proves('duties/poll-pace', isCaught('poll-pace'), ownWorld)
proves('duties/runs-of-others', isCaught('runs-of-others'), ownWorld)
proves('duties/long-numbers', isCaught('long-numbers'), ownWorld)

proves('duties/status-first', isCaught('status-first'), ownWorld)
proves('duties/failed-run', isCaught('failed-run'), ownWorld)
proves('duties/interrupted-run', isCaught('interrupted-run'), ownWorld)
proves('duties/rejected-workflow', isCaught('rejected-workflow'), ownWorld)
proves('duties/names-the-node', isCaught('names-the-node'), ownWorld)
proves('duties/node-errors', isCaught('node-errors'), ownWorld)
proves('duties/cached-run', isCaught('cached-run'), ownWorld)
proves('duties/late-record', isCaught('late-record'), ownWorld)
proves('duties/lost-run', isCaught('lost-run'), ownWorld)

proves('duties/video-keys', isCaught('video-keys'), ownWorld)
proves('duties/video-under-images', isCaught('video-under-images'), ownWorld)
proves('duties/file-names', isCaught('file-names'), ownWorld)
proves('duties/other-outputs', isCaught('other-outputs'), ownWorld)
proves('duties/uploads', isCaught('uploads'), ownWorld)
proves('duties/broken-download', isCaught('broken-download'), ownWorld)
proves('duties/expired-link', isCaught('expired-link'), ownWorld)
