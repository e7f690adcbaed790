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

/** A message as far as it has been written. */
export type WrittenMessage = {
  readonly kind: 'text' | 'binary' | 'control' | 'unknown'
  /** How long it is, in bytes, as far as it says so. */
  readonly length: number
  readonly isWhole: boolean
  /** Its bytes; undefined as long as some are missing, and where they cannot be read. */
  readonly bytes?: Buffer
}

/** What a host does with the traffic of the suites. */
export type Watcher = {
  /** Returns the request that is sent instead. */
  readonly request: (request: Outgoing) => Outgoing
  /**
   * Looks at a request before the last of its bytes leaves, and before its head does if its body is still to come. Bytes that
   * are not a valid request, or can be read as several, are the body of one without a method. Throws if it must not be sent.
   */
  readonly guard: (request: Outgoing, isWhole: boolean) => Promise<void>
  /** Called with each reply: its status and the beginning of its body. */
  readonly reply: (request: Outgoing, status: number, body: string) => void
  /** Returns the target of a socket, its path with the query, that is opened instead. */
  readonly socket: (url: string, target: string) => string
  /** Further headers of handshakes, and of requests that are written by hand. */
  readonly socketHeaders: () => Readonly<Record<string, string>>
  /** Looks at a message of a socket before its last byte leaves. Throws if it must not be sent. */
  readonly guardMessage: (message: WrittenMessage) => void
  /** Called with each message that a socket sends or receives, and with its close. */
  readonly message: (direction: 'sent' | 'received', text: string) => void
}

/** The watchers by the host that they watch. */
const watchers = new Map<string, Watcher>()

/** Sets what watches the traffic of this process to a server. What goes elsewhere, such as links, the last one sees. */
export function watchTraffic(url: string, own: Watcher): void {
  const { host } = new URL(url)
  watchers.delete(host)
  watchers.set(host, own)
}

/** What watches the traffic to an address, if a host has set anything. */
export const watcherOf = (url: string): Watcher | undefined =>
  watchers.size === 0
    ? undefined
    : (watchers.get(new URL(url).host) ?? [...watchers.values()].at(-1))

/** The request that is sent instead. */
export const outgoing = (request: Outgoing): Outgoing =>
  watcherOf(request.url)?.request(request) ?? request

/** Throws if a request must not be sent. For requests of `fetch`: those on connections of the suites are looked at there. */
export const guarded = async (request: Outgoing): Promise<void> =>
  watcherOf(request.url)?.guard(request, true)

/** Headers that each hand-written request and each handshake gets. */
export const addedHeaders = (url: string): Readonly<Record<string, string>> =>
  watcherOf(url)?.socketHeaders() ?? {}

/** The longest part of a body that a watcher sees, in bytes. */
export const MAX_SEEN_BYTES = 4096

/** Reports a reply to a request of `fetch`. */
export function answered(request: Outgoing, status: number, body: Uint8Array | string): void {
  const seen = Buffer.from(body.slice(0, MAX_SEEN_BYTES) as Uint8Array)
  watcherOf(request.url)?.reply(request, status, seen.toString())
}
