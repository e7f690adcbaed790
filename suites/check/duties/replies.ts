// Duties about replies that say no, not yet, or nothing: waiting times, errors of a proxy, lost replies, keys and tiers.

import type { Fault } from 'flowdouble'
import {
  all,
  asked,
  broken,
  type Duty,
  fails,
  faulty,
  kept,
  notJudged,
  pollsOf,
  submitsOf,
  succeeds,
  unlessWrong,
  withoutPoll,
  type WorldOf,
} from './duty.ts'
import type { Observed } from './observed.ts'

/** What clients have to wait, in seconds, and how much of it is enough for clocks that differ. */
const RETRY_AFTER = 1
const ENOUGH_MS = 950

/** The paths that return the state of a run. */
const statePaths = ['/history/**', '/history_v2/**', '/job/**', '/jobs/**', '/queue']

/** The first request for each kind of state fails like this. */
const onFirstPoll = (then: Fault['then']): readonly Fault[] =>
  statePaths.map((path) => onFirst('GET', path, then))

const onFirst = (method: string, path: string, then: Fault['then']): Fault => ({
  when: { method, path, nth: 1 },
  then,
})

/** A world without model folders, which says so in this body. */
const withoutFolder = (body: object | string): WorldOf => ({
  scenario: {
    faults: [
      { when: { method: 'GET', path: '/experiment/models/*' }, then: { status: 404, body } },
    ],
  },
})

/** Whether a request is sent again, to the same path, before the waiting time of its reply is over. */
function tooEarly(requests: Observed['requests'], status: number): string | undefined {
  for (const [at, { path, nowMs }] of requests.entries()) {
    if (requests[at]?.status !== status) continue
    const next = requests.slice(at + 1).find((one) => one.path === path)
    const waitedMs = next && next.nowMs - nowMs
    if (waitedMs !== undefined && waitedMs < ENOUGH_MS * RETRY_AFTER)
      return `It repeated ${path} after ${Math.round(waitedMs)} ms; Retry-After was ${RETRY_AFTER} s.`
  }
}

/** Whether the client looked for its run, or used the same id, before it submitted again. */
function judgeLostReply(seen: Observed, ordinary: Observed): ReturnType<Duty['judge']> {
  const submits = submitsOf(seen)
  const [first] = submits
  if (first === undefined || submits.length <= submitsOf(ordinary).length) return kept
  const second = submits.find(({ entry }) => entry > first.entry)
  const hasLooked = pollsOf(seen).some(
    ({ entry }) => entry > first.entry && entry < (second?.entry ?? 0),
  )
  const [id, again] = [first, second].map(
    (one) => (one?.body as { prompt_id?: string } | null | undefined)?.prompt_id,
  )
  const isSame = id !== undefined && id === again
  return hasLooked || isSame
    ? kept
    : broken('It submitted again without a look at the queue or history.')
}

/** The most requests of any kind that a client repeats after it is rejected for good. */
const MOST_REJECTED = 3

const rejectedOf = ({ requests }: Observed, status: number) =>
  requests.filter((one) => one.status === status)

/** What a client does about a server, apart from numbers: how it ends, what it requests and prints. */
const reactionTo = ({ end, requests }: Observed): string =>
  JSON.stringify([
    end.exitCode,
    [...new Set(requests.map(({ method, path }) => masked(`${method} ${path}`)))].toSorted(),
    masked(end.output),
  ])

/** A text without ids and numbers. */
const masked = (text: string): string => text.replaceAll(/[0-9a-f-]{8,}|\d+(\.\d+)?/gi, '#')

const modelFolder = /^\/experiment\/models\/[^/]+$/

export const replyDuties: readonly Duty[] = [
  {
    rule: 'duties/retry-after',
    ...faulty(onFirst('POST', '/prompt', { status: 429, retryAfter: RETRY_AFTER })),
    judge: (seen) => all(unlessWrong(tooEarly(submitsOf(seen), 429)), succeeds(seen)),
  },
  {
    rule: 'duties/retry-after-poll',
    unless: withoutPoll,
    ...faulty(...onFirstPoll({ status: 503, retryAfter: RETRY_AFTER })),
    judge: (seen) => all(unlessWrong(tooEarly(pollsOf(seen), 503)), succeeds(seen)),
  },
  {
    rule: 'duties/bad-gateway',
    unless: withoutPoll,
    ...faulty(...onFirstPoll({ status: 502 })),
    judge: succeeds,
  },
  {
    rule: 'duties/lost-reply',
    ...faulty(onFirst('POST', '/prompt', { reset: true })),
    judge: judgeLostReply,
  },
  {
    rule: 'duties/folder-not-found',
    unless: (seen) =>
      asked(seen, 'GET', modelFolder).length === 0
        ? 'The client lists no model folder.'
        : undefined,
    world: () => withoutFolder({ code: 'folder_not_found', message: 'Folder not found' }),
    counterpart: withoutFolder('Not Found'),
    judge: (seen, _, missing) =>
      reactionTo(seen) === reactionTo(missing)
        ? broken('It did the same for folder_not_found as for an endpoint that does not exist.')
        : kept,
  },
  {
    rule: 'duties/rejected-key',
    ...faulty(
      {
        when: { path: '/**' },
        then: { status: 401, body: { code: 'UNAUTHORIZED', message: 'Invalid API key' } },
      },
      { when: { socket: 'open' }, then: { refuse: 401 } },
    ),
    judge: (seen) => {
      const count = rejectedOf(seen, 401).length
      const isTooMany = count > MOST_REJECTED
      return all(isTooMany ? broken(`It sent ${count} requests with the key.`) : kept, fails(seen))
    },
  },
  {
    rule: 'duties/free-tier',
    world: () => ({ options: { accounts: [{ user: 'client', keys: [], tier: 'free' }] } }),
    judge: (seen) => {
      const rejected = rejectedOf(seen, 403)
      if (rejected.length === 0) return notJudged('The client uses no endpoint of the paid tiers.')
      const most = Math.max(
        ...rejected.map(({ path }) => rejected.filter((one) => one.path === path).length),
      )
      const isTooMany = most > MOST_REJECTED
      return all(isTooMany ? broken(`It sent one request ${most} times.`) : kept, fails(seen))
    },
  },
  {
    rule: 'duties/job-not-yet',
    unless: (seen) =>
      asked(seen, 'GET', /^\/jobs?\//).length === 0 ? 'The client asks for no job.' : undefined,
    ...faulty(
      ...['/job/**', '/jobs/**'].map((path) =>
        onFirst('GET', path, { status: 404, body: { code: 'NOT_FOUND', message: 'Not found' } }),
      ),
    ),
    judge: succeeds,
  },
  {
    rule: 'duties/raw-states',
    unless: (seen) =>
      asked(seen, 'GET', /^\/job\//).length === 0
        ? 'The client asks for no job status.'
        : undefined,
    world: () => ({ options: { quirk: ['hosted.status-raw-states'] } }),
    judge: succeeds,
  },
]
