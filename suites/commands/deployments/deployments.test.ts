// The local form of the server: where it listens, its paths, and how its socket opens.

import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { startEmulator } from 'flowdouble'
import { completeOptions } from '../../../dist/emulator/internal.js'
import { profiles } from '../../../spec/index.ts'
import { everyPath } from '../../generate/every-path.ts'
import { talking } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { exchange } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

/** How a connection to this address ends: `open`, or the error code of the system. */
async function knock(host: string, port: number): Promise<string> {
  const socket: Socket = connect(port, host)
  const outcome = await once(socket, 'connect').then(
    () => 'open',
    (error: NodeJS.ErrnoException) => error.code ?? '',
  )
  socket.destroy()
  return outcome
}

proves('deployments/local-address', async ({ url }) => {
  const { protocol, hostname, port } = new URL(url)
  expect([protocol, ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)]).toEqual([
    'http:',
    true,
  ])
  // A server that listens on all addresses would be reached at this one too.
  if (hostname === '127.0.0.1') expect(await knock('::1', Number(port))).not.toBe('open')
  if (process.platform === 'linux') expect(await knock('127.0.0.2', Number(port))).not.toBe('open')
})

// The default port can be read from the options only: another server may be using it now.
proves(
  'deployments/local-address',
  async ({ emulator, url, get }) => {
    const { port, host } = completeOptions({})
    expect({ port, host }).toEqual({ port: 8188, host: '127.0.0.1' })
    expect(port).toBe(profiles.local.port)
    const taken = startEmulator({ port: emulator!.port, clock: 'manual' })
    await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE', port: emulator!.port })
    expect(url).toBe(`http://127.0.0.1:${emulator!.port}`)
    expect((await get('/queue')).status).toBe(200)
  },
  { seed: 'address' },
)

proves('deployments/local-prefix', async ({ url, submit, idle }) => {
  await submit(talking(), { prompt_id: 'mine' })
  await idle()
  for (const { method, path, body, status } of everyPath) {
    const reply = await exchange(url, method, path, {}, body)
    expect({ method, path, status: reply.status }).toEqual({ method, path, status })
  }
})

proves('deployments/local-socket', async ({ connect, submit, reach, idle }) => {
  const mine = await connect('4c2f8ad1-5a2b-4f64-9f0b-0d6e9a1b7c11')
  const other = await connect('any text, ü & more')
  expect(mine.messages()[0]?.data).toMatchObject({ sid: mine.clientId })
  expect(other.messages()[0]?.data).toMatchObject({ sid: other.clientId })
  const { prompt_id } = (await submit(talking(), { client_id: other.clientId })).json()
  const end = await reach(other, ({ type }) => type === 'execution_success')
  expect(end.data['prompt_id']).toBe(prompt_id)
  await idle()
  await mine.settled()
  expect(mine.messages().filter(({ type }) => type !== 'status')).toEqual([])
})
