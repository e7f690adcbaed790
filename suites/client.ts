// A client of the socket that keeps a log of all that came, judged as it comes.

import { WebSocket } from 'ws'
import { type Decoded, decodeFrame } from './decode.ts'
import { judgeMessage, type Message } from './judge.ts'

/** What came over a socket, in order: messages and frames. */
export type Received = Message | Decoded

export const isMessage = (received: Received): received is Message => 'type' in received

export type Session = {
  readonly clientId: string | undefined
  readonly received: readonly Received[]
  /** All JSON messages so far. */
  readonly messages: () => readonly Message[]
  /** All frames so far. */
  readonly frames: () => readonly Decoded[]
  /** The bytes of all frames so far. */
  readonly rawFrames: readonly Uint8Array[]
  /** The raw text of all JSON messages so far. */
  readonly texts: readonly string[]
  /** What came that the spec does not allow, as sentences. */
  readonly faults: readonly string[]
  /** The first message that matches, already here or still to come. Fails when it cannot come any more. */
  readonly next: (matches: (message: Message) => boolean) => Promise<Message>
  readonly send: (data: string | Uint8Array) => void
  /** Resolves when the server has read all that was sent before, and its answers are here, by a ping. */
  readonly settled: () => Promise<void>
  readonly close: () => Promise<number>
  readonly closed: Promise<number>
}

/**
 * Opens a socket and resolves when its first message, the status with its sid, is here.
 * @param isStill whether the time of the server stands still: what is not on its way then never comes.
 */
export async function openSession(
  url: string,
  path: string,
  clientId?: string,
  isStill = false,
): Promise<Session> {
  const query = clientId === undefined ? '' : `?clientId=${encodeURIComponent(clientId)}`
  const socket = new WebSocket(url.replace(/^http/, 'ws') + path + query)
  const received: Received[] = []
  const texts: string[] = []
  const rawFrames: Uint8Array[] = []
  const faults: string[] = []
  const waiting = new Set<() => void>()
  let pings = 0
  const take = (data: Buffer, isBinary: boolean): void => {
    if (isBinary) {
      rawFrames.push(data)
      received.push(decodeFrame(data))
    } else {
      const text = data.toString()
      texts.push(text)
      const message = JSON.parse(text) as Message
      faults.push(...judgeMessage(message))
      received.push(message)
    }
  }
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    try {
      take(data, isBinary)
    } catch (error) {
      // What cannot be read is no reason to lose what comes behind it.
      faults.push(String(error))
    }
    for (const check of waiting) check()
  })
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code) => {
      resolve(code)
      for (const check of waiting) check()
    })
  })
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  const messages = (): readonly Message[] => received.filter(isMessage)
  const missing = (why: string): Error =>
    new Error(`${why} The session received:\n${texts.join('\n')}`)
  const settled = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const id = `${++pings}`
      const read = (data: Buffer): void => {
        if (data.toString() !== id) return
        socket.off('pong', read)
        resolve()
      }
      socket.on('pong', read)
      void closed.then(() => reject(missing('The socket closed first.')))
      socket.ping(id)
    })
  const next = (matches: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const found = messages().find(matches)
        if (found === undefined && socket.readyState <= WebSocket.OPEN) return
        waiting.delete(check)
        if (found) resolve(found)
        else reject(missing('The socket closed first.'))
      }
      waiting.add(check)
      check()
      const giveUp = (): void => {
        if (waiting.delete(check)) reject(missing('Nothing is on its way any more.'))
      }
      if (isStill && waiting.has(check)) void settled().then(giveUp, giveUp)
    })
  const session: Session = {
    clientId,
    received,
    messages,
    frames: () => received.filter((item): item is Decoded => !isMessage(item)),
    rawFrames,
    texts,
    faults,
    next,
    send: (data) => socket.send(data),
    settled,
    close: () => {
      socket.close()
      return closed
    },
    closed,
  }
  await session.next(({ type }) => type === 'status')
  return session
}
