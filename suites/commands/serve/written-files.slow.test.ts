// What commands write: ready files, files on a disk that takes nothing more, and the journal file.

import { mkdirSync, readdirSync, readFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import { onTestFinished, test } from 'vitest'
import { learnCommand } from '../../../dist/emulator/internal.js'
import { textToImage } from '../../generate/graphs.ts'
import { openLine } from '../../judge/edges.ts'
import { expect } from '../../judge/expect.ts'
import { enabled, runServe } from '../../support/command-line.ts'
import { type Files, newFiles } from '../../support/files.ts'
import { folder } from '../../support/folder.ts'
import { startLimited, serving, start } from '../../support/spawned.ts'
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import { listening } from '../../support/for-test.ts'

const har = join(import.meta.dirname, '../../../recordings/sessions/local-run.har')

/** How a command ends in a folder, which is also that for temporary files, if no file can take a byte. */
async function onFullDisk({ dir, names }: Files, ...argv: readonly string[]) {
  // Coverage could not be written either.
  const setUp = `unset NODE_V8_COVERAGE; cd ${dir}; export TMPDIR=${dir}; ulimit -f 0`
  const command = startLimited(setUp, ...argv)
  const { code, stderr } = await command.ends
  return { code, says: stderr.replaceAll(dir, 'PLACE'), left: names() }
}

for (const [name, argv, code, sentence] of [
  ['learn', ['learn', har, '--out', 'a/b.yaml'], 1, /^Cannot write PLACE\/a\/b\.yaml: EFBIG/],
  ['shrink', ['shrink', har, '--command', 'exit 1'], 2, /^Cannot write a part to PLACE\/.*: EFBIG/],
  ['record --from', ['record', '--from', har, '--out', 'a.har'], 1, /^Cannot write PLACE\/a\.har/],
  [
    'gateway setup',
    ['gateway', 'setup', '--enable', '--yes', '--config-dir', '.'],
    1,
    /^Cannot write the/,
  ],
] as const)
  test(`full-disk/command ${name} says that it cannot write, and leaves nothing`, async () => {
    const { code: ended, says, left } = await onFullDisk(newFiles(), ...argv)
    expect(says).toMatch(sentence)
    expect(says).not.toContain('    at ')
    expect({ code: ended, left }).toEqual({ code, left: [] })
  })

test('full-disk/check check and diff stop without a ledger, and check removes the runs that it has made', async () => {
  const server = await startEmulator({ port: 0, clock: 'instant' })
  const other = await startEmulator({ port: 0, clock: 'instant' })
  onTestFinished(async () => void (await Promise.all([server.close(), other.close()])))
  const only = ['--only', 'workflows/reply', '--only', 'files/upload']
  for (const argv of [
    ['check', server.url, ...only],
    ['check', server.url, '--recording', har],
    ['diff', server.url, other.url],
  ] as const) {
    const { code, says, left } = await onFullDisk(newFiles(), ...argv)
    expect(says).toMatch(
      /^Cannot write the ledger PLACE\/.*: EFBIG.*\nSee: flowdouble \w+ --help\n$/,
    )
    expect({ code, left }).toEqual({ code: 2, left: [] })
    // diff leaves its runs in the history.
    if (argv[0] === 'check') expect(await (await fetch(`${server.url}/history`)).json()).toEqual({})
  }
})

test('full-disk/subscribe webhook subscribe leaves neither a lock nor a part of the file', async () => {
  const place = newFiles({ 'config.yaml': enabled() })
  const argv = ['webhook', 'subscribe', 'a', '--config-dir', '.']
  const { code, says, left } = await onFullDisk(place, ...argv)
  expect(says).toMatch(/^Cannot write the subscriptions in PLACE: EFBIG/)
  expect({ code, left }).toEqual({ code: 1, left: ['config.yaml'] })
})

test('full-disk/learn Files of a scenario that cannot be written go again, and those of an earlier one stay', async () => {
  const place = newFiles({ 'a.har': readFileSync(har, 'utf8') })
  const learn = (out: string) => place.run(learnCommand, 'a.har', '--out', out, '--overwrite')
  expect((await learn('old.yaml')).code).toBe(0)
  const files = (): readonly string[] =>
    (readdirSync(place.dir, { recursive: true }) as string[]).toSorted()
  const before = files()
  mkdirSync(place.path('new.yaml'))
  const stderr = expect.stringMatching(/^Cannot write .*new\.yaml: EISDIR.*\n$/)
  expect(await learn('new.yaml')).toMatchObject({ code: 1, stderr })
  expect(files()).toEqual([...before, 'new.yaml'].toSorted())
})

const journal = join(folder(), 'journal.jsonl')

test.each(['manual', 'instant'] as const)(
  'journal-file/first What a client receives is in the journal file before, on the clock %s',
  async (clock) => {
    const server = await startEmulator({ clock, journal, overwrite: true })
    onTestFinished(() => server.close())
    const kept: boolean[] = []
    const line = openLine(server.url, '/ws?clientId=me', (data, isBinary) => {
      const text = readFileSync(journal, 'utf8')
      kept.push(isBinary || text.includes(JSON.stringify(data.toString()).slice(1, -1)))
    })
    await line.opened
    const body = JSON.stringify({ prompt: textToImage(), client_id: 'me' })
    const submitted = await fetch(`${server.url}/prompt`, { method: 'POST', body })
    expect(submitted.status).toBe(200)
    expect(readFileSync(journal, 'utf8')).toContain(await submitted.text().then(JSON.stringify))
    if (clock === 'manual') await server.until('idle')
    await line.settled()
    expect(kept.length).toBeGreaterThan(10)
    expect(kept).not.toContain(false)
    const lines = await server.journal()
    expect(readFileSync(journal, 'utf8').trimEnd().split('\n').length).toBe(lines.length)
  },
)

/** Starts a server that cannot listen; returns what is left of the ready file. */
async function leftAfterRefusal(port: number, content: string): Promise<string | undefined> {
  const file = join(folder(), 'ready.json')
  writeFileSync(file, content)
  expect((await runServe('--port', `${port}`, '--ready-file', file)).code).toBe(2)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

test('serve/ready-file It holds the addresses of all servers once they listen, and is removed when they stop', async () => {
  const place = folder()
  const file = join(place, 'ready.json')
  const flags = ['--deployment=both', '--with-gateway', '--gateway-port=0']
  const { line, stop } = await serving(...flags, '--ready-file', file)
  expect(readFileSync(file, 'utf8')).toBe(line)
  expect(readdirSync(place)).toEqual(['ready.json'])
  await stop()
  expect(readdirSync(place)).toEqual([])
})

test('serve/ready-file A file that another command has written since then is left alone', async () => {
  const file = join(folder(), 'ready.json')
  const { stop } = await serving('--ready-file', file)
  writeFileSync(file, '{"pid": 1}')
  await stop()
  expect(readFileSync(file, 'utf8')).toBe('{"pid": 1}')
})

test('serve/ready-file A file of a dead process, or with an address at which nobody listens, is removed at start', async () => {
  const ended = start('quirks')
  await ended.ends
  const [other, gone] = [await listening(createServer()), await listening(createServer())]
  await gone.close()
  const ready = (pid: number | undefined, port: number) =>
    JSON.stringify({ url: `http://127.0.0.1:${port}`, pid })
  const left = (content: string) => leftAfterRefusal(other.port, content)
  expect(await left(ready(ended.process.pid, other.port))).toBe(undefined)
  expect(await left(ready(process.pid, gone.port))).toBe(undefined)
  const living = [ready(process.pid, other.port), 'no JSON', '{"name": "a package"}', 'null']
  for (const content of living) expect(await left(content)).toBe(content)
})

test('serve/ready-file A pipe in its place is not waited for, and is replaced', async () => {
  const file = join(folder(), 'ready.json')
  execFileSync('mkfifo', [file])
  const { line, stop } = await serving('--ready-file', file)
  expect(readFileSync(file, 'utf8')).toBe(line)
  await stop()
})
