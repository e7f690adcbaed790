// A client of the Router, as cases use it: requests with the key of their subject, and what errors look like.

import { jsonIn } from '../../../dist/emulator/session/index.js'
import { routerHandle } from '../../../spec/router/router-queue.ts'
import { routerPage, routerRoot } from '../../../spec/router/router.ts'
import {
  ERROR_TYPE,
  REQUEST_ID,
  routerError,
  routerFieldErrors,
} from '../../../spec/router/shapes.ts'
import { expect } from '../expect.ts'
import { violations } from '../judge.ts'
import { fitting } from './jobs.ts'
import type { Reply } from '../reply.ts'
import { missing } from '../skip.ts'
import type { Subject } from '../subject.ts'

type Headers = Readonly<Record<string, string>>

/** A call that the server has, and whether its answer has come. */
type Begun = { readonly reply: Promise<Reply>; readonly hasCome: () => boolean }

/** Bodies are sent as JSON, unless they are texts. */
export type Router = {
  /** Sends a request to a path below /v2/models, with the key of the subject; a value is sent as JSON. */
  readonly send: (
    method: string,
    path: string,
    value?: unknown,
    headers?: Headers,
  ) => Promise<Reply>
  /** Runs a model in a world of the suites, whose clock moves until the answer is there. */
  readonly run: (id: string, input: unknown, headers?: Headers, query?: string) => Promise<Reply>
  /** Sends a call, and resolves when the server has it; `reply` is its answer. */
  readonly begin: (id: string, input: unknown, headers?: Headers) => Promise<Begun>
  /** Queues a call, and returns its handle. */
  readonly submit: (id: string, input: unknown, headers?: Headers) => Promise<any>
  /** The id of a model of the catalog. */
  readonly model: string
}

/** The client of a subject. Ends the case on a hosted server that does not have the Router. */
export async function routerOf(subject: Subject): Promise<Router> {
  const send: Router['send'] = (method, path, value, headers = {}) => {
    const body = typeof value === 'string' || value === undefined ? value : JSON.stringify(value)
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const key = { 'X-API-Key': subject.key }
    return subject.raw(method, routerRoot + path, body, { ...key, ...type, ...headers })
  }
  const model = await subject.once(`model for ${subject.key}`, async () => {
    const { text } = await send('GET', '')
    const page = jsonIn(text) as { data: readonly { id: string }[] }
    return violations(routerPage, page).length === 0 ? page.data[0]?.id : undefined
  })
  if (model === undefined) throw missing('The server does not have the Router.')
  // A server elsewhere has no world, and to ask for it ends a case.
  const posts = async (): Promise<number> =>
    (await subject.emulator?.requests({ method: 'POST' }))?.length ?? 0
  const run: Router['run'] = async (id, input, headers, query = '') =>
    settled(subject, send('POST', `/${id}${query}`, input, headers))
  const begin: Router['begin'] = async (id, input, headers) => {
    const before = await posts()
    const reply = send('POST', `/${id}`, input, headers)
    let hasCome = false
    const settle = (): void => {
      hasCome = true
    }
    // A case that fails before leaves it alone.
    reply.then(settle, settle)
    while ((await posts()) === before) await send('GET', '')
    return { reply, hasCome: () => hasCome }
  }
  const submit: Router['submit'] = async (id, input, headers) =>
    fitting(routerHandle, await send('POST', `/${id}/requests`, input, headers), 201)
  return { send, run, begin, submit, model }
}

/** Moves the clock of a world until an answer is there. */
async function settled<T>({ raw, idle, isOwn }: Subject, answer: Promise<T>): Promise<T> {
  if (!isOwn) return answer
  let isThere = false
  const there = answer.finally(() => {
    isThere = true
  })
  for (;;) {
    // What the server has sent before is here after a round trip.
    await raw('GET', '/api/system_stats')
    if (isThere) return there
    await idle()
  }
}

/** An id of a model that no server has. */
export const noModel = 'nobody/no-such-model-0'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Expects an answer to have the id of its call, and returns it. */
export function idOf({ headers }: Reply): string {
  const id = headers[REQUEST_ID.toLowerCase()] ?? ''
  expect(id).toMatch(uuid)
  return id
}

/** Expects an error of the Router with this status and bucket, and returns its body. */
export function expectRouterError(reply: Reply, status: number, bucket: string): any {
  expect([reply.status, reply.headers[ERROR_TYPE.toLowerCase()], reply.text]).toEqual([
    status,
    bucket,
    expect.stringContaining('"detail"'),
  ])
  idOf(reply)
  const body = reply.json()
  const isOfFields = Array.isArray(body.detail)
  expect(violations(isOfFields ? routerFieldErrors : routerError, body)).toEqual([])
  if (!isOfFields) expect(body.error_type).toBe(bucket)
  return body
}
