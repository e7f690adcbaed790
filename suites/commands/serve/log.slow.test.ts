// The log of `serve`: where it goes, what silences it and what does not, and how it shares a terminal with a run.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'vitest'
import { openLog } from '../../../dist/emulator/internal.js'
import { watchOn } from '../../support/watch.ts'
import { serveAtTerminal } from '../../support/fake-terminal.ts'
import { folder } from '../../support/folder.ts'
import { newIo } from '../../support/in-process.ts'
import { main, serving, start, textToImage } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'

/** The lines of a log, without the times at which they begin. */
const linesOf = (stderr: string): readonly string[] =>
  stderr
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^ *\d+\.\d{3}s {2}/, ''))
const submitOf = (class_type: string, inputs = {}): string =>
  JSON.stringify({ prompt: { '1': { class_type, inputs } } })
const short = submitOf('FlowdoubleText', { text: 'hi' })

test('serve/log With its output piped a server logs each request, run and refusal as one line on standard error', async () => {
  const { url, logs, stop } = await serving('--clock', 'instant')
  await fetch(`${url}/queue?token=SECRET`)
  await fetch(`${url}/queue`, { headers: { Origin: 'http://localhost:5173' } })
  await fetch(`${url}/prompt`, { method: 'POST', body: submitOf('NoSuchNode') })
  await fetch(`${url}/prompt`, { method: 'POST', body: short })
  await logs(/success run/)
  const { stdout, stderr } = await stop()
  expect(stdout.split('\n')).toHaveLength(2)
  expect(linesOf(stderr)).toEqual([
    '200 GET /queue?token=***',
    '403 GET /queue  a page of http://localhost:5173; --cors http://localhost:5173 lets its pages in',
    expect.stringMatching(/^400 POST \/prompt {2}.*NoSuchNode does not exist.*; --for WORKFLOW/),
    '200 POST /prompt',
    expect.stringMatching(/^success run [-0-9a-f]{36} \d+ ms$/),
  ])
})

test('serve/log-worlds Requests and runs of further worlds are logged with the path of the world, without its keys', async () => {
  const { url, logs, stop } = await serving('--clock', 'instant', '--deployment', 'hosted')
  const account = { user: 'ann', keys: ['key-of-ann-alone'], tier: 'pro' }
  const headers = { 'X-API-Key': 'key-of-ann-alone' }
  const control = (path: string, value: unknown) =>
    fetch(url + path, { method: 'POST', body: JSON.stringify(value) })
  await control('/_flowdouble/worlds', { name: 'one', accounts: [account] })
  await control('/w/one/_flowdouble/fork', { name: 'two' })
  for (const path of ['/w/one/api/queue', '/w/two/api/queue'])
    await fetch(`${url}${path}?note=key-of-ann-alone`, { headers })
  await fetch(`${url}/w/two/api/prompt`, { method: 'POST', headers, body: short })
  await logs(/success run/)
  expect(linesOf((await stop()).stderr)).toEqual([
    '/w/one  200 GET /api/queue?note=***',
    '/w/two  200 GET /api/queue?note=***',
    '/w/two  200 POST /api/prompt',
    expect.stringMatching(/^\/w\/two {2}success run [-0-9a-f]{36} \d+ ms$/),
  ])
})

test('serve/log-secrets No line contains a credential of a client, wherever the client puts it', async () => {
  const token = 'tok-own-secret'
  const { url, logs, stop } = await serving('--clock=instant', '--token', token)
  const headers = { Authorization: `Bearer ${token}` }
  await fetch(`${url}/userdata/${token}.txt`, { headers })
  await fetch(`${url}/userdata/tok-own%2Dsecret`, { headers })
  await fetch(`${url}/prompt`, { method: 'POST', headers, body: submitOf(token) })
  await logs(/does not exist/)
  const { stderr } = await stop()
  expect(stderr).toMatch(
    /\/userdata\/\*\*\*\.txt\n.*\/userdata\/\*\*\*\n.*node \*\*\* does not exist/,
  )
  expect(stderr).not.toContain('own-secret')
})

/** What a hosted server with these flags logs when a client sends its key with a signed link. */
async function leakKey(...flags: readonly string[]): Promise<string> {
  const { url, logs, stop } = await serving('--deployment=hosted', '--quiet', ...flags)
  const headers = { 'X-API-Key': 'test-key' }
  const body = new FormData()
  body.append('image', new Blob(['text']), 'a.txt')
  const upload = await fetch(`${url}/api/upload/image`, { method: 'POST', headers, body })
  const { name } = (await upload.json()) as { name: string }
  const view = `${url}/api/view?filename=${name}&type=input`
  const link = await fetch(view, { headers, redirect: 'manual' })
  await fetch(link.headers.get('location') ?? '', { headers })
  await logs(/\n/)
  return (await stop()).stderr
}

test('serve/quiet Silences requests and runs, and never a warning', async () => {
  expect(await leakKey()).toMatch(/^ *\d+\.\d{3}s {2}warning: a client sent its key [^\n]*\n$/)
})

test('serve/log-file --log appends the log to a file, as JSON on request, and warnings are printed as well', async () => {
  const file = join(folder(), 'serve.log')
  for (const _ of ['first', 'second'])
    expect(JSON.parse(await leakKey('--log', file, '--log-format', 'json'))).toMatchObject({
      event: 'warning',
      text: expect.stringContaining('sent its key'),
    })
  const records = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const once = [
    { event: 'request', method: 'POST', target: '/api/upload/image', status: 200 },
    { event: 'request', method: 'GET', status: 302 },
    { event: 'request', method: 'GET', target: expect.stringContaining('(signed link)') },
    { event: 'warning' },
  ]
  const byEvent = (one: Readonly<Record<string, unknown>>) => String(one['event'])
  expect(records.map(byEvent)).toEqual([...once, ...once].map(byEvent))
  expect(records).toMatchObject([...once, ...once])
})

test('serve/watch The lines of two servers are distinguishable, and a leaked key causes a warning.', async () => {
  const { io, output } = newIo({ terminal: 80, env: { NO_COLOR: '1' } })
  const input = {
    kind: 'request',
    atMs: 1500,
    request: 1,
    method: 'POST',
    target: '/api/prompt',
    headers: {},
    body: new Uint8Array(),
  } as const
  const reply = (status: number, body: string) =>
    ({ kind: 'reply', request: 1, status, headers: {}, body }) as const
  const [local, hosted] = [await watchOn(io, 'local'), await watchOn(io, 'hosted')]
  local.show({ input, effects: [reply(200, '{}')] })
  const refusal = '{"code": "BAD_REQUEST", "message": "No prompt."}'
  const leak = { kind: 'leak', request: 1, where: 'X-API-Key' } as const
  hosted.show({ input, effects: [reply(400, refusal), leak] })
  const link = { method: 'GET', target: '/a.png?X-Goog-Signature=1', links: true } as const
  hosted.show({ input: { ...input, ...link }, effects: [reply(200, '')] })
  expect(output.stdout.split('\n')).toEqual([
    '    1.500s  local   200 POST /api/prompt',
    '    1.500s  hosted  400 POST /api/prompt  No prompt.',
    '    1.500s  hosted  warning: a client sent its key (X-API-Key) to a signed link, which is on another host',
    '    1.500s  hosted  200 GET /a.png (signed link)',
    '',
  ])
})

test('serve/unread-log A parent that does not read standard error neither stops the server nor prevents it from ending', async () => {
  const args = [main, 'serve', '--port', '0', '--json', '--clock', 'instant']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { url } = JSON.parse(line) as { url: string }
  const long = `${url}/queue?${'a'.repeat(7000)}`
  for (let round = 0; round < 40; round++) expect((await fetch(long)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('serve/unread-log Lines that nobody reads are dropped beyond a bound, and counted', async () => {
  const written: string[] = []
  const stderr = { writableLength: 0, write: (text: string) => written.push(text) }
  const io = { stdout: stderr, stderr, env: {}, cwd: '/' }
  const { write } = await openLog({ json: false, quiet: false, logFormat: 'text' }, io)
  const record = { event: 'request', atMs: 1, method: 'GET', target: '/', status: 200 } as const
  write(record)
  stderr.writableLength = 2 ** 21
  for (let count = 0; count < 3; count++) write(record)
  stderr.writableLength = 0
  write(record)
  expect(written).toEqual([
    expect.stringContaining('200 GET /'),
    expect.stringMatching(/warning: dropped 3 log lines/),
    expect.stringContaining('200 GET /'),
  ])
})

const slowRun = ['--port', '0', '--clock', 'manual', '--run', textToImage]

/** Serves a run until its bar is on the screen. */
async function untilBar(...argv: readonly string[]) {
  const { terminal, stop } = serveAtTerminal(...argv)
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(await terminal.shows(/submitted/)) ?? []
  const advance = (body: object) =>
    fetch(`${url}/_flowdouble/advance`, { method: 'POST', body: JSON.stringify(body) })
  const bar = terminal.shows(/\[[#.]{24}\]/)
  await advance({ ms: 60 })
  await bar
  return { url, advance, terminal, stop }
}

test('serve/run-log Lines of the log appear above the progress bar of a run, which stays the last line', async () => {
  const { url, advance, terminal, stop } = await untilBar(...slowRun, '--out', folder())
  await fetch(`${url}/queue`)
  await terminal.shows(/200 GET \/queue\n/)
  expect(terminal.lines().at(-1)).toMatch(/^\[[#.]{24}\]/)
  await advance({ until: 'idle' })
  await terminal.shows(/keeps running/)
  const mixed = (line: string) => /\d\.\d{3}s {2}/.test(line) && /\[[#.]{24}\]/.test(line)
  expect(terminal.lines().filter(mixed)).toEqual([])
  expect(await stop()).toBe(0)
})

test('serve/run-stops Ctrl-C during a run removes its bar and prints nothing that is false', async () => {
  const { terminal, stop } = await untilBar(...slowRun, '--out', folder())
  const before = terminal.lines().slice(0, -1)
  expect(await stop()).toBe(0)
  expect(terminal.lines()).toEqual([...before, ''])
})

test('serve/run-stops A signal during a run ends the process with exit code 0 and no further message', async () => {
  const command = start('serve', ...slowRun)
  const before = await command.logs(/submitted .*\n/)
  const { stdout, stderr } = await command.stop('SIGINT')
  expect(`${stdout}${stderr.slice(before.length)}`).not.toMatch(/goes on|stopped|ECONN|succeed/i)
})
