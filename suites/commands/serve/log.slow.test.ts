// The log of `serve`: where it goes, what silences it and what does not, and how it shares a terminal with a run.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'vitest'
import { startEmulator } from 'flowdouble'
import { createRecordReader, openLog } from '../../../dist/emulator/internal.js'
import { sourceOn } from '../../support/watch.ts'
import { serveAtTerminal } from '../../support/fake-terminal.ts'
import { folder } from '../../support/folder.ts'
import { main, start, textToImage } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'

const urlIn = (line: string): string => (JSON.parse(line) as { url: string }).url
const unknownNode = JSON.stringify({ prompt: { '1': { class_type: 'NoSuchNode', inputs: {} } } })

test('serve/log With its output piped a server logs each request, run and refusal as one line on standard error', async () => {
  const command = start('serve', '--port', '0', '--json', '--clock', 'instant')
  const url = urlIn(await command.says(/\n/))
  await fetch(`${url}/queue?token=SECRET`)
  await fetch(`${url}/queue`, { headers: { Origin: 'http://localhost:5173' } })
  await fetch(`${url}/prompt`, { method: 'POST', body: unknownNode })
  const prompt = { '1': { class_type: 'FlowdoubleText', inputs: { text: 'hi' } } }
  await fetch(`${url}/prompt`, { method: 'POST', body: JSON.stringify({ prompt }) })
  await command.logs(/success run/)
  command.process.kill('SIGTERM')
  const { code, stdout, stderr } = await command.ends
  expect(code).toBe(0)
  expect(stdout.split('\n')).toHaveLength(2)
  const texts = stderr.trimEnd().split('\n')
  expect(texts.map((line) => line.replace(/^ *\d+\.\d{3}s {2}/, ''))).toEqual([
    '200 GET /queue?token=***',
    '403 GET /queue  a page of http://localhost:5173; --cors http://localhost:5173 lets its pages in',
    expect.stringMatching(/^400 POST \/prompt {2}.*NoSuchNode does not exist.*; --unknown-nodes/),
    '200 POST /prompt',
    expect.stringMatching(/^success run [-0-9a-f]{36} \d+ ms$/),
  ])
})

test('serve/log-worlds Requests and runs of further worlds are logged with the path of the world, without its keys', async () => {
  const command = start(
    'serve',
    '--port',
    '0',
    '--json',
    '--clock',
    'instant',
    '--deployment',
    'hosted',
  )
  const url = urlIn(await command.says(/\n/))
  const account = { user: 'ann', keys: ['key-of-ann-alone'], tier: 'pro' }
  const control = (path: string, value: unknown) =>
    fetch(url + path, { method: 'POST', body: JSON.stringify(value) })
  await control('/_flowdouble/worlds', { name: 'one', accounts: [account] })
  await control('/w/one/_flowdouble/fork', { name: 'two' })
  const ask = (path: string) =>
    fetch(`${url}${path}?note=key-of-ann-alone`, { headers: { 'X-API-Key': 'key-of-ann-alone' } })
  for (const path of ['/w/one/api/queue', '/w/two/api/queue']) await ask(path)
  const prompt = { '1': { class_type: 'FlowdoubleText', inputs: { text: 'hi' } } }
  const headers = { 'X-API-Key': 'key-of-ann-alone' }
  const body = JSON.stringify({ prompt })
  await fetch(`${url}/w/two/api/prompt`, { method: 'POST', headers, body })
  await command.logs(/success run/)
  command.process.kill('SIGTERM')
  const texts = (await command.ends).stderr.trimEnd().split('\n')
  expect(texts.map((line) => line.replace(/^ *\d+\.\d{3}s {2}/, ''))).toEqual([
    '/w/one  200 GET /api/queue?note=***',
    '/w/two  200 GET /api/queue?note=***',
    '/w/two  200 POST /api/prompt',
    expect.stringMatching(/^\/w\/two {2}success run [-0-9a-f]{36} \d+ ms$/),
  ])
})

test('serve/log-nearest A request that no endpoint answers is logged with the nearest endpoint', async () => {
  const read = async (deployment: 'local' | 'hosted', ...requests: [string, string][]) => {
    const reader = createRecordReader(sourceOn(undefined, deployment))
    const server = await startEmulator({
      deployment,
      onEntry: (entry) => {
        for (const record of reader(entry))
          if (record.event === 'request') hints.push(record.hints?.[0])
      },
    })
    const hints: (string | undefined)[] = []
    for (const [method, path] of requests)
      await fetch(server.url + path, { method, headers: { 'X-API-Key': 'test-key' } })
    await server.close()
    return hints
  }
  expect(
    await read(
      'local',
      ['GET', '/histroy/abc'],
      ['POST', '/promt'],
      ['GET', '/api/sytem_stats'],
      ['DELETE', '/queue'],
      ['GET', '/something/else/entirely'],
      ['GET', '/view?filename=none.png'],
    ),
  ).toEqual([
    'the nearest endpoint is GET /history/{prompt_id}',
    'the nearest endpoint is POST /prompt',
    'the nearest endpoint is GET /api/system_stats',
    'this path takes GET, HEAD, POST',
    undefined,
    undefined,
  ])
  expect(
    await read('hosted', ['POST', '/prompt'], ['GET', '/api/jbos'], ['GET', '/api/jobs/none']),
  ).toEqual(['the hosted path is /api/prompt', 'the nearest endpoint is GET /api/jobs', undefined])
})

test('serve/log-secrets No line contains a credential of a client, wherever the client puts it', async () => {
  const token = 'tok-own-secret'
  const command = start('serve', '--port=0', '--json', '--clock=instant', '--token', token)
  const url = urlIn(await command.says(/\n/))
  const headers = { Authorization: `Bearer ${token}` }
  await fetch(`${url}/userdata/${token}.txt`, { headers })
  await fetch(`${url}/userdata/tok-own%2Dsecret`, { headers })
  const body = JSON.stringify({ prompt: { '1': { class_type: token, inputs: {} } } })
  await fetch(`${url}/prompt`, { method: 'POST', headers, body })
  await command.logs(/does not exist/)
  command.process.kill('SIGTERM')
  const { stderr } = await command.ends
  expect(stderr).toMatch(
    /\/userdata\/\*\*\*\.txt\n.*\/userdata\/\*\*\*\n.*node \*\*\* does not exist/,
  )
  expect(stderr).not.toContain('own-secret')
})

/** Makes a client send its key with a signed link. */
async function leakKey(url: string): Promise<void> {
  const headers = { 'X-API-Key': 'test-key' }
  const body = new FormData()
  body.append('image', new Blob(['text']), 'a.txt')
  const upload = await fetch(`${url}/api/upload/image`, { method: 'POST', headers, body })
  const { name } = (await upload.json()) as { name: string }
  const view = `${url}/api/view?filename=${name}&type=input`
  const link = await fetch(view, { headers, redirect: 'manual' })
  await fetch(link.headers.get('location') ?? '', { headers })
}

test('serve/quiet Silences requests and runs, and never a warning', async () => {
  const command = start('serve', '--deployment=hosted', '--port=0', '--json', '--quiet')
  await leakKey(urlIn(await command.says(/\n/)))
  await command.logs(/\n/)
  command.process.kill('SIGTERM')
  const { stderr } = await command.ends
  expect(stderr).toMatch(/^ *\d+\.\d{3}s {2}warning: a client sent its key [^\n]*\n$/)
})

test('serve/log-file --log appends the log to a file, as JSON on request, and warnings are printed as well', async () => {
  const file = join(folder(), 'serve.log')
  const flags = ['--json', '--quiet', '--log', file, '--log-format', 'json']
  for (const _ of ['first', 'second']) {
    const command = start('serve', '--deployment=hosted', '--port=0', ...flags)
    await leakKey(urlIn(await command.says(/\n/)))
    await command.logs(/\n/)
    command.process.kill('SIGTERM')
    const { stderr } = await command.ends
    const { event, text } = JSON.parse(stderr) as { event: string; text: string }
    expect({ event, text }).toEqual({
      event: 'warning',
      text: expect.stringContaining('sent its key'),
    })
  }
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

test('serve/unread-log A parent that does not read standard error neither stops the server nor prevents it from ending', async () => {
  const args = [main, 'serve', '--port', '0', '--json', '--clock', 'instant']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const long = `${urlIn(line)}/queue?${'a'.repeat(7000)}`
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

const addressOn = (screen: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(screen)?.[0] ?? ''
const slowRun = ['--port', '0', '--clock', 'manual', '--run', textToImage]

/** Serves a run until its bar is on the screen. */
async function untilBar(...argv: readonly string[]) {
  const { terminal, stop } = serveAtTerminal(...argv)
  const url = addressOn(await terminal.shows(/submitted/))
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
  command.process.kill('SIGINT')
  const { code, stdout, stderr } = await command.ends
  expect(code).toBe(0)
  expect(`${stdout}${stderr.slice(before.length)}`).not.toMatch(/goes on|stopped|ECONN|succeed/i)
})
