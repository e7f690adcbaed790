// A socket of a recorded session, as everyone reads it: its client, and each message of the server as JSON or as a frame.

import { type DecodedFrame, decodeFrame } from './frames.ts'
import { pythonJson } from '../lib/loose.ts'
import type { RecordedSocket } from './recording.ts'

export type Message = { readonly type: string; readonly data: Readonly<Record<string, unknown>> }

/** What a text or a frame says: one of these three. */
export type Content = {
  readonly message?: Message
  readonly frame?: DecodedFrame
  /** Why it cannot be read. */
  readonly problem?: string
}

/** What came on a socket, at its position among all that was sent and received there. */
export type Item = Content & { readonly index: number; readonly atMs: number }

export type TracedSocket = {
  readonly recorded: RecordedSocket
  /** The client of the socket: the name in its address, or else the one that the server sent. */
  readonly clientId: string | null
  /** The name in its address. */
  readonly named: string | null
  /** The credential of a hosted socket. */
  readonly token: string | null
  /** What the server sent. */
  readonly items: readonly Item[]
  /** When it was certainly open: when its first message came. Infinity if none did. */
  readonly openMs: number
  /** Whether its client requested previews with metadata. */
  readonly wantsMetadata: boolean
}

export function socketOf(recorded: RecordedSocket): TracedSocket {
  const { searchParams } = new URL(recorded.url)
  const named = searchParams.get('clientId')
  const items: Item[] = []
  let wantsMetadata: boolean | undefined
  for (const [index, { from, atMs, data }] of recorded.messages.entries()) {
    if (from === 'server') items.push({ index, atMs, ...contentOf(data) })
    // Only the first message of a client counts.
    else wantsMetadata ??= asksForMetadata(data)
  }
  return {
    recorded,
    clientId: named || sidOf(items),
    named,
    token: searchParams.get('token'),
    items,
    openMs: items[0]?.atMs ?? Infinity,
    wantsMetadata: wantsMetadata ?? false,
  }
}

/** The id that the server gave a socket that names none. */
function sidOf([first]: readonly Item[]): string | null {
  const sid = first?.message?.data['sid']
  return typeof sid === 'string' ? sid : null
}

/** Reads a text or a frame of a socket. */
export function contentOf(data: string | Uint8Array): Content {
  try {
    return typeof data === 'string' ? messageOf(pythonJson(data)) : { frame: decodeFrame(data) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

function messageOf(value: unknown): Content {
  const { type, data } = (value ?? {}) as Partial<Message>
  const isMessage = typeof type === 'string' && typeof data === 'object' && data !== null
  return isMessage
    ? { message: value as Message }
    : { problem: 'It is not an object with type and data.' }
}

/** Whether a client's message requests previews with metadata. */
function asksForMetadata(data: string | Uint8Array): boolean {
  const { message } = contentOf(data)
  return message?.type === 'feature_flags' && message.data['supports_preview_metadata'] === true
}
