// The list of jobs of a local server [local-jobs/listing*]: filters, sorts and paginates.

import { localJobOrders } from '../../../spec/server/local-jobs.ts'
import { jobStatuses } from '../../../spec/server/jobs.ts'
import { json, refuse, type Reply } from '../../http/replies.ts'
import { parameter, type Request } from '../../http/requests.ts'
import type { World } from '../state/world.ts'
import { durationMs, type LocalJob, localJobsOf, localJobText, workflowIdOf } from './jobs.ts'
import { pythonInt } from './history.ts'

type JobQuery = {
  /** Null for all; none of them lists nothing. */
  readonly statuses: ReadonlySet<string> | null
  /** Empty for all. */
  readonly workflowId: string
  readonly sortBy: (typeof localJobOrders)[number]
  readonly isAscending: boolean
  /** Null for all. */
  readonly limit: number | null
  readonly offset: number
}

/** GET /api/jobs. */
export function localJobs(world: World, { query }: Request): Reply {
  const wanted = readQuery((name) => parameter(query, name))
  if (typeof wanted === 'string') return refuse('jobsQuery', {}, { error: wanted })
  const { sortBy, isAscending, limit, offset } = wanted
  const sign = isAscending ? 1 : -1
  const keyOf = (job: LocalJob): number =>
    sortBy === 'created_at' ? job.createdMs : durationMs(job)
  const found = localJobsOf(world)
    .filter((job) => matches(job, wanted))
    .sort((a, b) => sign * (keyOf(a) - keyOf(b)))
  const page = found.slice(offset, limit === null ? undefined : offset + limit)
  const total = found.length
  const has_more = offset + page.length < total
  const pagination = `{"offset": ${offset}, "limit": ${limit}, "total": ${total}, "has_more": ${has_more}}`
  const texts = page.map((job) => localJobText(world, job)).join(', ')
  return json(`{"jobs": [${texts}], "pagination": ${pagination}}`)
}

const matches = (job: LocalJob, { statuses, workflowId }: JobQuery): boolean =>
  (statuses === null || statuses.has(job.status)) &&
  (workflowId === '' || workflowIdOf(job) === workflowId)

/** The parsed query, or what is wrong with it. */
function readQuery(value: (name: string) => string | undefined): JobQuery | string {
  const status = value('status') ?? ''
  const words = status
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '')
  const unknown = words.filter((word) => !jobStatuses.some((one) => one === word))
  if (unknown.length > 0)
    return `Invalid status value(s): ${unknown.join(', ')}. Valid values: ${jobStatuses.join(', ')}`
  const sortText = (value('sort_by') ?? 'created_at').toLowerCase()
  const sortBy = localJobOrders.find((one) => one === sortText)
  if (sortBy === undefined) return "sort_by must be 'created_at' or 'execution_duration'"
  const order = (value('sort_order') ?? 'desc').toLowerCase()
  if (order !== 'asc' && order !== 'desc') return "sort_order must be 'asc' or 'desc'"
  const limit = pythonInt(value('limit'))
  if (limit === 'none') return 'limit must be an integer'
  if (limit !== undefined && limit <= 0) return 'limit must be a positive integer'
  const offset = pythonInt(value('offset')) ?? 0
  if (offset === 'none') return 'offset must be an integer'
  return {
    statuses: status === '' ? null : new Set(words),
    workflowId: value('workflow_id') ?? '',
    sortBy,
    isAscending: order === 'asc',
    limit: limit ?? null,
    offset: Math.max(0, offset),
  }
}
