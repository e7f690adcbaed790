// Reads the messages in the bytes of one direction of a WebSocket, with the reader of the package ws. It only listens: the
// bytes themselves pass through the proxy as they are.

import type { Writable } from 'node:stream'
import * as library from 'ws'

/** What a direction says. A close frame without a status has code 1005. */
export type Listener = {
  readonly message: (data: string | Uint8Array) => void
  readonly close: (code: number, reason: string) => void
  readonly ping?: (data: Buffer) => void
  readonly pong?: (data: Buffer) => void
}

/** The part of the package that its types leave out. */
type Parts = {
  readonly Receiver: new (options: object) => Writable
  readonly PerMessageDeflate: {
    new (options: object): { accept: (offers: unknown) => unknown }
    readonly extensionName: string
  }
  readonly extension: { readonly parse: (header: string) => Readonly<Record<string, unknown>> }
}
const { Receiver, PerMessageDeflate, extension } = library as unknown as Parts

/**
 * Creates a reader of the bytes that one side sends, which resolves when it has read them: decompression takes time.
 * @param isOfClient whether that side is the client: its frames are masked.
 * @param extensions the header Sec-WebSocket-Extensions of the response to the handshake.
 */
export function createMessageReader(
  isOfClient: boolean,
  extensions: string,
  listener: Listener,
): (chunk: Buffer) => Promise<void> {
  const reader = new Receiver({
    isServer: isOfClient,
    binaryType: 'nodebuffer',
    skipUTF8Validation: true,
    extensions: negotiated(isOfClient, extensions),
  })
  let isReading = true
  reader.on('message', (data: Buffer, isBinary: boolean) =>
    listener.message(isBinary ? new Uint8Array(data) : data.toString()),
  )
  reader.on('conclude', (code: number, reason: Buffer) => listener.close(code, reason.toString()))
  reader.on('ping', (data: Buffer) => listener.ping?.(data))
  reader.on('pong', (data: Buffer) => listener.pong?.(data))
  // What is not a valid frame passes on; nothing after it can be read.
  reader.on('error', () => (isReading = false))
  // It unmasks bytes where they are, which have to pass masked.
  return (chunk) =>
    isReading
      ? new Promise((done) => void reader.write(Buffer.from(chunk), () => done()))
      : Promise.resolve()
}

/** The compression that both sides have agreed on, for one direction. */
function negotiated(isOfClient: boolean, header: string): Readonly<Record<string, unknown>> {
  const name = PerMessageDeflate.extensionName
  const offers = header === '' ? undefined : extension.parse(header)[name]
  if (offers === undefined) return {}
  const compression = new PerMessageDeflate({ isServer: isOfClient, threshold: 0 })
  compression.accept(offers)
  return { [name]: compression }
}
