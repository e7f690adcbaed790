// Builds the expected refusals of a hosted server.

import { hostedError, hostedRefusals } from '../../../spec/server/errors.ts'
import { violations } from '../judge.ts'
import type { Exchange } from '../wire.ts'
import type { Reply } from '../reply.ts'

const jsonType = 'application/json; charset=utf-8'

/** The code of a hosted refusal with this status, or a description of the reply. */
export function codeOf(reply: Pick<Reply, 'status' | 'text' | 'headers'>, status: number): string {
  const head = `${reply.status} ${reply.headers['content-type']}`
  if (head !== `${status} ${jsonType}`) return `${head} ${reply.text}`
  const body = JSON.parse(reply.text) as { code: string }
  const faults = violations(hostedError, body)
  return faults.length === 0 ? body.code : faults.join()
}

/** An exchange in the words of `codeOf`. */
export const replyIn = ({ status, body, header }: Exchange) => ({
  status,
  text: body,
  headers: { 'content-type': header('content-type') ?? '' },
})

/** Whether hosted answers like this where there is nothing. */
export const notFound = (reply: Pick<Reply, 'status' | 'text' | 'headers'>): boolean =>
  codeOf(reply, 404) === hostedRefusals.notFound.body.json.code
