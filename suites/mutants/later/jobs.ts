// Wrong later local servers that report jobs wrongly, or cancel wrongly.

import { of27, of38 } from './servers.ts'
import {
  after,
  answers,
  type Mutants,
  onJson,
  onReply,
  onText,
  type Reply,
  without,
} from '../tamper.ts'

const list = /^GET \/api\/jobs(\?|$)/
const detail = /^GET \/api\/jobs\/[^/?]+$/
const any = /^GET \/api\/jobs/
const cancelOne = /^POST \/api\/jobs\/[^/]+\/cancel/
const cancelMany = /^POST \/api\/jobs\/cancel/

/** Changes each job of the list, and of the detail. */
const onJob = (change: (job: any) => unknown) =>
  onJson(any, (body) =>
    Array.isArray(body.jobs) ? { ...body, jobs: body.jobs.map(change) } : change(body),
  )

const onList = (change: (jobs: any[], body: any) => unknown) =>
  onJson(list, (body) => ({ ...body, jobs: change(body.jobs, body) }))

const onPages = (change: (pagination: any) => object) =>
  onJson(list, (body) => ({
    ...body,
    pagination: { ...body.pagination, ...change(body.pagination) },
  }))

export const localJobs: Mutants = {
  'paths-without-api': of27(
    ['local-jobs/paths'],
    onReply(/^POST \/jobs\//, () => ({ status: 200, headers: {}, body: '{}' })),
  ),
  'list-oldest-first': of27(
    ['local-jobs/listing'],
    onList((jobs) => jobs.toReversed()),
  ),
  'list-without-pending': of27(
    ['local-jobs/listing', 'local-jobs/listing-filters'],
    onList((jobs) => jobs.filter(({ status }) => status !== 'pending')),
  ),
  'nulls-are-kept': of27(
    ['local-jobs/listing-fields'],
    onJob((job) => ({ workflow_id: null, preview_output: null, ...job })),
  ),
  'no-priority': of27(
    ['local-jobs/listing-fields'],
    onJob((job) => without(job, 'priority')),
  ),
  'started-while-running': of27(
    ['local-jobs/listing-fields'],
    onJob((job) => ({ execution_start_time: job.create_time, ...job })),
  ),
  'status-in-lower-case-only': of27(
    ['local-jobs/listing-filters'],
    onReply(/^GET \/api\/jobs\?.*status=[^&]*[A-Z]{2}/, () => ({
      body: '{"jobs": [], "pagination": {"offset": 0, "limit": null, "total": 0, "has_more": false}}',
    })),
  ),
  'workflow-filter-ignored': of27(
    ['local-jobs/listing-filters'],
    onText(/workflow_id=not-/, '"total": 0', '"total": 1'),
  ),
  'always-descending': of27(
    ['local-jobs/listing-order'],
    onJson(/sort_order=ASC/, (body) => ({ ...body, jobs: body.jobs.toReversed() })),
  ),
  'durations-ignored': of27(
    ['local-jobs/listing-order'],
    onJson(/sort_by=execution_duration/, (body) => ({
      ...body,
      jobs: body.jobs.toSorted((a: any, b: any) => a.create_time - b.create_time),
    })),
  ),
  'ties-reversed': of27(
    ['local-jobs/listing-ties'],
    onJson(/sort_order=asc/, (body) => ({ ...body, jobs: body.jobs.toReversed() })),
  ),
  'limit-of-hundred': of27(
    ['local-jobs/listing-pages'],
    onPages(({ limit }) => ({ limit: limit ?? 100 })),
  ),
  'always-more': of27(
    ['local-jobs/listing-pages'],
    onPages(() => ({ has_more: true })),
  ),
  'total-of-page': of27(
    ['local-jobs/listing-pages'],
    onJson(list, (body) => ({
      ...body,
      pagination: { ...body.pagination, total: body.jobs.length },
    })),
  ),
  'bad-queries-pass': of27(
    ['local-jobs/listing-refusals'],
    onReply(list, ({ status, body }) => (status === 400 ? { status: 200, body } : {})),
  ),
  'errors-as-objects': of27(
    ['local-jobs/listing-refusals', 'local-jobs/unknown', 'local-jobs/cancel-many-body'],
    onJson(/ \/api\/jobs/, (body) => ('error' in body ? { error: { message: body.error } } : body)),
  ),
  'running-is-pending': of27(
    ['local-jobs/status', 'local-jobs/listing'],
    onText(any, /"in_progress"/g, '"pending"'),
  ),
  'cancelled-is-failed': of27(
    ['local-jobs/status', 'local-jobs/error'],
    onText(any, /"cancelled"/g, '"failed"'),
  ),
  'removed-jobs-stay': of27(['local-jobs/removed'], () => {
    const seen = new Map<string, Reply>()
    return onReply(list, (reply) => {
      const { headers, body } = seen.get('first') ?? reply
      seen.set('first', reply)
      return { headers, body }
    })()
  }),
  'detail-without-outputs': of27(
    ['local-jobs/detail'],
    onJson(detail, (body) => without(body, 'outputs')),
  ),
  'detail-without-workflow': of27(
    ['local-jobs/detail'],
    onJson(detail, (body) => without(body, 'workflow')),
  ),
  'unknown-is-empty': of27(
    ['local-jobs/unknown', 'local-jobs/removed'],
    onReply(detail, ({ status }) => (status === 404 ? { status: 200, body: '{}' } : {})),
  ),
  'errors-are-missing': of27(
    ['local-jobs/error'],
    onJob((job) => without(job, 'execution_error')),
  ),
  'cancelled-have-errors': of27(
    ['local-jobs/error'],
    onJob((job) => (job.status === 'cancelled' ? { execution_error: {}, ...job } : job)),
  ),
  'texts-are-counted': of27(
    ['local-jobs/outputs-count'],
    onJob((job) => ({ ...job, outputs_count: job.outputs_count + 1 })),
  ),
  'no-preview': of27(
    ['local-jobs/preview', 'local-jobs/text-preview'],
    onJob((job) => without(job, 'preview_output')),
  ),
  'preview-of-temp': of27(['local-jobs/preview'], onText(any, '"nodeId": "3"', '"nodeId": "2"')),
  'texts-are-whole': of27(['local-jobs/text-preview'], onText(any, '"truncated": true, ', '')),
  'no-workflow-id': of27(
    ['local-jobs/workflow-id'],
    onJob((job) => without(job, 'workflow_id')),
  ),
  'jobs-are-deleted': of27(['local-jobs/not-on-local'], answers(/^DELETE \/api\/jobs\//, 204)),
  'open-jobs-have-workflows': of27(
    ['local-jobs/open-without-workflow'],
    onJson(detail, (body) => ({ workflow: { prompt: {}, extra_data: {} }, ...body })),
  ),
  'previewable-not-counted': of38(
    ['local-jobs/previewable-count'],
    onJob((job) => without(job, 'previewable_outputs_count')),
  ),
  'text-comes-first': of38(
    ['local-jobs/media-first'],
    onJson(detail, (body) => ({
      ...body,
      preview_output: { content: '', nodeId: '0', mediaType: 'text' },
    })),
  ),
  'open-jobs-without-workflows': of38(
    ['local-jobs/workflow-while-open'],
    onJson(detail, (body) => (body.execution_status ? body : without(body, 'workflow'))),
  ),
  'cancel-always-works': of27(['local-jobs/cancel'], onText(cancelOne, 'false', 'true')),
  'cancel-never-works': of27(
    ['local-jobs/cancel', 'local-jobs/cancel-many', 'local-jobs/removed'],
    onText(/cancel$/, '"cancelled": true', '"cancelled": false'),
  ),
  'cancel-lists-ids': of27(
    ['local-jobs/cancel-many'],
    onJson(cancelMany, () => ({ cancelled: [] })),
  ),
  'bad-ids-are-ignored': of27(
    ['local-jobs/cancel-many-body'],
    after(
      () => true,
      onReply(cancelMany, ({ status }) =>
        status === 400 ? { status: 200, body: '{"cancelled": false}' } : {},
      ),
    ),
  ),
}
