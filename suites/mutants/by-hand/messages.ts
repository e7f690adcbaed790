// Wrong servers that send wrong messages on the socket.

import {
  delayed,
  everyone,
  mapped,
  type Mutants,
  onData,
  onMessage,
  onText,
  redirected,
  renamed,
  without,
  each,
  isSent,
} from '../tamper.ts'

const bare = (type: string, ...names: readonly string[]) =>
  onData(type, (data) => without(data, ...names))

const isNull = ({ data }: { readonly data: any }): boolean => data.node === null

/** The oldest socket of those with the same target. */
const oldest = (sockets: readonly number[], open: ReadonlyMap<number, string>): number[] =>
  sockets.map(
    (socket) => [...open].find(([, target]) => target === open.get(socket))?.[0] ?? socket,
  )

const firstOnly = (sockets: readonly number[]): readonly number[] => sockets.slice(0, 1)

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
  'start-late': {
    breaks: ['messages/execution-start', 'messages/order'],
    tamper: delayed('execution_start', 'executing'),
  },
  'cached-only-when-some': {
    breaks: ['messages/execution-cached'],
    tamper: onMessage('execution_cached', (one) => ((one.data['nodes'] as []).length ? [one] : [])),
  },
  'executing-of-nodes-never': {
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
  'oldest-socket-receives': {
    breaks: ['messages/newest-socket'],
    tamper: redirected('execution_success', oldest),
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
  'cached-output-executing': {
    breaks: ['messages/executed-cached'],
    tamper: onMessage('executed', (one) => [
      { type: 'executing', data: without(one.data, 'output') },
      one,
    ]),
  },
  'notification-late': {
    breaks: ['messages/notification', 'messages/hosted-one-notification'],
    tamper: delayed('notification', 'execution_cached'),
  },
  'notification-empty': {
    breaks: ['messages/notification'],
    tamper: onData('notification', (data) => ({ ...data, value: '' })),
  },
  'reconnect-nameless': {
    breaks: ['messages/hosted-names-run', 'messages/hosted-reconnect'],
    tamper: () => (effects, input) =>
      input.kind === 'open'
        ? onData('executing', ({ node }) => ({ node }))()(effects, input)
        : effects,
  },
  'one-connection-receives': {
    breaks: ['messages/hosted-all-connections'],
    tamper: redirected('executing', firstOnly),
  },
  'client-id-decides': {
    breaks: ['messages/hosted-all-connections'],
    tamper: redirected('executed', (sockets, open) =>
      sockets.filter((socket) => open.get(socket)?.includes('clientId')),
    ),
  },
  'client-chooses-sid': {
    breaks: ['messages/hosted-sid'],
    tamper: onData('status', (data) => ('sid' in data ? { ...data, sid: 'me' } : data)),
  },
  'node-types-missing': {
    breaks: ['messages/hosted-node-types'],
    tamper: onData('progress_state', ({ nodes, ...rest }) => ({
      ...rest,
      nodes: mapped(nodes, (node) => without(node, 'class_type')),
    })),
  },
  'previews-for-all': {
    breaks: ['messages/hosted-previews'],
    tamper: redirected('frame', everyone),
  },
  'first-step-is-silent': {
    breaks: ['messages/progress-throttled'],
    tamper: each((effect) =>
      isSent(effect, 'progress') && effect.text.includes('"value": 1,') ? [] : [effect],
    ),
  },
  'last-step-is-silent': {
    breaks: ['messages/progress-throttled'],
    tamper: each((effect) =>
      isSent(effect, 'progress') && /"value": (\d+), "max": \1,/.test(effect.text) ? [] : [effect],
    ),
  },
  'states-are-not-throttled': {
    breaks: ['messages/progress-throttled'],
    tamper: each((effect) => (isSent(effect, 'progress_state') ? [effect, effect] : [effect])),
  },
  'each-due-step': {
    breaks: ['messages/progress-share'],
    tamper: each((effect) =>
      isSent(effect, 'progress')
        ? [
            effect,
            {
              ...effect,
              text: effect.text.replace(/"value": (\d+)/, (_, n) => `"value": ${Number(n) + 1}`),
            },
          ]
        : [effect],
    ),
  },
}
