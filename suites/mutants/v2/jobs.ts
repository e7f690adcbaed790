// Wrong hosted servers that break rules of jobs in the hosted API v2.

import { submit, read, cancel, list, confused, textIn } from './paths.ts'
import { answers, onJson, onReply, onText, without, type Mutants } from '../tamper.ts'

export const jobs: Mutants = {
  'created-is-200': { breaks: ['v2-jobs/created'], tamper: confused(submit, 201, 200) },
  'nulls-are-absent': {
    breaks: ['v2-jobs/complete', 'v2-jobs/progress'],
    tamper: onJson(read, (body) =>
      Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
    ),
  },
  'times-have-no-zone': {
    breaks: ['v2-jobs/times', 'v2-jobs/created'],
    tamper: onText(/\/v2\/jobs/, /Z"/g, '"'),
  },
  'expires-in-an-hour': {
    breaks: ['v2-jobs/lifetime'],
    tamper: onJson(read, (body) => ({ ...body, expires_at: body.completed_at ?? body.expires_at })),
  },
  'canceled-has-two-ls': {
    breaks: ['v2-jobs/states', 'v2-jobs/cancel-running'],
    tamper: onText(read, '"canceled"', '"cancelled"'),
  },
  'queued-is-running': {
    breaks: ['v2-jobs/states'],
    tamper: onText(read, '"queued"', '"running"'),
  },
  'ends-do-not-stay': {
    breaks: ['v2-jobs/final'],
    tamper: () => {
      const seen = new Set<string>()
      return onJson(read, (body) => {
        const isAgain = body.completed_at !== null && seen.has(body.id)
        if (body.completed_at !== null) seen.add(body.id)
        return isAgain ? { ...body, status: 'expired' } : body
      })()
    },
  },
  'everyone-is-first': {
    breaks: ['v2-jobs/position'],
    tamper: onText(read, /"queue_position":\d+/, '"queue_position":1'),
  },
  'progress-is-done': {
    breaks: ['v2-jobs/progress'],
    tamper: onText(read, /"value":[\d.]+/, '"value":1'),
  },
  'outputs-have-no-size': {
    breaks: ['v2-jobs/outputs', 'v2-assets/outputs'],
    tamper: onText(read, /"size_bytes":\d+/g, '"size_bytes":1'),
  },
  'outputs-come-at-the-end': {
    breaks: ['v2-jobs/outputs-so-far'],
    tamper: onJson(read, (body) => (body.completed_at === null ? { ...body, outputs: [] } : body)),
  },
  'outputs-are-not-read': {
    breaks: ['v2-streams/not-ahead', 'v2-jobs/outputs'],
    tamper: onJson(read, (body) => ({ ...body, outputs: [] })),
  },
  'errors-have-no-node': {
    breaks: ['v2-jobs/error'],
    tamper: onJson(read, ({ error, ...body }) => ({
      ...body,
      error: error && { ...error, node_id: null },
    })),
  },
  'links-lack-the-prefix': {
    breaks: ['v2-jobs/links'],
    tamper: onText(submit, /"\/api\/v2/g, '"/v2'),
  },
  'workflow-is-of-the-editor': {
    breaks: ['v2-jobs/workflow'],
    tamper: onText(/\/workflow$/, '"api"', '"save"'),
  },
  'cancels-are-late': {
    breaks: ['v2-jobs/cancel-queued', 'v2-jobs/cancel-running'],
    tamper: onText(cancel, /"status": "cancel(ing|ed)"/, '"status": "running"'),
  },
  'cancels-fail': { breaks: ['v2-jobs/cancel-again'], tamper: answers(cancel, 409) },
  'unknown-jobs-are-empty': { breaks: ['v2-jobs/unknown'], tamper: confused(read, 404, 200) },
  'broken-bodies-are-422': { breaks: ['v2-jobs/refused-body'], tamper: confused(submit, 400, 422) },
  'editor-format-is-invalid': {
    breaks: ['v2-jobs/editor-format', 'v2-access/key-released'],
    tamper: onText(submit, 'workflow_format_ui', 'invalid_workflow'),
  },
  'hooks-are-taken': {
    breaks: ['v2-jobs/reserved', 'v2-jobs/bad-graph'],
    tamper: onReply(submit, ({ body }) =>
      textIn(body).includes('invalid_workflow') ? { status: 201, body: '{}' } : {},
    ),
  },
  'extra-data-is-open': {
    breaks: ['v2-jobs/extra-data'],
    tamper: onText(submit, '"invalid_request"', '"invalid_workflow"'),
  },
  'bad-graphs-have-no-reason': {
    breaks: ['v2-jobs/bad-graph'],
    tamper: onJson(submit, (body) =>
      'error' in body ? { error: { ...body.error, details: null } } : body,
    ),
  },
  'other-members-are-refused': {
    breaks: ['v2-jobs/other-members'],
    tamper: onReply(submit, (_, { body }) =>
      Buffer.from(body).includes('"priority"') ? { status: 422 } : {},
    ),
  },
  'poor-accounts-run': { breaks: ['v2-jobs/credits'], tamper: confused(submit, 402, 201) },
  'the-queue-is-endless': { breaks: ['v2-jobs/queue-full'], tamper: confused(submit, 429, 201) },
  'labels-are-lost': {
    breaks: ['v2-jobs/labels'],
    tamper: onJson(read, (body) => ({ ...body, metadata: {} })),
  },
  'labels-are-anything': {
    breaks: ['v2-jobs/labels-invalid'],
    tamper: onText(submit, 'metadata_invalid', 'invalid_request'),
  },
  'list-is-oldest-first': {
    breaks: ['v2-jobs/listing', 'v2-jobs/listing-filters'],
    tamper: onJson(list, (body) => ({ ...body, jobs: body.jobs?.toReversed() })),
  },
  'list-ends-early': {
    breaks: ['v2-jobs/listing'],
    tamper: onJson(list, (body) => without(body, 'next_cursor')),
  },
  'list-takes-anything': { breaks: ['v2-jobs/listing-refusals'], tamper: confused(list, 400, 200) },
}
