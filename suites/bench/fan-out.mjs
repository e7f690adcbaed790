// Messages to 50 sockets: how the emulator sends them, compared with a loop of plain `ws.send`.

import { startChild } from './child.mjs'
import { compare, us } from './measure.mjs'

const SOCKETS = 50

const kinds = [
  { what: 'text', label: 'one message of 198 bytes', share: 1, atLeast: 1 },
  { what: 'frame', label: 'one preview of 30 KiB', share: 0.25, atLeast: 1 },
  { what: 'burst', label: 'three messages of one step', share: 0.5, atLeast: 2 },
]

export async function* fanOut({ rounds, sends }) {
  const servers = []
  for (const file of ['emulator-sockets.mjs', 'bare-sockets.mjs']) {
    const server = await startChild(file)
    const listeners = await startChild('listeners.mjs')
    await listeners.ask('open', { port: server.ready.port, count: SOCKETS, clientId: 'bench' })
    servers.push({ server, listeners })
  }
  for (const { what, label, share, atLeast } of kinds) {
    const times = sends * share
    const [ours, theirs] = servers.map(
      ({ server }) =>
        () =>
          server.ask('send', { what, times }),
    )
    await ours()
    await theirs()
    const costs = await compare(rounds, ours, theirs)
    for (const { listeners } of servers) await requireAll(listeners)
    yield {
      name: `fan-out-${what}`,
      what: `${label} to ${SOCKETS} sockets`,
      value: 1 / costs.ratio,
      unit: 'x bare',
      atLeast,
      detail: `${us(costs.ours)}, bare ${us(costs.theirs)}`,
    }
  }
  for (const { server, listeners } of servers) {
    await server.stop()
    await listeners.stop()
  }
}

/** A cost counts only if all sockets receive the messages. */
async function requireAll(listeners) {
  const { open } = await listeners.ask('received')
  if (open !== SOCKETS) throw new Error(`Only ${open} of ${SOCKETS} sockets are still connected.`)
}
