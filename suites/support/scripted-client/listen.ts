// The socket of the scripted client: it collects messages, and says when they are worth a look.

import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { GivesUp, Hangs, pause, type Session } from './session.ts'

export type Message = { readonly type: string; readonly data: Readonly<Record<string, any>> }

export type Listener = {
  readonly messages: Message[]
  /** Waits for a message, for the end of the socket, or until it was quiet for a while; says whether it was quiet. */
  readonly next: () => Promise<boolean>
  readonly isOpen: () => boolean
  /** The code with which it ended. */
  readonly code: Promise<number>
  readonly close: () => void
}

const knownTypes = new Set(
  'status notification execution_start executing progress progress_state executed execution_cached execution_success execution_error execution_interrupted'.split(
    ' ',
  ),
)

/** How long a socket is quiet before the client looks elsewhere. */
const quietMs = { both: 60, sockets: 200, polls: 0 } as const

/** Opens the socket; undefined if the server rejects it. */
export async function listen(session: Session, clientId: string): Promise<Listener | undefined> {
  const { has, url, apiKey, habit } = session
  const address = new URL(`${url.replace(/^http/, 'ws')}/ws?clientId=${clientId}`)
  if (apiKey !== '') address.searchParams.set('token', apiKey)
  const maxPayload = has('large-messages') ? 2 ** 20 : 2 ** 26
  const socket = new WebSocket(address, { maxPayload })
  const messages: Message[] = []
  let problem: Error | undefined
  let wake = (): void => {}
  socket.on('message', (bytes: Buffer, isBinary) => {
    try {
      if (isBinary) readFrame(session, bytes)
      else messages.push(read(session, bytes.toString()))
    } catch (error) {
      problem ??= error as Error
    }
    wake()
  })
  const code = new Promise<number>((resolve) => {
    socket.on('close', (ended) => {
      resolve(ended)
      wake()
    })
  })
  const isOpen = (): boolean => socket.readyState === WebSocket.OPEN
  socket.on('error', (error) => {
    if (has('large-messages')) problem ??= error
  })
  await Promise.race([once(socket, 'open'), once(socket, 'close')]).catch(() => undefined)
  if (!isOpen()) return undefined
  let seen = 0
  return {
    messages,
    isOpen,
    code,
    close: () => socket.close(),
    next: async () => {
      const isNew = (): boolean => messages.length > seen || !isOpen()
      if (!isNew() && problem === undefined)
        await Promise.race([new Promise<void>((done) => (wake = done)), pause(quietMs[habit])])
      // On a busy machine the pause can end before what has arrived is read.
      if (!isNew()) await nextTurn()
      if (problem !== undefined) throw new GivesUp(`a message: ${problem.message}`)
      const isQuiet = !isNew()
      seen = messages.length
      return isQuiet
    },
  }
}

function read({ has }: Session, text: string): Message {
  const message = JSON.parse(text) as Message
  const { type, data } = message
  if (has('unknown-messages') && !knownTypes.has(type)) throw new Error(`unknown type ${type}`)
  if (has('unknown-fields') && 'eta_seconds' in data) throw new Error('unknown field eta_seconds')
  if (has('empty-status') && type === 'status') Number(data['status'].exec_info.queue_remaining)
  return message
}

/** Reads the type of a frame and of its picture. */
function readFrame({ has }: Session, bytes: Buffer): void {
  if (bytes.length < 8 && !has('short-frames')) return
  bytes.readUInt32BE(0)
  bytes.readUInt32BE(4)
}

/** Opens the socket again, or gives up on sockets. */
export async function listenAgain(
  session: Session,
  clientId: string,
  code: number,
): Promise<Listener | undefined> {
  const { has } = session
  if (has('socket-drop')) throw new Hangs()
  if (has('socket-close') && code === 1011) throw new GivesUp('the server closed the socket')
  await pause()
  return listen(session, has('reconnect') ? crypto.randomUUID() : clientId)
}
