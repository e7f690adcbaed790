// The command `webhook test`: the post, its signature, and the report of the response.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { vi } from 'vitest'
import { builtInSchemes, signPost, signedHeaders } from '../../../dist/emulator/internal.js'
import { type Scheme, schemes } from '../../../spec/gateway/signatures.ts'
import { testPayload } from '../../../spec/gateway/subscriptions.ts'
import {
  provesCli,
  type CommandLine,
  type ReceivedRequest,
  hmac,
  runCommand,
  startReceiving,
  expectEnd,
} from '../../support/command-line.ts'
import { proves, test } from '../../judge/proves.ts'
import { main } from '../../support/spawned.ts'
import { signatureVectors } from '../../generate/signature-vectors.ts'
import { expect } from '../../judge/expect.ts'

const accepted = {
  status: 202,
  body: '{"status": "accepted", "route": "ci", "event": "test", "delivery_id": "1"}',
}

/** Subscribes `ci` at a receiver, sends one test, and returns what arrived. */
const sent = async (cli: CommandLine, ...argv: readonly string[]): Promise<ReceivedRequest> => {
  const { port, got } = await startReceiving(accepted)
  await cli.run('gateway', 'setup', '--port', String(port), '--yes')
  expectEnd(await cli.run('webhook', 'test', 'ci', ...argv), { code: 0, stderr: '' })
  expect(got).toHaveLength(1)
  return got[0]!
}

provesCli('subscriptions/test', async (cli) => {
  const { url, port, got, close } = await startReceiving(accepted)
  await cli.run('gateway', 'setup', '--port', String(port), '--yes')
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 'abc')
  const { code, stdout } = await cli.run('webhook', 'test', 'CI')
  expect(code).toBe(0)
  expect(stdout).toContain(`${url}/webhooks/ci`)
  expect(stdout).toContain(`Response (202): ${accepted.body}`)
  expect(stdout).not.toContain('abc')
  const [{ method, path, headers, body }] = got as [ReceivedRequest]
  expect({ method, path }).toEqual({ method: 'POST', path: '/webhooks/ci' })
  expect(headers['x-hub-signature-256']).toBe(`sha256=${hmac('abc', body)}`)
  const result = await cli.run('webhook', 'test', 'ci', '--json')
  expect(result.json()).toMatchObject({
    url: `${url}/webhooks/ci`,
    status: 202,
    triggered: true,
    answer: { status: 'accepted' },
  })
  // Each delivery has a new id.
  expect(new Set(got.map((one) => one.headers['x-github-delivery'])).size).toBe(2)
  await close()
  expectEnd(await cli.run('webhook', 'test', 'ci'), { code: 1, stderr: /flowdouble gateway run/ })
})

provesCli('subscriptions/test-payload', async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 'ключ')
  expect((await sent(cli)).body.toString()).toBe(testPayload)
  const own = ' {"a" : 1.0, "ключ": "\u2603"}\n'
  const given = await sent(cli, '--payload', own)
  expect(given.body.toString()).toBe(own)
  expect(given.headers['x-hub-signature-256']).toBe(`sha256=${hmac('ключ', own)}`)
  const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x7d])
  cli.write('payload.bin', bytes)
  expect((await sent(cli, '--payload-file', cli.path('payload.bin'))).body).toEqual(bytes)
  expect((await sent(cli, '--payload', '')).body).toHaveLength(0)
  const both = await cli.run('webhook', 'test', 'ci', '--payload', 'a', '--payload-file', 'b')
  const missing = await cli.run('webhook', 'test', 'ci', '--payload-file', cli.path('none'))
  expect([both.code, missing.code]).toEqual([2, 2])
})

const header = ({ headers }: ReceivedRequest, name: string): string =>
  String(headers[name.toLowerCase()])

provesCli('subscriptions/test-as', async (cli) => {
  const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX'
  const key = Buffer.from('000102030405060708090a0b0c0d0e0f1011121314151617', 'hex')
  await cli.run('webhook', 'subscribe', 'ci', '--secret', secret)
  const github = await sent(cli, '--as', 'github')
  expect(header(github, 'X-Hub-Signature-256')).toBe(`sha256=${hmac(secret, github.body)}`)
  expect(header(github, 'X-GitHub-Event')).toBe('test')
  const gitlab = await sent(cli, '--as', 'gitlab', '--event', 'Push Hook')
  expect(header(gitlab, 'X-Gitlab-Token')).toBe(secret)
  expect(header(gitlab, 'X-Gitlab-Event')).toBe('Push Hook')
  for (const [as, prefix] of Object.entries({ svix: 'svix', standard: 'webhook' })) {
    const got = await sent(cli, '--as', as, '--event', 'a.b')
    const [id, time] = [header(got, `${prefix}-id`), header(got, `${prefix}-timestamp`)]
    const signed = hmac(key, `${id}.${time}.${got.body.toString()}`, 'base64')
    expect(header(got, `${prefix}-signature`)).toBe(`v1,${signed}`)
    expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60)
    expect(JSON.parse(got.body.toString())).toMatchObject({ type: 'a.b' })
  }
  const stripe = await sent(cli, '--as', 'stripe', '--event', 'invoice.paid')
  const [, time, value] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header(stripe, 'Stripe-Signature'))!
  expect(value).toBe(hmac(secret, `${time}.${stripe.body.toString()}`))
  expect(JSON.parse(stripe.body.toString())).toMatchObject({
    id: expect.stringMatching(/^evt_/),
    type: 'invoice.paid',
  })
  const generic = await sent(cli, '--as', 'generic', '--event', 'alert')
  expect(header(generic, 'X-Webhook-Signature')).toBe(hmac(secret, generic.body))
  expect(JSON.parse(generic.body.toString())).toMatchObject({ event_type: 'alert' })
  // A post has the scheme of its sender and no other.
  const selecting = Object.values<Scheme>(schemes).flatMap(({ selectedBy }) => selectedBy)
  for (const { name: as, scheme } of builtInSchemes) {
    const { headers } = await sent(cli, '--as', as)
    const has = selecting.filter((name) => name.toLowerCase() in headers)
    // Jira has the header of Bitbucket too, but its own comes first.
    const also = as === 'jira' ? ['X-Hub-Signature'] : []
    expect(has).toEqual(as === 'token' ? [] : [...scheme.selectedBy, ...also])
    expect('x-flowdouble-token' in headers).toBe(as === 'token')
  }
  // A token that is not ASCII is sent in UTF-8; a key that is not base64 is rejected.
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 'ключ')
  const token = header(await sent(cli, '--as', 'gitlab'), 'X-Gitlab-Token')
  expect(Buffer.from(token, 'latin1').toString()).toBe('ключ')
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 'whsec_not+base64')
  expectEnd(await cli.run('webhook', 'test', 'ci', '--as', 'svix'), {
    code: 1,
    stderr: /base64/,
    hides: 'not+base64',
  })
})

proves('subscriptions/test-as', async () => {
  const vectors = signatureVectors.filter(({ isValid }) => isValid)
  expect(new Set(vectors.map(({ scheme }) => scheme)).size).toBe(builtInSchemes.length)
  for (const { scheme, secret, body, headers, epochSeconds = 0 } of vectors) {
    const row: Scheme = schemes[scheme!]
    const id = row.id !== undefined && 'header' in row.id ? (headers[row.id.header] ?? '') : ''
    const post = { body: Buffer.from(body), id, timeMs: epochSeconds * 1000, url: '' }
    const own = scheme === 'token' ? Object.values(headers)[0] : headers[row.header]
    expect(signPost(row, secret, post)).toBe(own)
    const all = signedHeaders({ name: scheme!, scheme: row }, secret, { ...post, event: 'x' })
    expect(all[row.header.replace('<provider>', 'Flowdouble')]).toBe(own)
  }
})

provesCli('subscriptions/test-event', async (cli) => {
  const eventOf = async (...argv: string[]): Promise<string> =>
    header(await sent(cli, ...argv), 'X-GitHub-Event')
  await cli.run('webhook', 'subscribe', 'ci')
  expect(await eventOf()).toBe('test')
  await cli.run('webhook', 'subscribe', 'ci', '--events', 'push,ping')
  expect(await eventOf()).toBe('push')
  expect(await eventOf('--event', 'ping')).toBe('ping')
  const generic = await sent(cli, '--as', 'generic')
  expect(JSON.parse(generic.body.toString())).toMatchObject({ event_type: 'push' })
  // Where the payload names the event, and is the user's, the flag would change nothing.
  const own = ['--as', 'stripe', '--payload', '{}', '--event', 'x']
  expect((await cli.run('webhook', 'test', 'ci', ...own)).code).toBe(2)
  expect((await cli.run('webhook', 'test', 'ci', '--event', 'a\nb')).code).toBe(2)
})

provesCli('subscriptions/test-ignored', async (cli) => {
  const answers: [number, string, RegExp][] = [
    [200, '{"status": "ignored", "event": "test"}', /Not triggered.*--event/],
    [200, '{"status": "duplicate", "delivery_id": "1"}', /Not triggered/],
    [401, '{"error": "Invalid signature"}', /Invalid signature.*secret/],
    [404, '{"error": "Unknown route: ci"}', /configuration directory/],
    [502, '{"status": "error", "error": "Delivery failed", "delivery_id": "1"}', /Delivery failed/],
    [500, 'oops', /500/],
    [302, '', /302/],
  ]
  await cli.run('webhook', 'subscribe', 'ci')
  for (const [status, body, says] of answers) {
    const { port } = await startReceiving({ status, body })
    await cli.run('gateway', 'setup', '--port', String(port), '--yes')
    expectEnd(await cli.run('webhook', 'test', 'ci'), {
      code: 1,
      stderr: says,
      stdout: expect.stringContaining(`Response (${status}): ${body}`),
    })
    const result = (await cli.run('webhook', 'test', 'ci', '--json')).json()
    expect(result).toMatchObject({ status, triggered: false })
  }
  const taken = '{"status": "delivered", "route": "ci", "target": "slack", "delivery_id": "1"}'
  const { port } = await startReceiving({ status: 200, body: taken })
  await cli.run('gateway', 'setup', '--port', String(port), '--yes')
  expect((await cli.run('webhook', 'test', 'ci')).code).toBe(0)
})

provesCli('subscriptions/test-time-out', async (cli) => {
  const { port, arrival } = await startReceiving(null)
  await cli.run('gateway', 'setup', '--port', String(port), '--yes')
  await cli.run('webhook', 'subscribe', 'ci')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const command = cli.run('webhook', 'test', 'ci')
    await arrival
    vi.advanceTimersByTime(9999)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1)
    expectEnd(await command, { code: 1, stderr: /10 seconds/ })
  } finally {
    vi.useRealTimers()
  }
})

provesCli(
  'subscriptions/test-url',
  async (cli) => {
    const { url, got } = await startReceiving({ status: 204, body: '' })
    const target = ['--url', `${url}/hooks?x=1`]
    const secret = ['--secret', 'theirs']
    expect((await cli.run('webhook', 'test', 'any', ...target, ...secret)).code).toBe(0)
    expect((await cli.run('webhook', 'test', ...target, '--secret', 'theirs')).code).toBe(0)
    expect(got.map(({ path }) => path)).toEqual(['/hooks?x=1', '/hooks?x=1'])
    for (const { headers, body } of got)
      expect(headers['x-hub-signature-256']).toBe(`sha256=${hmac('theirs', body)}`)
    expect((await cli.run('webhook', 'test', ...target)).code).toBe(2)
    expect((await cli.run('webhook', 'test', ...target, '--secret', '')).code).toBe(1)
    for (const wrong of ['x', 'ftp://x', 'http://user:hidden-one@127.0.0.1']) {
      expectEnd(await cli.run('webhook', 'test', '--url', wrong, ...secret), {
        code: 2,
        hides: 'hidden-one',
      })
    }
    const piped = ['webhook', 'test', ...target, '--secret', '-', '--as', 'gitlab']
    expect((await runCommand({ stdin: 'piped\n' }, piped)).code).toBe(0)
    expect(got.at(-1)?.headers['x-gitlab-token']).toBe('piped')
    expect(got).toHaveLength(3)
  },
  null,
)

test('webhooks/process-list A secret among the arguments is removed from the process list', async () => {
  if (process.platform !== 'linux') return
  const { url, arrival } = await startReceiving(null)
  const argv = ['webhook', 'test', '--url', url, '--secret', 'SECRET-ARGUMENT']
  const child = spawn(process.execPath, [main, ...argv], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await arrival
  const listed = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')
  child.kill('SIGKILL')
  await ended
  expect(listed).toContain('flowdouble')
  expect(listed).not.toContain('SECRET-ARGUMENT')
})

provesCli('subscriptions/test-port', async (cli) => {
  // Most of these ports are closed: what counts is that the attempt is made, and its failure is reported.
  for (const port of [1, 6000, 6667, 10_080]) {
    const url = `http://127.0.0.1:${port}`
    const { stderr } = await cli.run('webhook', 'test', '--url', url, '--secret', 's')
    expect(stderr).toMatch(/ECONNREFUSED|status \d/)
  }
})
