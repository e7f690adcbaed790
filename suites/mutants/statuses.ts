// Wrong servers that count wrongly in a `status`, or send it to the wrong sockets, and
// those whose journal keeps from observers what happens.

import { each, type Mutants, onData, onMessage, redirected, type Tamper } from './tamper.ts'

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

export const statuses: Mutants = {
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
