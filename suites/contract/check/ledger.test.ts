// What `check` has made: its file, from which everything can be removed, and the removal.

import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { cleanUp } from '../../check/clean.ts'
import { type Ledger, type LedgerServer, openLedger } from '../../check/ledger.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { folder, start } from '../../support/spawned.ts'

const server: LedgerServer = {
  kind: 'server',
  url: 'http://gpu:8188',
  deployment: 'local',
  version: 1,
}

const newFile = (): string => join(folder(), 'a.ledger')

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

test('check/ledger-other The file of another server is refused: its things are not on this one.', () => {
  const file = newFile()
  openLedger(file, server).add({ kind: 'run', name: 'a' })
  expect(() => openLedger(file, { ...server, url: 'http://other:1' })).toThrow(
    'lists what a check has left on http://gpu:8188: remove that with --clean',
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
  expect(await cleanUp(subject, ledger)).toEqual([])
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

test('check/clean-left What cannot be removed is named; the file stays unless that is an upload.', async () => {
  const refusing = recording((request) => (request.includes('/userdata/') ? 500 : 200))
  const ledger = ledgerWith(
    { kind: 'run', name: 'a' },
    { kind: 'userdata', name: 'b', before: null },
    { kind: 'upload', name: 'c' },
  )
  expect(await cleanUp(refusing.subject, ledger)).toEqual(['userdata b', 'upload c'])
  expect(existsSync(ledger.file)).toBe(true)
  const missing = recording(() => 404)
  expect(await cleanUp(missing.subject, openLedger(ledger.file, server))).toEqual(['upload c'])
  expect(missing.requests).toEqual(['DELETE /userdata/b'])
  expect(existsSync(ledger.file)).toBe(false)
})

test('check/ledger-nothing A check that selects nothing, or makes nothing, leaves no file.', async () => {
  const emulator = await startEmulator({ port: 0 })
  const file = newFile()
  const check = (...argv: readonly string[]) =>
    start('check', emulator.url, '--ledger', file, ...argv).ends
  const [none, listed, read] = await Promise.all([
    check('--only', 'nothing'),
    check('--list'),
    check('--only', 'catalog', '--read-only'),
  ])
  await emulator.close()
  expect([none.code, listed.code, read.code]).toEqual([2, 0, 0])
  expect(existsSync(file)).toBe(false)
})
