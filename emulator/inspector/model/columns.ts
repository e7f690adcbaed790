// The columns of the table of requests: what each shows, and what it is sorted by.

import { pathOf, type Request, sizeOf } from './requests.ts'
import type { Run } from './runs.ts'
import { clockText, type Scale, timeText } from './scale.ts'
import type { Session } from './session.ts'

type Column = {
  readonly name: string
  /** What it is sorted by, */
  readonly of: (one: Request, session: Session) => number | string
  /** and what it shows. */
  readonly text: (one: Request, session: Session) => string
}

const runOf = ({ entry }: Request, { runs }: Session): Run | undefined =>
  runs.find((one) => one.entry === entry)

export const columns = {
  entry: { name: '#', of: ({ entry }) => entry, text: ({ entry }) => `${entry}` },
  at: { name: 'Time', of: ({ at }) => at, text: ({ at }) => clockText(at) },
  method: { name: 'Method', of: ({ method }) => method, text: ({ method }) => method },
  path: { name: 'Path', of: ({ target }) => pathOf(target), text: ({ target }) => target },
  status: {
    name: 'Status',
    of: ({ status }) => status ?? -1,
    text: ({ status }) => (status === null ? 'waits' : status === 0 ? 'reset' : `${status}`),
  },
  took: {
    name: 'Took',
    of: ({ at, endAt }) => (endAt ?? Infinity) - at,
    text: ({ at, endAt }) => (endAt === null ? '' : timeText(endAt - at)),
  },
  size: { name: 'Size', of: (one) => sizeOf(one) ?? -1, text: (one) => sizeText(sizeOf(one)) },
  run: {
    name: 'Run',
    of: (one, session) => runOf(one, session)?.number ?? 0,
    text: (one, session) => `${runOf(one, session)?.number ?? ''}`,
  },
} as const satisfies Readonly<Record<string, Column>>

export type ColumnId = keyof typeof columns
export type Sort = { readonly by: ColumnId; readonly isDown: boolean }

function sizeText(bytes: number | null): string {
  if (bytes === null) return ''
  if (bytes < 1000) return `${bytes} B`
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${Number(value.toPrecision(3))} ${unit}`
}

/** The requests in the order of the table. @param scale shows a part of the time; null for all of it. */
export function sortedRequests(
  session: Session,
  { by, isDown }: Sort,
  scale: Scale | null,
): readonly Request[] {
  const { of } = columns[by]
  const [from, to] =
    scale === null ? [-Infinity, Infinity] : [scale.msOf(0), scale.msOf(scale.width)]
  const visible = session.requests.filter(({ at }) => at >= from && at <= to)
  const sign = isDown ? -1 : 1
  return visible
    .map((one) => ({ one, rank: of(one, session) }))
    .toSorted((a, b) => sign * (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0))
    .map(({ one }) => one)
}
