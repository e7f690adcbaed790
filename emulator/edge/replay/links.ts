// The sockets to the server behind a replay: each belongs to the socket of a client, which receives on it what is about the runs
// of that server. It is opened when such a run is submitted.

import { rootCertificates } from 'node:tls'
import { WebSocket } from 'ws'
import type { HeaderList } from '../../session/recording.ts'
import { contentOf } from '../../session/sockets.ts'
import { splitTarget } from '../../http/requests.ts'
import type { Effect, Input } from '../../machine.ts'
import type { Place as ServerPlace } from '../../../spec/language.ts'
import type { Places } from '../proxy/places.ts'
import { monotonicTimeMs, type Sink } from '../proxy/sink.ts'
import { newSocket } from '../proxy/tunnels.ts'

/** What links need of the replay and of the server behind it. */
export type LinkParts = {
  readonly place: ServerPlace
  readonly places: Places
  readonly sink: Sink
  readonly ca: string | null
  /** Headers that the server gets with each request, in place of those of the client. */
  readonly headers: HeaderList
  /** The id of the client of a socket of the replay; undefined if it is not open. */
  readonly clientOf: (socket: number) => string | undefined
  /** Whether a run of the server is not over that is of this client, or of no certain one; null: whether any is. */
  readonly isAwaited: (client: string | null) => boolean
  /** Whether the last run went to the server: what it says of its queue is then of interest. */
  readonly isLatest: () => boolean
  /** Called with each text that the server sends. */
  readonly received: (text: string) => void
  readonly emit: (effects: readonly Effect[]) => void
  readonly log: (line: string) => void
}

export type Links = {
  /** Notes an input of the replay, after it has been applied. */
  readonly note: (input: Input) => void
  /**
   * A client submits a run: opens a link for each of its sockets, also for those that open while it waits; null: for every
   * socket. Resolves when the server knows them, or cannot be reached, to what says that the submit has been answered.
   */
  readonly join: (client: string | null) => Promise<() => void>
  readonly close: () => void
}

type ClientSocket = {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** What the client has sent and its link has not. */
  readonly unsent: string[]
  link?: Link | undefined
}

type Link = {
  readonly send: () => void
  /** @param isLeft whether the client has closed its socket, rather than the replay ended. */
  readonly close: (isLeft: boolean) => void
  readonly ready: Promise<unknown>
}

/** Clients send a message or two when they open a socket. */
const MAX_UNSENT = 16

/** How long a submit waits for a server that does not answer a ping, in milliseconds. */
const MAX_WAIT_MS = 2000

export function createLinks(parts: LinkParts): Links {
  const { place, clientOf } = parts
  const sockets = new Map<number, ClientSocket>()
  /** The clients whose submits have not been answered. */
  const submitting: (string | null)[] = []
  // A hosted server sends what is about a run to all sockets of its account.
  const isOf = (client: string | null, id: number): boolean =>
    place === 'hosted' || client === null || clientOf(id) === client
  const isAwaited = (id: number): boolean =>
    submitting.some((client) => isOf(client, id)) ||
    parts.isAwaited(place === 'hosted' ? null : (clientOf(id) ?? ''))
  const connect = async (id: number, socket: ClientSocket): Promise<void> => {
    const client = clientOf(id)
    if (client === undefined) return
    socket.link ??= openLink(parts, id, client, socket)
    await socket.link?.ready
  }
  return {
    note: (input) => {
      if (input.kind === 'open') {
        const { target, headers } = input
        const socket = { target, headers, unsent: [] }
        sockets.set(input.socket, socket)
        if (isAwaited(input.socket)) void connect(input.socket, socket)
      } else if (input.kind === 'message') {
        const socket = sockets.get(input.socket)
        if (socket === undefined || socket.unsent.length >= MAX_UNSENT) return
        socket.unsent.push(input.text)
        socket.link?.send()
      } else if (input.kind === 'close') {
        sockets.get(input.socket)?.link?.close(true)
        sockets.delete(input.socket)
      }
    },
    join: async (client) => {
      submitting.push(client)
      const own = [...sockets].filter(([id]) => isOf(client, id))
      await Promise.all(own.map(([id, socket]) => connect(id, socket)))
      return () => void submitting.splice(submitting.indexOf(client), 1)
    },
    close: () => {
      for (const { link } of sockets.values()) link?.close(false)
      sockets.clear()
    },
  }
}

/** What belongs to the connection of the client itself. */
const ownHeaders = /^(?:host|connection|upgrade|sec-websocket-.*)$/i

function openLink(
  { places, sink, ca, headers, isLatest, received, emit, log }: LinkParts,
  id: number,
  client: string,
  own: ClientSocket,
): Link | undefined {
  const { target, headers: given, unsent } = own
  const [path, query] = splitTarget(target)
  const parameters = new URLSearchParams(query)
  // The replay has given the client its id, and the server is to know it by that one.
  parameters.set('clientId', client)
  const there = places.find(`${path}?${parameters.toString()}`)
  if (there === undefined) return undefined
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const passed = Object.entries(given)
    .filter(([name]) => !ownHeaders.test(name) && !names.has(name))
    .map(([name, value]) => [name, name === 'origin' ? there.origin : value] as const)
  const socket = new WebSocket(there.origin.replace(/^http/, 'ws') + there.target, {
    headers: Object.fromEntries([...passed, ...headers]),
    perMessageDeflate: false,
    handshakeTimeout: 10_000,
    ...(ca !== null && { ca: [...rootCertificates, ca] }),
  })
  const number = newSocket()
  let state: 'opening' | 'open' | 'over' = 'opening'
  const send = (): void => {
    if (state !== 'open') return
    for (const data of unsent.splice(0)) {
      socket.send(data)
      sink.message(number, { from: 'client', atMs: monotonicTimeMs(), data })
    }
  }
  const ready = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, MAX_WAIT_MS)
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    // The answer to a ping says that the server has read what came before.
    socket.once('pong', end).once('close', end)
  })
  socket.on('open', () => {
    const url = there.recorded.replace(/^http/, 'ws')
    const opened = { entry: 0, openMs: monotonicTimeMs(), url, headers: passed }
    sink.open(number, { ...opened, messages: [], close: null })
    state = 'open'
    send()
    socket.ping()
  })
  socket.on('message', (bytes: Buffer, isBinary) => {
    if (state !== 'open') return
    const data = isBinary ? new Uint8Array(bytes) : bytes.toString()
    sink.message(number, { from: 'server', atMs: monotonicTimeMs(), data })
    if (typeof data !== 'string') {
      emit([{ kind: 'frame', sockets: [id], content: { frame: 'recorded', bytes: data } }])
      return
    }
    received(data)
    if (isForClient(data, isLatest())) emit([{ kind: 'send', sockets: [id], text: data }])
  })
  socket.on('error', (error) => {
    // The submit that needs it fails as well, and says so, where nothing answers.
    const isUnreachable = (error as NodeJS.ErrnoException).code !== undefined
    if (state !== 'over' && !isUnreachable) log(`no socket of ${there.origin}: ${error.message}`)
  })
  socket.on('close', (code, reason) => {
    // The next submit tries again.
    if (state === 'opening') own.link = undefined
    if (state !== 'open') return
    state = 'over'
    const text = reason.toString()
    const close = { by: 'server', code, ...(text !== '' && { reason: text }) } as const
    sink.close(number, { ...close, atMs: monotonicTimeMs() })
    // The client opens another one, as it would at the server.
    emit([
      {
        kind: 'end',
        sockets: [id],
        how: code === 1006 || code === 1005 ? 'reset' : { close: code },
      },
    ])
  })
  return {
    send,
    close: (isLeft) => {
      if (state === 'open' && isLeft)
        sink.close(number, { by: 'client', code: 1005, atMs: monotonicTimeMs() })
      const isOpen = state === 'open' && isLeft
      state = 'over'
      if (isOpen) socket.close()
      else socket.terminate()
    },
    ready,
  }
}

/**
 * Whether a message is for a client that has been greeted by the replay: not another greeting, nor the queue of a server that has
 * no run of this session.
 */
function isForClient(text: string, isLatest: boolean): boolean {
  const { type, data } = contentOf(text).message ?? {}
  if (type === 'feature_flags') return false
  return type !== 'status' || (isLatest && data?.['sid'] === undefined)
}
