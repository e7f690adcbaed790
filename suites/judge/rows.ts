// Cases that are exchanges and nothing else, as rows: what needs more than its request and its answer is a story, in code.

import { expect } from './expect.ts'
import type { Reply } from './reply.ts'
import type { Subject } from './subject.ts'

/**
 * Method and path in local form, body, status, and what the body of the answer has to be: a text, a pattern, or JSON, which
 * may contain matchers such as `expect.any(Number)`; without it any. A body that is not a text is sent as JSON.
 */
export type Row = readonly [
  method: string,
  path: string,
  body: unknown,
  status: number,
  answer?: unknown,
]

/** Sends the requests of these rows one after the other, and compares each answer. */
export async function exchanges(subject: Subject, rows: readonly Row[]): Promise<void> {
  for (const [method, path, body, status, answer] of rows) {
    const reply = await send(subject, method, path, body)
    const sent = { method, path, body }
    expect({ ...sent, status: reply.status, answer: read(reply, answer) }).toEqual({
      ...sent,
      status,
      answer: answer instanceof RegExp ? expect.stringMatching(answer) : answer,
    })
  }
}

const send = ({ request }: Subject, method: string, path: string, body: unknown): Promise<Reply> =>
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
  error: typeof part === 'string' ? expect.stringContaining(part) : expect.stringMatching(part),
})
