// Direct deliveries, and the meaning of each target.

import { targets as allTargets, platforms } from '../../../spec/gateway/deliveries.ts'
import { direct, type GatewaySubject, SECRET } from '../../judge/gateway-subject.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const secret = SECRET

/** Target, chat and text of each successful delivery. */
const delivered = ({ gateway }: GatewaySubject) =>
  gateway
    .outbox()
    .flatMap(({ status, target, chat_id, text }) =>
      status === 'delivered' ? [[target, chat_id, text]] : [],
    )

/** The levels and texts of the log. */
async function logOf({ gateway }: GatewaySubject): Promise<string[]> {
  const entries = (await gateway.journal()).slice(1).map((line) => JSON.parse(line))
  const effects: any[] = entries.flatMap((entry) => entry.effects)
  return effects.flatMap(({ kind, level, text }) => (kind === 'log' ? `${level}: ${text}` : []))
}

proves(
  'deliveries/direct',
  async (subject) => {
    expect((await subject.post('note', { who: 'Ann' })).status).toBe(200)
    await subject.idle()
    expect(delivered(subject)).toEqual([['telegram', 'home', 'Hello Ann']])
    expect(subject.gateway.runs()).toEqual([])
  },
  { routes: { note: direct('Hello {who}') } },
)

proves(
  'deliveries/direct-is-literal',
  async (subject) => {
    for (const text of ['[SILENT]', ' no_reply ', '/help', '']) await subject.post('note', { text })
    expect(subject.texts()).toEqual(['[SILENT]', ' no_reply ', '/help', ''])
  },
  { routes: { note: direct('{text}', { skills: ['review', 'code'] }) } },
)

proves(
  'deliveries/direct-once',
  async ({ gateway, post, idle }) => {
    for (const error of ['econnreset', 'timed out', 'format']) {
      gateway.failDeliveries({ target: 'telegram', error, times: 1 })
      expect({ error, status: (await post('note', {})).status }).toEqual({ error, status: 502 })
    }
    await idle()
    expect(gateway.outbox().map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 'failed'],
      [1, 'failed'],
      [1, 'failed'],
    ])
  },
  { routes: { note: direct('x') } },
)

proves(
  'deliveries/target',
  async (subject) => {
    for (const target of allTargets.filter((one) => one !== 'log')) {
      subject.gateway.subscribe('note', direct('x', { deliver: target }))
      const reply = await subject.post('note', { number: 7, repository: { full_name: 'a/b' } })
      expect([target, reply.json().target]).toEqual([target, target])
    }
    for (const deliver of ['nowhere', 'telegram:5', 'LOG']) {
      subject.gateway.subscribe('note', direct('x', { deliver }))
      expect({ deliver, status: (await subject.post('note', {})).status }).toEqual({
        deliver,
        status: 502,
      })
      expect(subject.gateway.outbox().at(-1)?.error).toBe(`Unknown deliver type: ${deliver}`)
    }
    expect(delivered(subject).map(([target]) => target)).toEqual(allTargets.slice(1))
  },
  { routes: {}, rateLimit: 100 },
)

proves(
  'deliveries/log',
  async (subject) => {
    await subject.post('hook', { text: `${'☃'.repeat(199)}😀ü` })
    await subject.post('none', { text: 'short' })
    await subject.idle()
    const logged = (await logOf(subject)).filter((line) => line.startsWith('info: Answer of'))
    expect(logged).toEqual([
      `info: Answer of hook: ${'☃'.repeat(199)}😀`,
      'info: Answer of none: short',
    ])
    expect(delivered(subject).map(([target]) => target)).toEqual(['log', 'log'])
  },
  {
    routes: {
      hook: { secret, prompt: '{text}', deliver: 'log' },
      none: { secret, prompt: '{text}' },
    },
  },
)

proves(
  'deliveries/chat',
  async (subject) => {
    for (const platform of platforms) {
      const deliver_extra = { chat_id: '-100{n}' }
      subject.gateway.subscribe(platform, direct('hi', { deliver: platform, deliver_extra }))
      await subject.post(platform, { n: 5 })
    }
    expect(delivered(subject)).toEqual(platforms.map((platform) => [platform, '-1005', 'hi']))
    subject.gateway.subscribe('number', direct('hi', { deliver_extra: { chat_id: 17 } }))
    await subject.post('number', {})
    expect(delivered(subject).at(-1)).toEqual(['telegram', 17, 'hi'])
  },
  { routes: {} },
)

proves(
  'deliveries/home-channel',
  async (subject) => {
    await subject.post('own', {})
    await subject.post('home', {})
    await subject.post('empty', {})
    const chats = delivered(subject).map(([, chat]) => chat)
    expect(chats).toEqual(['5', 'home-chat', 'home-chat'])
  },
  {
    homeChannels: { telegram: 'home-chat' },
    routes: {
      own: direct('x', { deliver_extra: { chat_id: '5' } }),
      home: direct('x'),
      empty: direct('x', { deliver_extra: { chat_id: '' } }),
    },
  },
)

proves(
  'deliveries/thread',
  async ({ gateway, post }) => {
    const extras = [
      [{ message_thread_id: '{n}', thread_id: '9' }, '7'],
      [{ message_thread_id: '', thread_id: '9' }, '9'],
      [{ thread_id: 9 }, 9],
      [{}, null],
    ] as const
    for (const [deliver_extra, thread] of extras) {
      gateway.subscribe('note', direct('x', { deliver_extra }))
      await post('note', { n: 7 })
      expect(gateway.outbox().at(-1)?.thread_id).toBe(thread)
    }
  },
  { routes: {} },
)

const origin = { platform: 'discord', chat_id: '42' }

proves(
  'deliveries/origin',
  async (subject) => {
    await subject.post('placed', {})
    await subject.post('unplaced', {})
    expect((await subject.post('run', {})).status).toBe(202)
    await subject.idle()
    expect(delivered(subject)).toEqual([
      ['discord', '42', 'x'],
      ['origin', null, 'y'],
      ['discord', '42', 'z'],
    ])
  },
  {
    routes: {
      placed: direct('x', { deliver: 'origin', origin }),
      unplaced: direct('y', { deliver: 'origin' }),
      run: { secret, prompt: 'z', deliver: 'origin', origin },
    },
  },
)

const comment = (deliver_extra: object = {}) =>
  direct('Thanks', { deliver: 'github_comment', deliver_extra })
const pull = {
  repository: { full_name: 'acme/widgets' },
  pull_request: { number: 7 },
  issue: { number: 8 },
  number: 9,
}

proves(
  'deliveries/comment',
  async ({ gateway, post }) => {
    const cases = [
      [{ repo: '{repository.full_name}', pr_number: '{number}' }, pull, 'acme/widgets', 9],
      [{ repo: 'other/name', pr_number: 3 }, pull, 'other/name', 3],
      [{}, pull, 'acme/widgets', 7],
      [{}, { ...pull, pull_request: {} }, 'acme/widgets', 8],
      [{}, { ...pull, pull_request: null, issue: 5 }, 'acme/widgets', 9],
      [{ pr_number: ' 12 ', repo: '' }, pull, 'acme/widgets', 12],
      [{ pr_number: 7.9 }, pull, 'acme/widgets', 7],
    ] as const
    for (const [extra, payload, repo, pr_number] of cases) {
      gateway.subscribe('note', comment(extra))
      expect((await post('note', payload)).status).toBe(200)
      expect(gateway.outbox().at(-1)).toMatchObject({
        target: 'github_comment',
        text: 'Thanks',
        deliver_extra: { repo, pr_number },
      })
    }
  },
  { routes: {} },
)

proves(
  'deliveries/comment-checked',
  async ({ gateway, post }) => {
    const cases = [
      [{}, {}, 'Missing repo or pr_number'],
      [{ repo: 'a/b' }, {}, 'Missing repo or pr_number'],
      [{ pr_number: '5' }, {}, 'Missing repo or pr_number'],
      [{ repo: 'a/b', pr_number: 0 }, {}, 'Missing repo or pr_number'],
      [{ repo: 'a/b', pr_number: '{number}' }, {}, 'Invalid pr_number'],
      [{ repo: 'a/b', pr_number: '-5' }, {}, 'Invalid pr_number'],
      [{ repo: 'a/b', pr_number: -5 }, {}, 'Invalid pr_number'],
      [{ repo: 'a/b', pr_number: '0' }, {}, 'Invalid pr_number'],
      [{ repo: '{no}', pr_number: 5 }, {}, 'Invalid repo format'],
      [{ repo: 'a/b/c', pr_number: 5 }, {}, 'Invalid repo format'],
      [{ repo: 'a', pr_number: 5 }, {}, 'Invalid repo format'],
      [{ repo: '../..', pr_number: 5 }, {}, 'Invalid repo format'],
      [{ repo: 'a/b\n', pr_number: 5 }, {}, 'Invalid repo format'],
      [{ repo: 'a/b?c', pr_number: 5 }, {}, 'Invalid repo format'],
      [{}, { repository: { full_name: 'a b/c' }, number: 1 }, 'Invalid repo format'],
    ] as const
    for (const [extra, payload, error] of cases) {
      gateway.subscribe('note', comment(extra))
      expect({ extra, status: (await post('note', payload)).status }).toEqual({
        extra,
        status: 502,
      })
      const last = gateway.outbox().at(-1)
      expect({ extra, status: last?.status, error: last?.error }).toEqual({
        extra,
        status: 'failed',
        error,
      })
    }
  },
  { routes: {}, deliveries: () => Promise.reject(new Error('nothing is to be sent')) },
)

provesQuirk(
  'webhooks.origin-undeliverable',
  async ({ gateway, post }) => {
    expect((await post('note', {})).status).toBe(502)
    expect(gateway.outbox().at(-1)?.error).toBe('Unknown deliver type: origin')
  },
  { routes: { note: direct('x', { deliver: 'origin', origin }) } },
)

provesQuirk(
  'webhooks.comment-needs-extra',
  async ({ gateway, post }) => {
    expect((await post('note', pull)).status).toBe(502)
    expect(gateway.outbox().at(-1)?.error).toBe('Missing repo or pr_number')
    expect((await post('given', pull)).status).toBe(200)
  },
  { routes: { note: comment(), given: comment({ repo: 'a/b', pr_number: '{number}' }) } },
)

provesQuirk(
  'webhooks.skill-replaces-message',
  async ({ post, texts }) => {
    await post('note', {})
    await post('plain', {})
    expect(texts()[0]).toMatch(/review[^]*Hello/)
    expect(texts()).toEqual([expect.not.stringMatching(/^Hello$/), 'Hello'])
  },
  { routes: { note: direct('Hello', { skills: ['review', 'code'] }), plain: direct('Hello') } },
)
