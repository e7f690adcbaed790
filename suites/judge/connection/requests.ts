// The requests in the bytes that a client writes on a connection, as a server may read them.

import { type BodyReader, bodyReader } from './body.ts'

/** A request as far as it has been written. */
export type WrittenRequest = {
  readonly method: string
  readonly target: string
  /** Its header fields in their order and spelling. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The bytes of its body so far, without their framing. */
  readonly body: () => Buffer
  /** Whether all of it has been written. */
  readonly isWhole: () => boolean
}

/** What some bytes begin, go on with, or end. */
export type Written = {
  readonly requests: readonly WrittenRequest[]
  /** Bytes that are not a valid request, or can be read as several, with all before them that belong to it. */
  readonly doubtful?: Buffer
}

export type RequestReader = {
  readonly read: (bytes: Buffer) => Written
}

/** The longest head that is waited for, in bytes. */
const MAX_HEAD = 1_048_576

const token = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/

export function createRequestReader(): RequestReader {
  let kept: Buffer = Buffer.alloc(0)
  let open:
    | ({ readonly parts: Uint8Array[]; readonly read: BodyReader; readonly head: Buffer } & {
        readonly request: WrittenRequest
        readonly end: () => void
      })
    | undefined
  let isLost = false
  const read = (bytes: Buffer): Written => {
    if (isLost) return { requests: [], doubtful: bytes }
    const requests: WrittenRequest[] = []
    const lost = (doubtful: Buffer): Written => {
      isLost = true
      return { requests, doubtful }
    }
    let rest: Buffer = Buffer.concat([kept, bytes])
    kept = Buffer.alloc(0)
    while (rest.length > 0) {
      if (open === undefined) {
        const end = rest.indexOf('\r\n\r\n')
        if (end < 0) {
          if (rest.length > MAX_HEAD || !mayBeHead(rest)) return lost(rest)
          kept = rest
          break
        }
        const begun = begin(rest.subarray(0, end + 4))
        if (begun === undefined) return lost(rest)
        open = begun
        requests.push(begun.request)
        rest = rest.subarray(end + 4)
      }
      const { parts, head } = open
      let part
      try {
        part = open.read(rest)
      } catch {
        requests.splice(requests.indexOf(open.request), 1)
        return lost(Buffer.concat([head, ...parts, rest]))
      }
      parts.push(...part.body)
      if (!requests.includes(open.request)) requests.push(open.request)
      if (part.rest === undefined) break
      rest = part.rest
      open.end()
      open = undefined
    }
    // A request without a body has ended with its head.
    if (open !== undefined && open.read(Buffer.alloc(0)).rest !== undefined) {
      open.end()
      open = undefined
    }
    return { requests }
  }
  return { read }
}

/** Whether bytes may be the beginning of a head. */
const mayBeHead = (bytes: Buffer): boolean =>
  /^[!#$%&'*+\-.^_`|~\dA-Za-z]*($| )/.test(
    bytes.subarray(0, 64).toString('latin1').split('\r')[0] ?? '',
  ) && !/[^\r]\n|^\n/.test(bytes.toString('latin1'))

/** The request that a head begins; undefined if it can be read in more than one way. */
function begin(head: Buffer) {
  const [first = '', ...lines] = head.subarray(0, -4).toString('latin1').split('\r\n')
  const [, method, target] = /^(\S+) (\S+) HTTP\/1\.[01]$/.exec(first) ?? []
  if (method === undefined || target === undefined || !token.test(method)) return undefined
  const fields: [name: string, value: string][] = []
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (!token.test(name) || /[\r\n\0]/.test(value)) return undefined
    fields.push([name, value])
  }
  const valuesOf = (name: string): readonly string[] =>
    fields.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value)
  const [length, ...lengths] = valuesOf('content-length')
  const [coding, ...codings] = valuesOf('transfer-encoding')
  const isClear =
    coding === undefined
      ? length === undefined || /^\d{1,15}$/.test(length)
      : length === undefined && coding.toLowerCase() === 'chunked'
  if (!isClear || lengths.length > 0 || codings.length > 0) return undefined
  const parts: Uint8Array[] = []
  let isWhole = false
  const request: WrittenRequest = {
    method,
    target,
    fields,
    body: () => Buffer.concat(parts),
    isWhole: () => isWhole,
  }
  const end = (): void => {
    isWhole = true
  }
  const read = bodyReader(coding === undefined ? { length: Number(length ?? 0) } : 'chunked')
  return { request, end, parts, read, head }
}
