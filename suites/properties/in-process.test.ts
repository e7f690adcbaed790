// The emulator without a server: its sockets as those of a browser, what it installs, and how msw leads to it.
// oxlint-disable unicorn/prefer-add-event-listener -- clients use the handlers too.

import http from 'node:http'
import { createEmulator, install, type InProcessOptions } from 'flowdouble/browser'
import { mswHandlers } from 'flowdouble/msw'
import { test as fixtureTest } from 'flowdouble/vitest'
import { setupServer } from 'msw/node'
import { WebSocket as GlobalSocket } from 'undici'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket as LibrarySocket } from 'ws'
import { slow, textToImage } from '../generate/graphs.ts'

const url = 'http://flowdouble.test:8188'

async function created(options: InProcessOptions = {}) {
  const emulator = await createEmulator({ url, clock: 'manual', preview: 'none', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

const json = (value: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(value) })

/** The events of a socket, a line each. */
function eventsOf(socket: EventTarget): string[] {
  const events: string[] = []
  socket.addEventListener('open', () => events.push('open'))
  socket.addEventListener('error', () => events.push('error'))
  socket.addEventListener('message', () => events.push('message'))
  socket.addEventListener('close', (event) => {
    const { code, wasClean } = event as Event & { code: number; wasClean: boolean }
    events.push(`close ${code} ${wasClean}`)
  })
  return events
}

const closed = (socket: EventTarget): Promise<unknown> =>
  new Promise((resolve) => socket.addEventListener('close', resolve))

test('in-process/socket A socket opens, receives and closes like that of a browser.', async () => {
  const { WebSocket } = await created()
  const socket = new WebSocket('/ws?clientId=me')
  const events = eventsOf(socket)
  const states = [socket.readyState]
  expect(socket).toMatchObject({ url: 'ws://flowdouble.test:8188/ws?clientId=me', protocol: '' })
  expect(() => socket.send('early')).toThrow('still connecting')
  await new Promise((resolve) => (socket.onmessage = resolve))
  states.push(socket.readyState)
  expect(() => socket.close(1001)).toThrow('1001')
  expect(() => socket.close(3000, 'x'.repeat(124))).toThrow('123')
  socket.close(3000, 'done')
  states.push(socket.readyState)
  await closed(socket)
  states.push(socket.readyState)
  socket.send('late')
  expect(states).toEqual([0, 1, 2, 3])
  expect(events).toEqual(['open', 'message', 'close 1000 true'])
})

test('in-process/refused-socket A refused handshake, and a path without sockets, end with 1006.', async () => {
  const hosted = await created({ deployment: 'hosted' })
  for (const path of ['/ws', '/nowhere']) {
    const socket = new hosted.WebSocket(path)
    const events = eventsOf(socket)
    await closed(socket)
    expect([path, events]).toEqual([path, ['error', 'close 1006 false']])
  }
})

test('in-process/frames Frames are blobs or buffers, as the client asks.', async () => {
  const { WebSocket, fetch, until } = await created({ preview: 'jpeg' })
  const kinds: string[] = []
  for (const [seed, binaryType] of (['blob', 'arraybuffer'] as const).entries()) {
    const socket = new WebSocket('/ws?clientId=me')
    socket.binaryType = binaryType
    socket.onmessage = ({ data }) => {
      if (typeof data !== 'string') kinds.push((data as object).constructor.name)
    }
    await fetch('/prompt', json({ prompt: textToImage(seed, 2), client_id: 'me' }))
    await until('idle')
    socket.close()
  }
  expect(new Set(kinds)).toEqual(new Set(['Blob', 'ArrayBuffer']))
})

test('in-process/ends The emulator ends sockets: a long message with 1009, a reset with 1012, its end with 1001.', async () => {
  const emulator = await created()
  const codes: string[][] = []
  const ends: ((socket: { send: (data: string) => void }) => unknown)[] = [
    (socket) => socket.send('x'.repeat(4 * 2 ** 20 + 1)),
    () => emulator.reset(),
    () => emulator.dropSockets(),
    () => emulator.close(),
  ]
  for (const end of ends) {
    const socket = new emulator.WebSocket('/ws')
    const events = eventsOf(socket)
    await new Promise((resolve) => (socket.onopen = resolve))
    const isClosed = closed(socket)
    await end(socket)
    await isClosed
    codes.push(events.filter((event) => event.startsWith('close')))
  }
  expect(codes.flat()).toEqual([
    'close 1009 true',
    'close 1012 true',
    'close 1006 false',
    'close 1001 true',
  ])
})

test('in-process/install Requests to its addresses reach it, all others do not, and redirects are followed.', async () => {
  const emulator = await created({ deployment: 'hosted' })
  const [before, socketsBefore] = [globalThis.fetch, globalThis.WebSocket]
  const uninstall = install(emulator)
  const headers = { 'X-API-Key': 'test-key' }
  const form = new FormData()
  form.set('image', new Blob(['0123456789']), 'a.txt')
  const uploaded = await fetch(`${url}/api/upload/image`, { method: 'POST', body: form, headers })
  const { name } = (await uploaded.json()) as { name: string }
  const view = `${url}/api/view?filename=${name}`
  const manual = await fetch(view, { headers, redirect: 'manual' })
  expect([manual.status, manual.headers.get('location')?.split('?')[0]]).toEqual([
    302,
    expect.stringContaining('127.0.0.1:8189'),
  ])
  expect(await (await fetch(view, { headers })).text()).toBe('0123456789')
  await expect(fetch(view, { headers, redirect: 'error' })).rejects.toThrow(TypeError)
  await expect(fetch('http://127.0.0.1:1/')).rejects.toThrow(TypeError)
  const socket = new WebSocket(`${url}/ws?token=test-key`.replace('http', 'ws'))
  await new Promise((resolve) => socket.addEventListener('message', resolve))
  uninstall()
  expect([globalThis.fetch, globalThis.WebSocket]).toEqual([before, socketsBefore])
})

test('in-process/abort An aborted request rejects with the reason, whatever the server does.', async () => {
  const { fetch } = await created()
  const reason = new Error('enough')
  await expect(fetch('/queue', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

test('in-process/worlds Worlds below /w/NAME are separate, and forks continue.', async () => {
  const emulator = await created()
  await emulator.fetch('/prompt', json({ prompt: slow(), client_id: 'me' }))
  const fork = await emulator.fork('other')
  const fresh = await emulator.world()
  const counts = await Promise.all(
    [`${url}/queue`, `${url}/w/other/queue`, `${fresh.url}/queue`].map(async (target) => {
      const queue = (await (await emulator.fetch(target)).json()) as Record<string, unknown[]>
      return Object.values(queue).flat().length
    }),
  )
  expect(counts).toEqual([1, 1, 0])
  expect(await (await fork.fetch('queue')).json()).toEqual(
    await (await emulator.fetch('/queue')).json(),
  )
  await fork.close()
  expect((await emulator.fetch('/w/other/queue')).status).toBe(404)
})

test('in-process/options Options that need a network or a disk are refused.', async () => {
  const given = [{ port: 1 }, { journal: 'x' }, { nodes: 'mine.json' }, { scenario: 'slow-run' }]
  for (const options of given)
    await expect(createEmulator(options as InProcessOptions)).rejects.toThrow(
      /startEmulator|no disk/,
    )
  await expect(createEmulator({ url: 'nowhere' })).rejects.toThrow('option url')
})

test('in-process/msw Clients of node:http reach it through msw; sockets of the package ws are refused with the way out.', async () => {
  const emulator = await created()
  const server = setupServer(...mswHandlers(emulator))
  server.listen({ onUnhandledRequest: 'bypass' })
  onTestFinished(() => server.close())
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => logged.mockRestore())
  const status = await new Promise((resolve, reject) => {
    const sent = http.request(`${url}/none`, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    sent.end()
  })
  expect(status).toBe(404)
  const socket = new LibrarySocket(`${url.replace('http', 'ws')}/ws`)
  const error = await new Promise((resolve) => socket.on('error', resolve))
  expect(String(error)).toContain('501')
  expect(logged.mock.calls.flat().join()).toContain('startEmulator')
})

test('in-process/msw-once A socket that msw passes on twice reaches its world once, as requests do.', async () => {
  const emulator = await created()
  const world = await emulator.fork('other')
  onTestFinished(() => void vi.unstubAllGlobals())
  vi.stubGlobal('WebSocket', GlobalSocket)
  // The handlers of both match.
  const server = setupServer(...mswHandlers(emulator), ...mswHandlers(world))
  server.listen({ onUnhandledRequest: 'bypass' })
  onTestFinished(() => server.close())
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}/ws`)
  await new Promise((resolve) => socket.addEventListener('message', resolve))
  await fetch(`${world.url}/queue`)
  await world.advance(0)
  const journal = await world.journal()
  const counts = ['open', 'request'].map(
    (kind) => journal.filter((line) => line.includes(`"kind":"${kind}"`)).length,
  )
  expect(counts).toEqual([1, 1])
})

fixtureTest('fixtures/vitest Each test receives a new server.', async ({ emulator }) => {
  expect((await fetch(`${emulator.url}/system_stats`)).status).toBe(200)
  await emulator.advance(1)
})

fixtureTest.extend({ emulatorOptions: { seed: 'mine' } })(
  'fixtures/vitest-options Its options are those of the test.',
  ({ emulator }) => {
    expect(emulator.options).toMatchObject({ seed: 'mine', clock: 'manual' })
  },
)
