// Laws about submits: ids, numbers and the nodes that a reply names.

import { type Finding, law, type Law, shown, unless } from './law.ts'
import { acceptedId, type Trace, type TracedExchange } from '../../dist/emulator/session/index.js'

/** The submits that got one of some statuses, with a reply that the recording holds. */
const submits =
  (...statuses: readonly number[]) =>
  ({ exchanges }: Trace): readonly TracedExchange[] =>
    exchanges.filter(
      ({ endpoint, status, hasBody }) =>
        endpoint?.name === 'submit' && statuses.includes(status) && hasBody,
    )

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Ids that occur twice, where no client has chosen them. */
function* numbered(
  trace: Trace,
): Iterable<readonly [before: TracedExchange, after: TracedExchange]> {
  let before: TracedExchange | undefined
  for (const after of submits(200)(trace)) {
    const { number, front } = after.asked() ?? {}
    if (number !== undefined || front !== undefined) continue
    // Of two submits at a time it is not known which came first.
    if (before !== undefined && before.recorded.endMs <= after.recorded.startMs)
      yield [before, after]
    before = after
  }
}

const nodesOf = (exchange: TracedExchange): Readonly<Record<string, unknown>> =>
  exchange.asked()?.prompt ?? {}

const namesNodes = (exchange: TracedExchange): readonly Finding[] =>
  Object.keys(exchange.reply()?.node_errors ?? {})
    .filter((id) => !Object.hasOwn(nodesOf(exchange), id))
    .slice(0, 1)
    .map((id) => ({
      at: { exchange },
      says: `node_errors names ${shown(id)}, which is not a node of the workflow.`,
    }))

const hasErrors = (exchange: TracedExchange): boolean =>
  Object.keys(exchange.reply()?.node_errors ?? {}).length > 0

export const submitLaws: readonly Law[] = [
  law(
    'workflows/prompt-id-given',
    (trace) => submits(200)(trace).filter((one) => typeof one.asked()?.prompt_id === 'string'),
    (exchange) =>
      unless(
        acceptedId(exchange) === exchange.asked().prompt_id,
        { exchange },
        () =>
          `The submit names ${shown(exchange.asked().prompt_id)}, and its run is ${shown(acceptedId(exchange))}.`,
      ),
  ),
  law(
    'workflows/prompt-id-made',
    (trace) =>
      submits(200)(trace).filter(
        (one) => one.asked() !== undefined && !('prompt_id' in one.asked()),
      ),
    (exchange) =>
      unless(
        uuid.test(acceptedId(exchange) ?? ''),
        { exchange },
        () => `The id ${shown(acceptedId(exchange))} is not a UUID.`,
      ),
  ),
  law('workflows/number-counts', numbered, ([before, after]) =>
    unless(
      after.reply()?.number > before.reply()?.number,
      { exchange: after },
      () =>
        `The number is ${shown(after.reply()?.number)}, after ${shown(before.reply()?.number)}.`,
    ),
  ),
  law('workflows/half-valid', (trace) => submits(200)(trace).filter(hasErrors), namesNodes),
  law(
    'workflows/invalid-names-nodes',
    (trace) => submits(400)(trace).filter(hasErrors),
    namesNodes,
  ),
]
