// When the worlds of a shared server end, by a clock that the case sets; and what the option shared switches on.

import { startEmulator } from 'flowdouble'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { subjectOf } from '../../judge/subject.ts'
import { exchange } from '../../judge/wire.ts'
import { lookClock } from './look-clock.ts'

proves('shared/idle', async (subject) => {
  const { deployment } = subject
  const clock = lookClock()
  const server = await startEmulator({ deployment, worldIdle: 60, expiry: clock.expiry })
  const names = () => server.worlds().map(({ name }) => name)
  const [asked, joined] = [
    await server.world({ name: 'asked' }),
    await server.world({ name: 'joined' }),
  ]
  await server.world({ name: 'idle' })
  const session = await subjectOf(joined).connect('me')
  clock.at(59)
  await exchange(asked.url, 'GET', '/_flowdouble/health', {})
  expect(names()).toEqual(['asked', 'joined', 'idle'])
  clock.at(60)
  // A world with an open socket is in use.
  expect(names()).toEqual(['asked', 'joined'])
  clock.at(119)
  expect(names()).toEqual(['joined'])
  await session.close()
  await session.closed
  clock.at(178)
  expect(names()).toEqual(['joined'])
  clock.at(179)
  expect(names()).toEqual([])
  await server.close()
})

proves('shared/age', async (subject) => {
  const { deployment } = subject
  const clock = lookClock()
  const server = await startEmulator({ deployment, worldAge: 60, expiry: clock.expiry })
  const world = await server.world({ name: 'one' })
  const session = await subjectOf(world).connect('me')
  clock.at(59)
  await exchange(world.url, 'GET', '/_flowdouble/health', {})
  expect(server.worlds()).toHaveLength(1)
  clock.at(60)
  expect(server.worlds()).toEqual([])
  await session.closed
  await server.close()
})

proves('shared/flag', async (subject) => {
  const { deployment } = subject
  await expect(startEmulator({ deployment, shared: true })).rejects.toThrow(
    /option shared requires a control token/,
  )
  const server = await startEmulator({
    deployment,
    shared: true,
    controlToken: 'token-of-the-admin',
    worldIdle: 5,
  })
  expect(server.options).toMatchObject({
    worldTokens: true,
    unknownWorlds: 'refuse',
    worldIdle: 5,
    worldMib: 64,
    worldRuns: 1000,
    memoryMib: 96,
    preview: 'none',
  })
  expect((await server.world({ preview: 'png' })).options.preview).toBe('png')
  await server.close()
})
