// GET /jobs [v2-jobs/listing*]: the jobs of the account page by page, newest first.

import { v2ListLimits, type v2JobList } from '../../../spec/v2/v2-jobs.ts'
import type { Static } from '../../../spec/static.ts'
import { get } from '../../lib/bounded.ts'
import { json, refuseV2, type Reply } from '../../http/replies.ts'
import { parameter, type Request, wholeNumber } from '../../http/requests.ts'
import type { HostedWorld } from '../state/world.ts'
import { type Job, jobsOf, polled } from '../world/jobs.ts'
import { isVisitor } from './access.ts'
import { stateOf } from './jobs.ts'
import { matchesFilters, readFilters } from './labels.ts'
import { timeText } from './links.ts'

export function list(world: HostedWorld, { query, headers }: Request): Reply {
  if (isVisitor(world, { headers })) return refuseV2('publicList')
  if (world.setup.quirks.has('hosted.v2-no-labels')) return refuseV2('notImplemented')
  const filters = readFilters(query)
  if (typeof filters === 'string') return refuseV2('invalidFilter', { reason: filters })
  const limit = wholeNumber(
    parameter(query, 'limit') ?? `${v2ListLimits.usualPage}`,
    1,
    v2ListLimits.page,
  )
  if (limit === undefined)
    return refuseV2('invalidRequest', { reason: `limit is from 1 to ${v2ListLimits.page}.` })
  const cursor = parameter(query, 'cursor')
  const before = cursor === undefined ? Infinity : readCursor(cursor)
  if (before === undefined) return refuseV2('invalidCursor')
  const labelsOf = ({ prompt_id }: Job) => get(world.state.v2.labels, prompt_id) ?? {}
  const rest = jobsOf(world)
    .map(polled)
    .filter((one) => one.run.serial < before && matchesFilters(labelsOf(one), filters))
    .sort((a, b) => b.run.serial - a.run.serial)
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  const found: Static<typeof v2JobList> = {
    jobs: page.map((one) => ({
      id: one.prompt_id,
      status: stateOf(world, one).status,
      create_time: timeText(world, one.createdMs),
      update_time: timeText(world, one.entry?.endedMs ?? one.startedMs ?? one.createdMs),
      metadata: labelsOf(one),
    })),
    ...(rest.length > limit && last !== undefined && { next_cursor: cursorOf(last) }),
  }
  return json(JSON.stringify(found))
}

/** The cursor behind a job, stable while new jobs are submitted. Runs from before the start have negative serials. */
const cursorOf = ({ run: { serial } }: Job): string =>
  `v2-${serial < 0 ? 'S' : ''}${Math.abs(serial).toString(36)}`

function readCursor(text: string): number | undefined {
  const [, sign, digits] = /^v2-(S?)([0-9a-z]{1,10})$/.exec(text) ?? []
  if (digits === undefined) return undefined
  return (sign === '' ? 1 : -1) * parseInt(digits, 36)
}
