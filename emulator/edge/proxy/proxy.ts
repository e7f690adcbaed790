// A proxy for HTTP and WebSocket that reports what passes through it. It is made of pipes of Node: a library for proxies
// would not keep bodies and messages, rewrite links, or say how a socket ended, which is most of the work here.

import { createServer } from 'node:http'
import { trackConnections } from '../lifetime.ts'
import { hostOf, listen, portOf } from '../node/ports.ts'
import type { FaultOptions } from './fault-player.ts'
import { passFaultySocket } from './faulty-tunnels.ts'
import { passRequest, type ProxyParts, refuse } from './exchanges.ts'
import { createPlaces } from './places.ts'
import type { HeaderList } from '../../session/recording.ts'
import type { Sink } from './sink.ts'
import { passSocket } from './tunnels.ts'
import { createUnderWay } from './under-way.ts'
import { createUpstream } from './upstream.ts'

export type ProxyOptions = {
  /** The address of the target, without query. */
  readonly target: URL
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** A certificate in PEM form that is trusted in addition to the usual ones; null for none. */
  readonly ca: string | null
  /** Headers that the target gets with each request, in place of those of the client; no recording has them. */
  readonly headers: HeaderList
  readonly sink: Sink
  /** The faults that it plays; null without any. */
  readonly faults: FaultOptions | null
}

export type Proxy = {
  readonly url: string
  readonly port: number
  /** The faults that have never applied, by their ids. */
  readonly unplayed: () => readonly string[]
  /** Ends all connections, and reports what had not ended. */
  readonly close: () => Promise<void>
}

/** Starts a proxy; resolves when it listens. */
export async function startProxy({
  target,
  host,
  port,
  ca,
  headers,
  sink,
  faults,
}: ProxyOptions): Promise<Proxy> {
  const underWay = createUnderWay()
  const upstream = createUpstream(ca, headers)
  // Loaded on demand: a recording without faults needs none of a world.
  const player = faults && (await (await import('./fault-player.ts')).createFaultPlayer(faults))
  const parts: ProxyParts = {
    places: createPlaces(target),
    upstream,
    sink,
    faults: player,
    unreachable: (_, response, why) => refuse(response, 502, why),
    untilStopped: underWay.untilStopped,
    waitFor: underWay.waitFor,
  }
  const server = createServer({ maxHeaderSize: 1 << 18, requestTimeout: 0 })
  const sockets = new Set<{ readonly destroy: () => unknown }>()
  server.on('request', (message, response) => passRequest(parts, message, response))
  server.on('upgrade', (message, client, head) => {
    sockets.add(client)
    client.once('close', () => sockets.delete(client))
    if (player?.watchesSockets) passFaultySocket(parts, player, message, client, head)
    else passSocket(parts, message, client, head)
  })
  const closing = trackConnections([server])
  await listen(server, host, port).catch((error: unknown) => {
    player?.stop()
    throw error
  })
  return {
    url: `http://${hostOf(host, portOf(server))}`,
    port: portOf(server),
    unplayed: () => player?.unplayed() ?? [],
    close: async () => {
      player?.stop()
      const worked = underWay.stop()
      const closed = closing()
      for (const socket of sockets) socket.destroy()
      upstream.close()
      await Promise.all([closed, worked])
    },
  }
}
