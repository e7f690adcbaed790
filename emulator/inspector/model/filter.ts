// Which part of a session is shown: one run, one client, failures, and what contains a text, also in bodies.

import { type Client, isMissed, type Message } from './clients.ts'
import { membersOf, textOf } from '../../lib/loose.ts'
import { isRefused, type Request } from './requests.ts'
import type { Run } from './runs.ts'
import type { Session } from './session.ts'

export type Filter = {
  readonly text: string
  readonly isFailing: boolean
  /** The name of a client and the id of a run; empty for all. */
  readonly client: string
  readonly run: string
  /** The state of stored runs; empty for all. */
  readonly state: string
}

export const everything: Filter = { text: '', isFailing: false, client: '', run: '', state: '' }

export function filtered(session: Session, filter: Filter): Session {
  const { text, isFailing, client, run } = filter
  if (text === '' && !isFailing && client === '' && run === '') return session
  const pattern = new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), 'i')
  const has = (...values: readonly unknown[]): boolean =>
    text === '' || values.some((one) => pattern.test(textOf(one) ?? JSON.stringify(one) ?? ''))
  const ofClient = session.runs.filter((one) => one.client === client).map(({ id }) => id)
  const chosen = session.runs.find(({ id }) => id === run)
  const runs = session.runs.filter(
    (one) =>
      (run === '' || one.id === run) &&
      (client === '' || one.client === client) &&
      (!isFailing || isFailed(one)) &&
      has(one.id, one.client, [...one.nodes.values()]),
  )
  const requests = session.requests.filter(
    (one) =>
      (run === '' || mentions(one, [run])) &&
      (client === '' || mentions(one, [`"${client}"`, ...ofClient])) &&
      (!isFailing || isRefused(one)) &&
      has(one.method, one.target, one.status, one.input['body'], one.reply?.['body'], one.stream),
  )
  const clients = session.clients.flatMap(({ name, connections, messages }): readonly Client[] => {
    if (client !== '' && name !== client) return []
    const kept = messages.filter(
      (one) =>
        (chosen === undefined || isOf(one, chosen)) &&
        (!isFailing || isMissed(one) || /error/.test(one.type)) &&
        has(name, one.type, one.data),
    )
    return kept.length > 0 || client !== '' ? [{ name, connections, messages: kept }] : []
  })
  const events = session.events.filter(
    (one) => (!isFailing || one.deliveries.some(({ error }) => error !== null)) && has(one),
  )
  const hits = run === '' && client === '' ? session.hits.filter(({ id }) => has(id)) : []
  const faults = session.faults.filter(({ id }) => hits.some((one) => one.id === id))
  return { ...session, runs, requests, clients, events, hits, faults }
}

export const isFailed = ({ state }: Run): boolean => state === 'error' || state === 'interrupted'

/** Whether a request or its answer contains one of these texts. */
const mentions = ({ target, input, reply }: Request, texts: readonly string[]): boolean =>
  [target, input['body'], reply?.['body']].some(
    (one) => typeof one === 'string' && texts.some((text) => one.includes(text)),
  )

/** Whether a message is about a run. A preview without metadata is about the one that is running. */
function isOf({ data, at, isFrame }: Message, { id, from, to }: Run): boolean {
  const named = membersOf(data)['prompt_id'] ?? membersOf(membersOf(data)['metadata'])['prompt_id']
  if (named !== undefined) return named === id
  return isFrame && from !== null && at >= from && at <= (to ?? Infinity)
}
