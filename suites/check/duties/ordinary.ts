// Duties that the ordinary run of a client shows: where its keys go, how often it asks, what it submits.

import {
  asked,
  broken,
  type Duty,
  kept,
  mostInASecond,
  pollsOf,
  submitsOf,
  unlessWrong,
  withoutSocket,
} from './duty.ts'
import type { Observed } from './observed.ts'
import { partnerKeys } from '../../../spec/server/access.ts'

/** The most requests for one state in a second, and the most handshakes. */
const MOST_POLLS = 20

/** Integers beyond this one are not all numbers of JavaScript. */
const SAFE = 2 ** 53

const placeholder = /<(?:secret:)?[0-9a-f]{6,}>/

/** The integers beyond 2^53 in the submits, as they were written. */
const longNumbers = ({ submits }: Observed): readonly string[] =>
  submits
    .flatMap(
      (text) => text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d{16,}(?![\d.eE])/g) ?? [],
    )
    .filter((text) => Math.abs(Number(text)) > SAFE)

/** The key of the client as its header has it. */
const keyOf = ({ requests }: Observed): string | undefined =>
  requests.find(({ headers }) => headers['x-api-key'] !== undefined)?.headers['x-api-key']

/** Requests that affect runs of others: they name no run. */
const globalRequests = (seen: Observed): readonly string[] => [
  ...asked(seen, 'POST', /^\/interrupt$/)
    .filter(({ body }) => typeof (body as { prompt_id?: unknown } | null)?.prompt_id !== 'string')
    .map(() => 'POST /interrupt without prompt_id'),
  ...asked(seen, 'POST', /^\/(queue|history)$/)
    .filter(({ body }) => (body as { clear?: unknown } | null)?.clear === true)
    .map(({ path }) => `POST ${path} with clear`),
  ...asked(seen, 'POST', /^\/free$/).map(() => 'POST /free'),
]

export const ordinaryDuties: readonly Duty[] = [
  {
    rule: 'duties/key-stays-home',
    unless: ({ links }) => (links === 0 ? 'The client follows no signed link.' : undefined),
    judge: ({ leaks }) =>
      unlessWrong(
        leaks === 0 ? undefined : `It sent a key to the host of the links ${leaks} times.`,
      ),
  },
  {
    rule: 'duties/key-in-header',
    judge: ({ requests }) => {
      const wrong = requests.find(({ query }) =>
        Object.values(query).some((value) => placeholder.test(value)),
      )
      return unlessWrong(wrong && `${wrong.method} ${wrong.path} has the key in its address.`)
    },
  },
  {
    rule: 'duties/partner-key',
    judge: (seen) => {
      const key = keyOf(seen)
      const isMixedUp = submitsOf(seen).some(({ body }) => {
        const { extra_data: extra = {} } = (body ?? {}) as { extra_data?: Record<string, unknown> }
        return key !== undefined && partnerKeys.some((name) => extra[name] === key)
      })
      return isMixedUp ? broken('It sent its API key as the key of partner nodes.') : kept
    },
  },
  {
    rule: 'duties/client-id',
    unless: withoutSocket,
    judge: (seen) => {
      const opened = new Set(seen.sockets.map(({ clientId }) => clientId))
      const wrong = submitsOf(seen).find(({ body }) => {
        const id = (body as { client_id?: string } | null)?.client_id
        return !opened.has(id ?? null) && !isSid(seen, id)
      })
      return unlessWrong(wrong && 'It submitted with another client_id than that of its socket.')
    },
  },
  {
    rule: 'duties/poll-pace',
    judge: (seen) => {
      const polls = pollsOf(seen)
      const fastest = [...new Set(polls.map(({ path }) => path))].map((path) => ({
        path,
        most: mostInASecond(
          polls.filter((one) => one.path === path),
          'nowMs',
        ),
      }))
      const wrong = fastest.find(({ most }) => most > MOST_POLLS)
      return unlessWrong(wrong && `It sent GET ${wrong.path} ${wrong.most} times in a second.`)
    },
  },
  {
    rule: 'duties/runs-of-others',
    judge: (seen) => {
      const [wrong] = globalRequests(seen)
      return unlessWrong(wrong && `It sent ${wrong}.`)
    },
  },
  {
    rule: 'duties/long-numbers',
    unless: (seen) =>
      longNumbers(seen).length === 0 ? 'The client submits no integer beyond 2^53.' : undefined,
    judge: (seen) => {
      const rounded = longNumbers(seen).find((text) => text === String(Number(text)))
      return unlessWrong(rounded && `It sent ${rounded}, which looks rounded.`)
    },
  },
]

/** Whether the server gave this id to a socket without a clientId. */
const isSid = ({ messages }: Observed, id: string | undefined): boolean =>
  messages.some(({ type, data }) => type === 'status' && (data as { sid?: string }).sid === id)
