// The client side of a socket within one process: the WebSocket interface of browsers.

import type { Reply } from '../../http/replies.ts'
import type { Turns } from './turns.ts'

/** What reaches the server from its client. */
export type ServerSide = {
  readonly message: (data: string | Uint8Array) => void
  /** The client closes the socket, or gives up its handshake. */
  readonly closed: () => void
}

/** What the server does with a socket. Events reach the client in this order, in later turns. */
export type SocketLine = {
  /** Accepts the handshake of the socket with this id. */
  readonly open: (id: number) => void
  /** Refuses the handshake with a reply; absent where clients see only that it fails. */
  readonly refuse?: (reply: Reply) => void
  readonly send: (data: string | Uint8Array) => void
  /** Ends the socket: with a close frame, or without one, which is a failure with the code 1006. */
  readonly end: (code: number, reason: string) => void
}

/** Connects the server to a new socket; it accepts or ends it later. */
export type Connect = (url: URL, line: SocketLine) => ServerSide

type Listener<E> = ((event: E) => void) | null

/** The events of a socket by their type. */
type SocketEvents = {
  readonly open: Event
  readonly message: MessageEvent
  readonly error: Event
  readonly close: SocketCloseEvent
}

type Handlers = { [Type in keyof SocketEvents]: Listener<SocketEvents[Type]> }

/** The event that a socket has closed. Node 20 has no CloseEvent. */
export class SocketCloseEvent extends Event {
  readonly code: number
  readonly reason: string
  readonly wasClean: boolean
  constructor(code: number, reason: string) {
    super('close')
    this.code = code
    this.reason = reason
    this.wasClean = code !== NO_CLOSE_FRAME
  }
}

const NO_CLOSE_FRAME = 1006
const MAX_REASON_BYTES = 123

/** A socket of a client. It has the interface of WebSocket in browsers. */
export class ClientSocket extends EventTarget {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  static readonly CLOSING = 2
  static readonly CLOSED = 3
  readonly CONNECTING = 0
  readonly OPEN = 1
  readonly CLOSING = 2
  readonly CLOSED = 3
  readonly url: string
  readonly protocol = ''
  readonly extensions = ''
  readonly bufferedAmount = 0
  binaryType: 'blob' | 'arraybuffer' = 'blob'
  #state: 0 | 1 | 2 | 3 = 0
  readonly #turns: Turns
  readonly #server: ServerSide
  readonly #handlers: Handlers = { open: null, message: null, error: null, close: null }

  constructor(url: URL, turns: Turns, connect: Connect) {
    super()
    this.url = url.href
    this.#turns = turns
    this.#server = connect(url, {
      open: () => turns.add(() => this.#open()),
      send: (data) => turns.add(() => this.#receive(data)),
      end: (code, reason) => turns.add(() => this.#end(code, reason)),
    })
  }

  get readyState(): 0 | 1 | 2 | 3 {
    return this.#state
  }

  get onopen(): Listener<Event> {
    return this.#handlers.open
  }
  set onopen(handler: Listener<Event>) {
    this.#setHandler('open', handler)
  }
  get onmessage(): Listener<MessageEvent> {
    return this.#handlers.message
  }
  set onmessage(handler: Listener<MessageEvent>) {
    this.#setHandler('message', handler)
  }
  get onerror(): Listener<Event> {
    return this.#handlers.error
  }
  set onerror(handler: Listener<Event>) {
    this.#setHandler('error', handler)
  }
  get onclose(): Listener<SocketCloseEvent> {
    return this.#handlers.close
  }
  set onclose(handler: Listener<SocketCloseEvent>) {
    this.#setHandler('close', handler)
  }

  override addEventListener<Type extends keyof SocketEvents>(
    type: Type,
    listener: Listener<SocketEvents[Type]>,
    options?: boolean | { once?: boolean; capture?: boolean; signal?: AbortSignal },
  ): void
  override addEventListener(...given: Parameters<EventTarget['addEventListener']>): void
  override addEventListener(...given: unknown[]): void {
    super.addEventListener(...(given as Parameters<EventTarget['addEventListener']>))
  }

  send(data: string | Blob | ArrayBuffer | ArrayBufferView): void {
    if (this.#state === this.CONNECTING)
      throw new DOMException('The socket is still connecting.', 'InvalidStateError')
    if (this.#state !== this.OPEN) return
    const sent = typeof data === 'string' ? data : bytesOf(data)
    this.#turns.add(() => {
      if (this.#state === this.OPEN) this.#server.message(sent)
    })
  }

  close(code?: number, reason = ''): void {
    if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999))
      throw new DOMException(`The code ${code} is not 1000 or 3000 to 4999.`, 'InvalidAccessError')
    if (new TextEncoder().encode(reason).length > MAX_REASON_BYTES)
      throw new DOMException('The reason is longer than 123 bytes.', 'SyntaxError')
    if (this.#state === this.CLOSING || this.#state === this.CLOSED) return
    const wasOpen = this.#state === this.OPEN
    this.#state = this.CLOSING
    this.#turns.add(() => {
      this.#server.closed()
      // The server answers any code with 1000 [messages/pings-and-closes].
      this.#end(wasOpen ? 1000 : NO_CLOSE_FRAME, '')
    })
  }

  #open(): void {
    if (this.#state !== this.CONNECTING) return
    this.#state = this.OPEN
    this.dispatchEvent(new Event('open'))
  }

  #receive(data: string | Uint8Array): void {
    if (this.#state !== this.OPEN) return
    const received = typeof data === 'string' ? data : binary(data, this.binaryType)
    this.dispatchEvent(
      new MessageEvent('message', { data: received, origin: new URL(this.url).origin }),
    )
  }

  #end(code: number, reason: string): void {
    if (this.#state === this.CLOSED) return
    const isFailure = code === NO_CLOSE_FRAME || this.#state === this.CONNECTING
    this.#state = this.CLOSED
    if (isFailure) this.dispatchEvent(new Event('error'))
    this.dispatchEvent(
      isFailure ? new SocketCloseEvent(NO_CLOSE_FRAME, '') : new SocketCloseEvent(code, reason),
    )
  }

  #setHandler<Type extends keyof Handlers>(type: Type, handler: Handlers[Type]): void {
    const before = this.#handlers[type]
    if (before) this.removeEventListener(type, before as (event: Event) => void)
    this.#handlers[type] = handler
    if (handler) this.addEventListener(type, handler as (event: Event) => void)
  }
}

/** A binary message in the form that a client asks for. */
export const binary = (data: Uint8Array, type: 'blob' | 'arraybuffer'): Blob | ArrayBuffer => {
  const copy = new Uint8Array(data)
  return type === 'blob' ? new Blob([copy]) : copy.buffer
}

/** The bytes of a binary message. Those of a blob come later: the server ignores what binary messages contain. */
function bytesOf(data: Blob | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (data instanceof Blob) return new Uint8Array(data.size)
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data)
}
