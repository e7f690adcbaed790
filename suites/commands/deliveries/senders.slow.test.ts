// Deliveries that are really sent: the call of each sender, what counts as success, and what is never printed or sent.

import { senderDeliveries } from '../../../dist/emulator/internal.js'
import { senders } from '../../../spec/gateway/deliveries.ts'
import { direct, type GatewaySubject } from '../../judge/gateway-subject.ts'
import { withPlatforms } from '../../support/platforms.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

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
type VisibleCall = { readonly method: string; readonly url: string; readonly headers: Headers }
const shown = ({ method, url, headers, ...call }: VisibleCall & { readonly body: unknown }) => [
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
          expect({
            target,
            status: (await post(target, { who: 'Ann', number: 7 })).status,
          }).toEqual({ target, status: 200 })
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

/** Answers of platforms, and the targets for which each of them means success. */
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
          // One attempt each, and nothing is sent elsewhere.
          expect(calls).toHaveLength(4)
          expect(calls.filter(({ url }) => url.includes('elsewhere'))).toEqual([])
        },
      ),
    { deliveries, routes: chats },
  )
}

/** Routes whose answers go to the platforms. */
const answering = Object.fromEntries(
  Object.entries(chats).map(([name, { deliver_only: _, ...route }]) => [name, route]),
)
const DATE = 'Thu, 01 Jan 2026 00:00:10 GMT'
const later = 'Thu, 01 Jan 2026 00:00:40 GMT'
const limited = [
  ['github_comment', { status: 403, headers: { 'Retry-After': '60' }, body: {} }, 60],
  ['github_comment', { status: 503, headers: { 'Retry-After': later, Date: DATE }, body: {} }, 30],
  ['telegram', { status: 429, body: { ok: false, parameters: { retry_after: 35 } } }, 35],
  ['discord', { status: 429, headers: { 'Retry-After': '6' }, body: { retry_after: 6.25 } }, 6.25],
  ['discord', { status: 429, headers: { 'Retry-After': '9' }, body: { retry_after: 'x' } }, 9],
  ['slack', { status: 429, headers: { 'Retry-After': '10' }, body: { ok: false } }, 10],
  ['slack', { status: 200, body: { ok: false, error: 'ratelimited' } }, 1.5],
  ['slack', { status: 200, body: { ok: false, error: 'internal_error' } }, 1.5],
] as const

proves(
  ['deliveries/retry-after', 'deliveries/retry-network'],
  async ({ gateway, post, idle }) => {
    for (const [target, answer, seconds] of limited) {
      await withPlatforms(
        () => (answered++ === 0 ? answer : undefined),
        async (calls) => {
          answered = 0
          await post(target, { who: 'Ann', number: 7 })
          await idle()
          expect({ answer, calls: calls.length }).toEqual({ answer, calls: 2 })
        },
      )
      const [failed, done] = gateway.outbox().slice(-2)
      expect([failed?.status, done?.status, done?.text]).toEqual([
        'failed',
        'delivered',
        failed?.text,
      ])
      const pause = ((done?.timestamp ?? 0) - (failed?.timestamp ?? 0)) / 1000
      // Up to a quarter of the pause of the schedule is added.
      expect({ answer, isInTime: pause >= seconds && pause <= seconds + 0.501 }).toEqual({
        answer,
        isInTime: true,
      })
    }
  },
  { deliveries, routes: answering },
)
let answered = 0

/** Answers after which nothing is sent again, or a plain text and a notice. */
const final = [
  ['slack', { status: 200, body: { ok: false, error: 'channel_not_found' } }, 1],
  ['slack', { status: 200, body: { ok: false, error: 'invalid_auth' } }, 1],
  ['slack', { status: 200, body: { ok: false, error: 'invalid_blocks' } }, 3],
  ['telegram', { status: 403, body: { ok: false, description: 'bot was blocked' } }, 1],
  ['telegram', { status: 400, body: { ok: false, description: 'cannot parse' } }, 3],
  ['discord', { status: 401, body: {} }, 1],
  ['github_comment', { status: 302, headers: { Location: 'https://elsewhere.example/' } }, 1],
] as const

proves(
  ['deliveries/retry-final', 'deliveries/retry-plain'],
  async ({ post, idle }) => {
    for (const [target, answer, count] of final) {
      await withPlatforms(
        () => answer,
        async (calls) => {
          await post(target, { who: 'Ann', number: 7 })
          await idle()
          expect({ answer, calls: calls.length }).toEqual({ answer, calls: count })
        },
      )
    }
  },
  { deliveries, routes: answering },
)

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
    homeChannels: {},
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
            expect({ name, who, status: (await subject.post(name, { who })).status }).toEqual({
              name,
              who,
              status: 502,
            })
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

const echo = 'is 123456:AAH-bot_token or 123456%3AAAH-bot_token wrong?'

proves(
  'deliveries/credentials-hidden',
  async ({ gateway, post }) => {
    for (const how of ['refused', 'unreachable'] as const) {
      const answer = { status: 401, body: { ok: false, description: `${'-'.repeat(150)}${echo}` } }
      await withPlatforms(
        () => (how === 'refused' ? answer : how),
        async (calls) => {
          for (const target of targets)
            expect({ target, status: (await post(target, { number: 7 })).status }).toEqual({
              target,
              status: 502,
            })
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
