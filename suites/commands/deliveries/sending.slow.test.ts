// Sending as the commands configure it: credentials and addresses of senders, and one address for all deliveries.

import { urlDeliveries } from '../../../dist/emulator/internal.js'
import { deliveryCall, senders } from '../../../spec/gateway/deliveries.ts'
import {
  provesCli,
  enabled,
  optionsOf,
  postTo,
  runGateway,
  startReceiving,
} from '../../support/command-line.ts'
import { direct, type GatewaySubject, SECRET, signed } from '../../judge/gateway-subject.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

/** The error of the last delivery. */
const lastError = ({ gateway }: GatewaySubject) => gateway.outbox().at(-1)?.error

provesCli('deliveries/sender-settings', async (cli) => {
  const receiving = await startReceiving({ status: 200, body: '{"ok": true}' })
  const platform = (name: string, ...lines: string[]) =>
    [`  ${name}:`, ...lines.map((line) => `    ${line}\n`)].join('\n')
  const config =
    enabled(
      `routes: {t: {secret: ${SECRET}, prompt: hi, deliver: telegram, deliver_only: true}, s: {secret: ${SECRET}, prompt: hi, deliver: slack, deliver_only: true}}`,
    ) +
    platform(
      'telegram',
      'token: of-config',
      'home_channel: -100123',
      `base_url: ${receiving.url}/t/`,
    ) +
    platform('slack', 'token: of-config', 'home_channel: C9', `base_url: ${receiving.url}`) +
    platform('signal', 'home_channel: "+49"')
  cli.write('config.yaml', config)
  cli.write('.env', 'SLACK_BOT_TOKEN=of-dotenv\nSLACK_HOME_CHANNEL=C8')
  const running = await runGateway(cli, { env: { SLACK_HOME_CHANNEL: 'C7' } }, '--send')
  for (const name of ['t', 's']) {
    const headers = signed('{}')
    const url = `${running.url}/webhooks/${name}`
    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(200)
  }
  await running.stop()
  const got = receiving.got.map(({ path, headers, body }) => {
    return [path, headers.authorization, JSON.parse(body.toString())]
  })
  expect(got).toEqual([
    ['/t/botof-config/sendMessage', undefined, { chat_id: '-100123', text: 'hi' }],
    ['/api/chat.postMessage', 'Bearer of-dotenv', { channel: 'C7', text: 'hi' }],
  ])
  expect((await optionsOf(cli)).homeChannels).toEqual({
    telegram: '-100123',
    slack: 'C8',
    signal: '+49',
  })
  cli.write('.env', '')
  for (const wrong of ['token: "a b"', 'token: [a]', 'base_url: "ftp://x"', 'home_channel: {}']) {
    cli.write('config.yaml', `${enabled()}  slack:\n    ${wrong}\n`)
    const { code, stderr } = await cli.run('gateway', 'run', '--port', '0', '--send')
    expect({ wrong, code, stderr }).toEqual({
      wrong,
      code: 1,
      stderr: expect.stringMatching(/^platforms\.slack\.\w+ of config\.yaml /),
    })
    expect(stderr).not.toContain('a b')
  }
  // Without --send credentials are not checked; the outbox lists the chats.
  cli.write('config.yaml', `${enabled()}  slack: {token: "a b", home_channel: C1}\n`)
  const env = { DISCORD_BOT_TOKEN: 'Bot x', DISCORD_HOME_CHANNEL: 'D1' }
  expect((await optionsOf(cli, env)).homeChannels).toEqual({ slack: 'C1', discord: 'D1' })
  const { code } = await cli.runIn({ env }, 'gateway', 'run', '--port', '0', '--send')
  expect(code).toBe(1)
})

provesCli('deliveries/sender-block', async (cli) => {
  const { url, got } = await startReceiving({ status: 201, body: '{"ok": true}' })
  const targets = Object.keys(senders)
  const extra = '{repo: a/b, pr_number: 1, chat_id: C1}'
  const route = (target: string) =>
    `${target}: {secret: ${SECRET}, prompt: hi, deliver: ${target}, deliver_only: true, deliver_extra: ${extra}}`
  const block = (target: string) =>
    `  ${target}: {token: of-${target}, base_url: "${url}/${target}"}\n`
  const routes = `routes: {${targets.map(route).join(', ')}}`
  cli.write('config.yaml', enabled(routes) + targets.map(block).join(''))
  const running = await runGateway(cli, {}, '--send')
  for (const target of targets)
    expect([target, await postTo(running.url, target, SECRET)]).toEqual([target, 200])
  await running.stop()
  expect(got.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/github_comment/repos/a/b/issues/1/comments', 'Bearer of-github_comment'],
    ['/telegram/botof-telegram/sendMessage', undefined],
    ['/discord/api/v10/channels/C1/messages', 'Bot of-discord'],
    ['/slack/api/chat.postMessage', 'Bearer of-slack'],
  ])
})

provesCli('deliveries/credentials-hidden', async (cli) => {
  const receiving = await startReceiving({
    status: 500,
    body: '{"ok": false, "error": "no xoxb-slack-token\\n00:00:00  forged\\u001b[31m"}',
  })
  cli.write(
    'config.yaml',
    enabled(
      `routes: {s: {secret: ${SECRET}, prompt: hi, deliver: slack, deliver_only: true, deliver_extra: {chat_id: C1}}}`,
    ) + `  slack: {token: xoxb-slack-token, base_url: "${receiving.url}"}\n`,
  )
  const running = await runGateway(cli, {}, '--send', '--control')
  const url = `${running.url}/webhooks/s`
  const reply = await fetch(url, { method: 'POST', headers: signed('{}'), body: '{}' })
  const outbox = await (await fetch(`${running.url}/_flowdouble/outbox`)).text()
  const journal = await (await fetch(`${running.url}/_flowdouble/journal`)).text()
  const { stdout, stderr } = await running.stop()
  expect(stderr).toContain('slack answered 500: no <credential>')
  // An external answer is one entry of the log, without control characters.
  expect(stderr).not.toMatch(/^00:00:00|\u001b/m)
  const all = [await reply.text(), outbox, journal, stdout, stderr].join('\n')
  expect(all).not.toContain('xoxb')
})

/** An address that takes deliveries; the cases start a receiver and set its address here. */
let address = 'http://127.0.0.1:9'
const toAddress: ReturnType<typeof urlDeliveries> = (delivery, signal) =>
  urlDeliveries(new URL(address))(delivery, signal)

proves(
  'deliveries/deliver-url',
  async (subject) => {
    const { url, got } = await startReceiving({ status: 204, body: '' })
    address = `${url}/in?key=1`
    const id = { 'X-Request-ID': 'd-1', 'X-GitHub-Event': 'push' }
    expect((await subject.post('telegram', { who: 'Ann' }, id)).status).toBe(200)
    expect((await subject.post('signal', {})).status).toBe(200)
    expect(got.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /in?key=1',
      'POST /in?key=1',
    ])
    const body: unknown = JSON.parse(got[0]!.body.toString())
    expect(violations(deliveryCall, body)).toEqual([])
    expect(body).toMatchObject({
      target: 'telegram',
      chat_id: '-1001',
      text: 'Hello "Ann"',
      route: 'telegram',
      event: 'push',
      delivery_id: 'd-1',
    })
    const failures: unknown[] = []
    for (const status of [302, 404, 500]) {
      const refusing = await startReceiving({ status, body: '{"secret": "of the endpoint"}' })
      address = refusing.url
      expect((await subject.post('telegram', {})).status).toBe(502)
      failures.push(lastError(subject))
      await refusing.close()
    }
    expect((await subject.post('telegram', {})).status).toBe(502)
    expect([...failures, lastError(subject)]).toEqual([
      'the deliver URL answered 302',
      'the deliver URL answered 404',
      'the deliver URL answered 500',
      'network error ECONNREFUSED',
    ])
  },
  {
    deliveries: toAddress,
    routes: {
      telegram: direct('Hello "{who}"', { deliver_extra: { chat_id: '-1001' } }),
      signal: direct('Hello', { deliver: 'signal' }),
    },
  },
)

provesCli('deliveries/deliver-url', async (cli) => {
  const { url, got, arrival } = await startReceiving({ status: 200, body: '' })
  const slack = ['--deliver', 'slack', '--deliver-chat-id', 'C1']
  await cli.run('webhook', 'subscribe', 'ci', '--secret', SECRET, ...slack)
  const running = await runGateway(cli, {}, '--deliver-url', `${url}/in?key=hidden-key`)
  const post = { method: 'POST', headers: signed('{}'), body: '{}' }
  expect((await fetch(`${running.url}/webhooks/ci`, post)).status).toBe(202)
  await arrival
  expect(got[0]?.path).toBe('/in?key=hidden-key')
  const { stdout, stderr } = await running.stop()
  expect(stdout + stderr).not.toContain('hidden-key')
  const wrong = [
    ['--deliver-url', 'nowhere'],
    ['--deliver-url', 'ftp://x/hidden-key'],
    ['--deliver-url', 'http://user:hidden-key@x/'],
    ['--deliver-url', 'http://x/', '--send'],
  ]
  for (const argv of wrong) {
    const { code, stderr } = await cli.run('gateway', 'run', '--port', '0', ...argv)
    expect({ argv, code }).toEqual({ argv, code: 2 })
    expect(stderr).not.toContain('hidden-key')
  }
})
