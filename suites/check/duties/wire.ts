// What a world has seen, as lines for a report.

import type { WireLine } from '../events.ts'
import type { Observed } from './observed.ts'

const MOST_LINES = 20
const MOST_TEXT = 200

/** Messages about steps are many, and say little. */
const isOfInterest = ({ type }: Observed['messages'][number]): boolean =>
  type !== 'progress' && type !== 'progress_state'

/** The last requests of the client and messages to it, in order. */
export function wireOf({ requests, messages }: Observed): readonly WireLine[] {
  const sent = requests.map(({ entry, nowMs, method, path, query, status }) => ({
    entry,
    atMs: nowMs,
    direction: 'sent' as const,
    text: `${method} ${path}${queryText(query)} -> ${status ?? 'no reply'}`,
  }))
  const received = messages.filter(isOfInterest).map(({ entry, nowMs, type, data }) => ({
    entry,
    atMs: nowMs,
    direction: 'received' as const,
    text: `${type} ${JSON.stringify(data)}`,
  }))
  return [...sent, ...received]
    .toSorted((a, b) => a.entry - b.entry)
    .slice(-MOST_LINES)
    .map(({ atMs, direction, text }) => ({ atMs, direction, text: text.slice(0, MOST_TEXT) }))
}

function queryText(query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? '' : `?${text}`
}
