// Replays in front of a server: the code is loaded on demand, as that of any replay.

import type { Replay } from './handle.ts'
import type { ReplayOptionsInput } from './start.ts'
import type { UpstreamOptions } from './upstream.ts'

/** Starts a replay as `startReplay` does, in front of a server that answers what was not recorded; null for none. */
export async function startInFront(
  options: ReplayOptionsInput,
  upstream: UpstreamOptions | null,
): Promise<Replay> {
  const { serveReplay } = await import('./server.ts')
  return serveReplay(options, upstream)
}
