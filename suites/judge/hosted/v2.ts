// A client of the hosted API v2, as cases use it: requests with a bearer key, and streams of events.

import { jsonIn } from '../../../dist/emulator/session/index.js'
import { v2Error } from '../../../spec/v2/errors.ts'
import { v2Asset } from '../../../spec/v2/v2-assets.ts'
import { v2FinalStates, v2Job, type V2State } from '../../../spec/v2/v2-jobs.ts'
import { type StreamEvent, streamEvents } from '../../../spec/v2/v2-streams.ts'
import { formOf, type Part } from '../../generate/form.ts'
import type { Graph } from '../../generate/graphs.ts'
import { expect } from '../expect.ts'
import { violations } from '../judge.ts'
import type { Reply } from '../reply.ts'
import { missing } from '../skip.ts'
import type { Subject } from '../subject.ts'
import { answered, guarded, outgoing } from '../traffic.ts'
import { fitting, nobody } from './jobs.ts'

type Headers = Readonly<Record<string, string>>

/** An event of a stream, or a comment without data. */
export type Seen = { readonly name: StreamEvent | 'comment'; readonly data: any }

export type OpenStream = {
  readonly status: number
  readonly headers: globalThis.Headers
  /** Everything so far. */
  readonly text: () => string
  readonly seen: () => readonly Seen[]
  /** The first that matches, past or future. Fails if the stream ends first. */
  readonly next: (matches: (one: Seen) => boolean) => Promise<Seen>
  /** Resolves when the stream ends: whole, or broken off. */
  readonly ended: Promise<'whole' | 'broken'>
  /** Leaves the stream. */
  readonly close: () => void
}

export type V2 = {
  /** Sends a request to a path below /api/v2, with the key of the subject. */
  readonly send: (
    method: string,
    path: string,
    body?: string | Buffer,
    headers?: Headers,
  ) => Promise<Reply>
  readonly post: (path: string, value: unknown, headers?: Headers) => Promise<Reply>
  /** Submits a workflow that is valid, and returns its job. */
  readonly submit: (workflow: Graph, more?: object, headers?: Headers) => Promise<any>
  readonly job: (id: string) => Promise<any>
  /** Runs a workflow, and returns its job when it is over. */
  readonly run: (workflow: Graph, more?: object) => Promise<any>
  readonly cancel: (id: string) => Promise<any>
  readonly stream: (id: string, headers?: Headers) => Promise<OpenStream>
  /** The first event that matches, for which the clock of a world moves. */
  readonly reach: (stream: OpenStream, matches: (one: Seen) => boolean) => Promise<Seen>
  /** Uploads bytes with these fields before them. */
  readonly upload: (bytes: Uint8Array, fields?: Headers, headers?: Headers) => Promise<Reply>
}

/** The client of a subject. Ends the case on a hosted server that does not have the API. */
export async function v2Of(subject: Subject): Promise<V2> {
  const bearer = { Authorization: `Bearer ${subject.key}` }
  const send: V2['send'] = (method, path, body, headers = {}) =>
    subject.raw(method, `/api/v2${path}`, body, { ...bearer, ...headers })
  const hasV2 = (): Promise<boolean> =>
    subject.once(`v2 for ${subject.key}`, async () =>
      isRefusal(await send('GET', `/jobs/${nobody}`)),
    )
  if (!(await hasV2())) throw missing('The server does not have the hosted API v2.')
  const post: V2['post'] = (path, value, headers = {}) =>
    send('POST', path, JSON.stringify(value), { 'Content-Type': 'application/json', ...headers })
  const job: V2['job'] = async (id) => fitting(v2Job, await send('GET', `/jobs/${id}`))
  const submit: V2['submit'] = async (workflow, more = {}, headers = {}) =>
    fitting(
      v2Job,
      await post('/jobs', { workflow: subject.placed(workflow), ...more }, headers),
      201,
    )
  return {
    send,
    post,
    submit,
    job,
    run: async (workflow, more) => {
      const { id } = await submit(workflow, more)
      await subject.idle()
      return job(id)
    },
    cancel: async (id) => fitting(v2Job, await send('POST', `/jobs/${id}/cancel`)),
    stream: (id, headers = {}) =>
      openStream(subject.url, `/api/v2/jobs/${id}/events`, { ...bearer, ...headers }),
    reach: (stream, matches) => reachEvent(subject, stream, matches),
    upload: (bytes, fields = {}, headers = {}) => {
      const [body, type] = uploadForm(bytes, fields)
      return send('POST', '/assets', body, { ...type, ...headers })
    },
  }
}

/** The form of an upload: the fields, then the file. */
export const uploadForm = (bytes: Uint8Array, fields: Headers): [Buffer, Record<string, string>] =>
  formOf(...Object.entries(fields).map(([name, content]): Part => ({ name, content })), {
    name: 'file',
    filename: 'file.bin',
    content: bytes,
  })

const isRefusal = ({ text }: Reply): boolean => violations(v2Error, jsonIn(text)).length === 0

export const assetIn = (reply: Reply, status: number | readonly number[]): any =>
  fitting(v2Asset, reply, status)

/** Expects a refusal with this status and code, and returns its error. */
export function expectRefused(reply: Reply, status: number, code: string): any {
  expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(code)])
  expect(violations(v2Error, reply.json())).toEqual([])
  const { error } = reply.json()
  expect(error.code).toBe(code)
  return error
}

export const isFinal = (status: V2State): boolean => v2FinalStates.some((one) => one === status)

/** Whether an event is a status of this word. */
export const isStatus =
  (status: V2State) =>
  ({ name, data }: Seen): boolean =>
    name === 'status' && data.status === status

/** The events of a text, each judged by its schema. */
export function eventsIn(text: string): readonly Seen[] {
  const whole = text.slice(0, text.lastIndexOf('\n\n') + 2)
  return whole.split('\n\n').filter(Boolean).map(readEvent)
}

function readEvent(frame: string): Seen {
  if (frame.startsWith(':') && !frame.includes('\n')) return { name: 'comment', data: null }
  const [, name = '', data = ''] = /^event: ?(.*)\ndata: ?(.*)$/.exec(frame) ?? []
  expect(Object.keys(streamEvents), frame).toContain(name)
  const value: unknown = JSON.parse(data)
  expect(violations(streamEvents[name as StreamEvent], value), frame).toEqual([])
  return { name: name as StreamEvent, data: value }
}

async function reachEvent(
  { emulator, isOwn, raw }: Subject,
  stream: OpenStream,
  matches: (one: Seen) => boolean,
): Promise<Seen> {
  // What the server has written before is here after a round trip.
  await raw('GET', '/api/system_stats')
  const found = stream.seen().find(matches)
  if (found !== undefined) return found
  if (isOwn && emulator !== null)
    await emulator.until((one) => one.kind === 'chunk' && eventsIn(one.text).some(matches))
  return stream.next(matches)
}

async function openStream(url: string, path: string, given: Headers): Promise<OpenStream> {
  const asked = { url, method: 'GET', path, headers: given, body: '' }
  const allowed = outgoing(asked)
  await guarded(allowed)
  const left = new AbortController()
  const { headers } = allowed
  const response = await fetch(url + allowed.path, { headers, signal: left.signal })
  answered(allowed, response.status, '')
  const waiting = new Set<(isOver: boolean) => void>()
  const look = (isOver: boolean): void => waiting.forEach((check) => check(isOver))
  let text = ''
  const read = async (): Promise<'whole' | 'broken'> => {
    const decoder = new TextDecoder()
    const reader = response.body?.getReader()
    try {
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
        text += decoder.decode(part.value, { stream: true })
        look(false)
      }
      return 'whole'
    } catch {
      return 'broken'
    } finally {
      isOver = true
      look(true)
    }
  }
  let isOver = false
  const ended = read()
  const seen = (): readonly Seen[] => eventsIn(text)
  const next: OpenStream['next'] = (matches) =>
    new Promise((resolve, reject) => {
      const check = (isLast: boolean): void => {
        const found = seen().find(matches)
        if (found !== undefined) resolve(found)
        else if (isLast) reject(new Error(`The stream ended first. It had:\n${text}`))
        else return
        waiting.delete(check)
      }
      waiting.add(check)
      check(isOver)
    })
  const { status } = response
  return {
    status,
    headers: response.headers,
    text: () => text,
    seen,
    next,
    ended,
    close: () => left.abort(),
  }
}
