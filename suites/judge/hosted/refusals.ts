// Builds the expected refusals of a hosted server.

import { hostedError, hostedRefusals } from '../../../spec/server/errors.ts'
import { v2Refusals } from '../../../spec/v2/errors.ts'
import { expect } from '../expect.ts'
import { violations } from '../judge.ts'
import type { Exchange } from '../wire.ts'
import type { Reply } from '../reply.ts'

const jsonType = 'application/json; charset=utf-8'

/** The code of a hosted refusal with this status, or a description of the reply. */
export function codeOf(reply: Pick<Reply, 'status' | 'text' | 'headers'>, status: number): string {
  const head = `${reply.status} ${reply.headers['content-type']}`
  if (head !== `${status} ${jsonType}`) return `${head} ${reply.text}`
  const { error, ...own } = JSON.parse(reply.text) as { code: string; error?: { code: string } }
  const body = error ?? own
  const faults = violations(hostedError, body)
  return faults.length === 0 ? body.code : faults.join()
}

/** The end of a row that hosted refuses with this code or any, and with these further headers. */
export const refused = (code: unknown, headers: object = {}) =>
  [
    expect.objectContaining({ code, message: expect.any(String) }),
    { 'content-type': jsonType, ...headers },
  ] as const

/** An exchange in the words of `codeOf`. */
export const replyIn = ({ status, body, header }: Exchange) => ({
  status,
  text: body,
  headers: { 'content-type': header('content-type') ?? '' },
})

/** Whether hosted answers like this where there is nothing, in its first API or in v2. */
export function notFound(reply: Pick<Reply, 'status' | 'text' | 'headers'>): boolean {
  const codes = [hostedRefusals.notFound.body.json, v2Refusals.notFound.body.json.error]
  return codes.some(({ code }) => codeOf(reply, 404) === code)
}

/** The body of a hosted refusal, for rows. */
export const refusal = (code: string) => ({ code, message: expect.any(String) })

/** Expects a hosted refusal with this status. */
export function expectRefusal({ status, text, json }: Reply, expected: number, code: string): void {
  expect([status, text]).toEqual([expected, expect.stringContaining(code)])
  expect(json()).toEqual(refusal(code))
}
