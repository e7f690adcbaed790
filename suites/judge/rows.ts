// Cases that are exchanges and nothing else, as rows: what needs more than its request and its answer is a story, in code.

import { expect } from './expect.ts'
import type { Reply } from './reply.ts'
import type { Subject } from './subject.ts'
import { exchange, type Exchange } from './wire.ts'

/**
 * Method and path in local form, body, status, and what the body of the answer has to be: a text, a pattern, or JSON, which
 * may contain matchers such as `expect.any(Number)`; without it any. A body that is not a text is sent as JSON. Headers that
 * are listed have to be so in the answer, and those with `undefined` not there.
 */
export type Row = readonly [
  method: string,
  path: string,
  body: unknown,
  status: number,
  answer?: unknown,
  headers?: Readonly<Record<string, unknown>> | undefined,
]

/** What a row expects. */
type End = readonly [status: number, answer?: unknown, headers?: Row[5]]

/** The end of a row whose answer has no body. */
export const noBody = ['', { 'content-type': undefined, 'content-length': '0' }] as const

/** Requests without a body to each of these paths, which are answered alike. */
export const toEach = (paths: readonly string[], method: string, ...end: End): Row[] => {
  const [status, answer, headers] = end
  return paths.map((path) => [method, path, undefined, status, answer, headers])
}

/** Requests with each of these bodies, which are answered alike. */
export const withEach = (
  bodies: readonly unknown[],
  method: string,
  path: string,
  ...end: End
): Row[] => {
  const [status, answer, headers] = end
  return bodies.map((body) => [method, path, body, status, answer, headers])
}

/** What has these members: only they in a world of the suites, and also those of others on a server elsewhere. */
export const containing = ({ isOwn }: Pick<Subject, 'isOwn'>, members: object): object =>
  isOwn ? members : expect.objectContaining(members)

/** What an expectation names: a pattern stands for any text with a part that matches, all else for itself. */
export const like = (expected: unknown): unknown =>
  expected instanceof RegExp ? expect.stringMatching(expected) : expected

/** Sends the requests of these rows one after the other, and compares each answer. */
export async function exchanges(
  subject: Pick<Subject, 'request'>,
  rows: readonly Row[],
): Promise<void> {
  for (const [method, path, body, status, answer, headers = {}] of rows) {
    const reply = await send(subject, method, path, body)
    // Bytes only as how many they are: to compare megabytes takes long.
    const sent = { method, path, body: Buffer.isBuffer(body) ? `${body.length} bytes` : body }
    const found = Object.keys(headers).map((name) => [name, reply.headers[name]])
    expect({
      ...sent,
      status: reply.status,
      answer: read(reply, answer),
      headers: Object.fromEntries(found),
    }).toEqual({
      ...sent,
      status,
      answer: like(answer),
      headers,
    })
  }
}

const send = (
  { request }: Pick<Subject, 'request'>,
  method: string,
  path: string,
  body: unknown,
): Promise<Reply> =>
  body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    ? request(method, path, body)
    : request(method, path, JSON.stringify(body), { 'Content-Type': 'application/json' })

/** The body of a reply in the form of what is expected of it; one that is not the JSON that it should be, as its text. */
function read(reply: Reply, expected: unknown): unknown {
  if (expected === undefined) return undefined
  if (typeof expected === 'string' || expected instanceof RegExp) return reply.text
  try {
    return reply.json()
  } catch {
    return reply.text
  }
}

/** The body of a refusal whose sentence has this part. */
export const saying = (part: string | RegExp): object => ({
  error: typeof part === 'string' ? expect.stringContaining(part) : like(part),
})

/**
 * A request that is sent as bytes, and parts of its answer: `status`, `reason`, `body`, headers by their names in lower case, and
 * `x-*` for all header lines that begin with `x-`.
 */
export type WireRow = readonly [
  method: string,
  path: string,
  answer: Readonly<Record<string, unknown>>,
  headers?: Readonly<Record<string, string>>,
  body?: string | Uint8Array,
]

/** The parts of an answer without a body, on the wire. */
export const emptyAnswer = {
  status: 200,
  'content-type': undefined,
  'content-length': '0',
  body: '',
}

/** Sends each of these requests on a new connection, and compares its answer. */
export async function wireExchanges(url: string, rows: readonly WireRow[]): Promise<void> {
  for (const [method, path, answer, headers = {}, body = ''] of rows) {
    const reply = await exchange(url, method, path, headers, body)
    const found = Object.keys(answer).map((name) => [name, partOf(reply, name)])
    const sent = { method, path: path.slice(0, 100), headers, body: body.slice(0, 100) }
    expect({ ...sent, answer: Object.fromEntries(found) }).toEqual({ ...sent, answer })
  }
}

function partOf(reply: Exchange, name: string): unknown {
  if (name === 'status' || name === 'reason' || name === 'body') return reply[name]
  if (!name.endsWith('*')) return reply.header(name)
  const prefix = name.slice(0, -1)
  return reply.lines.filter((line) => line.toLowerCase().startsWith(prefix)).toSorted()
}
