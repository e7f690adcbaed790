// A server that saves its worlds in a folder, and the next one that continues them; and worlds as files for others.

import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { type Emulator, type EmulatorOptions, startEmulator } from 'flowdouble'
import { onTestFinished, vi } from 'vitest'
import { slow, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { account } from '../../judge/hosted/jobs.ts'
import { proves } from '../../judge/proves.ts'
import { subjectOf } from '../../judge/subject.ts'
import { exchange } from '../../judge/wire.ts'
import { newFiles } from '../../support/files.ts'
import { lookClock } from '../shared/look-clock.ts'

const manual = { clock: 'manual' } as const

/** Starts servers that save their worlds in the same folder, one after the other. */
function restarts(options: EmulatorOptions) {
  const folder = newFiles().path('state')
  let running: Emulator | undefined
  onTestFinished(() => running?.close())
  return {
    folder,
    start: async (others: EmulatorOptions = {}): Promise<Emulator> => {
      await running?.close()
      running = undefined
      return (running = await startEmulator({ ...options, state: folder, ...others }))
    },
  }
}

/** The files in a folder and below it, by their paths. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(folder, file)).isFile() && !file.includes('.lock-'))
    .toSorted()

proves('shared/saved', async ({ deployment }) => {
  const { start, folder } = restarts({ deployment, ...manual })
  const first = subjectOf(await start())
  const world = subjectOf(await first.emulator!.world({ name: 'one', pace: 7, seed: 'mine' }))
  await world.submit(textToImage())
  await world.idle()
  await world.submit(slow())
  await world.emulator!.advance(20)
  world.emulator!.snapshot('kept')
  await first.submit(slow())
  const before = [await world.queue(), await world.history(), await first.queue()]
  const journal = await world.emulator!.journal()
  const server = await start()
  const [next] = server.worlds()
  expect(next!.options).toMatchObject({ pace: 7, seed: 'mine' })
  const [again, root] = [subjectOf(next!), subjectOf(server)]
  expect([await again.queue(), await again.history(), await root.queue()]).toEqual(before)
  // The placeholders of secrets are those of before.
  expect((await next!.journal()).slice(1, journal.length)).toEqual(journal.slice(1))
  await again.idle()
  expect(await again.history()).toHaveLength(2)
  await next!.restore('kept')
  expect(await again.history()).toEqual(before[1])
  // Only its owner reads it.
  if (process.platform === 'win32') return
  for (const file of filesIn(folder)) expect(statSync(join(folder, file)).mode & 0o77).toBe(0)
})

proves('shared/saved-in-time', async ({ deployment }) => {
  const clock = lookClock()
  const { start, folder } = restarts({ deployment, ...manual, expiry: clock.expiry, stateEvery: 5 })
  const server = await start()
  const world = await server.world({ name: 'one' })
  clock.at(5)
  await clock.looked()
  const saved = filesIn(folder)
  const [one = '', root] = saved.toReversed()
  expect([one, root]).toEqual([expect.stringContaining('w-one'), join(deployment, 'root.world')])
  const inodeOf = (file: string | undefined): number => statSync(join(folder, file ?? '')).ino
  const before = [inodeOf(one), inodeOf(root)]
  // What a process leaves that is killed now is in the folder.
  await subjectOf(world).submit(textToImage())
  clock.at(10)
  await clock.looked()
  expect([inodeOf(one) === before[0], inodeOf(root) === before[1]]).toEqual([false, true])
  expect(readFileSync(join(folder, one)).includes('/prompt')).toBe(true)
})

proves('shared/saved-clients', async ({ deployment }) => {
  const { start } = restarts({ deployment, ...manual })
  const first = subjectOf(await start())
  const session = await first.connect('me')
  await first.submit(slow(), { client_id: 'me' })
  const server = await start()
  await session.closed
  const lines = (await server.journal()).map((line) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({ input: { kind: 'close', socket: 1 } })
  const again = await subjectOf(server).connect('me')
  await again.settled()
  expect(again.received.length).toBeGreaterThan(0)
})

proves('shared/saved-uploads', async ({ deployment }) => {
  const { start, folder } = restarts({ deployment, ...manual })
  const bytes = Buffer.alloc(10_000, 'upload')
  const server = await start()
  for (const name of ['one', 'two']) {
    const { upload } = subjectOf(await server.world({ name }))
    await upload({ name: 'a.txt', bytes })
  }
  const next = await start()
  const uploads = (): string[] => filesIn(folder).filter((file) => file.includes('uploads'))
  const stored = uploads()
  // The requests in the journal carried it too, each with its own boundary.
  const sizes = stored.map((file) => statSync(join(folder, file)).size)
  expect(sizes.filter((size) => size === bytes.length)).toHaveLength(1)
  for (const world of next.worlds()) await world.close()
  await start()
  expect(uploads()).toEqual([])
})

proves('shared/saved-folder', async ({ deployment }) => {
  const clock = lookClock()
  const { start, folder } = restarts({ deployment, ...manual, expiry: clock.expiry })
  const files = newFiles()
  files.write('a-file', '')
  const file = files.path('a-file')
  await expect(start({ state: file })).rejects.toThrow(
    new RegExp(`^The state cannot be in ${file}: .* Name another folder\\.$`),
  )
  const lines: string[] = []
  const written = vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line))
    return true
  })
  onTestFinished(() => written.mockRestore())
  const server = await start()
  clock.at(1)
  await clock.looked()
  await subjectOf(server).get('/queue')
  // Nothing can be written where a folder is.
  const blocked = join(folder, deployment, 'root.world.tmp')
  mkdirSync(blocked)
  clock.at(30)
  await clock.looked()
  expect(lines).toEqual([
    expect.stringMatching(
      /^flowdouble: Cannot save the world at the root: .*The server goes on, and tries again\.\n$/,
    ),
  ])
  expect((await subjectOf(server).get('/queue')).status).toBe(200)
  rmdirSync(blocked)
  clock.at(60)
  await clock.looked()
  expect(lines).toHaveLength(1)
  expect(filesIn(folder)).toContain(join(deployment, 'root.world'))
})

proves('shared/saved-closed', async ({ deployment }) => {
  const { start } = restarts({ deployment, ...manual })
  const server = await start()
  const [gone] = [await server.world({ name: 'gone' }), await server.world({ name: 'a' })]
  const next = await start()
  expect(next.worlds().map(({ name }) => name)).toEqual(['gone', 'a'])
  await next.worlds()[0]!.close()
  expect(gone.name).toBe('gone')
  expect((await start()).worlds().map(({ name }) => name)).toEqual(['a'])
})

proves('shared/saved-options', async ({ deployment }) => {
  const { start } = restarts({ deployment, ...manual })
  await start()
  await expect(start({ pace: 5 })).rejects.toThrow(/other options \(pace\): start with the same/)
  // What belongs to the listener can change.
  expect((await start({ worldIdle: 60 })).options.worldIdle).toBe(60)
})

proves('shared/saved-version', async ({ deployment }) => {
  const { start, folder } = restarts({ deployment, ...manual })
  const server = await start()
  await subjectOf(server).upload({ name: 'a.txt', bytes: Buffer.alloc(5000, 'x') })
  const file = Buffer.from(await server.save())
  const put = async (bytes: Buffer) => {
    const path = '/_flowdouble/worlds/one/state'
    const { status, body } = await exchange(server.url, 'PUT', path, {}, bytes)
    return [status, JSON.parse(body).error]
  }
  const changed = (from: string, to: string): Buffer =>
    Buffer.from(file.toString('latin1').replace(from, to), 'latin1')
  const other = deployment === 'local' ? 'hosted' : 'local'
  expect(await put(changed('"version":"', '"version":"9'))).toEqual([
    400,
    expect.stringMatching(/^The file was saved by version 9.*: use the same version\.$/),
  ])
  expect(await put(changed(`"deployment":"${deployment}"`, `"deployment":"${other}"`))).toEqual([
    400,
    `The file is a world of a ${other} server, and this is ${deployment}.`,
  ])
  const damaged = [400, 'The file is damaged: save the world again, or leave the file out.']
  expect(await put(file.subarray(0, 600))).toEqual(damaged)
  expect(await put(file.subarray(0, -1))).toEqual(damaged)
  for (const text of ['', '{}\n', 'null\n', 'no world'])
    expect(await put(Buffer.from(text))).toEqual([400, 'The file is not a saved world.'])
  // What another build has written, or somebody else.
  const [line = ''] = file.toString('latin1').split('\n')
  const written = (value: unknown): Buffer => {
    const world = serialize(value)
    const sha256 = createHash('sha256').update(world).digest('hex')
    const header = { ...JSON.parse(line), bytes: world.length, sha256, uploads: [] }
    return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), world])
  }
  const some = { snapshots: new Map(), lastIds: {}, journal: {}, options: {}, epochMs: 0 }
  for (const value of [5, null, {}, some, Symbol.iterator.toString()])
    expect(await put(written(value))).toEqual(damaged)
  const [status, error] = await put(written({ ...some, state: { worlds: [] } }))
  expect([status, error]).toEqual([400, expect.stringMatching('does not fit this server')])
  expect(
    await put(Buffer.from(`${JSON.stringify({ ...JSON.parse(line), bytes: 3 })}\nabc`)),
  ).toEqual(damaged)
  expect(server.worlds()).toEqual([])
  await server.close()
  const place = join(folder, deployment, 'root.world')
  writeFileSync(place, changed('a world of', 'another'))
  await expect(start()).rejects.toThrow(`${place} is not a saved world.`)
  writeFileSync(place, file)
  rmSync(join(folder, deployment, 'uploads'), { recursive: true })
  await expect(start()).rejects.toThrow(
    `${place} is damaged: save the world again, or leave the file out.`,
  )
  writeFileSync(place, readFileSync(place).subarray(0, 100))
  await expect(start()).rejects.toThrow('is not a saved world')
})

proves('shared/download', async ({ deployment }) => {
  const { start } = restarts({ deployment, ...manual })
  const server = await start()
  const accounts = deployment === 'hosted' ? { accounts: [account('test-key')] } : {}
  const world = subjectOf(await server.world({ name: 'one', pace: 9, ...accounts }))
  const bytes = Buffer.alloc(9000, 'content')
  await world.upload({ name: 'a.txt', bytes })
  await world.submit(textToImage())
  await world.idle()
  await world.request('GET', '/queue', undefined, { Authorization: 'Bearer a-secret-of-a-client' })
  const got = await fetch(`${server.url}/_flowdouble/worlds/one/state`)
  const file = Buffer.from(await got.arrayBuffer())
  expect(file.includes('a-secret-of-a-client')).toBe(false)
  const elsewhere = await startEmulator({ deployment, ...manual, pace: 3 })
  onTestFinished(() => elsewhere.close())
  const put = await fetch(`${elsewhere.url}/_flowdouble/worlds/mine/state`, {
    method: 'PUT',
    body: file,
  })
  expect([put.status, await put.json()]).toEqual([
    201,
    { name: 'mine', url: `${elsewhere.url}/w/mine` },
  ])
  const [there] = elsewhere.worlds()
  const again = subjectOf(there!)
  expect(there!.options.pace).toBe(9)
  expect(await again.history()).toEqual(await world.history())
  expect((await again.view({ filename: 'a.txt', type: 'input' })).status).toBe(
    (await world.view({ filename: 'a.txt', type: 'input' })).status,
  )
  // Its journal says that the beginning is lost.
  expect(JSON.parse((await there!.journal())[0]!).first).toBeGreaterThan(0)
  const conflict = await fetch(`${elsewhere.url}/_flowdouble/worlds/mine/state`, {
    method: 'PUT',
    body: file,
  })
  expect(conflict.status).toBe(409)
  expect((await fetch(`${server.url}/_flowdouble/worlds/none/state`)).status).toBe(404)
  await expect(elsewhere.world({ saved: file, pace: 1 })).rejects.toThrow('leave out others')
  // The world at the root too.
  const whole = await fetch(`${server.url}/_flowdouble/state`)
  const copy = await elsewhere.world({ saved: Buffer.from(await whole.arrayBuffer()) })
  expect(copy.name).toMatch(/^w\d$/)
})

proves('shared/download-own', async ({ deployment }) => {
  const shared = { deployment, shared: true, controlToken: 'token-of-the-admin', ...manual }
  const { start } = restarts(shared)
  const server = await start()
  const world = await server.world({ name: 'one' })
  const statusOf = async (url: string, path: string, token: string): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}` }
    return (await exchange(url, 'GET', `/_flowdouble/${path}`, headers)).status
  }
  const [admin, own] = [shared.controlToken, world.worldToken!]
  const path = 'worlds/one/state'
  expect(await statusOf(server.url, path, admin)).toBe(404)
  expect(await statusOf(world.url, path, admin)).toBe(403)
  expect(await statusOf(world.url, path, own)).toBe(200)
  expect(await statusOf(world.url, 'worlds/two/state', own)).toBe(404)
  expect(Buffer.from(await world.save()).includes(own)).toBe(false)
  // After a restart its token is the same.
  const [again] = (await start()).worlds()
  expect(again!.worldToken).toBe(own)
})
