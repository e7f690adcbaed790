// Wrong servers that send wrong messages on the socket.

import {
  delayed,
  doubled,
  dropped,
  everyone,
  mapped,
  type Mutants,
  onData,
  onMessage,
  onText,
  redirected,
  renamed,
  without,
} from './tamper.ts'

const bare = (type: string, ...names: readonly string[]) =>
  onData(type, (data) => without(data, ...names))
const isNull = ({ data }: { readonly data: any }): boolean => data.node === null

/** The oldest socket of those with the same target. */
const oldest = (sockets: readonly number[], open: ReadonlyMap<number, string>): number[] =>
  sockets.map(
    (socket) => [...open].find(([, target]) => target === open.get(socket))?.[0] ?? socket,
  )

export const messages: Mutants = {
  'text-is-an-array': {
    breaks: ['messages/json-text'],
    tamper: onMessage('progress_state', ({ type, data }) => [[type, data]]),
  },
  'text-has-more': {
    breaks: ['messages/json-text'],
    tamper: onMessage('executing', (message) => [{ ...message, event: 1 }]),
  },
  'type-is-last': {
    breaks: ['messages/type-first'],
    tamper: onMessage('executing', ({ type, data }) => [{ data, type }]),
  },
  'start-twice': {
    breaks: ['messages/execution-start', 'messages/order'],
    tamper: doubled('execution_start'),
  },
  'start-nameless': {
    breaks: ['messages/execution-start'],
    tamper: bare('execution_start', 'prompt_id'),
  },
  'start-late': {
    breaks: ['messages/execution-start', 'messages/order'],
    tamper: delayed('execution_start', 'executing'),
  },
  'cached-only-when-some': {
    breaks: ['messages/execution-cached'],
    tamper: onMessage('execution_cached', (one) => ((one.data['nodes'] as []).length ? [one] : [])),
  },
  'cached-lists-none': {
    breaks: ['messages/execution-cached', 'runs/unchanged-is-cached'],
    tamper: onData('execution_cached', (data) => ({ ...data, nodes: [] })),
  },
  'executing-nameless': { breaks: ['messages/executing'], tamper: bare('executing', 'prompt_id') },
  'executing-never': {
    breaks: ['messages/executing', 'messages/order'],
    tamper: onMessage('executing', (one) => (isNull(one) ? [one] : [])),
  },
  'null-never': {
    breaks: ['messages/executing-null', 'messages/executing-null-last'],
    tamper: onMessage('executing', (one) => (isNull(one) ? [] : [one])),
  },
  'null-is-a-text': {
    breaks: ['messages/executing-null'],
    tamper: onData('executing', (data) => ({ ...data, node: `${data.node}` })),
  },
  'null-before-status': {
    breaks: ['messages/executing-null-last', 'messages/status-of-a-run'],
    tamper: delayed('status', 'executing'),
  },
  'progress-from-zero': {
    breaks: ['messages/progress'],
    tamper: onData('progress', (data) => ({ ...data, value: data.value - 1 })),
  },
  'progress-as-share': {
    breaks: ['messages/progress'],
    tamper: onData('progress', (data) => ({ ...data, value: data.value / data.max, max: 1 })),
  },
  'progress-of-nobody': { breaks: ['messages/progress'], tamper: bare('progress', 'node') },
  'progress-once': {
    breaks: [
      'messages/progress',
      'runs/list-steps',
      'runs/tile-steps',
      'runs/sigma-steps',
      'runs/dpm-fast-steps',
    ],
    tamper: onMessage('progress', (one) => (one.data['value'] === 1 ? [one] : [])),
  },
  'state-of-one-node': {
    breaks: ['messages/progress-state'],
    tamper: onData('progress_state', ({ nodes, ...rest }) => ({
      ...rest,
      nodes: Object.fromEntries(Object.entries(nodes).slice(-1)),
    })),
  },
  'state-never-finished': {
    breaks: ['messages/progress-state'],
    tamper: onData('progress_state', ({ nodes, ...rest }) => ({
      ...rest,
      nodes: mapped(nodes, (node) => ({ ...node, state: 'running' })),
    })),
  },
  'executed-without-output': { breaks: ['messages/executed'], tamper: bare('executed', 'output') },
  'executed-never': {
    breaks: ['messages/executed', 'messages/order'],
    tamper: dropped('executed'),
  },
  'executed-by-another': {
    breaks: ['messages/executed'],
    tamper: onData('executed', (data) => ({ ...data, node: '1' })),
  },
  'success-never': {
    breaks: ['messages/success', 'messages/order'],
    tamper: dropped('execution_success'),
  },
  'success-nameless': {
    breaks: ['messages/success'],
    tamper: bare('execution_success', 'prompt_id'),
  },
  'error-without-trace': {
    breaks: ['messages/error'],
    tamper: bare('execution_error', 'traceback'),
  },
  'error-without-node': {
    breaks: ['messages/error', 'runs/failure-ends'],
    tamper: onData('execution_error', (data) => ({ ...data, node_id: null })),
  },
  'error-of-another-type': {
    breaks: ['messages/error', 'runs/local-exception-names'],
    tamper: onData('execution_error', (data) => ({ ...data, exception_type: 'Error' })),
  },
  'error-without-executed': {
    breaks: ['messages/error-details'],
    tamper: onData('execution_error', (data) => ({ ...data, executed: [] })),
  },
  'error-inputs-are-no-lists': {
    breaks: ['messages/error-inputs', 'messages/error-hidden-inputs'],
    tamper: onData('execution_error', (data) => ({
      ...data,
      current_inputs: mapped(data.current_inputs, ([first]) => first),
    })),
  },
  'interrupted-is-an-error': {
    breaks: ['messages/interrupted', 'queue/interrupt'],
    tamper: renamed('execution_interrupted', 'execution_error'),
  },
  'interrupted-nameless': {
    breaks: ['messages/interrupted'],
    tamper: bare('execution_interrupted', 'prompt_id'),
  },
  'interrupted-never': {
    breaks: ['messages/interrupted', 'queue/interrupt', 'messages/order'],
    tamper: dropped('execution_interrupted'),
  },
  'status-one-off': {
    breaks: ['messages/status', 'messages/status-of-a-run'],
    tamper: onData('status', (data) => ({
      ...data,
      status: { exec_info: { queue_remaining: data.status.exec_info.queue_remaining + 1 } },
    })),
  },
  'status-only-first': {
    breaks: ['messages/status', 'messages/status-to-everyone', 'queue/removal-status'],
    tamper: onMessage('status', (one) => ('sid' in one.data ? [one] : [])),
  },
  'status-without-sid': { breaks: ['messages/status-on-connect'], tamper: bare('status', 'sid') },
  'order-shown-late': { breaks: ['messages/order'], tamper: delayed('executed', 'progress_state') },
  'order-cached-late': {
    breaks: ['messages/order'],
    tamper: delayed('execution_cached', 'execution_success'),
  },
  'all-receive-nodes': {
    breaks: ['messages/own-client'],
    tamper: redirected('executing', everyone),
  },
  'every-run-is-notified': {
    breaks: ['messages/local-notification'],
    tamper: onMessage('execution_start', (one) => [
      one,
      { type: 'notification', data: { value: 'Your run has started.' } },
    ]),
  },
  'client-ids-are-uuids': {
    breaks: ['messages/any-client-id'],
    tamper: redirected('execution_success', (sockets, open) =>
      sockets.filter((id) => /clientId=[0-9a-f-]{36}$/.test(open.get(id) ?? '')),
    ),
  },
  'all-receive-success': {
    breaks: ['messages/own-client', 'messages/newest-socket'],
    tamper: redirected('execution_success', everyone),
  },
  'oldest-socket-receives': {
    breaks: ['messages/newest-socket'],
    tamper: redirected('execution_success', oldest),
  },
  'zombie-socket': {
    breaks: ['messages/newest-socket'],
    options: { quirk: ['local.zombie-socket'] },
  },
  'nameless-run-is-silent': {
    breaks: ['messages/no-client'],
    tamper: onMessage('progress', (one, { sockets }) => (sockets.length > 1 ? [] : [one])),
  },
  'reconnect-is-silent': {
    breaks: ['messages/reconnect'],
    tamper: () => (effects, input) =>
      input.kind === 'open'
        ? effects.filter((one) => !('text' in one && one.text.includes('executing')))
        : effects,
  },
  'closing-stops-the-run': {
    breaks: ['messages/disconnect'],
    tamper: () => {
      let isClosed = false
      const stop = onText(/^GET \/history/, '"success"', '"error"')()
      return (effects, input) => {
        isClosed ||= input.kind === 'close'
        return isClosed ? stop(effects, input) : effects
      }
    },
  },
  'times-in-seconds': {
    breaks: ['messages/timestamps'],
    tamper: onData('execution_start', (data) => ({ ...data, timestamp: data.timestamp / 1000 })),
  },
  'features-unanswered': { breaks: ['messages/feature-flags'], tamper: dropped('feature_flags') },
  'cached-output-executing': {
    breaks: ['messages/executed-cached'],
    tamper: onMessage('executed', (one) => [
      { type: 'executing', data: without(one.data, 'output') },
      one,
    ]),
  },
}
