// Counts what passes while `record` records, and shows it on a terminal.

import type { Sink } from '../../edge/proxy/sink.ts'
import type { CommandIo } from '../lib/io.ts'

/** What has passed. */
export type Counts = {
  exchanges: number
  sockets: number
  messages: number
  /** The faults that were played; absent without a scenario. */
  faults?: number | undefined
}

export const countsText = ({ exchanges, sockets, messages, faults }: Counts): string =>
  [
    counted(exchanges, 'exchange'),
    counted(sockets, 'socket'),
    counted(messages, 'message'),
    ...(faults === undefined ? [] : [counted(faults, 'fault')]),
  ].join(', ')

export const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`

/** Counts what passes on its way into the file. */
export function countedSink(counts: Counts, sink: () => Sink | undefined, show: () => void): Sink {
  const count = (what: 'exchanges' | 'sockets' | 'messages'): void => {
    counts[what]++
    show()
  }
  return {
    exchange: (exchange) => {
      sink()?.exchange(exchange)
      count('exchanges')
    },
    open: (socket, opened) => {
      sink()?.open(socket, opened)
      count('sockets')
    },
    message: (socket, message) => {
      sink()?.message(socket, message)
      count('messages')
    },
    close: (socket, close) => sink()?.close(socket, close),
  }
}

/** How often the line on a terminal changes, in milliseconds. */
const SHOW_MS = 100

export function progressOn(output: CommandIo['stderr'], counts: Counts): () => void {
  let shownMs = -Infinity
  return () => {
    if (output.isTTY !== true || performance.now() - shownMs < SHOW_MS) return
    shownMs = performance.now()
    output.write(`\r\u001b[2K${countsText(counts)}`)
  }
}
