// Wrong hosted servers that report jobs wrongly, or cancel wrongly.

import {
  after,
  answers,
  dropped,
  type Mutants,
  onJson,
  onReply,
  type Reply,
  type Maker,
  without,
} from '../tamper.ts'

/** A job that its account has read is visible to every account. */
const detailsAreShared: Maker = (deployment) => {
  const first = new Map<string, Reply>()
  return onReply('job', (reply, { target }) => {
    if (reply.status === 200) first.set(target, reply)
    const { status: known, headers, body } = first.get(target) ?? reply
    return { status: known, headers, body }
  })(deployment)
}

export const jobs: Mutants = {
  'raw-words': {
    breaks: ['jobs/status', 'jobs/status-final'],
    options: { quirk: ['hosted.status-raw-states'] },
  },
  'words-do-not-stay': {
    breaks: ['jobs/status-final'],
    tamper: (deployment) => {
      const seen = new Map<string, number>()
      return onJson('jobStatus', (body) => {
        const times = (seen.get(body.id) ?? 0) + 1
        seen.set(body.id, times)
        return times > 1 ? { ...body, status: 'pending' } : body
      })(deployment)
    },
  },
  'status-without-error': {
    breaks: ['jobs/status-details'],
    tamper: onJson('jobStatus', (body) => ({ ...body, error_message: null })),
  },
  'detail-without-outputs': {
    breaks: ['jobs/detail', 'jobs/detail-while-open', 'history/hosted-two-ways'],
    tamper: onJson('job', (body) => without(body, 'outputs')),
  },
  'detail-with-outputs-as-list': {
    breaks: ['jobs/detail', 'jobs/detail-error'],
    tamper: onJson('job', (body) => ({ ...body, outputs: Object.values(body.outputs ?? {}) })),
  },
  'detail-of-an-open-job-lists-all': {
    breaks: ['jobs/detail-while-open'],
    tamper: onJson('job', (body) => ({ outputs: {}, ...body })),
  },
  'times-in-seconds': {
    breaks: ['jobs/detail-times', 'queue/hosted-item', 'history/hosted-list-entry'],
    tamper: onJson('job', (body) => ({
      ...body,
      create_time: Math.floor(body.create_time / 1000),
      update_time: Math.floor(body.update_time / 1000),
    })),
  },
  'errors-are-missing': {
    breaks: ['jobs/detail-error'],
    tamper: onJson('job', (body) => without(body, 'execution_error')),
  },
  'workflow-is-the-bare-graph': {
    breaks: ['jobs/detail-workflow', 'history/hosted-two-ways'],
    tamper: onJson('job', (body) => ({ ...body, workflow: body.workflow.prompt })),
  },
  'extra-data-is-missing': {
    breaks: ['jobs/detail-workflow', 'workflows/extra-data-kept'],
    tamper: onJson('job', (body) => ({ ...body, workflow: { ...body.workflow, extra_data: {} } })),
  },
  'files-are-not-counted': {
    breaks: ['jobs/outputs-counted'],
    tamper: onJson('job', (body) => ({ ...body, outputs_count: 1 })),
  },
  'list-is-oldest-first': {
    breaks: ['jobs/listing', 'jobs/listing-order', 'jobs/listing-pages', 'jobs/listing-cursor'],
    tamper: onJson('jobs', (body) => ({ ...body, jobs: body.jobs.toReversed() })),
  },
  'list-of-what-is-over': {
    breaks: ['jobs/listing', 'jobs/listing-filters', 'history/hosted-clear'],
    tamper: onJson('jobs', ({ jobs: all, ...body }) => ({
      ...body,
      jobs: all.filter((one: any) => one.execution_end_time !== undefined),
    })),
  },
  'cancel-many-says-all': {
    breaks: ['jobs/cancel-many'],
    tamper: onReply(/^POST \/api\/jobs\/cancel/, (_, { body }) => ({
      status: 200,
      body: JSON.stringify({ cancelled: JSON.parse(Buffer.from(body).toString()).job_ids }),
    })),
  },
  'deleted-twice-is-unknown': {
    breaks: ['jobs/delete'],
    tamper: (deployment) => {
      const gone = new Set<string>()
      return onReply(/^DELETE \/api\/jobs/, (_, { target }) => {
        const again = gone.has(target)
        gone.add(target)
        return again ? { status: 404 } : {}
      })(deployment)
    },
  },
  'nobody-waits': {
    breaks: ['jobs/queue-reason'],
    tamper: onJson('job', (body) => ({ ...body, queue_reason: null, queue_position: null })),
  },
  'early-cancel-is-silent': {
    breaks: ['messages/hosted-early-cancel', 'jobs/cancel-running'],
    tamper: dropped('execution_interrupted'),
  },
  'details-are-shared': {
    breaks: ['jobs/unknown', 'access/hosted-accounts-apart'],
    tamper: detailsAreShared,
  },
  'list-forgets-the-cancelled': {
    breaks: ['jobs/listing'],
    tamper: onJson('jobs', (page) => ({
      ...page,
      jobs: page.jobs?.filter((one: any) => one.status !== 'cancelled'),
    })),
  },
  'full-page-means-more': {
    breaks: ['jobs/listing-pages'],
    tamper: onJson('jobs', (page, { target }) => {
      const limit = Number(/limit=(\d+)/.exec(target)?.[1] ?? Number.NaN)
      const isFull = page.jobs?.length === limit
      return isFull
        ? JSON.parse(JSON.stringify(page).replace('"has_more":false', '"has_more":true'))
        : page
    }),
  },
  'update-time-is-create-time': {
    breaks: ['jobs/detail-times'],
    tamper: onJson('job', (body) =>
      'create_time' in body ? { ...body, update_time: body.create_time } : body,
    ),
  },
  'deleting-a-job-deletes-files': {
    breaks: ['jobs/delete-keeps-files'],
    tamper: after(
      (one) => one.kind === 'request' && one.method === 'DELETE',
      answers(/^GET \/api\/view/, 404),
    ),
  },
  'failed-have-no-outputs-count': {
    breaks: ['jobs/outputs-counted'],
    missedBy: ['jobs/outputs-counted'],
    tamper: onJson('job', (body) =>
      body.status === 'failed' ? { ...body, outputs_count: 0, preview_output: null } : body,
    ),
  },
}
