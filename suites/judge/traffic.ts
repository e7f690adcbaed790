// Where a host of the suites watches what they send: `check` looks at each request before it leaves, so that no case does
// more to a server than its operator allows.

/** A request as a case sends it. */
export type Outgoing = {
  readonly url: string
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** What a host does with the traffic of the suites. */
export type Watcher = {
  /** Returns the request that is sent instead. Throws if it must not be sent. */
  readonly request: (request: Outgoing) => Promise<Outgoing>
  /** Called with each reply: its status and the beginning of its body. */
  readonly reply: (request: Outgoing, status: number, body: string) => void
  /** Returns the target of a socket, its path with the query, that is opened instead. */
  readonly socket: (url: string, target: string) => string
  /** Further headers of handshakes, and of requests that are written by hand. */
  readonly socketHeaders: () => Readonly<Record<string, string>>
  /** Called with each message that a socket sends or receives, and with its close. */
  readonly message: (direction: 'sent' | 'received', text: string) => void
}

let watcher: Watcher | undefined

/** Sets what watches the traffic of this process. */
export function watchTraffic(own: Watcher): void {
  watcher = own
}

/** The watcher, if a host has set one. */
export const currentWatcher = (): Watcher | undefined => watcher

/** The request that may be sent. */
export const outgoing = async (request: Outgoing): Promise<Outgoing> =>
  watcher === undefined ? request : watcher.request(request)

/** Headers that each hand-written request and each handshake gets. */
export const addedHeaders = (): Readonly<Record<string, string>> => watcher?.socketHeaders() ?? {}

/** The longest part of a body that a watcher sees, in bytes. */
const MAX_SEEN_BYTES = 4096

/** Reports a reply. */
export function answered(request: Outgoing, status: number, body: Uint8Array | string): void {
  if (watcher === undefined) return
  const seen = Buffer.from(body.slice(0, MAX_SEEN_BYTES) as Uint8Array)
  watcher.reply(request, status, seen.toString())
}
