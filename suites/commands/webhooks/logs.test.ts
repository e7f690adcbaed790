// The log of a gateway, with a line for each post, run and delivery, and the order in which it reports them.

import { direct, SECRET, signed } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { exchangeBytes } from '../../judge/wire.ts'
import { provesCli, postTo, runGateway } from '../../support/command-line.ts'
import { expect } from '../../judge/expect.ts'
import {
  createGatewayWorld,
  type GatewayStateOptions,
  stepGateway as step,
} from '../../../dist/emulator/internal.js'

const id = (text: string) => ({ 'X-Request-ID': text })

proves(
  'webhooks/log',
  async ({ gateway, post, idle, logs }) => {
    await post('run', { type: 'push' }, id('d-1'))
    await post('run', { type: 'ping' })
    await post('note', { type: ['odd one'] }, id('d 2'))
    await post('note', {}, id('d 2'))
    await idle()
    gateway.failDeliveries({ target: 'telegram', error: 'chat is\nclosed', times: 1 })
    await post('note', {}, id('d-3'))
    const lines = logs.map(({ level, kind, text }) => [level, kind, text])
    expect(lines).toEqual([
      ['info', 'post', 'post run push d-1 accepted'],
      ['info', 'run', 'run run d-1 completed'],
      ['info', 'delivery', 'delivery run d-1 to slack:home delivered'],
      ['info', 'post', 'post run ping ignored'],
      ['info', 'post', 'post note "[\\"odd one\\"]" "d 2" accepted'],
      ['info', 'delivery', 'delivery note "d 2" to telegram:home delivered'],
      ['info', 'post', 'post note unknown "d 2" duplicate'],
      ['info', 'post', 'post note unknown d-3 accepted'],
      ['error', 'delivery', 'delivery note d-3 to telegram:home failed: chat is\nclosed'],
    ])
    expect(logs[0]?.fields).toEqual({
      route: 'run',
      event: 'push',
      delivery_id: 'd-1',
      verdict: 'accepted',
      reason: null,
      address: '127.0.0.1',
      forwarded_for: null,
    })
    expect(logs.at(-1)?.fields).toMatchObject({ target: 'telegram', error: 'chat is\nclosed' })
  },
  {
    routes: {
      run: { secret: SECRET, events: ['push'], prompt: 'hi', deliver: 'slack' },
      note: direct('x'),
    },
  },
)

proves(
  'webhooks/log-refusals',
  async ({ gateway, post, send, logs }) => {
    const to = (headers: Readonly<Record<string, string>>) =>
      send('POST', '/webhooks/hook', '{}', headers)
    const time = String(Math.floor(Date.parse('2026-01-01T00:00:00Z') / 1000))
    await to({ 'X-Own-Signature': 'x' })
    await to({ 'X-Hub-Signature-256': 'sha256=00' })
    await to({ 'X-Gitlab-Token': 'guess' })
    await to({ 'svix-id': 'a', 'svix-timestamp': '1', 'svix-signature': 'v1,x' })
    await to({ 'svix-id': 'a', 'svix-timestamp': 'x', 'svix-signature': 'v1,x' })
    await to({ 'svix-timestamp': time, 'svix-signature': 'v1,x' })
    await to({ 'svix-id': 'a' })
    await to({ 'X-Webhook-Signature-V2': 'x', 'X-Webhook-Timestamp': time })
    gateway.subscribe('key', { secret: 'whsec_%%%' })
    const svix = { 'svix-id': 'a', 'svix-timestamp': time, 'svix-signature': 'v1,x' }
    await send('POST', '/webhooks/key', '{}', svix)
    await send('POST', '/webhooks/nobody%0A', '{}', signed('{}'))
    await post('off', {})
    await post('hook', '[1]')
    await post('hook', {})
    await post('hook', {})
    expect(logs.every(({ level, kind }) => level === 'warning' || kind !== 'post')).toBe(false)
    const refused = logs.filter(({ level }) => level === 'warning')
    const start = 'Invalid signature: '
    const end = ' (Content-Length 2)'
    const short = (form: string): string =>
      `the signature does not match: it is ${form}, not 64 characters of lower-case hex${end}`
    expect(refused.map(({ text, fields }) => [text.split(': ')[0], fields['reason']])).toEqual([
      [
        'post hook refused',
        expect.stringMatching(
          /^Invalid signature: no header of a known scheme: it has connection, .*\bx-own-signature\b.*; known are svix-signature, .*\bX-Slack-Signature\b.* \(Content-Length 2\)$/,
        ),
      ],
      [
        'post hook refused',
        `${start}github (X-Hub-Signature-256): ${short('2 characters of lower-case hex')}`,
      ],
      ['post hook refused', `${start}gitlab (X-Gitlab-Token): not the secret${end}`],
      [
        'post hook a refused',
        `${start}svix (svix-signature): the time is ${Number(time) - 1} seconds off, at most 300 are allowed${end}`,
      ],
      [
        'post hook a refused',
        `${start}svix (svix-signature): the time is not a whole number of seconds${end}`,
      ],
      ['post hook refused', `${start}svix (svix-signature): svix-id is missing${end}`],
      ['post hook a refused', `${start}svix (svix-signature): the time is missing${end}`],
      [
        'post hook refused',
        `${start}generic-v2 (X-Webhook-Signature-V2): ${short('1 character of base64')}`,
      ],
      [
        'post key a refused',
        `${start}svix (svix-signature): the secret after whsec_ is not base64${end}`,
      ],
      ['post "nobody\\n" refused', 'Unknown route: nobody\n'],
      ['post off refused', 'Route disabled: off'],
      ['post hook refused', 'Cannot parse body'],
      ['post hook limited', 'Rate limit exceeded'],
    ])
  },
  { rateLimit: 2, routes: { hook: { secret: SECRET }, off: { secret: SECRET, enabled: false } } },
)

provesCli(['webhooks/log', 'webhooks/log-refusals'], async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 'secret-of-ci', '--prompt', 'x')
  for (const [flags, isQuiet, isData] of [
    [[], false, false],
    [['--quiet', '--json'], true, false],
    [['--json-log', '--json'], false, true],
  ] as const) {
    const running = await runGateway(cli, {}, ...flags)
    await postTo(running.url, 'ci', 'secret-of-ci')
    await postTo(running.url, 'ci', 'wrong')
    const { stdout, stderr } = await running.stop()
    expect(stdout).not.toContain('accepted')
    const lines = stderr.trim().split('\n')
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/
    if (isData) {
      const entries = lines.map((line) => JSON.parse(line))
      for (const entry of entries) expect(entry.time).toMatch(time)
      expect(entries.map(({ level, kind, verdict }) => [level, kind, verdict])).toEqual([
        ['info', 'gateway', undefined],
        ['info', 'post', 'accepted'],
        ['info', 'run', undefined],
        ['info', 'gateway', undefined],
        ['info', 'delivery', undefined],
        ['warning', 'post', 'refused'],
      ])
    } else {
      for (const line of lines) expect(line.split('  ')[0]).toMatch(time)
      const refused = lines.filter((line) => line.includes('  warning: post ci refused: Invalid'))
      expect(refused).toHaveLength(1)
      expect(lines.some((line) => / {2}post ci unknown \S+ accepted$/.test(line))).toBe(!isQuiet)
      expect(lines.length).toBe(isQuiet ? 1 : 6)
    }
  }
})

proves('webhooks/log-paths', async ({ send, logs }) => {
  for (const path of ['/webhooks/hook/', '/hook?token=secret-of-query', '/webhooks'])
    expect((await send('POST', path, '{}', signed('{}'))).status).toBe(404)
  await send('GET', '/favicon.ico', '', {})
  expect(logs.map(({ level, text }) => [level, text])).toEqual(
    [
      'post refused: no path /webhooks/hook/; leave out the slash at its end',
      'post refused: no path /hook; routes are at /webhooks/{name}',
      'post refused: no path /webhooks; routes are at /webhooks/{name}',
    ].map((text) => ['warning', `${text} (from 127.0.0.1)`]),
  )
})

proves(
  'webhooks/log-origin',
  async ({ send, logs }) => {
    const proxied = { 'X-Forwarded-For': '203.0.113.5, 10.0.0.1' }
    await send('POST', '/webhooks/hook', '{}', { ...id('d-1'), ...proxied })
    await send('POST', '/webhooks/nobody', '{}', id('d 2'))
    await send('POST', '/webhooks/', '{}', proxied)
    await send('POST', '/webhooks/hook', '[]', { ...signed('[]'), 'X-GitHub-Delivery': 'd-3' })
    await send('POST', '/webhooks/hook', '{}', { ...signed('{}'), ...id('d-4'), ...proxied })
    const forwarded = '(from 127.0.0.1, forwarded for "203.0.113.5, 10.0.0.1")'
    const ends = logs.filter(({ level }) => level === 'warning').map(({ text }) => text)
    expect(ends).toEqual([
      expect.stringMatching(/^post hook d-1 refused: Invalid signature: /),
      'post nobody "d 2" refused: Unknown route: nobody (from 127.0.0.1)',
      `post refused: no path /webhooks/; routes are at /webhooks/{name} ${forwarded}`,
      'post hook d-3 refused: Cannot parse body (from 127.0.0.1)',
    ])
    expect(ends[0]?.endsWith(forwarded)).toBe(true)
    const [first, , third] = logs
    const from = { address: '127.0.0.1', forwarded_for: '203.0.113.5, 10.0.0.1' }
    expect(first?.fields).toMatchObject({ route: 'hook', delivery_id: 'd-1', ...from })
    expect(third?.fields).toEqual({ method: 'POST', path: '/webhooks/', ...from })
    expect(logs.find(({ level }) => level === 'info')?.fields).toMatchObject(from)
  },
  { routes: { hook: { secret: SECRET } } },
)

proves('webhooks/log-methods', async ({ url, send, logs, gateway }) => {
  expect((await send('GET', '/webhooks/hook')).status).toBe(405)
  expect((await send('DELETE', '/health')).status).toBe(405)
  await exchangeBytes(url, 'HELO there\r\n\r\n')
  await exchangeBytes(url, `GET /health HTTP/1.1\r\nX-Long: ${'x'.repeat(9000)}\r\n\r\n`)
  await gateway.close()
  expect(logs.map(({ level, text }) => [level, text])).toEqual(
    [
      'request refused: /webhooks/hook does not accept GET (from 127.0.0.1)',
      'request refused: /health does not accept DELETE (from 127.0.0.1)',
      'request refused: it is not valid HTTP (from 127.0.0.1)',
      'request refused: it is not valid HTTP (from 127.0.0.1) (the last of 1 more)',
    ].map((text) => ['warning', text]),
  )
  expect(logs[0]?.fields).toMatchObject({ method: 'GET', path: '/webhooks/hook' })
})

provesCli('webhooks/log-fields', async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 'secret-of-ci', '--prompt', 'x')
  const running = await runGateway(cli, {}, '--json-log', '--json')
  await postTo(running.url, 'ci', 'secret-of-ci')
  const lines = (await running.stop()).stderr.trim().split('\n')
  const entries = lines.map((line) => JSON.parse(line)).filter(({ route }) => route === 'ci')
  const [, answer] = ['post', 'gateway'].map((kind) => entries.find((one) => one.kind === kind))
  expect(answer).toMatchObject({ message: 'Answer of ci: x', event: 'unknown' })
  expect(entries.map(({ kind }) => kind)).toEqual(['post', 'run', 'gateway', 'delivery'])
  expect(new Set(entries.map(({ delivery_id }) => delivery_id)).size).toBe(1)
  expect(answer.delivery_id).toMatch(/\S/)
})

proves(
  'webhooks/log-worlds',
  async ({ gateway, send, logs }) => {
    const one = await gateway.world({ name: 'one' })
    await one.fork('two')
    for (const place of ['', '/w/one', '/w/two'])
      await send('POST', `${place}/webhooks/hook`, '{}', { ...signed('{}'), ...id('d-1') })
    await one.until('idle')
    const lines = logs.map(({ world, text }) => [world, text])
    expect(lines).toEqual([
      [undefined, 'post hook unknown d-1 accepted'],
      ['one', 'post hook unknown d-1 accepted'],
      ['two', 'post hook unknown d-1 accepted'],
      ['one', 'run hook d-1 completed'],
      ['one', expect.stringMatching(/^delivery hook d-1 to /)],
    ])
  },
  { routes: { hook: { secret: SECRET, prompt: 'x', deliver: 'slack' } } },
)

provesCli('webhooks/log-worlds', async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 'secret-of-ci', '--prompt', 'x')
  for (const isData of [false, true]) {
    const flags = ['--json', '--control', ...(isData ? ['--json-log'] : [])]
    const { url, stop } = await runGateway(cli, {}, ...flags)
    await fetch(`${url}/_flowdouble/fork`, { method: 'POST', body: '{"name": "one"}' })
    await postTo(`${url}/w/one`, 'ci', 'secret-of-ci')
    await postTo(`${url}/w/one`, 'ci', 'wrong')
    const lines = (await stop()).stderr.trim().split('\n')
    expect(lines.filter((line) => line.includes('post ci'))).toHaveLength(2)
    const refused = lines.at(-1) ?? ''
    if (isData) expect(JSON.parse(refused)).toMatchObject({ kind: 'post', world: 'one' })
    else expect(refused).toMatch(/^\S+Z {2}\/w\/one {2}warning: post ci refused/)
  }
})

// Over HTTP the clock never passes a due event: the case uses the machine behind it, created from the gateway's setup.
proves('webhooks/answered-in-order', async ({ gateway }) => {
  const [header = '{}'] = await gateway.journal()
  const { options } = JSON.parse(header) as { options: GatewayStateOptions }
  const routes = JSON.stringify({ hook: { secret: SECRET } })
  const world = createGatewayWorld({ ...options, routes })
  const post = (name: string, atMs: number) => {
    const headers = { 'x-gitlab-token': SECRET, 'x-request-id': name }
    const asked = { kind: 'request', request: 1, method: 'POST', target: '/webhooks/hook' } as const
    return step(world, { ...asked, atMs, headers, body: new Uint8Array() })
  }
  const aroundReply = (effects: ReturnType<typeof step>) => {
    const at = effects.findIndex(({ kind }) => kind === 'reply')
    return [effects.slice(0, at), effects.slice(at + 1)].map((part) => JSON.stringify(part))
  }
  const [none, begun] = aroundReply(post('first', 0))
  expect(none).toBe('[]')
  expect(begun).toContain('first')
  const [before, after] = aroundReply(post('second', 10_000))
  expect(before).toContain('first')
  expect(before).not.toContain('second')
  expect(after).toContain('second')
  expect(after).not.toContain('first')
})
