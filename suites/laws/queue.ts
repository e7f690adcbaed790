// Laws about listings of the queue: they list what was submitted, once, in order, and nothing that is over.

import { type Finding, equal, law, type Law, shown, unless } from './law.ts'
import { itemFaults } from './history.ts'
import type { Trace, TracedExchange, TracedRun } from '../../dist/emulator/session/index.js'

type Listing = {
  readonly exchange: TracedExchange
  readonly running: readonly any[]
  readonly pending: readonly any[]
}

const arrayOf = (value: unknown): readonly any[] => (Array.isArray(value) ? value : [])

function* listings({ exchanges }: Trace): Iterable<Listing> {
  for (const exchange of exchanges) {
    if (exchange.endpoint?.name !== 'readQueue' || exchange.status !== 200) continue
    const { queue_running, queue_pending } = exchange.reply() ?? {}
    yield { exchange, running: arrayOf(queue_running), pending: arrayOf(queue_pending) }
  }
}

/** The runs that a listing names, with the items. */
function* items(trace: Trace): Iterable<{ exchange: TracedExchange; item: any; run: TracedRun }> {
  const runs = new Map(trace.runs.map((run) => [run.prompt_id, run]))
  for (const { exchange, running, pending } of listings(trace))
    for (const item of [...running, ...pending]) {
      const run = runs.get(item?.[1])
      if (run !== undefined) yield { exchange, item, run }
    }
}

/** When the end of each run came. */
const endOf = ({ received }: TracedRun): number =>
  received.find(({ isOver }) => isOver)?.items.at(-1)?.atMs ?? Infinity

function listingFaults(
  { exchange, running, pending }: Listing,
  { sharedIds }: Trace,
): readonly Finding[] {
  const ids = [...running, ...pending]
    .map((item) => item?.[1] as unknown)
    .filter((id) => !sharedIds.has(id))
  return unless(
    new Set(ids).size === ids.length,
    { exchange },
    () => 'The queue lists a run twice.',
  )
}

/** Listings of the queue after a request that deletes runs: the ids, and the listing. */
function* afterDeletes(trace: Trace): Iterable<{ ids: readonly unknown[]; listing: Listing }> {
  const all = [...listings(trace)]
  for (const { endpoint, status, asked, recorded } of trace.exchanges) {
    if (endpoint?.name !== 'changeQueue' || status !== 200) continue
    const ids = arrayOf(asked()?.delete)
    for (const listing of ids.length === 0 ? [] : all)
      if (listing.exchange.recorded.startMs >= recorded.endMs) yield { ids, listing }
  }
}

export const queueLaws: readonly Law[] = [
  law('queue/listing', listings, listingFaults),
  law('queue/item', items, ({ exchange, item, run }) => [
    ...(run.submit === undefined
      ? []
      : equal({ exchange }, `the number of ${run.prompt_id}`, item[0], run.submit.reply()?.number)),
    ...itemFaults(exchange, run, item),
    ...unless(
      endOf(run) >= exchange.recorded.startMs,
      { exchange },
      () => `The run ${run.prompt_id} is over, and the queue lists it.`,
    ),
  ]),
  law('queue/by-number', listings, ({ exchange, pending }) => {
    const numbers = pending.map((item) => item?.[0] as number)
    return equal(
      { exchange },
      'the numbers of the pending runs',
      numbers,
      numbers.toSorted((left, right) => left - right),
    )
  }),
  law('queue/delete', afterDeletes, ({ ids, listing: { exchange, pending } }) =>
    pending
      .filter((item) => ids.includes(item?.[1]))
      .map((item) => ({
        at: { exchange },
        says: `The run ${shown(item?.[1])} was deleted, and the queue lists it as pending.`,
      })),
  ),
]
