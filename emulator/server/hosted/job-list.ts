// The list of jobs [jobs/listing*]: filters, sorts and paginates.

import {
  jobLimits,
  jobOrders,
  jobStatuses,
  mediaTypes,
  type pagination as paginationSchema,
} from '../../../spec/server/jobs.ts'
import type { Static } from '../../../spec/static.ts'
import { badRequest, json, type Reply } from '../../http/replies.ts'
import { filledParameter, type Request, wholeNumber } from '../../http/requests.ts'
import { hasOutputOf, summaryText } from './jobs.ts'
import type { World } from '../state/world.ts'
import { type Job, jobsOf, polled } from '../world/jobs.ts'

/** The query of a list request. Each member is the value of its parameter, or the default. */
type JobQuery = {
  /** Empty for all. */
  readonly statuses: readonly string[]
  readonly workflow_id: string | undefined
  readonly mediaType: string | undefined
  readonly sortBy: (typeof jobOrders)[number]
  readonly isAscending: boolean
  readonly offset: number
  readonly limit: number
  /** The serial of the job before the page; undefined if `offset` applies. */
  readonly after: number | undefined
}

/** GET /jobs. */
export function jobs(world: World, { query }: Request): Reply {
  const wanted = readQuery(query)
  if (typeof wanted === 'string') {
    return badRequest(`The parameter ${wanted} cannot have that value.`)
  }
  const sign = wanted.isAscending ? 1 : -1
  const found = jobsOf(world)
    .map(polled)
    .filter((job) => matchesQuery(job, wanted))
    .sort(
      (a, b) =>
        sign * (wanted.sortBy === 'create_time' ? 0 : ranMs(a) - ranMs(b)) ||
        sign * (a.run.serial - b.run.serial),
    )
  const { after, offset, limit } = wanted
  const isBehind = ({ run }: Job): boolean => after === undefined || sign * (run.serial - after) > 0
  const rest = found.filter(isBehind).slice(after === undefined ? offset : 0)
  const page = rest.slice(0, limit)
  const has_more = rest.length > limit
  const last = page.at(-1)
  const pagination: Static<typeof paginationSchema> = {
    offset: after === undefined ? offset : 0,
    limit,
    total: found.length,
    has_more,
    ...(has_more &&
      last !== undefined &&
      wanted.sortBy === 'create_time' && { next_cursor: cursorOf(last) }),
  }
  const summaries = page.map((job) => summaryText(world, job)).join(', ')
  return json(`{"jobs": [${summaries}], "pagination": ${JSON.stringify(pagination)}}`)
}

function matchesQuery(job: Job, { statuses, workflow_id, mediaType }: JobQuery): boolean {
  if (statuses.length > 0 && !statuses.includes(job.status)) return false
  if (workflow_id !== undefined && job.run.workflow_id !== workflow_id) return false
  return mediaType === undefined || hasOutputOf(job, mediaType)
}

/** The duration of a job; absent if it has not ended or never began. */
const ranMs = ({ entry, startedMs }: Job): number =>
  entry === null || startedMs === null ? 0 : entry.endedMs - startedMs

/** A cursor for the page after a job, stable while new jobs are submitted. */
/** Runs from before the start of the server have negative serials: their cursors count down after an S. */
const cursorOf = ({ run: { serial } }: Job): string =>
  serial < 0 ? `job-S${(-serial).toString(36)}` : `job-${serial.toString(36)}`

function readCursor(text: string | undefined): number | undefined {
  const [, before, digits] = /^job-(S?)([0-9a-z]{1,10})$/.exec(text ?? '') ?? []
  if (digits === undefined) return undefined
  return before === '' ? parseInt(digits, 36) : -parseInt(digits, 36)
}

/** The parsed query, or the name of the parameter with an invalid value. */
function readQuery(query: string): JobQuery | string {
  const parameter = (name: string): string | undefined => filledParameter(query, name)
  const words =
    parameter('status')
      ?.split(',')
      .map((word) => word.trim()) ?? []
  if (!words.every((word) => isOneOf(jobStatuses, word))) return 'status'
  const mediaType = parameter('output_type')
  if (mediaType !== undefined && !isOneOf(Object.values(mediaTypes), mediaType))
    return 'output_type'
  const sortBy = jobOrders.find((word) => word === (parameter('sort_by') ?? 'create_time'))
  if (sortBy === undefined) return 'sort_by'
  const order = parameter('sort_order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc') return 'sort_order'
  const offset = wholeNumber(parameter('offset') ?? '0', 0, Number.MAX_SAFE_INTEGER)
  if (offset === undefined) return 'offset'
  const limit = wholeNumber(parameter('limit') ?? `${jobLimits.usualPage}`, 1, jobLimits.page)
  if (limit === undefined) return 'limit'
  // A cursor is a position in the order of submits: it has no meaning in another order.
  const cursor = sortBy === 'create_time' ? parameter('after') : undefined
  const after = readCursor(cursor)
  if (cursor !== undefined && after === undefined) return 'after'
  return {
    statuses: words,
    workflow_id: parameter('workflow_id'),
    mediaType,
    sortBy,
    isAscending: order === 'asc',
    offset,
    limit,
    after,
  }
}

const isOneOf = (words: readonly string[], word: string): boolean => words.includes(word)
