// Laws about the history: it says the same as the messages of a run did.

import { type Finding, equal, law, type Law, unless } from './law.ts'
import {
  entriesIn,
  type Listed,
  type Trace,
  type TracedExchange,
  type TracedRun,
} from '../../dist/emulator/session/index.js'
import { type ReceivedRun, receivedRuns, isWhole, terminalOf } from './order.ts'

type Kept = ReceivedRun & Listed

/** Each history entry of a run that was received from its submit to its end. */
function* kept(trace: Trace): Iterable<Kept> {
  for (const one of receivedRuns(isWhole)(trace))
    for (const { exchange, entry } of one.run.entries)
      if (entry.status !== undefined) yield { ...one, exchange, entry }
}

const keptAs = (...types: readonly string[]) =>
  function* (trace: Trace): Iterable<Kept> {
    for (const one of kept(trace)) if (types.includes(terminalOf(one.received) ?? '')) yield one
  }

const outcomeOf = ({ entry }: Listed): readonly unknown[] => [
  entry.status?.status_str,
  entry.status?.completed,
]

/** An object with its members in the order of their names. */
const sorted = (value: any): unknown =>
  Object.entries<any>(value ?? {}).toSorted(([left], [right]) => (left < right ? -1 : 1))

/** The outputs that the messages of a run reported. */
export const reportedOutputs = ({ received }: ReceivedRun): unknown =>
  sorted(
    Object.fromEntries(
      received.items
        .filter(({ message }) => message.type === 'executed' && message.data['output'] !== null)
        .map(({ message }) => [message.data['node'], message.data['output']]),
    ),
  )

export const sortedOutputs = (outputs: unknown): unknown => sorted(outputs)

/** The outputs of an entry, without those of cached nodes that the run did not reach: no message reports them. */
function reachedOutputs({ entry, received, run }: Kept): unknown {
  const reachesAll =
    terminalOf(received) === 'execution_success' &&
    run.submit?.asked()?.partial_execution_targets === undefined
  if (reachesAll) return entry.outputs
  const reached = new Set(received.items.map(({ message: { data } }) => data['node']))
  const outputs = Object.entries<any>(entry.outputs ?? {})
  return Object.fromEntries(outputs.filter(([node]) => reached.has(node)))
}

/** The messages that the history keeps, as they came. */
const reportedMessages = ({ received }: ReceivedRun): unknown =>
  received.items
    .filter(({ message }) => message.type.startsWith('execution_'))
    .map(({ message: { type, data } }) => [type, data])

/** The entries of runs whose submit has extra_data. */
function* givenData({ runs }: Trace): Iterable<Listed & { readonly run: TracedRun }> {
  for (const run of runs)
    for (const { exchange, entry } of run.submit?.asked()?.extra_data ? run.entries : [])
      if (extraOf(entry) !== undefined) yield { run, exchange, entry }
}

/** The extra_data of an entry; undefined for one without the workflow. */
const extraOf = ({ prompt }: any): any => (Array.isArray(prompt) ? prompt[3] : prompt?.extra_data)

/** Members of extra_data that no listing contains. */
const isSecret = (name: string): boolean => /^(?:api_key|auth_token|token)/.test(name)

/** What is wrong with the workflow of a run as a local server lists it. */
export const itemFaults = (
  exchange: TracedExchange,
  run: TracedRun,
  item: any,
): readonly Finding[] =>
  run.graph === undefined
    ? []
    : equal(
        { exchange },
        `the nodes of ${run.prompt_id}`,
        Object.keys(item[2] ?? {}),
        Object.keys(run.graph),
      )

/** The entries of runs whose submit was recorded. */
function* prompts({ runs }: Trace): Iterable<Listed & { readonly run: TracedRun }> {
  for (const run of runs)
    if (run.submit !== undefined)
      for (const { exchange, entry } of run.entries)
        if (Array.isArray(entry.prompt)) yield { run, exchange, entry }
}

/** Reads of one run that began when its end had come, unless somebody removed entries before. */
function* afterEnd(trace: Trace): Iterable<{ run: TracedRun; exchange: TracedExchange }> {
  const { exchanges, runs } = trace
  const cleared = exchanges.find(({ endpoint }) => endpoint?.name === 'changeHistory')
  const clearMs = cleared?.recorded.startMs ?? Infinity
  const endMs = new Map(
    runs.flatMap((run) => {
      const last = run.received.find(({ isOver }) => isOver)?.items.at(-1)
      return last === undefined ? [] : [[run.prompt_id, { run, atMs: last.atMs }] as const]
    }),
  )
  for (const exchange of exchanges) {
    const { endpoint, parts, recorded, status } = exchange
    if (endpoint?.name !== 'readHistoryEntry' || status !== 200) continue
    const end = endMs.get(parts[0] ?? '')
    if (end !== undefined && recorded.startMs > end.atMs && recorded.endMs < clearMs)
      yield { run: end.run, exchange }
  }
}

/** Listings whose runs ended while one socket listened, with the times of their ends. */
function* listings(trace: Trace): Iterable<{ exchange: TracedExchange; ends: readonly number[] }> {
  const at = new Map<string, number>()
  for (const { run, received } of receivedRuns(isWhole)(trace)) {
    const last = received.items.at(-1)
    if (received.socket === trace.sockets[0] && last !== undefined)
      at.set(run.prompt_id, last.index)
  }
  for (const exchange of trace.exchanges) {
    // Members that look like integers come first, whatever their order was.
    const ids = entriesIn(exchange).map(({ id }) => id)
    const ends = ids.flatMap((id) => (/^\d+$/.test(id) ? [] : (at.get(id) ?? [])))
    if (exchange.endpoint?.name === 'readHistory' && ends.length > 1) yield { exchange, ends }
  }
}

/** How many runs a listing may have: one at least where it says from which on. */
const mostOf = ({ query }: TracedExchange): number =>
  Math.max(Number(query.get('max_items')), query.has('offset') ? 1 : 0)

export const historyLaws: readonly Law[] = [
  law('history/status-words', keptAs('execution_success'), (one) =>
    equal(
      { exchange: one.exchange },
      `status_str and completed of ${one.run.prompt_id}`,
      outcomeOf(one),
      ['success', true],
    ),
  ),
  law(
    'history/error-comes-first',
    keptAs('execution_error', 'execution_interrupted'),
    (one): readonly Finding[] =>
      equal(
        { exchange: one.exchange },
        `status_str of ${one.run.prompt_id}`,
        one.entry.status?.status_str,
        'error',
      ),
  ),
  law('history/failed-not-completed', keptAs('execution_error', 'execution_interrupted'), (one) =>
    equal(
      { exchange: one.exchange },
      `completed of ${one.run.prompt_id}`,
      one.entry.status?.completed,
      false,
    ),
  ),
  law('history/hosted-two-ways', keptAs('execution_success', 'execution_error'), (one) =>
    equal(
      { exchange: one.exchange },
      `status_str of ${one.run.prompt_id}`,
      one.entry.status?.status_str,
      terminalOf(one.received) === 'execution_success' ? 'success' : 'error',
    ),
  ),
  law(['history/kept', 'history/outputs'], kept, (one) =>
    equal(
      { exchange: one.exchange },
      `the outputs of ${one.run.prompt_id}`,
      sorted(reachedOutputs(one)),
      reportedOutputs(one),
    ),
  ),
  law('history/messages', kept, (one) =>
    equal(
      { exchange: one.exchange },
      `the messages of ${one.run.prompt_id}`,
      one.entry.status?.messages,
      reportedMessages(one),
    ),
  ),
  law('history/prompt', prompts, ({ run, exchange, entry }) => [
    ...equal({ exchange }, `number and id of ${run.prompt_id}`, entry.prompt.slice(0, 2), [
      run.submit?.reply()?.number,
      run.prompt_id,
    ]),
    ...itemFaults(exchange, run, entry.prompt),
  ]),
  law('workflows/extra-data-kept', givenData, ({ run, exchange, entry }) =>
    Object.entries(run.submit?.asked()?.extra_data ?? {})
      // Keys are removed, wherever they stand.
      .filter(([name, value]) => !isSecret(name) && typeof value !== 'object')
      .flatMap(([name, value]) =>
        equal(
          { exchange },
          `extra_data.${name} of ${run.prompt_id}`,
          extraOf(entry)?.[name],
          value,
        ),
      ),
  ),
  law('history/meta', kept, ({ run, exchange, entry }) =>
    equal(
      { exchange },
      `the nodes in meta of ${run.prompt_id}`,
      Object.keys(entry.meta ?? {}).toSorted(),
      Object.keys(entry.outputs ?? {}).toSorted(),
    ),
  ),
  law('history/kept', afterEnd, ({ run, exchange }) =>
    unless(
      exchange.reply()?.[run.prompt_id] !== undefined,
      { exchange },
      () => `The run ${run.prompt_id} is over, and has no history entry.`,
    ),
  ),
  law('history/oldest-first', listings, ({ exchange, ends }) =>
    unless(
      ends.every((end, at) => end >= (ends[at - 1] ?? 0)),
      { exchange },
      () => 'The history does not list the runs in the order in which they ended.',
    ),
  ),
  law(
    'history/max-items',
    ({ exchanges }) =>
      exchanges.filter(
        ({ endpoint, query, status }) =>
          endpoint?.name === 'readHistory' &&
          status === 200 &&
          /^\d+$/.test(query.get('max_items') ?? ''),
      ),
    (exchange) =>
      unless(
        entriesIn(exchange).length <= mostOf(exchange),
        { exchange },
        () => `The history lists ${entriesIn(exchange).length} runs.`,
      ),
  ),
]
