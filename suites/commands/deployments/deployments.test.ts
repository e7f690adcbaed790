// The local form of the server: where it listens, and how its socket opens.

import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { startEmulator } from 'flowdouble'
import { completeOptions } from '../../../dist/emulator/internal.js'
import { profiles } from '../../../spec/index.ts'
import { talking } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
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

proves('deployments/local-address', async ({ emulator, url, get }) => {
  const port = emulator!.port
  expect(url).toBe(`http://127.0.0.1:${port}`)
  // A server that listens on all addresses would be reached at these too.
  expect(await knock('::1', port)).not.toBe('open')
  if (process.platform === 'linux') expect(await knock('127.0.0.2', port)).not.toBe('open')
  // The default port can be read from the options only: another server may be using it now.
  const options = completeOptions({})
  expect(options).toMatchObject({ port: profiles.local.port, host: '127.0.0.1' })
  expect(options.port).toBe(8188)
  const taken = startEmulator({ port, clock: 'manual' })
  await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE', port })
  expect((await get('/queue')).status).toBe(200)
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
