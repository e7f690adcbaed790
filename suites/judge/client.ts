// A client of the socket that logs everything it receives and judges it on arrival.

import { type DecodedFrame, decodeFrame, pythonJson } from '../../dist/emulator/session/index.js'
import type { Deployment } from '../../spec/language.ts'
import { judgeMessage, type Message } from './judge.ts'
import { type Line, openLine } from './edges.ts'
import { messages } from '../../spec/server/messages.ts'
import type { RecordedMessage } from '../../dist/emulator/internal.js'

/** What arrived on a socket, in order: messages and frames. */
export type ReceivedItem = Message | DecodedFrame

export const isMessage = (received: ReceivedItem): received is Message => 'type' in received

export type Session = {
  readonly clientId: string | undefined
  readonly received: readonly ReceivedItem[]
  /** All messages about scans for assets so far. A server scans when it likes: what else is here leaves them out. */
  readonly scans: readonly Message[]
  /** All JSON messages so far. */
  readonly messages: () => readonly Message[]
  /** All frames so far. */
  readonly frames: () => readonly DecodedFrame[]
  /** The bytes of all frames so far. */
  readonly rawFrames: readonly Uint8Array[]
  /** All that was sent and received so far. */
  readonly recorded: readonly RecordedMessage[]
  /** The raw text of all JSON messages so far. */
  readonly texts: readonly string[]
  /** What the spec does not allow among the received data, as sentences. */
  readonly faults: readonly string[]
  /** The first message that matches, past or future. Each is checked once. Fails if it can no longer arrive. */
  readonly next: (matches: (message: Message) => boolean) => Promise<Message>
  /** Resolves when this holds for what has arrived, now or later. Fails if nothing more can arrive. */
  readonly until: (holds: () => boolean) => Promise<void>
  readonly send: (data: string | Uint8Array) => void
  /** Resolves when the server has read everything that was sent before, and its answers are here, by a ping. */
  readonly settled: () => Promise<void>
  readonly close: () => Promise<number>
  readonly closed: Promise<number>
}

/** The kind of a message that was awaited, and in words. */
export type Awaited = { readonly kind: string; readonly says: string }

/** Thrown where a message did not arrive. */
export class TimedOut extends Error {
  readonly awaited: Awaited | undefined

  constructor(message: string, awaited: Awaited | undefined) {
    super(awaited === undefined ? message : `${awaited.says}: ${message}`)
    this.awaited = awaited
  }
}

/** Data that messages about nodes and runs have, so that a condition can read it. */
const usual = {
  status: { exec_info: { queue_remaining: 0 } },
  nodes: [],
  output: {},
  value: 1,
  max: 1,
}

/** Each kind of message about a run, the end of a run first. */
const kinds: readonly (readonly [kind: string, type: string, node: string | null])[] = [
  ['executing_null', 'executing', null],
  ...Object.keys(messages).map((type) => [type, type, '1'] as const),
]

/**
 * What a condition waits for: the kinds of messages that fit it, for one of these runs; undefined if that cannot be said.
 * A condition that fits almost anything has no name.
 */
export function awaitedBy(
  matches: (message: Message) => boolean,
  promptIds: readonly string[],
): Awaited | undefined {
  const fits = (message: Message): boolean => {
    try {
      return matches(message)
    } catch {
      return false
    }
  }
  const found = kinds.filter(([, type, node]) =>
    promptIds.some((prompt_id) =>
      fits({ type, data: { ...usual, prompt_id, node, display_node: node, node_id: node } }),
    ),
  )
  const [first] = found
  if (first === undefined || found.length > 3) return undefined
  const names = found.map(([, type, node]) => (node === null ? 'executing with node null' : type))
  return { kind: first[0], says: `The message ${names.join(' or ')}` }
}

/**
 * How long a session waits for a message: until this resolves with the reason, and nothing has arrived in the meantime.
 * With null it is asked again. It knows for how long nothing has arrived, and what is awaited if that has a name.
 */
export type Patience = (
  line: Pick<Line, 'settled'>,
  quietMs: number,
  awaited?: Awaited,
) => Promise<string | null>

const promptIdOf = ({ data }: Message): string => String(data['prompt_id'])

/** For a server whose time stands still: what is not on its way then never comes. */
export const untilStill: Patience = ({ settled }) => {
  const reason = 'Nothing is on its way to the socket any more.'
  return settled().then(
    () => reason,
    () => reason,
  )
}

const OF_SCAN = /^\s*\{\s*"type":\s*"assets\.seed\./

/** Stores what arrives on a socket, in order. */
function createLog(deployment: Deployment) {
  const received: ReceivedItem[] = []
  const scans: Message[] = []
  const texts: string[] = []
  const rawFrames: Uint8Array[] = []
  const faults: string[] = []
  const recorded: RecordedMessage[] = []
  const note = (from: RecordedMessage['from'], data: string | Uint8Array): void => {
    recorded.push({ from, atMs: performance.now(), data })
  }
  const read = (data: Buffer, isBinary: boolean): void => {
    note('server', isBinary ? data : data.toString())
    if (isBinary) {
      rawFrames.push(data)
      received.push(decodeFrame(data))
      return
    }
    const text = data.toString()
    const isOfScan = OF_SCAN.test(text)
    if (!isOfScan) texts.push(text)
    const message = pythonJson(text) as Message
    faults.push(...judgeMessage(message, deployment))
    if (isOfScan) scans.push(message)
    else received.push(message)
  }
  const take = (data: Buffer, isBinary: boolean): void => {
    try {
      read(data, isBinary)
    } catch (error) {
      // Unreadable data must not lose what follows it.
      faults.push(String(error))
    }
  }
  const messages = (): readonly Message[] => received.filter(isMessage)
  const frames = (): readonly DecodedFrame[] =>
    received.filter((item): item is DecodedFrame => !isMessage(item))
  return { received, scans, texts, rawFrames, faults, recorded, messages, frames, take, note }
}

/**
 * Opens a socket at a path with its query, and resolves when its first message, the status with its sid, is here.
 * @param patience resolves when waiting makes no sense any more, with the reason. Without it, waiting ends with the socket.
 */
export async function openSession(
  url: string,
  path: string,
  clientId?: string,
  patience?: Patience,
  deployment: Deployment = 'local',
): Promise<Session> {
  const { take, note, ...log } = createLog(deployment)
  const waiting = new Set<() => void>()
  const look = (): void => waiting.forEach((check) => check())
  const line = openLine(url, path, (data, isBinary) => {
    take(data, isBinary)
    look()
  })
  const { closed, settled, close } = line
  const send: Session['send'] = (data) => {
    note('client', data)
    line.send(data)
  }
  void closed.then(look)
  await line.opened
  const awaits = (holds: () => boolean, matches?: (message: Message) => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (holds()) {
          waiting.delete(check)
          resolve()
        } else if (!line.isOpen()) giveUp('The socket closed first.')
      }
      const giveUp = (why: string): void => {
        if (waiting.delete(check))
          reject(new TimedOut(`${why} It received:\n${log.texts.join('\n')}`, awaited()))
      }
      const awaited = (): Awaited | undefined =>
        matches && awaitedBy(matches, [...new Set(log.messages().map(promptIdOf)), ''])
      /** Gives up when nothing at all has arrived in the meantime: a server with much to do still sends. */
      const wait = async (patient: Patience): Promise<void> => {
        const arrived = (): number => log.texts.length + log.scans.length + log.rawFrames.length
        let seen = arrived()
        let sinceMs = performance.now()
        while (waiting.has(check)) {
          const why = await patient(line, performance.now() - sinceMs, awaited())
          if (arrived() > seen) {
            seen = arrived()
            sinceMs = performance.now()
          } else if (why !== null) giveUp(why)
        }
      }
      waiting.add(check)
      check()
      if (patience !== undefined && waiting.has(check)) void wait(patience)
    })
  const until = (holds: () => boolean): Promise<void> => awaits(holds)
  const next = async (matches: (message: Message) => boolean): Promise<Message> => {
    let found: Message | undefined
    await awaits(() => (found = log.messages().find(matches)) !== undefined, matches)
    return found as Message
  }
  await next(({ type }) => type === 'status')
  return { clientId, ...log, next, until, send, settled, close, closed }
}
