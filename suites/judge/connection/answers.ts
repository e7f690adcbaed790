// The answers in the bytes that a server sends on a connection, which may stay open.

import { type BodyReader, bodyReader, type Framing } from './body.ts'

/** An answer as it was on the wire. */
export type Answer = {
  readonly version: string
  readonly status: number
  /** The statuses of the interim answers before it. */
  readonly before: readonly number[]
  /** The reason phrase after the status. */
  readonly reason: string
  /** Header lines in their order and spelling. */
  readonly lines: readonly string[]
  /** The value of a header, whatever its spelling; undefined if it is absent. */
  readonly header: (name: string) => string | undefined
  /** The body without its framing, as far as it is kept. */
  readonly bytes: Buffer
}

export type AnswerReader = {
  /** Reads bytes, and returns the answers that end with them. */
  readonly read: (bytes: Buffer) => readonly Answer[]
  /** Called when the connection has ended: returns an answer whose end that was, or that is cut off. */
  readonly end: () => { readonly answer: Answer; readonly isCut: boolean } | undefined
  /** What came after the last answer, and is none. */
  readonly surplus: () => Buffer
}

/** Whether a server says that it ends the connection after this answer, or speaks no HTTP any more. */
export const isLast = ({ version, status, header }: Answer): boolean =>
  status === 101 ||
  /\bclose\b/i.test(header('connection') ?? '') ||
  (version === 'HTTP/1.0' && !/keep-alive/i.test(header('connection') ?? ''))

/**
 * @param methodOf the method of the request that the next answer is for; undefined without one, and then what comes is no
 * answer.
 * @param keep how many bytes of each body are kept.
 */
export function createAnswerReader(
  methodOf: () => string | undefined,
  keep = Number.POSITIVE_INFINITY,
): AnswerReader {
  let rest: Buffer = Buffer.alloc(0)
  let open:
    | {
        head: Omit<Answer, 'bytes'>
        read: BodyReader
        parts: Uint8Array[]
        size: number
        isUnbounded: boolean
      }
    | undefined
  let isOver = false
  let before: number[] = []
  const finished = ({ head, parts }: NonNullable<typeof open>): Answer => ({
    ...head,
    bytes: Buffer.concat(parts),
  })
  const read = (bytes: Buffer): readonly Answer[] => {
    const answers: Answer[] = []
    rest = Buffer.concat([rest, bytes])
    while (!isOver) {
      if (open === undefined) {
        const end = rest.indexOf('\r\n\r\n')
        if (end < 0) break
        const head = headOf(rest.subarray(0, end).toString('latin1'))
        const isInterim = head.status >= 100 && head.status < 200 && head.status !== 101
        const method = isInterim ? '' : methodOf()
        if (method === undefined) break
        rest = rest.subarray(end + 4)
        if (isInterim) {
          before.push(head.status)
          continue
        }
        const framing = framingOf(head, method)
        const isUnbounded = framing === 'to the end'
        open = {
          head: { ...head, before },
          read: bodyReader(framing),
          parts: [],
          size: 0,
          isUnbounded,
        }
      }
      const part = open.read(rest)
      for (const one of part.body) {
        if (open.size < keep) open.parts.push(one.subarray(0, keep - open.size))
        open.size += one.length
      }
      rest = part.rest ?? Buffer.alloc(0)
      if (part.rest === undefined) break
      const answer = finished(open)
      answers.push(answer)
      open = undefined
      before = []
      isOver = isLast(answer)
    }
    return answers
  }
  return {
    read,
    end: () => open && { answer: finished(open), isCut: !open.isUnbounded },
    surplus: () => rest,
  }
}

type Head = Omit<Answer, 'bytes' | 'before'>

/** The head of an answer. */
function headOf(text: string): Head {
  const [start = '', ...lines] = text.split('\r\n')
  const header = (name: string): string | undefined => {
    const prefix = `${name.toLowerCase()}: `
    return lines.find((line) => line.toLowerCase().startsWith(prefix))?.slice(prefix.length)
  }
  const [version = '', status, ...reason] = start.split(' ')
  return { version, status: Number(status), reason: reason.join(' '), lines, header }
}

function framingOf({ status, header }: Head, method: string): Framing {
  const isEmpty = method === 'HEAD' || status === 101 || status === 204 || status === 304
  if (isEmpty || (method === 'CONNECT' && status < 300)) return { length: 0 }
  if (/\bchunked\b/i.test(header('transfer-encoding') ?? '')) return 'chunked'
  const length = header('content-length')
  return length !== undefined && /^\d+$/.test(length) ? { length: Number(length) } : 'to the end'
}
