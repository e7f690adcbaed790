// Asks a running server what it has, with GET requests alone, and returns the replies as a recording.

import {
  type Address,
  addressOf,
  readBody,
  sendPatiently,
  type Server,
} from '../../client/server.ts'
import type { RecordedExchange, Recording } from '../../session/recording.ts'

/** What a server says of itself: each path can be missing. */
const paths = ['/object_info', '/system_stats', '/features', '/models'] as const

/** The most model folders that are read. */
const MAX_FOLDERS = 200

/** The replies of a server. They contain neither its address with credentials nor a key. */
export async function askServer(server: Server, signal: AbortSignal): Promise<Recording> {
  const exchanges: RecordedExchange[] = []
  const ask = async (path: string): Promise<string | null> => {
    const startMs = Date.now()
    const response = await sendPatiently(server, addressOf(server, path), {
      headers: server.headers,
      signal,
    })
    const text = await readBody(response, signal)
    exchanges.push({
      entry: exchanges.length,
      startMs,
      endMs: Date.now(),
      method: 'GET',
      url: shownUrl(server, path),
      headers: [],
      body: new Uint8Array(),
      response: { status: response.status, headers: [], body: new TextEncoder().encode(text) },
    })
    return response.status === 200 ? text : null
  }
  let folders: readonly string[] = []
  for (const path of paths) {
    const reply = await ask(path)
    if (path === '/models' && reply !== null) folders = namesIn(reply)
  }
  for (const folder of folders.slice(0, MAX_FOLDERS))
    await ask(`/models/${encodeURIComponent(folder)}`)
  // A refused question is not a trait of the server that a world should have.
  const answered = exchanges.filter(({ response }) => response?.status === 200)
  const info = { version: 1, origin: server.shown, place: server.deployment } as const
  return { info, exchanges: answered, sockets: [] }
}

/** Without a path in front of those of the server. */
const shownUrl = ({ shown, prefix }: Pick<Server, 'prefix'> & Address, path: string): string =>
  new URL(shown).origin + prefix + path

function namesIn(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}
