// How far runs are, as the replies of then and of now list them: a poll is compared at the same point of a run, and what a run is
// ahead of it does not count as a change.

import {
  isMembers,
  listedIn,
  type Trace,
  type TracedExchange,
  type TracedRun,
} from '../../../../dist/emulator/session/index.js'

/** How far a run is; null if a reply does not say. `removed`: it was over, and is not listed any more. */
export type State = 'pending' | 'running' | 'over' | 'removed' | null

const ranks: Readonly<Record<string, number>> = { pending: 0, running: 1, over: 2 }

/** A reply that lists runs: what a run is that it does not list, and the reply without some of them. */
type Form = {
  readonly absent: State
  readonly without: (body: any, isLeft: (id: string) => boolean) => unknown
}

/** A body with shorter lists; what is not a list stays. */
const withLists = (
  body: any,
  names: readonly string[],
  isLeft: (item: any) => boolean,
): Readonly<Record<string, unknown>> => ({
  ...body,
  ...Object.fromEntries(
    names.flatMap((name) =>
      Array.isArray(body?.[name])
        ? [[name, body[name].filter((item: unknown) => !isLeft(item))]]
        : [],
    ),
  ),
})

const queue: Form = {
  absent: 'over',
  without: (body, isLeft) =>
    withLists(body, ['queue_running', 'queue_pending'], (item) => isLeft(item?.[1])),
}

const history: Form = {
  absent: 'running',
  without: (body, isLeft) =>
    Array.isArray(body?.history)
      ? withLists(body, ['history'], (entry) => isLeft(entry?.prompt_id))
      : Object.fromEntries(
          Object.entries(isMembers(body) ? body : {}).filter(([id]) => !isLeft(id)),
        ),
}

const jobs: Form = {
  absent: null,
  without: ({ pagination: _, ...body }: any, isLeft) =>
    withLists(body, ['jobs'], (item) => isLeft(item?.id)),
}

const job: Form = {
  absent: 'pending',
  without: (body, isLeft) => (isLeft(body?.id) ? {} : body),
}

const forms: Readonly<Record<string, Form>> = {
  readQueue: queue,
  readHistory: history,
  readHistoryEntry: history,
  jobs,
  job,
  jobStatus: job,
  v2Jobs: jobs,
  v2Job: job,
}

/** How far the runs are in the body of a reply. */
export const statesIn = (endpoint: string | undefined, body: unknown): ReadonlyMap<string, State> =>
  new Map(
    listedIn(endpoint, body).map(({ id, progress }) => [
      id,
      progress === 'waiting' ? 'pending' : progress === 'started' ? 'running' : 'over',
    ]),
  )

/** A page of a list says nothing of what it leaves out, and one entry nothing of other runs. */
const absentIn = (exchange: TracedExchange, form: Form, id: string): State => {
  const { endpoint, parts, query } = exchange
  if (endpoint?.name === 'readHistory' && [...query.keys()].length > 0) return null
  if (parts.length > 0 && !parts.includes(id)) return null
  return form.absent
}

/** Whether the history had listed a run before a time. Its end alone does not say so: a history can lag behind. */
const wasListed = ({ entries }: TracedRun, atMs: number): boolean =>
  entries.some(({ exchange }) => exchange.recorded.endMs <= atMs)

/** A run in the replies of then and of now. */
export type Compared = {
  readonly run: TracedRun
  readonly idNow: string
  readonly then: State
  readonly now: State
}

export type Ids = {
  /** The id of a run of then as that of now; undefined for one that was not accepted. */
  readonly idNow: (run: TracedRun) => string | undefined
}

/** Whether a request asks how far runs are. */
export const isPoll = ({ endpoint, recorded }: TracedExchange): boolean =>
  recorded.method === 'GET' && endpoint !== undefined && Object.hasOwn(forms, endpoint.name)

/** How far the runs that were submitted before a poll are in its reply of then, and in one of now. */
export function comparedStates(
  exchange: TracedExchange,
  now: unknown,
  { runs }: Trace,
  { idNow }: Ids,
): readonly Compared[] {
  const form = forms[exchange.endpoint?.name ?? '']
  if (form === undefined) return []
  const then = exchange.status === 200 ? exchange.reply() : undefined
  const [thens, nows] = [then, now].map((body) => statesIn(exchange.endpoint?.name, body))
  const { startMs } = exchange.recorded
  return runs.flatMap((run) => {
    if (run.submit === undefined || run.submit.recorded.startMs > startMs) return []
    const id = idNow(run)
    if (id === undefined) return []
    const absent = absentIn(exchange, form, run.prompt_id)
    const isRemoved = absent === 'running' && wasListed(run, startMs)
    const own = thens?.get(run.prompt_id) ?? (isRemoved ? 'removed' : absent)
    // A run that was listed and is not yet has not come as far.
    const yet = thens?.has(run.prompt_id) && absent === null ? 'pending' : absent
    return [{ run, idNow: id, then: own, now: nows?.get(id) ?? yet }]
  })
}

const rankOf = (state: State): number => ranks[state ?? ''] ?? NaN

/** Whether a run has yet to get as far as it was. */
export const isBehind = ({ then, now }: Compared): boolean => rankOf(now) < rankOf(then)

/** Whether a run is listed that had been removed. */
export const isBack = ({ then, now }: Compared): boolean => then === 'removed' && now === 'over'

/** Whether a run is further than it was. */
export const isAhead = ({ then, now }: Compared): boolean => rankOf(now) > rankOf(then)

/** A reply of then and one of now, without runs that are ahead, were not accepted, or are of others. */
export function comparable(
  exchange: TracedExchange,
  now: unknown,
  { runs }: Trace,
  states: readonly Compared[],
): { readonly then: unknown; readonly now: unknown; readonly hasOthers: boolean } {
  const then = exchange.reply()
  const form = forms[exchange.endpoint?.name ?? '']
  if (form === undefined) return { then, now, hasOthers: false }
  const known = states.filter((one) => !isAhead(one))
  const here = new Set(known.map(({ run }) => run.prompt_id))
  const hereNow = new Set(known.map(({ idNow }) => idNow))
  const submitted = new Set(
    runs.filter(({ submit }) => submit !== undefined).map(({ prompt_id }) => prompt_id),
  )
  const own = new Set(states.map(({ idNow }) => idNow))
  const isLeftThen = (id: string): boolean => submitted.has(id) && !here.has(id)
  const isLeftNow = (id: string): boolean => !hereNow.has(id)
  const [idsThen, idsNow] = [then, now].map((body) =>
    Array.from(statesIn(exchange.endpoint?.name, body).keys()),
  )
  const hasOthers = idsNow?.some((id) => !own.has(id)) === true
  const isChanged = hasOthers || idsThen?.some(isLeftThen) || idsNow?.some(isLeftNow)
  if (!isChanged) return { then, now, hasOthers }
  return { then: form.without(then, isLeftThen), now: form.without(now, isLeftNow), hasOthers }
}
