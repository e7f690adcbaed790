// What a proxy reports while a session passes through it.

import type { RecordedClose } from '../../../spec/recording.ts'
import type { RecordedExchange, RecordedMessage, RecordedSocket } from '../../session/recording.ts'

/** Takes what happens: each exchange when it ends. `socket` is a number that is used once. */
export type Sink = {
  readonly exchange: (exchange: RecordedExchange) => void
  readonly open: (socket: number, opened: RecordedSocket) => void
  readonly message: (socket: number, message: RecordedMessage) => void
  readonly close: (socket: number, close: RecordedClose) => void
}

/** The time in milliseconds since 1970, by a clock that never goes back. */
export const monotonicTimeMs = (): number => performance.timeOrigin + performance.now()
