// The command `record`: its files. They hold no secrets, survive a crash, and are not written with what looks like one.

import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { test } from 'vitest'
import {
  findingText,
  placeholders,
  readRecording,
  type RecordedExchange,
  redactRecording,
  scanRecording,
} from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { startEcho } from '../../support/servers/echo-server.ts'
import { refusals, titled } from '../../support/in-process.ts'
import {
  bytesOf,
  exchangeWith,
  recorded,
  runRecord,
  startRecord,
} from '../../support/recordings/recording.ts'
import { folder } from '../../support/folder.ts'
import { start } from '../../support/spawned.ts'

const random = 'q7Zr0xP4mWv9LsT2bHy6NcD8'

test('record/crash A recording whose process is killed is read up to there, and --from finishes it', async () => {
  const server = await startEcho({
    answer: (_, response) => response.end('{"token":"of-the-server-1"}'),
  })
  const file = join(folder(), 'session.har')
  const command = start('record', server.url, '--port', '0', '--json', '--out', file)
  const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
  for (const path of ['/a', '/b']) await (await fetch(url + path)).text()
  const part = `${file}.part`
  while (readFileSync(part, 'utf8').split('\n').length < 4) await fetch(`${server.url}/wait`)
  command.process.kill('SIGKILL')
  await command.ends
  expect(existsSync(file)).toBe(false)
  expect(statSync(part).mode & 0o777).toBe(0o600)
  const text = readFileSync(part, 'utf8')
  expect(text).not.toContain('of-the-server')
  const paths = (content: string) =>
    readRecording(content, part).exchanges.map(({ url }) => new URL(url).pathname)
  expect(paths(text)).toEqual(['/a', '/b'])
  expect(paths(text.slice(0, -5))).toEqual(['/a'])
  const refused = await runRecord(server.url, '--out', file)
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`--from ${part}`)])
  const finished = await runRecord('--from', part, '--out', file)
  expect([finished.code, existsSync(part)]).toEqual([0, false])
  expect(paths(readFileSync(file, 'utf8'))).toEqual(['/a', '/b'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('record/stop A signal that arrives twice, as from a runner that passes it on to its group, is one: the recording is written', async () => {
  const server = await startEcho({ answer: (_, response) => response.end('{}') })
  const file = join(folder(), 'session.har')
  const command = start('record', server.url, '--port', '0', '--json', '--out', file)
  const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
  await (await fetch(`${url}/a`)).text()
  command.process.kill('SIGINT')
  await setImmediate()
  command.process.kill('SIGINT')
  const { code } = await command.ends
  expect([code, existsSync(file), existsSync(`${file}.part`)]).toEqual([0, true, false])
})

test('record/refusal A file that would contain what looks like a secret is not written: the message says where, and --redact or --keep decides', async () => {
  const server = await startEcho({ answer: (_, response) => response.end('{}') })
  const running = await startRecord(server.url)
  const body = JSON.stringify({ a: [{ keyOfTeam: random }] })
  await fetch(`${running.url}/prompt?x=1`, { method: 'POST', body })
  const result = await running.stop()
  expect([result.code, result.text(), result.hasPart()]).toEqual([1, '', true])
  expect(result.stderr).toContain(
    'entry 0 (POST /prompt), request body, member keyOfTeam: a long random text under the name of a secret',
  )
  expect(result.stderr).not.toContain(random)
  const part = `${result.file}.part`
  const flags = ['--from', part, '--out', result.file]
  expect((await runRecord(...flags)).code).toBe(1)
  const redacted = await runRecord('--from', part, '--redact', 'key_of_team')
  expect([redacted.code, redacted.text().includes(random)]).toEqual([0, false])
  const kept = await runRecord(...flags, '--keep', 'keyOfTeam')
  expect(kept.code).toBe(0)
  expect(readFileSync(result.file, 'utf8')).toContain(random)
})

/** What looks like a secret, and where the scanner says that it is. */
const suspicious: readonly (readonly [Partial<RecordedExchange>, string])[] = [
  [{ headers: [['Authorization', 'Basic eA==']] }, 'request header Authorization'],
  [{ headers: [['Cookie', 'a=b']] }, 'request header Cookie'],
  [{ headers: [['X-Team-Session', random]] }, 'request header X-Team-Session'],
  [{ headers: [['X-Note', `Bearer ${random}`]] }, 'request header X-Note'],
  [{ url: 'http://server/a?X-Amz-Signature=ab' }, 'query parameter X-Amz-Signature'],
  [{ url: `http://server/s?n=sk-${random}` }, 'query parameter n'],
  [{ url: `http://server/hf_${random}` }, 'path'],
  [{ url: `http://server/a/sk%2Dproj%2D${random}` }, 'path'],
  [{ body: bytesOf(`{"a":{"password":"x"}}`) }, 'request body, member password'],
  [{ body: bytesOf(`{"a":"{\\"api_key\\":\\"x\\"}"}`) }, 'request body, member a, member api_key'],
  [{ body: bytesOf(`see eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM`) }, 'request body'],
  [{ body: new Uint8Array([255, ...bytesOf(`ghp_${random}`)]) }, 'request body'],
  [
    {
      response: {
        status: 302,
        headers: [['Location', 'https://host/f?X-Goog-Signature=abc']],
        body: new Uint8Array(),
      },
    },
    'response header Location parameter X-Goog-Signature',
  ],
  [
    { response: { status: 200, headers: [], body: bytesOf(`comfyui-${'0a1b'.repeat(8)}`) } },
    'response body',
  ],
]

for (const [more, where] of suspicious) {
  test(`record/scanner It finds what stands in ${where}: ${JSON.stringify(Object.keys(more))}`, () => {
    const found = scanRecording({ info: null, exchanges: [exchangeWith(more)], sockets: [] })
    expect(found.map((one) => one.where)).toEqual([where])
    expect(found.map(findingText).join()).not.toContain(random)
  })
}

test('record/scanner It leaves ids, hashes, times and words alone', () => {
  const plain = [
    `{"prompt_id":"0e7fe13b-5f51-4e4f-8113-dc560c147f47","sid":"f0a1b2c3d4e5f60718293a4b5c6d7e8f"}`,
    `{"hash":"${'0123456789abcdef'.repeat(4)}","client_id":"${random}","max_tokens":"all of them"}`,
    `{"hidden":{"auth_token_comfy_org":"AUTH_TOKEN_COMFY_ORG","api_key_comfy_org":["API_KEY_COMFY_ORG"]}}`,
    `{"token":"","password":null,"api_key":["STRING",{"default":""}],"keyboard":"en"}`,
  ]
  const headers = [
    ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
    ['ETag', `"${random}"`],
    ['WWW-Authenticate', 'Bearer realm="flowdouble"'],
  ] as const
  const exchanges = plain.map((text) => exchangeWith({ headers, body: bytesOf(text) }))
  const recording = { info: null, exchanges, sockets: [] }
  expect(scanRecording(recording)).toEqual([])
  const { exchanges: redacted } = redactRecording(recording, { toPlaceholder: placeholders('a') })
  for (const [at, { body }] of redacted.entries())
    expect(new TextDecoder().decode(body)).toBe(plain[at])
})

/** Texts that are not recordings, and what the refusal says. */
const unreadable: readonly (readonly [string, RegExp])[] = [
  ['', /a\.har is not a HAR file/],
  ['{"log":{"entries":[', /It seems to be cut off/],
  ['{"log":{}}', /a\.har is not a recording: .*entries/],
  ['{"log":{"entries":[{"startedDateTime":"x"}]}}', /entries/],
  [
    '{"log":{"entries":[{"startedDateTime":"now","request":{"method":"GET","url":"http://a/b"},"response":{"status":200}}]}}',
    /a\.har, entry 0 \(GET http:\/\/a\/b\): startedDateTime is not a time/,
  ],
  [
    '{"log":{"entries":[{"startedDateTime":"2026-01-01T00:00:00Z","request":{"method":"GET","url":"b"},"response":{"status":200}}]}}',
    /entry 0 .*its address is not valid/,
  ],
  [
    '{"log":{"entries":[{"startedDateTime":"2026-01-01T00:00:00Z","request":{"method":"GET","url":"http://a/b"},"response":{"status":200,"content":{"encoding":"base64","text":"éé"}}}]}}',
    /entry 0 .*its response is not valid base64/,
  ],
  [
    '{"log":{"entries":[{"startedDateTime":"2026-01-01T00:00:00Z","request":{"method":"GET","url":"http://a/b"},"response":{"status":1000}}]}}',
    /entry 0 .*its status has to have three digits/,
  ],
  ['{"flowdouble":"recording 9"}\n', /a\.har, line 1: .*"recording 1"/],
  [
    '{"flowdouble":"recording 1"}\n{"socket":3,"message":{}}\n',
    /line 2: its socket was not opened/,
  ],
  ['{"flowdouble":"recording 1"}\n{"socket"\n{}\n', /line 2: it is not valid JSON/],
]

for (const [text, refusal] of unreadable) {
  test(`recordings/refusal The text ${JSON.stringify(text.slice(0, 60))} is refused with ${String(refusal)}`, async () => {
    expect(() => readRecording(text, 'a.har')).toThrow(refusal)
    const file = join(folder(), 'a.har')
    writeFileSync(file, text)
    const result = await runRecord('--from', file)
    expect([result.code, result.text()]).toEqual([1, ''])
    expect(result.stderr).toMatch(refusal)
  })
}

test('record/from A recording of a browser gets its origin, and loses its secrets', async () => {
  const file = join(folder(), 'browser.har')
  const entry = (path: string, body: string) => ({
    startedDateTime: '2026-01-01T00:00:00.000Z',
    time: 3,
    request: {
      method: 'GET',
      url: `http://127.0.0.1:8188${path}`,
      headers: [{ name: 'cookie', value: `session=${random}` }],
    },
    response: { status: 200, headers: [], content: { text: body } },
  })
  const entries = [entry('/system_stats', '{"system":{"comfyui_version":"0.3.64"}}')]
  writeFileSync(file, JSON.stringify({ log: { version: '1.2', entries } }))
  const result = await runRecord('--from', file, '--json')
  expect(JSON.parse(result.stdout)).toMatchObject({ exchanges: 1, sockets: 0, messages: 0 })
  expect(result.text()).not.toContain(random)
  expect(result.recording().info).toEqual({
    version: 1,
    origin: 'ComfyUI 0.3.64',
    place: 'local',
    software: 'ComfyUI 0.3.64',
  })
  const named = await runRecord('--from', file, '--deployment', 'hosted', '--origin', 'ours')
  expect(named.recording().info).toMatchObject({ origin: 'ours', place: 'hosted' })
})

const wrong: readonly (readonly [argv: readonly string[], says: RegExp])[] = [
  [[], /needs the URL of one server, or --from FILE, such as: flowdouble record/],
  [['ftp://a'], /begins with http/],
  [['http://a?b=c'], /without query/],
  [['http://me:SECRET@a'], /without query and credentials/],
  [['http://a', '--from', 'b'], /one server, or --from/],
  [['http://a', '--port', '70000'], /--port is a number/],
  [['http://a', '--ca', 'missing.pem'], /Cannot read --ca/],
  [['http://a', '--deployment', 'cloud'], /local, hosted or gateway/],
  [['http://a', '--out', ''], /needs --out/],
  [['--out', ''], /needs the URL of one server, or --from FILE, and --out FILE\.har, such as/],
  [['http://a', '--outt', 'b'], /Unknown option '--outt'/],
  [['http://a', '--header', 'X-Gate'], /./],
  [['--from', 'missing.har'], /Cannot read --from/],
]

refusals(runRecord, titled('record/usage', wrong))

test('record/folder Where no file can be written, nothing is recorded', async () => {
  const server = await startEcho()
  const file = join(folder(), 'missing', 'session.har')
  const result = await runRecord(server.url, '--port', '0', '--out', file)
  expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('Cannot write')])
  chmodSync(folder(), 0o700)
  expect(await recorded(server.url, async () => undefined)).toMatchObject({ code: 0 })
})
