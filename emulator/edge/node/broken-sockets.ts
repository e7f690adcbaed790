// Carries out what faults do to sockets: ends them, silences them, and cuts off their frames.

import type { Effect } from '../../machine.ts'
import { resetConnection } from './broken-replies.ts'
import type { Connection } from './socket-writer.ts'

type Break = Extract<Effect, { kind: 'end' | 'silence' }>

export type Breaks = {
  readonly apply: (effect: Break) => void
  /** Resets that are not on the wire yet. */
  readonly pending: ReadonlySet<Promise<void>>
}

/** @param resetHandshake resets the connection of a socket whose handshake is not answered yet. */
export function createBreaks(
  connections: ReadonlyMap<number, Connection>,
  resetHandshake: (id: number) => void,
): Breaks {
  const pending = new Set<Promise<void>>()
  const end = (id: number, code: number | null): void => {
    const connection = connections.get(id)
    if (connection === undefined) return resetHandshake(id)
    if (code !== null) return connection.close(code)
    const done = resetAfterMessages(connection)
    pending.add(done)
    void done.finally(() => void pending.delete(done))
  }
  const apply = (effect: Break): void => {
    for (const id of effect.sockets) {
      if (effect.kind === 'end') end(id, effect.code)
      else silence(connections.get(id))
    }
  }
  return { apply, pending }
}

/** Drops everything that a client sends from now on, pings and closes too. */
function silence(connection: Connection | undefined): void {
  // Without a listener, what arrives is read and lost; the end of the connection is still noticed.
  connection?.raw.removeAllListeners('data').resume()
}

async function resetAfterMessages({ raw, written }: Connection): Promise<void> {
  if (written !== undefined) await written
  await resetConnection(raw)
}

/** Sends the first bytes of the frame of a message, never all of them. */
export function sendCut(
  connection: Connection,
  payload: Buffer,
  isBinary: boolean,
  bytes: number,
): void {
  const frame = Buffer.concat([frameHead(payload.length, isBinary), payload])
  const part = frame.subarray(0, Math.min(bytes, frame.length - 1))
  const send = (): void => void connection.raw.write(part)
  if (connection.written === undefined) send()
  else connection.written = connection.written.then(send)
}

/** The head of an unmasked frame with the whole message. */
function frameHead(length: number, isBinary: boolean): Buffer {
  const opcode = 0x80 | (isBinary ? 2 : 1)
  if (length < 126) return Buffer.from([opcode, length])
  const head = Buffer.alloc(length < 65_536 ? 4 : 10)
  head[0] = opcode
  head[1] = length < 65_536 ? 126 : 127
  if (length < 65_536) head.writeUInt16BE(length, 2)
  else head.writeBigUInt64BE(BigInt(length), 2)
  return head
}
