// The messages that pass through a proxy, as the faults of a world see them: with their types, and previews with the progress of
// their steps. What no fault changes leaves byte for byte.

import type { PlayedFault } from '../../../spec/recording.ts'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { isObject, readJson, writeJson } from '../../lib/json.ts'
import type { FrameContent, SentFrame, SentMessage } from '../../machine.ts'
import { decodeFrame } from '../../session/frames.ts'
import { contentOf } from '../../session/sockets.ts'

type Data = string | Uint8Array
type Counted = (mark: PlayedFault | undefined) => void

/** A message as it came beside the text in which faults read it: copies of the effect keep both. */
type PassingMessage = SentMessage & {
  readonly passed: { readonly text: string; readonly data: string }
}

export type Passing = {
  /** Applies faults to a message. */
  readonly send: (message: SentMessage | SentFrame, counted: Counted) => void
  /** A message that no fault can name passes. */
  readonly deliver: (socket: number, data: Data) => void
}

/** A preview that waits for the progress of its step. */
type Held = { readonly bytes: Uint8Array; readonly counted: Counted }

export function createPassing(faults: readonly Fault[], { send, deliver }: Passing) {
  /** Whether a fault asks what the progress of a preview says. */
  const looksAtPreviews = faults.some(
    ({ when: { message, data, node } }) =>
      (message === 'preview' || message === '*') && (data ?? node) !== undefined,
  )
  /** The last progress message of each socket. */
  const progress = new Map<number, string>()
  const held = new Map<number, Held>()

  const release = (socket: number, about: string | undefined): void => {
    const preview = held.get(socket)
    held.delete(socket)
    if (preview !== undefined) sendFrame(socket, preview.bytes, about, preview.counted)
  }
  const sendFrame = (
    socket: number,
    bytes: Uint8Array,
    about: string | undefined,
    counted: Counted,
  ): void => {
    const content: FrameContent = { frame: 'recorded', bytes, ...(about && { progress: about }) }
    send({ kind: 'frame', sockets: [socket], content }, counted)
  }
  const takeFrame = (socket: number, bytes: Uint8Array, counted: Counted): void => {
    release(socket, undefined)
    const decoded = readFrame(bytes)
    if (decoded?.frame === 'text') {
      const { node_id = '', text = '' } = decoded.fields as Readonly<Record<string, string>>
      const content = Object.assign({ frame: 'text', node_id, text } as const, { bytes })
      return send({ kind: 'frame', sockets: [socket], content }, counted)
    }
    // One with metadata precedes the progress message of its step, one without follows it.
    if (decoded?.frame === 'previewWithMetadata' && looksAtPreviews)
      held.set(socket, { bytes, counted })
    else sendFrame(socket, bytes, progress.get(socket), counted)
  }
  const takeText = (socket: number, data: string, counted: Counted): void => {
    const type = contentOf(data).message?.type
    const text = type === undefined ? undefined : typeFirst(data)
    release(socket, type === 'progress' ? text : undefined)
    if (text === undefined) {
      counted(undefined)
      return deliver(socket, data)
    }
    if (type === 'progress') progress.set(socket, text)
    const message: PassingMessage = {
      kind: 'send',
      sockets: [socket],
      text,
      passed: { text, data },
    }
    send(message, counted)
  }
  return {
    take: (socket: number, data: Data, counted: Counted): void =>
      typeof data === 'string' ? takeText(socket, data, counted) : takeFrame(socket, data, counted),
    close: (socket: number): void => {
      release(socket, undefined)
      progress.delete(socket)
    },
    /** What is sent: the bytes that came, unless a fault has changed or made the message. */
    dataOf: (effect: SentMessage | SentFrame): Data => {
      if (effect.kind === 'frame')
        return (effect.content as { readonly bytes: Uint8Array }).bytes.subarray(
          0,
          effect.shortBytes,
        )
      const { passed } = effect as Partial<PassingMessage>
      return passed?.text === effect.text ? passed.data : effect.text
    },
  }
}

function readFrame(bytes: Uint8Array): ReturnType<typeof decodeFrame> | undefined {
  try {
    return decodeFrame(bytes)
  } catch {
    return undefined
  }
}

/** A message in the spelling of a world, in which its type comes first. */
function typeFirst(text: string): string {
  const message = /^\{"type": "[^"\\]*", "data": /.test(text) ? undefined : readJson(text)
  if (!isObject(message)) return text
  const { type = null, data = null } = Object.fromEntries(message)
  return writeJson(new Map([['type', type], ['data', data], ...message]))
}
