// Wrong servers with a wrong queue, or that run the wrong nodes of a run.

import {
  doubled,
  mapped,
  type Mutants,
  onData,
  onEntry,
  onItem,
  onJson,
  onMessage,
  onReply,
  onSubmit,
  onText,
  stale,
  type Tamper,
  textOf,
  delayed,
  without,
} from '../tamper.ts'

const onPending = (change: (items: any[][]) => unknown) =>
  onJson(/^GET \/queue/, (queue) => ({ ...queue, queue_pending: change(queue.queue_pending) }))

/** Of several named runs, only the first leaves the listing. */
function deletesTheFirst(): Tamper {
  const left = new Set<string>()
  const show = onPending((items) => [...items, ...[...left].map((id) => [0, id, {}, {}, []])])()
  return (effects, input) => {
    const isDelete =
      input.kind === 'request' && input.method === 'POST' && input.target.endsWith('/queue')
    const named = isDelete ? /"delete": ?\[(.*?)\]/.exec(textOf(input))?.[1] : undefined
    for (const id of (named ?? '').match(/[\w-]+/g)?.slice(1) ?? []) left.add(id)
    return show(effects, input)
  }
}

const word = (exception_type: string) =>
  onData('execution_error', (data) => ({ ...data, exception_type }))

export const queue: Mutants = {
  'listing-renamed': {
    breaks: ['queue/listing'],
    tamper: onJson(/^GET \/queue/, ({ queue_running, queue_pending }) => ({
      running: queue_running,
      pending: queue_pending,
    })),
  },
  'listing-shows-the-done': {
    breaks: ['queue/listing'],
    tamper: stale(/^GET \/queue/, (text) => /"queue_running": \[\[/.test(text)),
  },
  'item-without-outputs': {
    breaks: ['queue/item', 'workflows/submit-queues'],
    tamper: onItem((item) => item.slice(0, 4)),
  },
  'newest-first': {
    breaks: ['queue/by-number'],
    tamper: onJson(/^GET \/queue/, (queue) => ({
      ...queue,
      queue_pending: queue.queue_pending.toReversed(),
    })),
  },
  'nothing-is-removed': {
    breaks: ['queue/clear', 'queue/delete', 'queue/listing'],
    // Everything that was ever submitted stays in the listing.
    tamper: () => {
      const ids = new Set<string>()
      const note = onSubmit((reply) => {
        ids.add(reply.prompt_id)
        return reply
      })()
      const show = onJson(/^GET \/queue/, ({ queue_running, queue_pending }) => {
        const listed = new Set([...queue_running, ...queue_pending].map(([, id]) => id))
        const gone = [...ids].filter((id) => !listed.has(id))
        const items = gone.map((id) => [0, id, {}, {}, []])
        return { queue_running, queue_pending: [...queue_pending, ...items] }
      })()
      return (effects, input) => show(note(effects, input), input)
    },
  },
  'removal-is-answered': {
    breaks: ['queue/clear', 'queue/delete'],
    tamper: onReply(/^POST \/queue/, () => ({ body: '{"cleared": true}' })),
  },
  'deletes-before-it-clears': {
    breaks: ['queue/clear-and-delete', 'queue/removal-status'],
    tamper: doubled('status'),
  },
  'removal-is-reported-once': {
    breaks: ['queue/removal-status'],
    tamper: () => (effects) =>
      effects.filter((effect, at) => {
        const before = effects[at - 1]
        return !(effect.kind === 'send' && before?.kind === 'send' && before.text === effect.text)
      }),
  },
  'interrupt-counts-as-executed': {
    breaks: ['queue/interrupt'],
    tamper: onData('execution_interrupted', (data) => ({ ...data, executed: ['1'] })),
  },
  'interrupt-of-any': {
    breaks: ['queue/interrupt-named', 'history/status-words'],
    tamper: onText(/^GET \/history/, '"status_str": "success"', '"status_str": "stopped"'),
  },
  'colliding-ids-are-accepted': {
    breaks: ['queue/priority-collisions'],
    tamper: onReply(/^POST \/prompt/, () => ({ status: 200 })),
  },
  'waiting-runs-are-sorted-as-texts': {
    breaks: ['queue/by-number'],
    tamper: onPending((items) =>
      items.toSorted(([a], [b]) => (`${a}` < `${b}` ? -1 : `${a}` > `${b}` ? 1 : 0)),
    ),
  },
  'running-waits-as-well': {
    breaks: ['queue/listing'],
    tamper: onJson(/^GET \/queue/, ({ queue_running, queue_pending }) => ({
      queue_running,
      queue_pending:
        queue_pending.length > 0 ? [...queue_running, ...queue_pending] : queue_pending,
    })),
  },
  'delete-takes-only-the-first': { breaks: ['queue/delete'], tamper: deletesTheFirst },
  'large-graphs-lose-a-node': {
    breaks: ['queue/item', 'workflows/graph-by-id'],
    missedBy: ['workflows/graph-by-id'],
    tamper: onItem(([number, id, graph, ...rest]) => {
      const nodes = Object.entries(graph)
      return [
        number,
        id,
        Object.fromEntries(nodes.slice(0, Math.max(10, nodes.length - 1))),
        ...rest,
      ]
    }),
  },
  'outputs-of-items-are-sorted-backwards': {
    breaks: ['queue/item'],
    tamper: onItem((item) => [...item.slice(0, 4), item[4]?.toReversed()]),
  },
  'removed-is-remembered': {
    breaks: ['queue/removed-leaves-nothing'],
    tamper: onJson(/^GET \/history/, (entries) => ({ ...entries, deleted: {} })),
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
}

export const runs: Mutants = {
  'any-order': {
    breaks: ['runs/sources-first', 'runs/node-order'],
    // Nodes are reported in pairs, the later one first.
    tamper: () => {
      let held: unknown
      return onMessage('executing', (one) => {
        if (one.data['node'] === null) return held === undefined ? [one] : [held, one]
        const both = held === undefined ? [] : [one, held]
        held = held === undefined ? one : undefined
        return both
      })()
    },
  },
  'nothing-is-cached': {
    breaks: ['runs/unchanged-is-cached', 'runs/cache-ignores-ids'],
    tamper: onData('execution_cached', (data) => ({ ...data, nodes: [] })),
  },
  'all-is-cached': {
    breaks: ['runs/cache-of-last-graph', 'runs/changed-file-runs'],
    tamper: onData('execution_cached', (data) => ({ ...data, nodes: ['1', '2'] })),
  },
  'cached-output-is-lost': {
    breaks: ['runs/cached-output-again'],
    tamper: () => {
      let submits = 0
      const lose = onEntry((entry) => ({ ...entry, outputs: {} }))()
      return (effects, input) => {
        if (input.kind === 'request' && input.method === 'POST') submits++
        return submits > 1 ? lose(effects, input) : effects
      }
    },
  },
  'long-runs-fail': {
    breaks: ['runs/no-time-out'],
    tamper: onText(/^GET \/history/, '"status_str": "success"', '"status_str": "error"'),
  },
  'failure-goes-on': {
    breaks: ['runs/failure-ends'],
    tamper: onMessage('execution_error', (one) => [
      one,
      { type: 'execution_success', data: { prompt_id: one.data['prompt_id'], timestamp: 0 } },
    ]),
  },
  'only-the-first-item': {
    breaks: ['runs/list-maps', 'runs/list-joined', 'runs/list-rebatched', 'runs/list-of-batch'],
    tamper: onEntry((entry) => ({
      ...entry,
      outputs: mapped(entry.outputs, (output) =>
        mapped(output, (items) => (Array.isArray(items) ? items.slice(0, 1) : items)),
      ),
    })),
  },
  'poison-spreads': {
    breaks: ['runs/poison-fails-its-run'],
    options: { quirk: ['queue.poison-kills-worker'] },
  },
  'words-are-python': {
    breaks: [
      'runs/exception-words',
      'runs/other-failures',
      'runs/account-failures',
      'runs/validation-error',
      'runs/model-download-error',
      'runs/image-download-error',
      'runs/oom-error',
      'runs/insufficient-funds-error',
      'runs/inactive-subscription-error',
    ],
    tamper: word('RuntimeError'),
  },
  'all-is-out-of-memory': {
    breaks: [
      'runs/exception-words',
      'runs/validation-error',
      'runs/model-download-error',
      'runs/image-download-error',
    ],
    tamper: word('OOMError'),
  },
  'details-are-missing': {
    breaks: ['runs/validation-details'],
    tamper: onData('execution_error', (data) => without(data, 'node_errors')),
  },
  'fails-before-its-start': {
    breaks: ['runs/failure-after-start'],
    tamper: delayed('execution_start', 'execution_error'),
  },
  'fails-at-submit': {
    breaks: [
      'runs/failure-after-start',
      'runs/account-failures',
      'runs/inactive-subscription-error',
      'runs/insufficient-funds-error',
    ],
    options: { quirk: ['hosted.refuse-at-submit'] },
  },
  'scenario-is-ignored': {
    breaks: ['runs/scenario-failures', 'runs/scenario-first'],
    options: { failures: [] },
  },
  'scenario-hits-all': {
    breaks: ['runs/scenario-failures', 'runs/scenario-first'],
    options: { failures: [{ exception_type: 'OOMError' }] },
  },
}
