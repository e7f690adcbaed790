// The command `serve`, spawned as users run it: addresses, refusals, signals.

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'vitest'
import { quirksCommand, runCommand, serveCommand } from '../../../dist/emulator/internal.js'
import { runServe } from '../../support/command-line.ts'
import { folder } from '../../support/folder.ts'
import { fileOf, start, textToImage } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`serve/stops ${signal} stops a server that has open connections, with exit code 0; with --json it prints its addresses and nothing else`, async () => {
    const command = start('serve', '--port', '0', '--json')
    const addresses = JSON.parse(await command.says(/\n/)) as { url: string; port: number }
    expect(addresses).toEqual({
      url: `http://127.0.0.1:${addresses.port}`,
      ws: `ws://127.0.0.1:${addresses.port}/ws`,
      port: addresses.port,
      pid: command.process.pid,
    })
    expect((await fetch(`${addresses.url}/system_stats`)).status).toBe(200)
    command.process.kill(signal)
    const { code, stdout } = await command.ends
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 1])
  })
}

test('serve/banner The banner lists the addresses and what to do next, flags override the config file, which overrides the defaults, and the ready file holds the addresses of a server that answers', async () => {
  const config = join(folder(), 'flowdouble.json')
  writeFileSync(config, JSON.stringify({ seed: 'from file', clock: 'instant', port: 0 }))
  const file = join(folder(), 'ready.json')
  const command = start('serve', '--config', config, '--seed', 'from flag', '--ready-file', file)
  const banner = await command.says(/Ctrl\+C/)
  expect(banner).toMatch(/http:\/\/127\.0\.0\.1:\d+\n/)
  expect(banner).toMatch(/ws:\/\/127\.0\.0\.1:\d+\/ws/)
  expect(banner).toContain('seed from flag · clock instant')
  expect(banner).toContain('flowdouble run')
  const { url } = JSON.parse(readFileSync(file, 'utf8')) as { url: string }
  expect((await fetch(`${url}/queue`)).status).toBe(200)
  command.process.kill('SIGTERM')
  await command.ends
})

test('serve/run A workflow runs through the server, which continues to serve', async () => {
  const out = folder()
  const command = start('serve', '--port', '0', '--run', textToImage, '--out', out)
  const text = await command.says(/keeps running[\s\S]*curl/)
  const path = text.split('\n').find((line) => line.endsWith('.png')) ?? ''
  expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG')
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
  expect(Object.keys((await (await fetch(`${url}/history`)).json()) as object)).toHaveLength(1)
  command.process.kill('SIGTERM')
  expect((await command.ends).code).toBe(0)
})

test('serve/journal Only its owner can read the journal file, and it holds no secret', async () => {
  const file = join(folder(), 'journal.jsonl')
  const command = start('serve', '--port', '0', '--json', '--clock', 'instant', '--journal', file)
  const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
  const extra_data = { api_key_partner_org: 'SECRET-KEY' }
  const prompt = { '1': { class_type: 'FlowdoubleText', inputs: { text: 'hi' } } }
  const headers = { Authorization: 'Bearer SECRET-TOKEN', 'X-API-Key': 'SECRET-API' }
  const body = JSON.stringify({ prompt, extra_data })
  await fetch(`${url}/prompt?token=SECRET-QUERY`, { method: 'POST', headers, body })
  command.process.kill('SIGTERM')
  await command.ends
  const journal = readFileSync(file, 'utf8')
  expect(journal).toContain('FlowdoubleText')
  expect(journal).not.toContain('SECRET')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('serve/port-in-use A taken port is a clear message and exit code 2', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const { code, stderr, stdout } = await runServe('--port', `${port}`)
  other.close()
  expect(code).toBe(2)
  expect(stderr).toMatch(/Port \d+ is in use.*--port/)
  expect(stdout).toBe('')
})

test('serve/no-address An invalid address is named in the message', async () => {
  const { code, stderr } = await runServe('--host', '999.1.1.1', '--port', '0')
  expect(code).toBe(2)
  expect(stderr).toContain('Cannot listen on 999.1.1.1: it is not an address of this machine.')
})

test('serve/flags A flag without a value means the usual value, wherever it is', async () => {
  const flags = ['--manager', '--cors', '--port', '0', '--max-upload-size', '1', '--json']
  const command = start('serve', ...flags, '--ws-compress')
  const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
  const reply = await fetch(`${url}/manager/queue/status`, { headers: { Origin: 'http://a.b' } })
  expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  expect(await (await fetch(`${url}/features`)).text()).toContain('"max_upload_size": 1048576.0')
  command.process.kill('SIGTERM')
  await command.ends
})

test('serve/token A token from the environment is required, reaches --run, and is never printed', async () => {
  const name = 'FLOWDOUBLE_TEST_TOKEN'
  const fast = ['--port', '0', '--clock', 'instant']
  process.env[name] = 'TOKEN-TOKEN'
  const command = start('serve', ...fast, '--token-env', name, '--run', textToImage)
  delete process.env[name]
  const text = await command.says(/keeps running[\s\S]*curl/)
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
  expect((await fetch(`${url}/history`)).status).toBe(401)
  expect((await fetch(`${url}/history?token=TOKEN-TOKEN`)).status).toBe(200)
  command.process.kill('SIGTERM')
  const { stdout, stderr } = await command.ends
  expect(stdout).toContain('.png')
  expect(stdout + stderr).not.toContain('TOKEN-TOKEN')
})

/** Files of JSON that is nested deeper than engines or the server follow. */
const deep = (() => {
  const [config, nodes] = [join(folder(), 'deep.json'), join(folder(), 'deep-nodes.json')]
  const lists = '['.repeat(100_000) + ']'.repeat(100_000)
  writeFileSync(config, `{"seed": ${lists}}`)
  writeFileSync(nodes, `{"Deep": {"input": {"required": ${lists}}}}`)
  return { config, nodes }
})()

const wrong: readonly (readonly [name: string, args: readonly string[], says: RegExp])[] = [
  ['an unknown flag', ['--colour'], /--colour/],
  [
    'node types that are not there',
    ['--object-info', 'gone.json'],
    /Cannot read the node types: ENOENT.*\. Save one with: curl -s/,
  ],
  [
    'a negative number',
    ['--pace', '-5'],
    /--pace cannot be "-5": use a number from 0 to 86400000: .*\(default 5\)\.\n/,
  ],
  ['a port beyond the last', ['--port', '99999'], /--port cannot be "99999"/],
  ['a value that looks like a flag', ['--pace', '-x'], /--pace needs a value/],
  ['a ready file in no folder', ['--ready-file', '/no/such/x'], /Cannot write the ready file/],
  ['a log in no folder', ['--log', '/no/such/x'], /Cannot write the log/],
  [
    'an unknown format of the log',
    ['--log-format', 'xml'],
    /--log-format must be text or json, not "xml"/,
  ],
  ['a missing workflow', ['--run', 'none.json'], /Cannot read the workflow/],
  ['a broken workflow', ['--run', fileOf('{"1": }')], /--run: .* not valid JSON .line 1, column 7/],
  ['an unknown clock', ['--clock', 'fast'], /clock cannot be "fast".*manual/],
  ['a clock that stands still', ['--clock', 'x0'], /clock cannot be "x0"/],
  [
    'an unknown quirk',
    ['--quirk', 'no.such'],
    /quirk cannot be "no.such"[\s\S]*history.completed-on-error/,
  ],
  ['a quirk of hosted', ['--quirk', 'hosted.no-free'], /quirk cannot be "hosted.no-free"/],
  ['a token of two words', ['--token', 'two words'], /token cannot be that/],
  [
    'a token from nowhere',
    ['--token-env', 'NO_SUCH_VARIABLE'],
    /NO_SUCH_VARIABLE \(--token-env\) is not set/,
  ],
  ['a body limit of nothing', ['--max-upload-size', '0'], /--max-upload-size cannot be "0"/],
  ['a missing config', ['--config', 'none.json'], /Cannot read the config/],
  [
    'a config that is not an object',
    ['--config', textToImage.replace('text-to-image', 'failing')],
    /Unknown option/,
  ],
  [
    'a value nested deeper than can be shown',
    ['--config', deep.config],
    /seed.*cannot be this list/,
  ],
  ['node types nested too deeply', ['--nodes', deep.nodes], /nested too deeply/],
  ['missing node types', ['--object-info', 'none.json'], /Cannot read the node types/],
  ['node types that are none', ['--object-info', textToImage], /not a node type.*curl/s],
  [
    'a journal that cannot be written',
    ['--journal', '/no/such/folder/x'],
    /Cannot write the journal/,
  ],
]
for (const [name, args, says] of wrong) {
  test(`serve/refuses ${name} with a message that says what to do and exit code 2`, async () => {
    const { code, stderr, stdout } = await runServe('--port', '0', ...args)
    expect(stderr).toMatch(says)
    expect(stderr).toContain('flowdouble serve --help')
    expect(stderr).not.toContain('    at ')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })
}

test('serve/help The help of each command shows examples and exit codes', async () => {
  const [help, unknown] = [start('--help'), start('srve')]
  for (const command of [serveCommand, runCommand, quirksCommand]) {
    let text = ''
    const stdout = { write: (part: string) => (text += part) }
    const io = { stdout, stderr: { write: () => undefined }, env: {}, cwd: folder() }
    expect(await command(['--help'], io)).toBe(0)
    expect(text).toContain('Example')
  }
  expect(await help.ends).toMatchObject({ code: 0, stdout: expect.stringContaining('Example') })
  const { code, stderr } = await unknown.ends
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('flowdouble --help'),
  })
})
