// Turns the misbehaving server into a hosted one: paths below /api, one key, jobs instead of queue and history.

import type { IncomingMessage } from 'node:http'

/** The only key that it accepts. */
export const hostedKey = 'hosted-key-1'

export type HostedBehaviour = {
  /** What the reads of the short status return one after the other; the last one repeats, null is 404. */
  readonly words?: readonly (string | null)[]
  /** What the reads of the whole job return one after the other; the last one repeats, null is 404. */
  readonly jobs?: readonly (object | null)[]
}

/** The records of a hosted server: how often each was read. */
export type HostedReads = { words: number; jobs: number }

type Refusal = { readonly status: number; readonly json: object }

/** The whole of a job that has ended, with one picture by default. */
export const jobOf = (status: string, more: object = {}): object => ({
  id: 'run-1',
  status,
  outputs: { '9': { images: [{ filename: 'a.png', subfolder: '', type: 'output' }] } },
  ...more,
})

/** Why a request is rejected; undefined if it is accepted. */
export function refuseAtGate({ url = '', headers }: IncomingMessage): Refusal | undefined {
  const { pathname, searchParams } = new URL(url, 'http://here')
  if (pathname !== '/ws' && !pathname.startsWith('/api/')) return notFound
  const key = pathname === '/ws' ? searchParams.get('token') : headers['x-api-key']
  if (pathname === '/api/system_stats' || key === hostedKey) return undefined
  return { status: 401, json: { code: 'UNAUTHORIZED', message: 'Which key?' } }
}

/** The answer of a path that only hosted has; undefined for the others. Hosted has no queue and history. */
export function readRecord(
  path: string,
  { words = ['completed'], jobs = [jobOf('completed')] }: HostedBehaviour,
  reads: HostedReads,
): Refusal | undefined {
  if (path === '/system_stats') return { status: 200, json: { system: {}, devices: [] } }
  if (path === '/job/run-1/status') {
    const status = words[Math.min(reads.words++, words.length - 1)] ?? null
    return status === null ? notFound : { status: 200, json: { id: 'run-1', status } }
  }
  if (path === '/jobs/run-1') {
    const json = jobs[Math.min(reads.jobs++, jobs.length - 1)] ?? null
    return json === null ? notFound : { status: 200, json }
  }
  return path === '/queue' || path.startsWith('/history') ? notFound : undefined
}

const notFound = { status: 404, json: { code: 'NOT_FOUND', message: 'Not here.' } }
