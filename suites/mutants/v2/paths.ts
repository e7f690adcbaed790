// The requests of the hosted API v2 that its mutants change.

import { onReply, type Reply } from '../tamper.ts'

export const anything = /^\w+ \/api\/v2\//
export const submit = /^POST \/api\/v2\/jobs$/
export const read = /^GET \/api\/v2\/jobs\/[^/]+$/
export const cancel = /^POST \/api\/v2\/jobs\/[^/]+\/cancel$/
export const list = /^GET \/api\/v2\/jobs(\?|$)/
export const events = /^GET \/api\/v2\/jobs\/[^/]+\/events$/
export const upload = /^POST \/api\/v2\/assets$/
export const mint = /^POST \/api\/v2\/assets\/from-hash$/
export const asset = /^GET \/api\/v2\/assets\/[^/]+$/

/** Replies with one status instead of another. */
export const confused = (asked: RegExp, from: number, to: number) =>
  onReply(asked, ({ status }) => ({ status: status === from ? to : status }))

/** A body as text; empty for other bodies. */
export const textIn = (body: Reply['body']): string => (typeof body === 'string' ? body : '')
