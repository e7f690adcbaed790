// A session for the inspector to show, on a world of its caller: two clients, a failure, a refused request, a cache, a lost
// message, a lost socket, and a run that still runs.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { WebSocket } from 'ws'

const workflow = JSON.parse(
  readFileSync(new URL('../../recordings/workflows/text-to-image.json', import.meta.url), 'utf8'),
)

/** The options of the world. */
export const options = {
  clock: 'manual',
  seed: '7',
  preview: 'jpeg',
  scenario: {
    version: 1,
    nodes: [
      {
        class_type: 'KSampler',
        run: 3,
        atStep: 14,
        exception_type: 'torch.OutOfMemoryError',
        exception_message: 'Allocation on device',
      },
    ],
    faults: [
      {
        id: 'lose the end',
        when: { message: 'execution_success', clientId: 'bob' },
        then: { skip: true },
        times: 1,
      },
      {
        id: 'drop bob',
        when: { message: 'progress', clientId: 'bob', data: { value: 9 }, nth: 2 },
        then: { reset: true },
      },
    ],
  },
}

/** The workflow with another seed, and further changes. */
function graph(seed, change = () => undefined) {
  const own = structuredClone(workflow)
  own['3'].inputs.seed = seed
  change(own)
  return own
}

/** Plays the session. Resolves to a function that closes its sockets. */
export async function play(server) {
  const connect = async (name) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?clientId=${name}`)
    socket.on('error', () => undefined)
    await once(socket, 'open')
    return socket
  }
  const get = async (path) => (await fetch(server.url + path)).text()
  const submit = async (client_id, prompt) => {
    const body = JSON.stringify({ client_id, prompt })
    const reply = await fetch(`${server.url}/prompt`, { method: 'POST', body })
    return (await reply.json()).prompt_id
  }
  const alice = await connect('alice')
  const bob = await connect('bob')
  await get('/object_info/KSampler')
  await server.advance(20)
  await submit('alice', graph(1))
  await server.advance(30)
  const second = await submit('bob', graph(2))
  await server.until('success')
  await server.until('success')
  await server.advance(25)
  await submit(
    'alice',
    graph(3, (own) => delete own['9'].inputs.images),
  )
  await server.advance(30)
  await submit('alice', graph(4))
  await server.until('error')
  await get(`/history/${second}`)
  // A pause of a minute.
  await server.advance(60_000)
  await submit('bob', graph(5))
  const isClosed = once(bob, 'close')
  await server.advance(80)
  await isClosed
  await server.advance(20)
  const again = await connect('bob')
  await server.advance(20)
  await fetch(`${server.url}/interrupt`, { method: 'POST' })
  await server.advance(15)
  await submit(
    'alice',
    graph(6, (own) => (own['6'].inputs.text = 'a cabin in the snow')),
  )
  await server.advance(30)
  await submit('bob', graph(7))
  await server.advance(70)
  return () => {
    for (const socket of [alice, again]) socket.terminate()
  }
}

/** What the pictures of it show beside the session: the refused request. */
export const selected = 'POST /prompt 400'
