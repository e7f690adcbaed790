// Servers that are gone: for a time, or for good. Their ports are closed, and open again with what a restart leaves.

import { once } from 'node:events'
import { createServer } from 'node:net'
import { replay, startEmulator } from 'flowdouble'
import { openPlain, getText, openRaw } from '../../judge/broken.ts'
import { slow, solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves, test } from '../../judge/proves.ts'
import { isOpen, withFaults } from '../../support/faults.ts'
import { forTest } from '../../support/for-test.ts'

/** A fault that takes the server away for five seconds. */
const goingDown = { when: { atMs: 100 }, then: { restart: { downMs: 5000 } } } as const

const inMidRun = { message: 'progress', data: { value: 3 } } as const

proves(
  ['faults/restart-down', 'faults/down-closed'],
  async (subject) => {
    const { emulator, submit, get, history, upload, deployment, url } = subject
    await upload({ name: 'mine.txt', bytes: Buffer.from('mine') })
    const socket = await openPlain(subject)
    const { prompt_id } = (await submit(slow(1, 5), { client_id: 'me' })).json()
    await emulator!.until((effect) => effect.kind === 'restart')
    expect(await socket.closed).toBe(1006)
    expect(await isOpen(url)).toBe(false)
    await expect(get('/queue')).rejects.toThrow(/ECONNREFUSED|ECONNRESET/)
    await emulator!.advance(4999)
    expect(await isOpen(url)).toBe(false)
    await emulator!.advance(1)
    expect(await isOpen(url)).toBe(true)
    expect(await history()).toEqual(deployment === 'local' ? [] : [prompt_id])
    expect((await submit(solid())).status).toBe(200)
    const again = await openPlain(subject)
    await emulator!.until('idle')
    await again.settled()
    expect(again.of('status').length).toBeGreaterThan(1)
    await again.close()
    const lines = await emulator!.journal()
    expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
  },
  withFaults({ when: inMidRun, then: { restart: { downMs: 5000 } } }),
)

proves(
  'faults/down-closed',
  async (subject) => {
    const { emulator, upload, get, url } = subject
    const { name } = (await upload({ name: 'mine.txt', bytes: Buffer.from('mine') })).json()
    const link = (await get(`/view?filename=${name}&type=input`)).headers['location'] ?? ''
    await emulator!.advance(100)
    expect(await isOpen(url)).toBe(false)
    expect(await (await fetch(link)).text()).toBe('mine')
  },
  {
    deployment: 'hosted',
    ...withFaults({ when: { atMs: 100 }, then: { restart: { downMs: 5000 } } }),
  },
)

proves(
  'faults/restart-again',
  async (subject) => {
    const { emulator, url, get } = subject
    const seen: boolean[] = []
    for (let atMs = 0; atMs <= 900; atMs += 100) {
      seen.push(await isOpen(url))
      await emulator!.advance(100)
    }
    // Down from 100 to 400, from 500 to 800; a shorter one in between ends nothing.
    expect(seen.map(Number).join('')).toBe('1000100011')
    expect((await get('/queue')).status).toBe(200)
    expect(emulator!.faults().map(({ applied }) => applied)).toEqual([1, 1, 1, 1])
  },
  withFaults(
    { when: { atMs: 100 }, then: { restart: { downMs: 300 } } },
    { when: { atMs: 200 }, then: { restart: { downMs: 50 } } },
    { when: { atMs: 300 }, then: { restart: true } },
    { when: { atMs: 500 }, then: { restart: { downMs: 300 } } },
  ),
)

proves(
  'faults/down-shared',
  async (subject) => {
    const { emulator, url } = subject
    const headers = { 'X-API-Key': 'test-key' }
    const other = await emulator!.world({ name: 'other' })
    const own = await emulator!.world({ name: 'own', port: 0 })
    for (const world of [emulator!, other, own]) world.fault(goingDown)
    await emulator!.advance(100)
    // The port stays open for the world beside; each request is reset without an answer.
    expect(await isOpen(url)).toBe(true)
    for (const text of [
      getText(subject, '/queue'),
      'GET /nowhere HTTP/1.1\r\nHost: here\r\n\r\n',
    ]) {
      const raw = openRaw(url, text)
      expect(await raw.ended).toBe('reset')
      expect(raw.received()).toBe('')
    }
    await expect(openPlain(subject)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect((await fetch(`${other.url}/api/features`, { headers })).status).toBe(200)
    await other.advance(100)
    await expect(fetch(`${other.url}/features`)).rejects.toThrow()
    // A port of one world alone is closed, its path at the shared one resets.
    await own.advance(100)
    expect(await isOpen(own.url)).toBe(false)
    await expect(fetch(`${url}/w/own/features`)).rejects.toThrow()
    for (const world of [emulator!, other, own]) await world.advance(5000)
    for (const place of [url, other.url, own.url])
      expect((await fetch(`${place}/api/features`, { headers })).status).toBe(200)
    expect(await emulator!.requests()).toContainEqual(
      expect.objectContaining({ path: '/nowhere', status: null }),
    )
    await other.close()
    await own.close()
  },
  {},
)

proves(
  'faults/exit',
  async (subject) => {
    const { emulator, submit, url } = subject
    const socket = await openPlain(subject)
    const exited = emulator!.exited()
    await submit(slow(1, 5), { client_id: 'me' })
    await emulator!.until((effect) => effect.kind === 'exit')
    expect(await socket.closed).toBe(1006)
    expect(await exited).toBe(137)
    expect(await emulator!.exited()).toBe(137)
    await emulator!.advance(86_400_000)
    expect(await isOpen(url)).toBe(false)
    await expect(emulator!.untilMessage('status')).rejects.toThrow(/reset\(\) starts it again/)
    // What it has received can still be read.
    expect(await emulator!.requests({ method: 'POST' })).toHaveLength(1)
    await emulator!.reset()
    expect(await isOpen(url)).toBe(true)
    expect((await submit(solid())).status).toBe(200)
  },
  withFaults({ when: inMidRun, then: { exit: 137 } }),
)

test('a snapshot keeps whether a server is down, and a fork is down as well', async () => {
  const server = await forTest(
    startEmulator({
      clock: 'manual',
      ...withFaults({ when: { atMs: 100 }, then: goingDown.then }),
    }),
  )
  const up = server.snapshot()
  await server.advance(1000)
  const down = server.snapshot()
  expect(await isOpen(server.url)).toBe(false)
  await server.restore(up)
  expect(await isOpen(server.url)).toBe(true)
  await server.restore(down)
  expect(await isOpen(server.url)).toBe(false)
  const fork = await server.fork('fork')
  // The fork needs the port, at which both worlds are down.
  await server.advance(1)
  expect(await isOpen(server.url)).toBe(true)
  for (const { url } of [server, fork]) await expect(fetch(`${url}/queue`)).rejects.toThrow()
  await fork.advance(10_000)
  expect((await fetch(`${fork.url}/queue`)).status).toBe(200)
  await expect(fetch(`${server.url}/queue`)).rejects.toThrow()
  await fork.close()
  await server.advance(10_000)
  expect((await fetch(`${server.url}/queue`)).status).toBe(200)
})

test('a server that is down or has exited closes as any other', async () => {
  for (const then of [goingDown.then, { exit: 1 }]) {
    const server = await startEmulator({
      clock: 'manual',
      ...withFaults({ when: { atMs: 100 }, then }),
    })
    await server.advance(100)
    await server.close()
    expect(await isOpen(server.url)).toBe(false)
  }
})

test('another program that takes the port of a server that is down is an error of the clock', async () => {
  const server = await forTest(
    startEmulator({
      clock: 'manual',
      ...withFaults({ when: { atMs: 100 }, then: goingDown.then }),
    }),
  )
  await server.advance(100)
  const thief = createServer().listen(server.port, '127.0.0.1')
  await once(thief, 'listening')
  await expect(server.advance(5000)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  thief.close()
})
