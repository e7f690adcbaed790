// A recording in progress: lines of JSON that are appended as things happen, so that a crash leaves what happened before.

import { partVersion, type RecordedClose, type RecordingInfo } from '../../spec/recording.ts'
import { refused } from '../lib/refused.ts'
import { recordingOf } from './read-har.ts'
import type {
  RecordedExchange,
  RecordedMessage,
  RecordedSocket,
  Recording,
} from '../session/recording.ts'
import { exchangeEntry, messageOf, socketEntry } from './write-har.ts'

/** The lines of such a file. `socket` is a number that is used once. */
export const partLines = {
  head: (info: RecordingInfo): string => line({ flowdouble: partVersion, info }),
  exchange: (exchange: RecordedExchange): string => line({ exchange: exchangeEntry(exchange) }),
  open: (socket: number, opened: RecordedSocket): string =>
    line({ socket, open: socketEntry(opened) }),
  message: (socket: number, message: RecordedMessage): string =>
    line({ socket, message: messageOf(message) }),
  close: (socket: number, close: RecordedClose): string => line({ socket, close }),
} as const

const line = (value: object): string => `${JSON.stringify(value)}\n`

/** Whether a text is such a file, and no HAR file. */
export const isPart = (text: string): boolean => text.startsWith('{"flowdouble":')

type Members = Readonly<Record<string, unknown>>
type OpenSocket = Record<string, unknown> & { readonly _webSocketMessages: unknown[] }

/** Reads such a file. A last line that is cut off is left out. Throws a refusal that names the line of anything else. */
export function readPart(text: string, name: string): Recording {
  const lines = text.split('\n')
  // Without a line end the last line is cut off: the process ended while it was written.
  lines.pop()
  const refuse = (at: number, problem: string): Error =>
    refused(`${name}, line ${at + 1}: ${problem}`)
  const [head, ...rest] = lines.map((one, at) => {
    try {
      return JSON.parse(one) as Members
    } catch {
      throw refuse(at, 'it is not valid JSON.')
    }
  })
  if (head?.['flowdouble'] !== partVersion)
    throw refuse(0, `it does not begin a recording of this version ("${partVersion}").`)
  const entries: unknown[] = []
  const sockets = new Map<unknown, OpenSocket>()
  for (const [index, { exchange, socket, open, message, close }] of rest.entries()) {
    if (exchange !== undefined) entries.push(exchange)
    else if (open !== undefined) {
      const opened = { ...(open as object), _webSocketMessages: [] }
      sockets.set(socket, opened)
      entries.push(opened)
    } else {
      const opened = sockets.get(socket)
      if (opened === undefined) throw refuse(index + 1, 'its socket was not opened before.')
      if (message !== undefined) opened._webSocketMessages.push(message)
      else if (close !== undefined) opened['_flowdouble'] = { close }
      else throw refuse(index + 1, 'it has no exchange, message or close.')
    }
  }
  return recordingOf({ log: { entries, _flowdouble: head['info'] } }, name)
}
