// The command `replay --upstream`: what was recorded is replayed, and everything else comes from the server behind and is added
// to the file. A run comes from one side as a whole.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Emulator, startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { WebSocket } from 'ws'
import { readRecording } from '../../../dist/emulator/internal.js'
import { formOf } from '../../generate/form.ts'
import { node, solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'
import { forTest } from '../../support/for-test.ts'
import {
  inFront,
  known,
  type Run,
  run,
  sessionOf,
  targets,
  unknown,
  worldOf,
} from '../../support/recordings/in-front.ts'
import { recorded } from '../../support/recordings/recording.ts'

const submitsTo = async (server: Emulator): Promise<number> =>
  (await server.requests({ method: 'POST', path: '/prompt' })).length

/** What a client received about other runs than its own. */
const aboutOthers = ({ got, id }: Run): readonly string[] =>
  got.filter((one) => one.includes('"prompt_id"') && !one.includes(id))

test('replay/upstream-run A recorded run is replayed, and another one has messages, history and file from the server', async () => {
  const { file, first } = await sessionOf('1')
  const before = readFileSync(file, 'utf8')
  const server = await worldOf('2')
  const direct = await run((await worldOf('2')).url, unknown)
  const { stdout } = await inFront(file, server.url, async (url) => {
    const again = await run(url, known)
    expect([again.id, again.picture.equals(first.picture)]).toEqual([first.id, true])
    expect(await submitsTo(server)).toBe(0)
    const other = await run(url, unknown)
    expect(other.id).toBe(direct.id)
    expect(aboutOthers(other)).toEqual([])
    expect(other.history).toEqual(direct.history)
    expect(other.picture.equals(direct.picture)).toBe(true)
    expect(await submitsTo(server)).toBe(1)
    // The file of a name is that of the last run that made one.
    expect((await run(url, known)).picture.equals(first.picture)).toBe(true)
  })
  expect(stdout).toMatch(/Added to .*: 3 exchanges, 1 socket, \d+ messages\.\n$/)
  const after = readFileSync(file, 'utf8')
  expect(after.startsWith(before.slice(0, before.lastIndexOf('\n]}}')))).toBe(true)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(existsSync(`${file}.added`)).toBe(false)
})

test('replay/upstream-again What a replay has added is replayed by the next one, without the server', async () => {
  const { file, first } = await sessionOf('1')
  const server = await worldOf('2')
  let other: Run | undefined
  await inFront(file, server.url, async (url) => {
    other = await run(url, unknown, 'somebody')
    expect((await fetch(`${url}/embeddings`)).status).toBe(200)
  })
  await server.close()
  const { stdout, stderr } = await inFront(file, server.url, async (url) => {
    const again = await run(url, unknown, 'another')
    expect([again.id, again.picture.equals(other!.picture)]).toEqual([other!.id, true])
    const types = ({ got }: Run) =>
      got.filter((one) => one.includes('"prompt_id"')).map((one) => JSON.parse(one).type)
    expect(types(again)).toEqual(types(other!))
    expect((await run(url, known)).picture.equals(first.picture)).toBe(true)
    expect(await (await fetch(`${url}/embeddings`)).json()).toEqual(['example_negative'])
  })
  expect({ stdout, stderr }).toEqual({ stdout: expect.not.stringContaining('Added'), stderr: '' })
})

test('replay/upstream-both Of two clients at a time each has its run from one side', async () => {
  const { file, first } = await sessionOf('1')
  const server = await worldOf('2')
  const other = solid(5, 'other')
  const direct = await run((await worldOf('2')).url, other, 'b')
  await inFront(file, server.url, async (url) => {
    const [a, b] = await Promise.all([run(url, known, 'a'), run(url, other, 'b')])
    expect([a.id, a.picture.equals(first.picture), aboutOthers(a)]).toEqual([first.id, true, []])
    expect([b.id, b.picture.equals(direct.picture), aboutOthers(b)]).toEqual([direct.id, true, []])
    expect([Object.keys(a.history), b.history]).toEqual([[first.id], direct.history])
  })
})

test('replay/upstream-lists What is about no certain run is answered where the last run went', async () => {
  const { file, first } = await sessionOf('1')
  const server = await worldOf('2')
  await inFront(file, server.url, async (url) => {
    const ids = async () => Object.keys((await (await fetch(`${url}/history`)).json()) as object)
    expect(await ids()).toEqual([])
    await run(url, known)
    expect(await ids()).toEqual([first.id])
    const { id } = await run(url, unknown)
    expect(await ids()).toEqual([id])
    // One that names its run goes to the side of that run.
    const post = (name: string) =>
      fetch(`${url}/history`, { method: 'POST', body: JSON.stringify({ delete: [name] }) })
    expect([(await post(first.id)).status, (await post(id)).status]).toEqual([404, 200])
    expect(await ids()).toEqual([])
    expect(await (await fetch(`${server.url}/history`)).json()).toEqual({})
  })
})

test('replay/upstream-flags The server behind learns what a client has said on its socket, and its greeting is not passed on', async () => {
  const { file } = await sessionOf('1')
  const server = await worldOf('2')
  await inFront(file, server.url, async (url) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=flags`)
    const got: { type: string; data: any }[] = []
    let metadata = 0
    const over = new Promise<void>((resolve) =>
      socket.on('message', (data: Buffer, isBinary) => {
        if (isBinary) metadata += data.readUInt32BE() === 4 ? 1 : 0
        else if (got.push(JSON.parse(data.toString())) && data.includes('"execution_success"'))
          resolve()
      }),
    )
    await once(socket, 'open')
    socket.send('{"type": "feature_flags", "data": {"supports_preview_metadata": true}}')
    const body = JSON.stringify({ prompt: unknown, client_id: 'flags' })
    await (await fetch(`${url}/prompt`, { method: 'POST', body })).text()
    await over
    expect(metadata).toBeGreaterThan(0)
    expect(got.filter(({ data }) => 'sid' in data).length).toBe(1)
    socket.close()
    await once(socket, 'close')
  })
  const { sockets } = readRecording(readFileSync(file), file)
  const { messages, url, close } = sockets.at(-1)!
  expect(new URL(url).searchParams.get('clientId')).toBe('flags')
  expect(messages.filter(({ from }) => from === 'client').length).toBe(1)
  expect(close).toMatchObject({ by: 'client' })
})

test('replay/upstream-close A socket that the server behind closes ends at the client, too', async () => {
  const { file } = await sessionOf('1')
  const server = await worldOf('2')
  await inFront(file, server.url, async (url) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=me`)
    await once(socket, 'open')
    const body = JSON.stringify({ prompt: unknown, client_id: 'me' })
    await (await fetch(`${url}/prompt`, { method: 'POST', body })).text()
    const closed = once(socket, 'close')
    await server.dropSockets({ close: 4000 })
    expect((await closed)[0]).toBe(4000)
  })
})

test('replay/upstream-uploads An upload that was recorded reaches the server before what can need it', async () => {
  const picture = readFileSync(new URL('../../../recordings/run.png', import.meta.url))
  const [body, headers] = formOf({ name: 'image', filename: 'mine.png', content: picture })
  const upload = async (url: string): Promise<void> =>
    void (await (await fetch(`${url}/upload/image`, { method: 'POST', headers, body })).text())
  const { file } = await recorded((await worldOf('1')).url, upload)
  const server = await worldOf('2')
  const loading = {
    '1': node('LoadImage', { image: 'mine.png' }),
    '2': node('SaveImage', { images: ['1', 0], filename_prefix: 'copy' }),
  }
  const { stderr } = await inFront(file, server.url, async (url) => {
    await upload(url)
    expect((await server.requests({ path: '/upload/image' })).length).toBe(0)
    await run(url, loading)
    expect((await server.requests({ path: '/upload/image' })).length).toBe(1)
  })
  expect(stderr).toBe('')
  expect(targets(file).filter((one) => one.includes('/upload')).length).toBe(1)
})

test('replay/upstream-links Signed links of the server behind lead through the replay', async () => {
  const accounts = { deployment: 'hosted', clock: 'instant', seed: '2' } as const
  const server = await forTest(startEmulator(accounts))
  const file = join(folder(), 'new.har')
  const headers = { 'X-API-Key': 'test-key' }
  await inFront(
    file,
    server.url,
    async (url) => {
      const body = JSON.stringify({ prompt: solid(3) })
      const reply = await fetch(`${url}/api/prompt`, { method: 'POST', headers, body })
      const { prompt_id } = (await reply.json()) as { prompt_id: string }
      const job: any = await (await fetch(`${url}/api/jobs/${prompt_id}`, { headers })).json()
      const [{ filename }] = Object.values<any>(job.outputs).flatMap(({ images }) => images)
      const view = await fetch(`${url}/api/view?filename=${filename}`, { headers })
      expect([view.status, view.redirected, new URL(view.url).origin]).toEqual([200, true, url])
    },
    '--deployment',
    'hosted',
  )
  expect(readFileSync(file, 'utf8')).not.toContain('test-key')
  expect(readRecording(readFileSync(file), file).info?.place).toBe('hosted')
})
