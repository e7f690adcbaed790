// The command `serve`, spawned as users run it: its addresses and banner, for one deployment and both, and what its flags do.

import { readFileSync, statSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { WebSocket } from 'ws'
import {
  banner,
  nextStep,
  quirksCommand,
  runCommand,
  serveCommand,
} from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'
import { commandRows, newIo, outputOf } from '../../support/in-process.ts'
import { fileOf, serving, start, textToImage } from '../../support/spawned.ts'
import { parse } from 'yaml'

const urlIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? ''
const ask = (url: string, key = '', more: RequestInit = {}): Promise<Response> =>
  fetch(url, { headers: { 'X-API-Key': key }, ...more })
const status = async (url: string, key?: string): Promise<number> => (await ask(url, key)).status

/** The addresses of a server that listens on this port. */
const addressesAt = (port: number) => ({
  url: `http://127.0.0.1:${port}`,
  ws: `ws://127.0.0.1:${port}/ws`,
  port,
})

test('serve/stops SIGINT stops a server that has open connections, with exit code 0; with --json it prints its addresses and nothing else', async () => {
  const { process, line, url, port, stop } = await serving()
  expect(JSON.parse(line)).toEqual({ ...addressesAt(port), pid: process.pid })
  expect(await status(`${url}/system_stats`)).toBe(200)
  expect((await stop('SIGINT')).stdout).toBe(line)
})

test('serve/both A local and a hosted server with one seed share nothing, and SIGTERM stops them together; the JSON lists the local addresses, and those of hosted with its keys and signed links', async () => {
  const { process, line, url, port, hosted, stop } = await serving('--deployment', 'both')
  expect(JSON.parse(line)).toEqual({
    ...addressesAt(port),
    pid: process.pid,
    hosted: {
      ...addressesAt(hosted.port),
      signedUrl: expect.stringMatching(/^http:\/\/\S+:\d+$/),
      keys: [
        { key: 'test-key', user: 'test-user', tier: 'pro' },
        { key: 'test-key-free', user: 'test-user-free', tier: 'free' },
      ],
    },
  })
  expect(hosted.port).not.toBe(port)
  const prompt = { '1': { class_type: 'FlowdoubleSlow', inputs: { seconds: 600, steps: 1 } } }
  await fetch(`${url}/prompt`, { method: 'POST', body: JSON.stringify({ prompt }) })
  const readQueue = async (base: string) => (await ask(`${base}/api/prompt`, 'test-key')).json()
  expect(await readQueue(url)).toEqual({ exec_info: { queue_remaining: 1 } })
  expect(await readQueue(hosted.url)).toEqual({ exec_info: { queue_remaining: 0 } })
  expect(await status(`${hosted.url}/prompt`, 'test-key')).toBe(404)
  expect((await stop('SIGTERM')).stdout).toBe(line)
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  await expect(fetch(hosted.url)).rejects.toThrow('fetch failed')
})

test('serve/hosted Hosted alone is the first address, and its socket accepts a printed key.', async () => {
  const { url, ws, hosted, stop } = await serving('--deployment', 'hosted')
  expect(hosted).toMatchObject({ url, ws })
  const key = hosted.keys?.[0]?.key
  expect(await status(`${url}/api/queue`)).toBe(401)
  expect(await status(`${url}/api/queue`, key)).toBe(200)
  const socket = new WebSocket(`${ws}?token=${key}`)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.terminate()
  await stop()
})

test('serve/banner The banner lists the addresses and what to do next, flags override the config file, which overrides the defaults, and the ready file holds the addresses of a server that answers', async () => {
  const config = fileOf({ seed: 'from file', clock: 'instant', port: 0 })
  const file = join(folder(), 'ready.json')
  const command = start('serve', '--config', config, '--seed', 'from flag', '--ready-file', file)
  const text = await command.says(/Ctrl\+C/)
  expect(text).toMatch(/http:\/\/127\.0\.0\.1:\d+\n[\s\S]*ws:\/\/127\.0\.0\.1:\d+\/ws/)
  expect(text).toMatch(/seed from flag · clock instant[\s\S]*flowdouble run/)
  const { url } = JSON.parse(readFileSync(file, 'utf8')) as { url: string }
  expect(await status(`${url}/queue`)).toBe(200)
  await command.stop()
})

test('serve/banner The banner of both lists each address, the public keys, and that only the local server requires the token.', async () => {
  const command = start('serve', '--deployment', 'both', '--port', '0', '--token', 'SECRET')
  const text = await command.says(/Ctrl\+C/)
  expect(text).toMatch(/ {2}local\n {2}HTTP {7}http:\S+\n {2}WebSocket {2}ws:\S+\/ws\?clientId=/)
  expect(text).toMatch(/ {2}hosted\n {2}HTTP {7}http:\S+\/api\n {2}WebSocket {2}ws:\S+\?token=/)
  expect(text).toContain('test-key (pro), test-key-free (free)')
  expect(text).toMatch(/run text-to-image --url \S+ --api-key test-key\n/)
  expect(text).toContain('bearer token required on local')
  expect((await command.stop()).stdout).not.toContain('SECRET')
})

const accounts = [{ user: 'alice', keys: ['KEY-OF-ALICE'], tier: 'creator' }]

test.each([
  { output: 'JSON', way: ['--json'], says: '"pid"' },
  { output: 'the banner', way: [], says: 'those of alice (creator)' },
])(
  'serve/accounts The keys of a file grant access, and $output never contains them.',
  async ({ way, says }) => {
    const flags = ['--deployment=hosted', '--accounts', fileOf(accounts), '--port=0']
    const command = start('serve', ...flags, ...way)
    const url = urlIn(await command.says(/"pid"|Ctrl\+C/))
    expect(await status(`${url}/api/queue`, 'KEY-OF-ALICE')).toBe(200)
    expect(await status(`${url}/api/queue`, 'test-key')).toBe(401)
    const { stdout, stderr } = await command.stop()
    expect(stdout).toContain(says)
    expect(stdout + stderr).not.toMatch(/KEY-OF-ALICE|test-key/)
  },
)

test('serve/next The suggested next step includes the key of a hosted server only if the key is public.', async () => {
  const known = await startEmulator({ deployment: 'hosted' })
  const [{ user, keys }] = accounts as [(typeof accounts)[0]]
  const own = await startEmulator({ deployment: 'hosted', accounts: [{ user, keys }] })
  expect(nextStep(known, true)).toContain('--api-key test-key')
  expect(nextStep(known, true)).toContain(`"X-API-Key: test-key" ${known.url}/api/history_v2`)
  const shown = nextStep(own, true) + banner([own], newIo().io)
  expect(shown).toContain('--api-key-env NAME')
  expect(shown).not.toContain('KEY-OF-ALICE')
  await Promise.all([known.close(), own.close()])
})

const variable = 'FLOWDOUBLE_TEST_TOKEN'

test.each([
  ['a local server', [], '/history'],
  ['a local server with a token, never printed', ['--token-env', variable], '/history'],
  ['a hosted server, whose key is known', ['--deployment', 'hosted'], '/api/history_v2'],
])('serve/run A workflow runs through %s, which continues to serve', async (_, flags, history) => {
  process.env[variable] = 'SECRET'
  const fast = ['--port', '0', '--clock', 'instant', '--out', folder()]
  const command = start('serve', ...fast, ...flags, '--run', textToImage)
  delete process.env[variable]
  const text = await command.says(/keeps running[\s\S]*curl .*history/)
  const path = text.split('\n').find((line) => line.endsWith('.png')) ?? ''
  expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG')
  const list = urlIn(text) + history
  const hasToken = flags[1] === variable
  if (hasToken) expect(await status(list, 'test-key')).toBe(401)
  const reply = await ask(hasToken ? `${list}?token=SECRET` : list, 'test-key')
  const runs: any = await reply.json()
  expect(Object.keys(runs.history ?? runs)).toHaveLength(1)
  const { stdout, stderr } = await command.stop()
  expect(stdout + stderr).not.toContain('SECRET')
})

test('serve/journal Only its owner can read the journal file, and it holds no secret', async () => {
  const file = join(folder(), 'journal.jsonl')
  const { url, stop } = await serving('--clock', 'instant', '--journal', file)
  const extra_data = { api_key_partner_org: 'SECRET-KEY' }
  const prompt = { '1': { class_type: 'FlowdoubleText', inputs: { text: 'hi' } } }
  const headers = { Authorization: 'Bearer SECRET-TOKEN', 'X-API-Key': 'SECRET-API' }
  const body = JSON.stringify({ prompt, extra_data })
  await fetch(`${url}/prompt?token=SECRET-QUERY`, { method: 'POST', headers, body })
  await stop()
  const journal = readFileSync(file, 'utf8')
  expect(journal).toContain('FlowdoubleText')
  expect(journal).not.toContain('SECRET')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('serve/flags A flag without a value means the usual value, wherever it is', async () => {
  const { url, stop } = await serving('--manager', '--cors', '--max-upload-size=1', '--ws-compress')
  const reply = await fetch(`${url}/manager/queue/status`, { headers: { Origin: 'http://a.b' } })
  expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  expect(await (await fetch(`${url}/features`)).text()).toContain('"max_upload_size": 1048576.0')
  await stop()
})

commandRows((...argv) => start(...argv).ends, {
  'serve/help The help of the program shows an example': [['--help'], 0, /Example/, ''],
  'serve/help An unknown command points to the help': [['srve'], 2, '', /flowdouble --help/],
})

test('serve/help The help of each command shows examples', async () => {
  for (const command of [serveCommand, runCommand, quirksCommand])
    expect(await outputOf(command, ['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Example'),
    })
})

const scenarios = join(import.meta.dirname, '../../../recordings/scenarios')

/** The scenarios that have runs before the first request. */
const withRuns = readdirSync(scenarios)
  .filter((file) => {
    const { start: before = {} } = parse(readFileSync(join(scenarios, file), 'utf8'))
    return ['history', 'queue', 'cached'].some((list) => before[list] !== undefined)
  })
  .map((file) => file.replace('.yaml', ''))

const submit = {
  method: 'POST',
  body: JSON.stringify({ prompt: JSON.parse(readFileSync(textToImage, 'utf8')) }),
}

test.each([
  ...withRuns.map((name) => ['scenario', ['--scenario', name], '/api/prompt'] as const),
  ['picture', [], '/view?filename=example.png&type=input'],
  ['submit', [], '/prompt', submit],
  ['hosted submit', ['--deployment', 'hosted'], '/api/prompt', submit],
  ['list of assets', ['--like', 'comfyui-0.38'], '/api/assets'],
] as const)(
  'on-demand/first A new process answers a %s, its first request, %j',
  async (_, flags, path, init: RequestInit = {}) => {
    const { url, stop } = await serving(...flags)
    const headers = { 'X-API-Key': 'test-key' }
    expect((await fetch(url + path, { headers, ...init })).status).toBe(200)
    await stop()
  },
)
