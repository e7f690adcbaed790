// The command `serve` for hosted, and for both deployments together.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { WebSocket } from 'ws'
import { banner, nextStep } from '../../../dist/emulator/internal.js'
import { runServe } from '../../support/command-line.ts'
import { folder } from '../../support/folder.ts'
import { fileOf, start } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'
import { watchOn } from '../../support/watch.ts'

type Addresses = {
  readonly url: string
  readonly ws: string
  readonly port: number
  readonly hosted: {
    readonly url: string
    readonly ws: string
    readonly port: number
    readonly signedUrl: string | null
    readonly keys?: readonly {
      readonly key: string
      readonly user: string
      readonly tier: string
    }[]
  }
}

const quiet = { write: () => undefined }
const accounts = [{ user: 'alice', keys: ['KEY-OF-ALICE'], tier: 'creator' }]
const status = async (url: string, key = ''): Promise<number> =>
  (await fetch(url, { headers: { 'X-API-Key': key } })).status

test('serve/both A local and a hosted server with one seed share nothing.', async () => {
  const command = start('serve', '--deployment', 'both', '--port', '0', '--json')
  const { url, hosted } = JSON.parse(await command.says(/\n/)) as Addresses
  const prompt = { '1': { class_type: 'FlowdoubleSlow', inputs: { seconds: 600, steps: 1 } } }
  await fetch(`${url}/prompt`, { method: 'POST', body: JSON.stringify({ prompt }) })
  const readQueue = async (base: string) =>
    (await fetch(`${base}/api/prompt`, { headers: { 'X-API-Key': 'test-key' } })).json()
  expect(await readQueue(url)).toEqual({ exec_info: { queue_remaining: 1 } })
  expect(await readQueue(hosted.url)).toEqual({ exec_info: { queue_remaining: 0 } })
  expect(await status(`${hosted.url}/prompt`, 'test-key')).toBe(404)
  command.process.kill('SIGTERM')
  expect((await command.ends).code).toBe(0)
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  await expect(fetch(hosted.url)).rejects.toThrow('fetch failed')
})

test('serve/json The JSON of both lists the local addresses, and those of hosted with its keys.', async () => {
  const file = join(folder(), 'ready.json')
  const command = start('serve', '--deployment=both', '--port=0', '--json', '--ready-file', file)
  const printed = JSON.parse(await command.says(/\n/)) as Addresses
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(printed)
  const { port, hosted } = printed
  expect(printed).toEqual({
    url: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}/ws`,
    port,
    pid: command.process.pid,
    hosted: {
      url: `http://127.0.0.1:${hosted.port}`,
      ws: `ws://127.0.0.1:${hosted.port}/ws`,
      port: hosted.port,
      signedUrl: hosted.signedUrl,
      keys: [
        { key: 'test-key', user: 'test-user', tier: 'pro' },
        { key: 'test-key-free', user: 'test-user-free', tier: 'free' },
      ],
    },
  })
  expect(hosted.port).not.toBe(port)
  command.process.kill('SIGTERM')
  await command.ends
})

test('serve/hosted Hosted alone is the first address, and its socket accepts a printed key.', async () => {
  const command = start('serve', '--deployment', 'hosted', '--port', '0', '--json')
  const { url, ws, hosted } = JSON.parse(await command.says(/\n/)) as Addresses
  expect({ url: hosted.url, ws: hosted.ws }).toEqual({ url, ws })
  expect(await status(`${url}/api/queue`)).toBe(401)
  expect(await status(`${url}/api/queue`, hosted.keys?.[0]?.key)).toBe(200)
  const socket = new WebSocket(`${ws}?token=${hosted.keys?.[0]?.key}`)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.terminate()
  command.process.kill('SIGTERM')
  await command.ends
})

test('serve/banner The banner of both lists each address, and the public keys.', async () => {
  const command = start('serve', '--deployment', 'both', '--port', '0')
  const text = await command.says(/Ctrl\+C/)
  expect(text).toMatch(/ {2}local\n {2}HTTP {7}http:\S+\n {2}WebSocket {2}ws:\S+\/ws\?clientId=/)
  expect(text).toMatch(/ {2}hosted\n {2}HTTP {7}http:\S+\/api\n {2}WebSocket {2}ws:\S+\?token=/)
  expect(text).toContain('test-key (pro), test-key-free (free)')
  expect(text).toMatch(/run text-to-image --url \S+ --api-key test-key\n/)
  command.process.kill('SIGTERM')
  await command.ends
})

test('serve/accounts The keys of a file grant access, and are never printed.', async () => {
  const file = fileOf(accounts)
  for (const way of [['--json'], []]) {
    const flags = ['--deployment', 'hosted', '--accounts', file, '--port', '0', ...way]
    const command = start('serve', ...flags)
    const text = await command.says(/"pid"|Ctrl\+C/)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
    expect(await status(`${url}/api/queue`, 'KEY-OF-ALICE')).toBe(200)
    expect(await status(`${url}/api/queue`, 'test-key')).toBe(401)
    command.process.kill('SIGTERM')
    const { stdout, stderr } = await command.ends
    expect(stdout + stderr).not.toMatch(/KEY-OF-ALICE|test-key/)
    if (way.length === 0) expect(stdout).toContain('those of alice (creator)')
  }
})

const wrong: readonly (readonly [name: string, args: readonly string[], says: RegExp])[] = [
  [
    'an unknown deployment',
    ['--deployment', 'cloud'],
    /--deployment cannot be "cloud": use one of local, hosted, both\.\n/,
  ],
  ['one in the config', ['--config', fileOf({ deployment: 7 })], /option "deployment" of .*"7"/],
  ['a missing file of accounts', ['--accounts', 'none.json'], /file of --accounts .*ENOENT/],
  [
    'accounts that are not JSON',
    ['--accounts', fileOf('[{"keys": SECRET')],
    /accounts .* not valid JSON .line 1, column 11./,
  ],
  [
    'accounts without keys',
    ['--accounts', fileOf([{ user: 'a' }])],
    /--accounts cannot be used: account 1 .*keys/,
  ],
  [
    'a config that is not JSON',
    ['--config', fileOf('{"token": SECRET')],
    /config .* not valid JSON .line 1, column 11./,
  ],
  [
    'an account of no tier',
    ['--accounts', fileOf([{ user: 'a', keys: ['SECRET'], tier: 'SECRET' }])],
    /account 1 cannot have that tier, only free, standard/,
  ],
  [
    'an account of a name that no link can hold',
    ['--accounts', fileOf([{ user: 'SECRET a', keys: ['SECRET'] }])],
    /account 1 cannot have that user \(.*letters, digits/,
  ],
  [
    'accounts of a local server',
    ['--accounts', fileOf(accounts)],
    /--accounts applies to hosted servers only: use it with --deployment hosted or both/,
  ],
  [
    'a token of a hosted server',
    ['--deployment', 'hosted', '--token', 'SECRET'],
    /--token applies to local servers only/,
  ],
  ['a quirk of no server', ['--deployment', 'both', '--quirk', 'no.such'], /"no.such"/],
]
for (const [name, args, says] of wrong) {
  test(`serve/refuses ${name}, without printing its secrets.`, async () => {
    const { code, stdout, stderr } = await runServe('--port', '0', ...args)
    expect(stderr).toMatch(says)
    expect(stderr).not.toContain('SECRET')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })
}

test('serve/port-in-use If one port is taken, the other server closes as well.', async () => {
  const taken = await startEmulator()
  const args = ['--deployment', 'both', '--port', `${taken.port - 1}`]
  const { code, stderr } = await runServe(...args)
  await taken.close()
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Port \d+ is in use/) as string,
  })
})

test('serve/port-in-use If the port of the signed links is taken, the message says so.', async () => {
  const taken = await startEmulator()
  const args = ['--deployment', 'hosted', '--port', `${taken.port - 1}`]
  const { code, stderr } = await runServe(...args)
  await taken.close()
  expect(code).toBe(2)
  expect(stderr).toContain(`Port ${taken.port} is in use: signed links use the port after`)
})

test('serve/both The banner says that only the local server requires the token.', async () => {
  const command = start('serve', '--deployment', 'both', '--port', '0', '--token', 'SECRET')
  expect(await command.says(/Ctrl\+C/)).toContain('bearer token required on local')
  command.process.kill('SIGTERM')
  expect((await command.ends).stdout).not.toContain('SECRET')
})

test('serve/watch The lines of two servers are distinguishable, and a leaked key causes a warning.', async () => {
  const written: string[] = []
  const stdout = { write: (text: string) => written.push(text), isTTY: true }
  const io = { stdout, stderr: stdout, env: { NO_COLOR: '1' }, cwd: '/' }
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
  const link = {
    ...input,
    method: 'GET',
    target: '/a.png?X-Goog-Signature=1',
    links: true as const,
  }
  hosted.show({ input: link, effects: [reply(200, '')] })
  expect(written).toEqual([
    '    1.500s  local   200 POST /api/prompt\n',
    '    1.500s  hosted  400 POST /api/prompt  No prompt.\n',
    '    1.500s  hosted  warning: a client sent its key (X-API-Key) to a signed link, which is on another host\n',
    '    1.500s  hosted  200 GET /a.png (signed link)\n',
  ])
})

test('serve/next The suggested next step includes the key of a hosted server only if the key is public.', async () => {
  const io = { stdout: quiet, stderr: quiet, env: {}, cwd: '/' }
  const known = await startEmulator({ deployment: 'hosted' })
  const own = await startEmulator({
    deployment: 'hosted',
    accounts: [
      {
        user: 'alice',
        keys: ['KEY-OF-ALICE'],
        tier: 'pro',
        balance: 1,
        subscription: 'active',
        partnerKey: null,
        failsWith: null,
      },
    ],
  })
  expect(nextStep(known, true)).toContain('--api-key test-key')
  expect(nextStep(known, true)).toContain(`"X-API-Key: test-key" ${known.url}/api/history_v2`)
  const shown = nextStep(own, true) + banner([own], io)
  expect(shown).toContain('--api-key-env NAME')
  expect(shown).not.toContain('KEY-OF-ALICE')
  await known.close()
  await own.close()
})
