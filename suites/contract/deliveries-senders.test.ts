// Deliveries that are really sent: the call of each sender, what counts as success, and what is never told or sent.

import { expect } from 'vitest'
import { senderDeliveries, urlDeliveries } from '../../dist/emulator/edge/senders.js'
import { deliveryCall, senders } from '../../spec/deliveries.ts'
import { atDesk, enabled, optionsOf, runGateway, withReceiving } from '../desk.ts'
import { direct, type GatewaySubject, SECRET, signed } from '../gateway-subject.ts'
import { violations } from '../judge.ts'
import { withPlatforms } from '../platforms.ts'
import { proves } from '../proves.ts'

const tokens = {
  github_comment: 'ghp_of-the-host',
  telegram: '123456:AAH-bot_token',
  discord: 'MTk4.discord.token',
  slack: 'xoxb-slack-token',
}
const settings = Object.fromEntries(
  Object.entries(tokens).map(([target, token]) => {
    return [target, { token, baseUrl: senders[target as keyof typeof tokens].baseUrl }]
  }),
)
const deliveries = senderDeliveries(settings)

const to = (deliver: string, deliver_extra: object = {}) =>
  direct('Hello "{who}"', { deliver, deliver_extra })
const chats = {
  github_comment: to('github_comment', { repo: 'acme/widgets.js', pr_number: '{number}' }),
  telegram: to('telegram', { chat_id: '-1001' }),
  discord: to('discord', { chat_id: '42' }),
  slack: to('slack', { chat_id: 'C1' }),
}
const targets = Object.keys(chats)

/** The error of the last delivery. */
const lastError = ({ gateway }: GatewaySubject) => gateway.outbox().at(-1)?.error

/** Method, address, credential and body of calls. */
type Shown = { readonly method: string; readonly url: string; readonly headers: Headers }
const shown = ({ method, url, headers, ...call }: Shown & { readonly body: unknown }) => [
  `${method} ${url}`,
  headers.get('authorization'),
  call.body,
]

proves(
  'deliveries/senders',
  ({ post }) =>
    withPlatforms(
      () => undefined,
      async (calls) => {
        for (const target of targets)
          expect([target, (await post(target, { who: 'Ann', number: 7 })).status]).toEqual([
            target,
            200,
          ])
        const text = 'Hello "Ann"'
        expect(calls.map(shown)).toEqual([
          [
            'POST https://api.github.com/repos/acme/widgets.js/issues/7/comments',
            'Bearer ghp_of-the-host',
            { body: text },
          ],
          [
            'POST https://api.telegram.org/bot123456:AAH-bot_token/sendMessage',
            null,
            { chat_id: '-1001', text },
          ],
          [
            'POST https://discord.com/api/v10/channels/42/messages',
            'Bot MTk4.discord.token',
            { content: text },
          ],
          [
            'POST https://slack.com/api/chat.postMessage',
            'Bearer xoxb-slack-token',
            { channel: 'C1', text },
          ],
        ])
        for (const { headers } of calls) {
          expect(headers.get('content-type')).toMatch(/^application\/json/)
          expect(headers.get('user-agent')).not.toBeNull()
        }
      },
    ),
  { deliveries, routes: chats },
)

const threads = {
  telegram: to('telegram', { chat_id: 5, message_thread_id: 8 }),
  discord: to('discord', { chat_id: '42', thread_id: '99' }),
  slack: to('slack', { chat_id: 'C1', thread_id: '1712.0001' }),
}

proves(
  'deliveries/senders',
  ({ post }) =>
    withPlatforms(
      () => undefined,
      async (calls) => {
        for (const target of Object.keys(threads)) await post(target, { who: 'Ann' })
        const text = 'Hello "Ann"'
        expect(calls.map(({ body }) => body)).toEqual([
          { chat_id: 5, text, message_thread_id: 8 },
          { content: text },
          { channel: 'C1', text, thread_ts: '1712.0001' },
        ])
        expect(calls[1]?.url).toBe('https://discord.com/api/v10/channels/99/messages')
      },
    ),
  { deliveries, routes: threads },
)

/** Answers of platforms, and for which targets each of them means success. */
const answers = [
  [{ status: 201, body: { ok: true } }, targets],
  [{ status: 200, body: { ok: false, error: 'x' } }, ['github_comment', 'discord']],
  [{ status: 200, body: { ok: 'true' } }, ['github_comment', 'discord']],
  [{ status: 200, body: ['ok'] }, ['github_comment', 'discord']],
  [{ status: 403, body: { ok: true } }, []],
  [{ status: 500, body: { ok: true } }, []],
  [{ status: 307, headers: { Location: 'https://elsewhere.example/' }, body: { ok: true } }, []],
] as const

for (const [answer, successes] of answers) {
  proves(
    'deliveries/sender-success',
    ({ post }) =>
      withPlatforms(
        () => answer,
        async (calls) => {
          const done: string[] = []
          for (const target of targets)
            if ((await post(target, { number: 7 })).status === 200) done.push(target)
          expect(done).toEqual(successes)
          // One attempt each, and nobody is sent elsewhere.
          expect(calls).toHaveLength(4)
          expect(calls.filter(({ url }) => url.includes('elsewhere'))).toEqual([])
        },
      ),
    { deliveries, routes: chats },
  )
}

proves(
  'deliveries/sender-missing',
  (subject) =>
    withPlatforms(
      () => undefined,
      async (calls) => {
        const errors: unknown[] = []
        for (const name of ['signal', 'telegram', 'slack', 'nowhere']) {
          expect((await subject.post(name, {})).status).toBe(502)
          errors.push(lastError(subject))
        }
        expect(errors).toEqual([
          'Platform signal not connected',
          'Platform telegram not connected',
          'No chat_id or home channel for slack',
          'Unknown deliver type: nowhere',
        ])
        expect(calls).toEqual([])
      },
    ),
  {
    deliveries: senderDeliveries({ ...settings, telegram: { token: null, baseUrl: '' } }),
    routes: {
      signal: to('signal', { chat_id: '1' }),
      telegram: chats.telegram,
      slack: to('slack'),
      nowhere: to('nowhere', { chat_id: '1' }),
    },
  },
)

proves(
  'deliveries/sender-paths',
  (subject) =>
    withPlatforms(
      () => undefined,
      async (calls) => {
        const hostile = ['..', '.', '../../users/@me', 'a/b', 'a?b', 'a#b', '%2e%2e', 'a b', '\\..']
        for (const who of hostile) {
          for (const name of ['chat', 'thread']) {
            expect([name, who, (await subject.post(name, { who })).status]).toEqual([
              name,
              who,
              502,
            ])
            expect(lastError(subject)).toMatch(/^Invalid (chat|thread)_id for discord$/)
          }
        }
        expect(calls).toEqual([])
        expect((await subject.post('chat', { who: '42' })).status).toBe(200)
      },
    ),
  {
    deliveries,
    routes: {
      chat: to('discord', { chat_id: '{who}' }),
      thread: to('discord', { chat_id: '1', thread_id: '{who}' }),
    },
  },
)

proves(
  'deliveries/sender-settings',
  atDesk(async (desk) => {
    await withReceiving({ status: 200, body: '{"ok": true}' }, async (receiving) => {
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
      desk.write('config.yaml', config)
      desk.write('.env', 'SLACK_BOT_TOKEN=of-dotenv\nSLACK_HOME_CHANNEL=C8')
      const env = { SLACK_HOME_CHANNEL: 'C7' }
      const running = await runGateway(desk, { env }, '--send')
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
      expect((await optionsOf(desk)).homeChannels).toEqual({
        telegram: '-100123',
        slack: 'C8',
        signal: '+49',
      })
    })
    desk.write('.env', '')
    for (const wrong of ['token: "a b"', 'token: [a]', 'base_url: "ftp://x"', 'home_channel: {}']) {
      desk.write('config.yaml', `${enabled()}  slack:\n    ${wrong}\n`)
      const { code, stderr } = await desk.run('gateway', 'run', '--port', '0', '--send')
      expect([wrong, code, stderr]).toEqual([
        wrong,
        1,
        expect.stringMatching(/^platforms\.slack\.\w+ of config\.yaml /),
      ])
      expect(stderr).not.toContain('a b')
    }
  }),
)

const echo = 'is 123456:AAH-bot_token or 123456%3AAAH-bot_token wrong?'

proves(
  'deliveries/credentials-hidden',
  async ({ gateway, post }) => {
    for (const how of ['told', 'unreachable'] as const) {
      const answer = { status: 401, body: { ok: false, description: `${'-'.repeat(150)}${echo}` } }
      await withPlatforms(
        () => (how === 'told' ? answer : how),
        async (calls) => {
          for (const target of targets)
            expect([target, (await post(target, { number: 7 })).status]).toEqual([target, 502])
          expect(calls).toHaveLength(4)
        },
      )
    }
    const errors = gateway.outbox().map(({ error }) => error)
    expect(errors[1]).toMatch(/^telegram answered 401: -+is <credential>/)
    expect(errors.slice(4)).toEqual(targets.map(() => expect.stringMatching(/^network error /)))
    const everywhere = JSON.stringify([gateway.outbox(), await gateway.journal()])
    for (const part of ['AAH-bot', 'ghp_of', 'MTk4', 'xoxb']) expect(everywhere).not.toContain(part)
  },
  { deliveries, routes: chats },
)

proves(
  'deliveries/credentials-hidden',
  atDesk(async (desk) => {
    await withReceiving(
      { status: 500, body: '{"ok": false, "error": "no xoxb-slack-token"}' },
      async (receiving) => {
        desk.write(
          'config.yaml',
          `${enabled(`routes: {s: {secret: ${SECRET}, prompt: hi, deliver: slack, deliver_only: true, deliver_extra: {chat_id: C1}}}`)}` +
            `  slack: {token: xoxb-slack-token, base_url: "${receiving.url}"}\n`,
        )
        const running = await runGateway(desk, {}, '--send', '--control')
        const url = `${running.url}/webhooks/s`
        const reply = await fetch(url, { method: 'POST', headers: signed('{}'), body: '{}' })
        const outbox = await (await fetch(`${running.url}/_flowdouble/outbox`)).text()
        const journal = await (await fetch(`${running.url}/_flowdouble/journal`)).text()
        const { stdout, stderr } = await running.stop()
        expect(stdout).toContain('slack answered 500: no <credential>')
        const all = [await reply.text(), outbox, journal, stdout, stderr].join('\n')
        expect(all).not.toContain('xoxb')
      },
    )
  }),
)

/** An address that takes deliveries; the cases start a receiver and hand its address in here. */
let address = 'http://127.0.0.1:9'
const toAddress: typeof deliveries = (delivery, signal) =>
  urlDeliveries(new URL(address))(delivery, signal)

proves(
  'deliveries/deliver-url',
  async (subject) => {
    await withReceiving({ status: 204, body: '' }, async ({ url, got }) => {
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
    })
    const failures: unknown[] = []
    for (const status of [302, 404, 500]) {
      await withReceiving({ status, body: '{"secret": "of the receiver"}' }, async ({ url }) => {
        address = url
        expect((await subject.post('telegram', {})).status).toBe(502)
        failures.push(lastError(subject))
      })
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
    routes: { telegram: chats.telegram, signal: to('signal') },
  },
)

proves(
  'deliveries/deliver-url',
  atDesk(async (desk) => {
    await withReceiving({ status: 200, body: '' }, async ({ url, got, arrival }) => {
      await desk.run('webhook', 'subscribe', 'ci', '--secret', SECRET, '--deliver', 'slack')
      const running = await runGateway(desk, {}, '--deliver-url', `${url}/in?key=hidden-key`)
      const post = { method: 'POST', headers: signed('{}'), body: '{}' }
      expect((await fetch(`${running.url}/webhooks/ci`, post)).status).toBe(202)
      await arrival
      expect(got[0]?.path).toBe('/in?key=hidden-key')
      const { stdout, stderr } = await running.stop()
      expect(stdout + stderr).not.toContain('hidden-key')
    })
    const wrong = [
      ['--deliver-url', 'nowhere'],
      ['--deliver-url', 'ftp://x/hidden-key'],
      ['--deliver-url', 'http://user:hidden-key@x/'],
      ['--deliver-url', 'http://x/', '--send'],
    ]
    for (const argv of wrong) {
      const { code, stderr } = await desk.run('gateway', 'run', '--port', '0', ...argv)
      expect([argv, code]).toEqual([argv, 2])
      expect(stderr).not.toContain('hidden-key')
    }
  }),
)
