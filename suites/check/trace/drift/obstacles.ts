// Why a recorded request cannot be sent now: its body is missing, or what it is about has not been made.

import { Skip } from '../../../judge/skip.ts'
import type { Trace, TracedExchange, TracedRun } from '../../../../dist/emulator/session/index.js'

/** Whether a request contains a value that the session got from the server: in its path, its query or its body. */
function names({ recorded, parts, query }: TracedExchange, value: string): boolean {
  if (value.length < MIN_ID_LENGTH) return false
  const isInTarget = parts.includes(value) || [...query.values()].includes(value)
  return isInTarget || Buffer.from(recorded.body).includes(JSON.stringify(value))
}

/** Shorter values could be part of any request. */
const MIN_ID_LENGTH = 4

/** The names of the files that a run made, as the recording lists them. */
function filesOf({ entries, jobs }: TracedRun): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { filename } = value as { readonly filename?: unknown }
    if (typeof filename === 'string') found.add(filename)
    for (const one of Object.values(value)) visit(one)
  }
  for (const { entry } of [...entries, ...jobs]) visit(entry?.outputs)
  return found
}

const isUpload = ({ recorded, path, status }: TracedExchange): boolean =>
  recorded.method === 'POST' && status === 200 && path.includes('/upload/')

/**
 * Why a request cannot be sent now; undefined if it can.
 * @param done the requests that were accepted again.
 */
export function obstacleTo(
  exchange: TracedExchange,
  { runs, exchanges }: Trace,
  done: ReadonlySet<TracedExchange>,
): Skip | undefined {
  const { cut, startMs } = exchange.recorded
  if (cut?.includes('request') === true)
    return new Skip('not-recorded', 'The recording does not contain its body.')
  const isUndone = (one: TracedExchange | undefined): one is TracedExchange =>
    one !== undefined && one !== exchange && one.recorded.startMs <= startMs && !done.has(one)
  const run = runs.find(
    (one) =>
      isUndone(one.submit) &&
      [one.prompt_id, ...filesOf(one)].some((value) => names(exchange, value)),
  )
  if (run !== undefined)
    return new Skip('not-made', `The run ${run.prompt_id} was not accepted now.`)
  const upload = exchanges.find(
    (one) => isUpload(one) && isUndone(one) && names(exchange, String(one.reply()?.name)),
  )
  return upload && new Skip('not-made', `The upload ${upload.reply()?.name} was not accepted now.`)
}
