// Duties of a client, about files that it downloads and uploads: a client that breaks one is caught.

import { ownWorld, proves } from '../../judge/proves.ts'
import { isCaught } from '../../support/scripted-client/proves-duty.ts'

proves('duties/video-keys', isCaught('video-keys'), ownWorld)
proves('duties/video-under-images', isCaught('video-under-images'), ownWorld)
proves('duties/file-names', isCaught('file-names'), ownWorld)
proves('duties/other-outputs', isCaught('other-outputs'), ownWorld)
proves('duties/uploads', isCaught('uploads'), ownWorld)
proves('duties/broken-download', isCaught('broken-download'), ownWorld)
proves('duties/expired-link', isCaught('expired-link'), ownWorld)
