// What `check` has made: its file, from which everything can be removed, and the removal.

import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs'
import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { cleanUp } from '../../check/open-server.ts'
import { type Ledger, type LedgerEntry, type LedgerServer, openLedger } from '../../check/ledger.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { newFiles } from '../../support/files.ts'

const server: LedgerServer = {
  kind: 'server',
  url: 'http://gpu:8188',
  deployment: 'local',
  version: 1,
}

const newFile = (): string => newFiles().path('a.ledger')

test('check/ledger-begins Its file begins with the server when the first thing is made, for the owner alone.', () => {
  const file = newFile()
  const ledger = openLedger(file, server)
  expect(existsSync(file)).toBe(false)
  ledger.add({ kind: 'run', name: 'a' })
  ledger.add({ kind: 'run', name: 'a' })
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([server, { kind: 'run', name: 'a' }])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('check/ledger-again It goes on with what the file lists; a line that a crash has cut off is left out.', () => {
  const file = newFile()
  const before = openLedger(file, server)
  before.add({ kind: 'run', name: 'a' })
  before.add({ kind: 'upload', name: 'b' })
  before.add({ kind: 'removed', of: 'run', name: 'a' })
  appendFileSync(file, '{"kind":"ru')
  const after = openLedger(file, server)
  expect(after.entries()).toEqual([server, { kind: 'upload', name: 'b' }])
  after.discard()
  after.discard()
  expect(existsSync(file)).toBe(false)
})

test('check/ledger-refused What was refused is not there, unless it is made later.', () => {
  const ledger = openLedger(newFile(), server)
  const upload = { kind: 'upload', name: 'b' } as const
  ledger.add(upload)
  ledger.add({ kind: 'removed', of: 'upload', name: 'b' })
  expect(ledger.entries()).toEqual([server])
  ledger.add(upload)
  expect(ledger.entries()).toEqual([server, upload])
})

test('check/ledger-other The file of another server is refused: its things are not on this one.', () => {
  const file = newFile()
  openLedger(file, server).add({ kind: 'run', name: 'a' })
  expect(() => openLedger(file, { ...server, url: 'http://other:1' })).toThrow(
    'lists what a check has left on http://gpu:8188: name another file with --ledger',
  )
  expect(openLedger(file).entries()).toHaveLength(2)
})

/** A server that answers each request with a status, and the requests that it got. */
function recording(statusOf: (request: string) => number) {
  const requests: string[] = []
  const answer = (request: string) => {
    requests.push(request)
    return Promise.resolve({ status: statusOf(request) })
  }
  const subject = {
    post: (path: string, body: unknown) => answer(`POST ${path} ${JSON.stringify(body)}`),
    request: (method: string, path: string, body = '') =>
      answer(`${method} ${path} ${body}`.trim()),
  } as unknown as Subject
  return { subject, requests }
}

function ledgerWith(...entries: readonly Parameters<Ledger['add']>[0][]): Ledger {
  const ledger = openLedger(newFile(), server)
  for (const entry of entries) ledger.add(entry)
  return ledger
}

test('check/clean-removes Runs are deleted by their ids, files of the user as they were before, and the file goes.', async () => {
  const { subject, requests } = recording(() => 204)
  const before = Buffer.from('old').toString('base64')
  const ledger = ledgerWith(
    { kind: 'run', name: 'a' },
    { kind: 'userdata', name: 'flowdouble-check/new', before: null },
    { kind: 'userdata', name: 'settings', before },
  )
  expect(await cleanUp(subject, ledger)).toEqual({ names: [], isWorthATry: false })
  expect(requests).toEqual([
    'POST /queue {"delete":["a"]}',
    'POST /history {"delete":["a"]}',
    'DELETE /userdata/flowdouble-check%2Fnew',
    'POST /userdata/settings old',
  ])
  expect(existsSync(ledger.file)).toBe(false)
})

test('check/clean-many Many runs are deleted a hundred at a time.', async () => {
  const { subject, requests } = recording(() => 200)
  const runs = Array.from(
    { length: 201 },
    (_, index) => ({ kind: 'run', name: `${index}` }) as const,
  )
  await cleanUp(subject, ledgerWith(...runs))
  const ids = requests.map(
    (text) => JSON.parse(text.replace(/^\S+ \S+ /, '')).delete.length as unknown,
  )
  expect(ids).toEqual([100, 100, 100, 100, 1, 1])
})

test('check/clean-left What cannot be removed is listed and forgotten; what is refused for now is kept.', async () => {
  const busy = recording((request) => (request.includes('/userdata/') ? 503 : 200))
  const ledger = ledgerWith(
    { kind: 'run', name: 'a' },
    { kind: 'userdata', name: 'b', before: null },
    { kind: 'userdata', name: 'grün/folder', before: null },
    { kind: 'upload', name: 'c' },
  )
  expect(await cleanUp(busy.subject, ledger)).toEqual({
    names: ['userdata b', 'userdata grün/folder', 'upload c'],
    isWorthATry: true,
  })
  expect(existsSync(ledger.file)).toBe(true)
  const later = recording((request) => (request.includes('folder') ? 400 : 404))
  expect(await cleanUp(later.subject, openLedger(ledger.file, server))).toEqual({
    names: ['userdata grün/folder', 'upload c'],
    isWorthATry: false,
  })
  expect(later.requests).toEqual(['DELETE /userdata/b', 'DELETE /userdata/gr%C3%BCn%2Ffolder'])
  expect(existsSync(ledger.file)).toBe(false)
})

test('check/ledger-each Two servers are checked from one folder, and what the first check has left does not block.', async () => {
  const worlds = await Promise.all([startEmulator({ port: 0 }), startEmulator({ port: 0 })])
  const { check, names, write } = newFiles()
  const only = ['--only', 'userdata', '--only', 'files/upload']
  for (const { url } of worlds) expect((await check(url, ...only)).code).toBe(0)
  expect(names()).toEqual([])
  // One that could not end.
  const { host, url } = Object.assign(new URL(worlds[0].url), { url: worlds[0].url })
  const name = `flowdouble-check-${host.replace(':', '-')}.ledger`
  const entries: readonly LedgerEntry[] = [
    { kind: 'server', url, deployment: 'local', version: 1 },
    { kind: 'run', name: 'a' },
    { kind: 'upload', name: 'flowdouble-check/grün.png' },
  ]
  write(name, entries.map((one) => `${JSON.stringify(one)}\n`).join(''))
  expect((await check(worlds[1].url, ...only)).code).toBe(0)
  const cleaned = await check('--clean', name)
  expect([cleaned.code, cleaned.stdout]).toEqual([
    0,
    `These cannot be removed, and are forgotten; ${name} is gone:\nupload flowdouble-check/grün.png\n`,
  ])
  expect(names()).toEqual([])
  await Promise.all(worlds.map((one) => one.close()))
})

test('check/ledger-nothing A check that selects nothing, or makes nothing, leaves no file.', async () => {
  const emulator = await startEmulator({ port: 0 })
  const { check, names } = newFiles()
  const codes: (number | null)[] = []
  for (const flags of [['--only', 'nothing'], ['--list'], ['--only', 'catalog', '--read-only']])
    codes.push((await check(emulator.url, ...flags)).code)
  await emulator.close()
  expect(codes).toEqual([2, 0, 0])
  expect(names()).toEqual([])
})
