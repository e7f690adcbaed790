// What this edge uses of the interface of Durable Objects, as workerd and the hosted service have it. The project has no
// package of its types.

/** The storage of an object: synchronous, and durable before anything leaves the object. */
export type ObjectStorage = {
  readonly kv: {
    readonly put: (key: string, value: unknown) => void
    readonly delete: (key: string) => boolean
    /** In the order of the keys. */
    readonly list: (options: { readonly prefix: string }) => Iterable<[key: string, value: unknown]>
  }
  transactionSync(work: () => void): void
  deleteAll(): Promise<void>
}

/** The server side of a socket. */
export type ServerSocket = {
  readonly send: (data: string | Uint8Array) => void
  readonly close: (code: number, reason: string) => void
  /** What an object finds with the socket when it wakes. */
  readonly serializeAttachment: (value: unknown) => void
  readonly deserializeAttachment: () => unknown
}

/** A socket in the worker that stands before the objects. */
export type PlainSocket = Pick<ServerSocket, 'send' | 'close'> & {
  binaryType: 'blob' | 'arraybuffer'
  accept(options: { readonly allowHalfOpen: boolean }): void
  addEventListener(
    type: 'message',
    listener: (event: { readonly data: string | Uint8Array }) => void,
  ): void
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void
  addEventListener(type: 'error', listener: () => void): void
}

/** What an object receives at its beginning. */
export type ObjectContext = {
  readonly storage: ObjectStorage
  /** No request reaches the object before this work is done. */
  blockConcurrencyWhile(work: () => Promise<void>): Promise<void>
  /** Accepts a socket that stays open while the object sleeps. */
  acceptWebSocket(socket: ServerSocket): void
  getWebSockets(): readonly ServerSocket[]
}

/** What the configuration binds. */
export type Environment = {
  readonly WORLDS: {
    readonly idFromName: (name: string) => unknown
    readonly get: (id: unknown) => { readonly fetch: (request: Request) => Promise<Response> }
  }
  /** The control token. */
  readonly TOKEN?: string | null
  /** The options of all worlds, as JSON: those of `createEmulator`, and the deployment. */
  readonly OPTIONS?: string | null
  /** After how many inputs of a world a snapshot replaces them. */
  readonly SNAPSHOT_INPUTS?: string | null
}

/** Both sides of a new socket. */
export type SocketPair = { readonly 0: unknown; readonly 1: ServerSocket & PlainSocket }

declare const WebSocketPair: new () => SocketPair

export const newSocketPair = (): SocketPair => new WebSocketPair()

/** The side of the client in the answer to a handshake; null in any other. */
export const socketOf = (response: Response): PlainSocket | null =>
  (response as { readonly webSocket?: PlainSocket | null }).webSocket ?? null

/** The answer to a handshake, with the side of the client. */
export const upgraded = (client: unknown, headers: ResponseInit['headers']): Response =>
  new Response(null, { status: 101, headers, webSocket: client } as ResponseInit)
