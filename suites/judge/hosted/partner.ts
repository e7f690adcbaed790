// A client of the proxy to partners, as cases use it.

import { partnerError } from '../../../spec/partner/errors.ts'
import { customer } from '../../../spec/partner/partner.ts'
import { jsonIn } from '../../../dist/emulator/session/index.js'
import { expect } from '../expect.ts'
import { violations } from '../judge.ts'
import type { Reply } from '../reply.ts'
import { missing } from '../skip.ts'
import type { Subject } from '../subject.ts'

type Send = (method: string, path: string, body?: unknown) => Promise<Reply>

/** Sends requests with the key of the subject. Ends the case on a server without a proxy. */
export async function partnerOf(subject: Subject): Promise<Send> {
  const send: Send = (method, path, body) =>
    subject.raw(method, path, body === undefined ? undefined : JSON.stringify(body), {
      'X-API-Key': subject.key,
    })
  const hasProxy = await subject.once('proxy to partners', async () => {
    const { text } = await send('GET', '/customers/me')
    return [customer, partnerError].some((shape) => violations(shape, jsonIn(text)).length === 0)
  })
  if (!hasProxy) throw missing('The server does not have a proxy to partners.')
  return send
}

/** Expects a refusal with this status and word. */
export function expectPartnerRefusal(reply: Reply, status: number, error: string): void {
  expect([reply.status, violations(partnerError, jsonIn(reply.text))]).toEqual([status, []])
  expect(reply.json()).toMatchObject({ error })
}
