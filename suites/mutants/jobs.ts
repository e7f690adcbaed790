// Wrong hosted servers that report jobs, the queue and the history wrongly, or cancel wrongly.

import { answers, dropped, type Mutants, onJson, onReply, onText, without } from './tamper.ts'

const status = /^GET \/api\/job\//
const detail = /^GET \/api\/jobs\/[0-9a-f]/
const list = /^GET \/api\/jobs(\?|$)/
const cancelOne = /^POST \/api\/jobs\/[0-9a-f-]+\/cancel/
const history = /^GET \/api\/history_v2(\?|$)/
const entry = /^GET \/api\/history_v2\//

/** Answers as if the request had been another one. */
const asIf = (asked: RegExp, body: unknown) => onJson(asked, () => body)

export const jobs: Mutants = {
  'never-in-progress': {
    breaks: ['jobs/status'],
    tamper: onText(status, '"in_progress"', '"pending"'),
  },
  'running-at-once': {
    breaks: ['jobs/status', 'jobs/status-details'],
    tamper: onText(status, '"pending"', '"in_progress"'),
  },
  'raw-words': {
    breaks: ['jobs/status', 'jobs/status-final'],
    options: { quirk: ['hosted.status-raw-states'] },
  },
  'failure-completes': {
    breaks: ['jobs/status-final'],
    tamper: onText(status, '"failed"', '"completed"'),
  },
  'cancelled-is-failed': {
    breaks: ['jobs/status-final', 'jobs/cancel', 'queue/delete'],
    tamper: onText(status, '"cancelled"', '"failed"'),
  },
  'words-do-not-stay': {
    breaks: ['jobs/status-final'],
    tamper: () => {
      const seen = new Map<string, number>()
      return onJson(status, (body) => {
        const times = (seen.get(body.id) ?? 0) + 1
        seen.set(body.id, times)
        return times > 1 ? { ...body, status: 'pending' } : body
      })()
    },
  },
  'status-without-error': {
    breaks: ['jobs/status-details'],
    tamper: onJson(status, (body) => ({ ...body, error_message: null })),
  },
  'detail-without-outputs': {
    breaks: ['jobs/detail', 'jobs/detail-while-open', 'history/hosted-two-ways'],
    tamper: onJson(detail, (body) => without(body, 'outputs')),
  },
  'detail-with-outputs-as-list': {
    breaks: ['jobs/detail', 'jobs/detail-error'],
    tamper: onJson(detail, (body) => ({ ...body, outputs: Object.values(body.outputs ?? {}) })),
  },
  'detail-of-an-open-job-lists-all': {
    breaks: ['jobs/detail-while-open'],
    tamper: onJson(detail, (body) => ({ outputs: {}, ...body })),
  },
  'times-in-seconds': {
    breaks: ['jobs/detail-times', 'queue/hosted-item', 'history/hosted-list-entry'],
    tamper: onJson(detail, (body) => ({
      ...body,
      create_time: Math.floor(body.create_time / 1000),
      update_time: Math.floor(body.update_time / 1000),
    })),
  },
  'errors-are-missing': {
    breaks: ['jobs/detail-error'],
    tamper: onJson(detail, (body) => without(body, 'execution_error')),
  },
  'workflow-is-the-bare-graph': {
    breaks: ['jobs/detail-workflow', 'history/hosted-two-ways'],
    tamper: onJson(detail, (body) => ({ ...body, workflow: body.workflow.prompt })),
  },
  'extra-data-is-missing': {
    breaks: ['jobs/detail-workflow', 'workflows/extra-data-kept'],
    tamper: onJson(detail, (body) => ({ ...body, workflow: { ...body.workflow, extra_data: {} } })),
  },
  'files-are-not-counted': {
    breaks: ['jobs/outputs-counted'],
    tamper: onJson(detail, (body) => ({ ...body, outputs_count: 1 })),
  },
  'unknown-is-empty': {
    breaks: ['jobs/unknown', 'history/hosted-unknown'],
    tamper: onReply(/^GET /, ({ status: before }) =>
      before === 404 ? { status: 200, body: '{}' } : {},
    ),
  },
  'foreign-is-forbidden': {
    breaks: ['jobs/unknown'],
    options: { quirk: ['hosted.foreign-job-403'] },
  },
  'list-is-oldest-first': {
    breaks: ['jobs/listing', 'jobs/listing-order', 'jobs/listing-pages', 'jobs/listing-cursor'],
    tamper: onJson(list, (body) => ({ ...body, jobs: body.jobs.toReversed() })),
  },
  'list-of-what-is-over': {
    breaks: ['jobs/listing', 'jobs/listing-filters', 'history/hosted-clear'],
    tamper: onJson(list, ({ jobs: all, ...body }) => ({
      ...body,
      jobs: all.filter((one: any) => one.execution_end_time !== undefined),
    })),
  },
  'list-takes-anything': {
    breaks: ['jobs/listing-refusals'],
    tamper: answers(list, 200),
  },
  'more-without-end': {
    breaks: ['jobs/listing-pages', 'jobs/listing-cursor'],
    tamper: onText(list, '"has_more":true', '"has_more":false'),
  },
  'cancel-says-yes': {
    breaks: ['jobs/cancel', 'jobs/status-final'],
    tamper: asIf(cancelOne, { cancelled: true }),
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
    tamper: () => {
      const gone = new Set<string>()
      return onReply(/^DELETE \/api\/jobs/, (_, { target }) => {
        const again = gone.has(target)
        gone.add(target)
        return again ? { status: 404 } : {}
      })()
    },
  },
  'nobody-waits': {
    breaks: ['jobs/queue-reason'],
    tamper: onJson(detail, (body) => ({ ...body, queue_reason: null, queue_position: null })),
  },
  'early-cancel-is-silent': {
    breaks: ['messages/hosted-early-cancel', 'jobs/cancel-running'],
    tamper: dropped('execution_interrupted'),
  },
  'early-cancel-has-no-word': {
    breaks: ['messages/hosted-early-cancel'],
    options: { quirk: ['hosted.silent-pending-cancel'] },
  },
  'history-as-map': {
    breaks: ['history/hosted-list', 'history/hosted-list-entry', 'history/hosted-pages'],
    options: { quirk: ['hosted.history-as-map'] },
  },
  'history-oldest-first': {
    breaks: ['history/hosted-list', 'history/hosted-pages', 'history/hosted-clear'],
    tamper: onJson(history, (body) => ({ history: body.history.toReversed() })),
  },
  'history-has-one-way': {
    breaks: ['history/hosted-two-ways', 'history/hosted-by-id', 'history/hosted-once-begun'],
    tamper: answers(entry, 404),
  },
  'history-under-its-old-name': {
    breaks: ['deployments/hosted-old-history', 'deployments/hosted-history-renamed'],
    tamper: onReply(/^(GET|HEAD) \/api\/history/, (_, { target }) =>
      target.startsWith('/api/history_v2')
        ? { status: 404, body: '' }
        : { status: 200, body: '{"history": []}' },
    ),
  },
  'interrupt-takes-all': {
    breaks: ['queue/hosted-interrupt', 'queue/hosted-interrupt-named'],
    options: { quirk: ['hosted.interrupt-all'] },
  },
  'interrupt-of-an-unknown-job': {
    breaks: ['queue/hosted-interrupt-named', 'jobs/unknown'],
    tamper: answers(/^POST \/api\/interrupt/, 200),
  },
  'delete-reaches-running': {
    breaks: ['queue/running-is-spared', 'queue/hosted-result'],
    options: { quirk: ['hosted.delete-running'] },
  },
  'queue-as-on-local': {
    breaks: ['queue/hosted-item'],
    tamper: onJson(/^GET \/api\/queue/, (body) => ({
      ...body,
      queue_pending: body.queue_pending.map(([n, id, graph, outputs, extra]: any[]) => [
        n,
        id,
        graph,
        extra,
        outputs,
      ]),
    })),
  },
  'bodies-are-open': {
    breaks: ['queue/hosted-closed-body', 'history/hosted-closed-body', 'jobs/cancel-many-body'],
    tamper: onReply(/^POST \/api\/(queue|history|jobs\/cancel)/, ({ status: before }) =>
      before === 400 ? { status: 200, body: '{"deleted": [], "cleared": false}' } : {},
    ),
  },
}
