// Wrong servers whose messages are wrong only sometimes, or count wrongly, or go to the wrong sockets, and those whose journal keeps from observers what happens.

import type { Effect } from 'flowdouble'
import type { Message } from '../../judge/judge.ts'
import {
  after,
  doubled,
  dropped,
  everyone,
  each,
  inEveryNthRun,
  isSent,
  type Mutants,
  onData,
  onMessage,
  redirected,
  type Tamper,
} from '../tamper.ts'

const interrupted = (one: { readonly kind: string; readonly state?: unknown }): boolean =>
  one.kind === 'run' && one.state === 'interrupted'

/** Changes the data of messages of a type, given the id of the run before theirs; the first run stays as it is. */
const withRunBefore = (type: string, change: (data: any, before: string) => unknown) => () => {
  const ids: string[] = []
  return onData(type, (data) => {
    if (ids.at(-1) !== data.prompt_id) ids.push(data.prompt_id)
    const before = ids.at(-2)
    return before === undefined ? data : change(data, before)
  })()
}

/** Changes the messages of a type that are the nth with these words in their run. */
const nthInRun =
  (type: string, nth: number, change: (data: any, first: any) => unknown) => (): Tamper => {
    let run = ''
    let first: any
    let count = 0
    return onData(type, (data) => {
      if (run !== data.prompt_id) [run, count] = [data.prompt_id, 0]
      if (++count === 1) first = data
      return count === nth ? change(data, first) : data
    })()
  }

/** Sends `executed` of the second and later nodes only after the end of the run. */
function outputsAfterSuccess(): Tamper {
  const held: Effect[] = []
  let count = 0
  return each((effect) => {
    if (isSent(effect, 'execution_start')) count = 0
    if (isSent(effect, 'executed') && ++count > 1) {
      held.push(effect)
      return []
    }
    return isSent(effect, 'execution_success') ? [effect, ...held.splice(0)] : [effect]
  })()
}

/** Reports the first node of a run to a socket that opens during it. */
function firstNodeAgain(): Tamper {
  let first: unknown
  const remember = onMessage('executing', (message) => {
    first ??= message.data['node']
    if (message.data['node'] === null) first = undefined
    return [message]
  })()
  const report = onData('executing', (data) => ({ ...data, node: first ?? data.node }))()
  return (effects, input) =>
    input.kind === 'open' ? report(effects, input) : remember(effects, input)
}

/** Answers feature flags whenever a client sends them. */
function featuresEachTime(): Tamper {
  let text: string | undefined
  return (effects, input) => {
    text ??= effects.flatMap((one) => (isSent(one, 'feature_flags') ? [one.text] : []))[0]
    const isAsked = input.kind === 'message' && input.text.includes('feature_flags')
    if (!isAsked || effects.length > 0) return effects
    return [{ kind: 'send', sockets: [input.socket], text: text ?? '{"type": "feature_flags"}' }]
  }
}

/** Sends the end of a run not to sockets that opened while it was running. */
function endIsForTheFirstSocket(): Tamper {
  const late = new Set<number>()
  let isRunning = false
  const redirect = redirected('execution_success', (sockets) =>
    sockets.filter((socket) => !late.has(socket)),
  )()
  return (effects, input) => {
    if (input.kind === 'open' && isRunning) late.add(input.socket)
    const changed = redirect(effects, input)
    for (const one of effects) if (one.kind === 'run') isRunning = one.state === 'started'
    if (!isRunning) late.clear()
    return changed
  }
}

const remaining = (change: (count: number) => number) =>
  onData('status', (data) => {
    const { queue_remaining } = data.status.exec_info
    return { ...data, status: { exec_info: { queue_remaining: change(queue_remaining) } } }
  })

/** Counts the runs of all hosted accounts in each `status`. */
function countsOfAll(): Tamper {
  const tokens = new Map<number, string>()
  const counts = new Map<string, number>()
  const count = onMessage('status', (message, { sockets: [socket = 0] }) => {
    const data: any = message.data
    counts.set(tokens.get(socket) ?? '', data.status.exec_info.queue_remaining)
    const queue_remaining = [...counts.values()].reduce((sum, one) => sum + one, 0)
    return [{ ...message, data: { ...data, status: { exec_info: { queue_remaining } } } }]
  })()
  return (effects, input) => {
    if (input.kind === 'open')
      tokens.set(input.socket, /token=([^&]*)/.exec(input.target)?.[1] ?? '')
    return count(effects, input)
  }
}

/** A client that connects again gets another sid. */
function sidOfItsOwn(): Tamper {
  const targets = new Set<string>()
  return (effects, input) => {
    if (input.kind !== 'open' || !input.target.includes('clientId=')) return effects
    const isKnown = targets.has(input.target)
    targets.add(input.target)
    const sid = 'f'.repeat(32)
    return isKnown ? onData('status', (data) => ({ ...data, sid }))()(effects, input) : effects
  }
}

export const sockets: Mutants = {
  'state-names-the-run-before': {
    breaks: ['messages/progress-state'],
    tamper: withRunBefore('progress_state', ({ nodes, ...rest }, before) => ({
      ...rest,
      nodes: Object.fromEntries(
        Object.entries<object>(nodes).map(([id, node]) => [id, { ...node, prompt_id: before }]),
      ),
    })),
  },
  'state-keeps-nodes-of-earlier-runs': {
    breaks: ['messages/progress-state'],
    tamper: () => {
      let all: object = {}
      return onData('progress_state', ({ nodes, ...rest }) => {
        all = { ...all, ...nodes }
        return { ...rest, nodes: all }
      })()
    },
  },
  'executing-names-the-run-before': {
    breaks: ['messages/executing'],
    tamper: withRunBefore('executing', (data, before) =>
      data.node === null ? data : { ...data, prompt_id: before },
    ),
  },
  'notification-names-the-run-before': {
    breaks: ['messages/hosted-names-run'],
    tamper: withRunBefore('notification', (data, before) => ({ ...data, prompt_id: before })),
  },
  'null-is-missing-in-every-fifth-run': {
    breaks: ['messages/executing-null'],
    tamper: inEveryNthRun(
      5,
      onMessage('executing', (one) => (one.data['node'] === null ? [] : [one])),
    ),
  },
  'success-is-missing-in-every-fifth-run': {
    breaks: ['messages/success', 'messages/order'],
    tamper: inEveryNthRun(5, dropped('execution_success')),
  },
  'outputs-after-success': { breaks: ['messages/order'], tamper: outputsAfterSuccess },
  'success-twice-in-the-second-run': {
    breaks: ['messages/order'],
    tamper: inEveryNthRun(2, doubled('execution_success')),
  },
  'cached-lists-one-twice': {
    breaks: ['messages/execution-cached'],
    tamper: onData('execution_cached', (data) => ({
      ...data,
      nodes: [...data.nodes, ...data.nodes.slice(0, 1)],
    })),
  },
  'cached-node-is-executing': {
    breaks: ['runs/unchanged-is-cached'],
    tamper: onMessage('execution_cached', (one) => {
      const { nodes, prompt_id } = one.data as { nodes: string[]; prompt_id: string }
      const [node] = nodes
      const more = { type: 'executing', data: { node, display_node: node, prompt_id } }
      return node === undefined ? [one] : [one, more]
    }),
  },
  'previews-go-to-all': {
    breaks: ['messages/own-client'],
    tamper: redirected('frame', everyone),
  },
  'interrupts-go-to-the-first-connection': {
    breaks: ['messages/hosted-all-connections'],
    tamper: redirected('execution_interrupted', (sockets) => sockets.slice(0, 1)),
  },
  'reconnect-names-the-first-node': {
    breaks: ['messages/reconnect'],
    tamper: firstNodeAgain,
  },
  'end-is-for-the-first-socket': {
    breaks: ['messages/newest-socket'],
    tamper: endIsForTheFirstSocket,
  },
  'features-each-time': { breaks: ['messages/client-messages'], tamper: featuresEachTime },
  'start-is-missing-after-an-interrupt': {
    breaks: ['messages/execution-start', 'messages/order'],
    tamper: after(interrupted, dropped('execution_start')),
  },
  'cached-is-empty-after-an-interrupt': {
    breaks: ['runs/unchanged-is-cached'],
    tamper: after(
      interrupted,
      onData('execution_cached', (data) => ({ ...data, nodes: [] })),
    ),
  },
  'last-of-many-steps-is-missing': {
    breaks: ['messages/progress'],
    tamper: onMessage('progress', (one: Message) => {
      const { value, max } = one.data as { value: number; max: number }
      return max >= 20 && value === max ? [] : [one]
    }),
  },
  'second-executed-shows-the-first': {
    breaks: ['messages/executed'],
    tamper: nthInRun('executed', 2, (data, { output }) => ({ ...data, output })),
  },
  'success-is-older-than-its-start': {
    breaks: ['messages/timestamps'],
    tamper: onData('execution_success', (data) => ({
      ...data,
      timestamp: data.timestamp - 3_600_000,
    })),
  },
  'interrupted-without-executed-nodes': {
    breaks: ['messages/error-details'],
    tamper: onData('execution_interrupted', (data) => ({ ...data, executed: [] })),
  },
  'status-forgets-the-running-when-some-wait': {
    breaks: ['messages/status'],
    tamper: remaining((count) => (count > 1 ? count - 1 : count)),
  },
  'status-counts-two-at-most': {
    breaks: ['messages/status'],
    tamper: remaining((count) => Math.min(count, 2)),
  },
  'status-counts-the-deleted': {
    breaks: ['messages/status', 'queue/removal-status'],
    missedBy: ['messages/status'],
    tamper: () => (effects, input) => {
      const isRemoval = input.kind === 'request' && /^(\/api)?\/queue/.test(input.target)
      return isRemoval ? remaining((count) => count + 1)()(effects, input) : effects
    },
  },
  'status-of-all-accounts': { breaks: ['messages/hosted-status'], tamper: countsOfAll },
  'status-only-to-named-sockets': {
    breaks: ['messages/status-to-everyone'],
    tamper: redirected('status', (sockets, open) =>
      sockets.filter((socket) => open.get(socket)?.includes('clientId=')),
    ),
  },
  'sid-changes-on-reconnect': {
    breaks: ['messages/sid'],
    tamper: sidOfItsOwn,
  },
}

export const inspector: Mutants = {
  'nodes-never-end': {
    breaks: ['inspector/nodes'],
    tamper: each((effect) =>
      effect.kind === 'node' && effect.state === 'success' ? [] : [effect],
    ),
  },
  'cached-nodes-run': {
    breaks: ['inspector/nodes'],
    tamper: each((effect) =>
      effect.kind === 'node' && effect.state === 'cached'
        ? [{ ...effect, state: 'started' }]
        : [effect],
    ),
  },
  'loses-silently': {
    breaks: ['inspector/lost'],
    tamper: each((effect) => (effect.kind === 'lost' ? [] : [effect])),
  },
  'loses-nothing': {
    breaks: ['inspector/lost'],
    tamper: each((effect) => (effect.kind === 'lost' ? [effect.message] : [effect])),
  },
}
