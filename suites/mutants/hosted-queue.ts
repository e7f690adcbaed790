// Wrong hosted servers that report the queue and the history wrongly, or interrupt wrongly.

import { answers, type Mutants, onJson, onReply } from './tamper.ts'

const history = /^GET \/api\/history_v2(\?|$)/
const entry = /^GET \/api\/history_v2\//

export const hostedQueue: Mutants = {
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
