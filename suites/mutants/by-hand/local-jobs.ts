// Wrong local servers since 2026 that report jobs wrongly, or cancel wrongly.

import { answers, type Mutants, onJson, onReply, onText, type Reply, without } from '../tamper.ts'

const any = /^GET \/api\/jobs/

/** Changes each job of the list, and of the detail. */
const onJob = (change: (job: any) => unknown) =>
  onJson(any, (body) =>
    Array.isArray(body.jobs) ? { ...body, jobs: body.jobs.map(change) } : change(body),
  )

const onList = (change: (jobs: any[], body: any) => unknown) =>
  onJson('localJobs', (body) => ({ ...body, jobs: change(body.jobs, body) }))

const onPages = (change: (pagination: any) => object) =>
  onJson('localJobs', (body) => ({
    ...body,
    pagination: { ...body.pagination, ...change(body.pagination) },
  }))

export const localJobs: Mutants = {
  'paths-without-api': {
    breaks: ['local-jobs/paths'],
    tamper: onReply(/^POST \/jobs\//, () => ({ status: 200, headers: {}, body: '{}' })),
  },
  'list-oldest-first': {
    breaks: ['local-jobs/listing'],
    tamper: onList((jobs) => jobs.toReversed()),
  },
  'list-without-pending': {
    breaks: ['local-jobs/listing', 'local-jobs/listing-filters'],
    tamper: onList((jobs) => jobs.filter(({ status }) => status !== 'pending')),
  },
  'nulls-are-kept': {
    breaks: ['local-jobs/listing-fields'],
    tamper: onJob((job) => ({ workflow_id: null, preview_output: null, ...job })),
  },
  'started-while-running': {
    breaks: ['local-jobs/listing-fields'],
    tamper: onJob((job) => ({ execution_start_time: job.create_time, ...job })),
  },
  'status-in-lower-case-only': {
    breaks: ['local-jobs/listing-filters'],
    tamper: onReply(/^GET \/api\/jobs\?.*status=[^&]*[A-Z]{2}/, () => ({
      body: '{"jobs": [], "pagination": {"offset": 0, "limit": null, "total": 0, "has_more": false}}',
    })),
  },
  'workflow-filter-ignored': {
    breaks: ['local-jobs/listing-filters'],
    tamper: onText(/workflow_id=not-/, '"total": 0', '"total": 1'),
  },
  'always-descending': {
    breaks: ['local-jobs/listing-order'],
    tamper: onJson(/sort_order=ASC/, (body) => ({ ...body, jobs: body.jobs.toReversed() })),
  },
  'durations-ignored': {
    breaks: ['local-jobs/listing-order'],
    tamper: onJson(/sort_by=execution_duration/, (body) => ({
      ...body,
      jobs: body.jobs.toSorted((a: any, b: any) => a.create_time - b.create_time),
    })),
  },
  'ties-reversed': {
    breaks: ['local-jobs/listing-ties'],
    tamper: onJson(/sort_order=asc/, (body) => ({ ...body, jobs: body.jobs.toReversed() })),
  },
  'limit-of-hundred': {
    breaks: ['local-jobs/listing-pages'],
    tamper: onPages(({ limit }) => ({ limit: limit ?? 100 })),
  },
  'total-of-page': {
    breaks: ['local-jobs/listing-pages'],
    tamper: onJson('localJobs', (body) => ({
      ...body,
      pagination: { ...body.pagination, total: body.jobs.length },
    })),
  },
  'errors-as-objects': {
    breaks: ['local-jobs/listing-refusals', 'local-jobs/unknown', 'local-jobs/cancel-many-body'],
    tamper: onJson(/ \/api\/jobs/, (body) =>
      'error' in body ? { error: { message: body.error } } : body,
    ),
  },
  'running-is-pending': {
    breaks: ['local-jobs/status', 'local-jobs/listing'],
    tamper: onText(any, /"in_progress"/g, '"pending"'),
  },
  'cancelled-is-failed': {
    breaks: ['local-jobs/status', 'local-jobs/error'],
    tamper: onText(any, /"cancelled"/g, '"failed"'),
  },
  'removed-jobs-stay': {
    breaks: ['local-jobs/removed'],
    tamper: (deployment) => {
      const seen = new Map<string, Reply>()
      return onReply('localJobs', (reply) => {
        const { headers, body } = seen.get('first') ?? reply
        seen.set('first', reply)
        return { headers, body }
      })(deployment)
    },
  },
  'detail-without-outputs': {
    breaks: ['local-jobs/detail'],
    tamper: onJson('localJob', (body) => without(body, 'outputs')),
  },
  'detail-without-workflow': {
    breaks: ['local-jobs/detail'],
    tamper: onJson('localJob', (body) => without(body, 'workflow')),
  },
  'unknown-is-empty': {
    breaks: ['local-jobs/unknown', 'local-jobs/removed'],
    tamper: onReply('localJob', ({ status }) =>
      status === 404 ? { status: 200, body: '{}' } : {},
    ),
  },
  'errors-are-missing': {
    breaks: ['local-jobs/error'],
    tamper: onJob((job) => without(job, 'execution_error')),
  },
  'cancelled-have-errors': {
    breaks: ['local-jobs/error'],
    tamper: onJob((job) => (job.status === 'cancelled' ? { execution_error: {}, ...job } : job)),
  },
  'texts-are-counted': {
    breaks: ['local-jobs/outputs-count'],
    tamper: onJob((job) => ({ ...job, outputs_count: job.outputs_count + 1 })),
  },
  'no-preview': {
    breaks: ['local-jobs/preview', 'local-jobs/text-preview'],
    tamper: onJob((job) => without(job, 'preview_output')),
  },
  'preview-of-temp': {
    breaks: ['local-jobs/preview'],
    tamper: onText(any, '"nodeId": "3"', '"nodeId": "2"'),
  },
  'texts-are-whole': {
    breaks: ['local-jobs/text-preview'],
    tamper: onText(any, '"truncated": true, ', ''),
  },
  'no-workflow-id': {
    breaks: ['local-jobs/workflow-id'],
    tamper: onJob((job) => without(job, 'workflow_id')),
  },
  'jobs-are-deleted': {
    breaks: ['local-jobs/not-on-local'],
    tamper: answers(/^DELETE \/api\/jobs\//, 204),
  },
  'open-jobs-have-workflows': {
    breaks: ['local-jobs/open-without-workflow'],
    tamper: onJson('localJob', (body) => ({ workflow: { prompt: {}, extra_data: {} }, ...body })),
  },
  'previewable-not-counted': {
    breaks: ['local-jobs/previewable-count'],
    tamper: onJob((job) => without(job, 'previewable_outputs_count')),
  },
  'text-comes-first': {
    breaks: ['local-jobs/media-first'],
    tamper: onJson('localJob', (body) => ({
      ...body,
      preview_output: { content: '', nodeId: '0', mediaType: 'text' },
    })),
  },
  'open-jobs-without-workflows': {
    breaks: ['local-jobs/workflow-while-open'],
    tamper: onJson('localJob', (body) =>
      body.execution_status ? body : without(body, 'workflow'),
    ),
  },
}
