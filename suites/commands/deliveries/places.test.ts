// Targets that cannot be delivered to: a platform without a chat, one that is not connected, and unusual spellings.

import { direct, SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { provesCli } from '../../support/command-line.ts'
import { expect } from '../../judge/expect.ts'

const secret = SECRET
const pull = { repository: { full_name: 'acme/widgets' }, number: 9 }

proves(
  'deliveries/no-chat',
  async (subject) => {
    expect((await subject.post('none', {})).status).toBe(502)
    expect((await subject.post('chat', {})).status).toBe(200)
    expect((await subject.post('run', {})).status).toBe(202)
    await subject.idle()
    expect(subject.gateway.outbox().map(({ target, error }) => [target, error])).toEqual([
      ['telegram', 'No chat_id or home channel for telegram'],
      ['telegram', null],
      ['slack', 'No chat_id or home channel for slack'],
      ['slack', 'No chat_id or home channel for slack'],
    ])
  },
  {
    homeChannels: { telegram: '' },
    routes: {
      none: direct('x'),
      chat: direct('x', { deliver_extra: { chat_id: '5' } }),
      run: { secret, prompt: 'x', deliver: 'slack' },
    },
  },
)

proves(
  'deliveries/not-connected',
  async (subject) => {
    expect((await subject.post('telegram', {})).status).toBe(200)
    expect((await subject.post('discord', {})).status).toBe(502)
    expect((await subject.post('placed', {})).status).toBe(502)
    expect((await subject.post('comment', pull)).status).toBe(200)
    const errors = subject.gateway.outbox().map(({ target, error }) => [target, error])
    expect(errors).toEqual([
      ['telegram', null],
      ['discord', 'Platform discord not connected'],
      ['discord', 'Platform discord not connected'],
      ['github_comment', null],
    ])
  },
  {
    connected: ['telegram', 'slack'],
    routes: {
      telegram: direct('x'),
      discord: direct('x', { deliver: 'discord' }),
      placed: direct('x', { deliver: 'origin', origin: { platform: 'discord', chat_id: '1' } }),
      comment: direct('x', { deliver: 'github_comment' }),
    },
  },
)

proves(
  'deliveries/target-case',
  async (subject) => {
    const reply = await subject.post('direct', {})
    expect({ status: reply.status, target: reply.json().target }).toEqual({
      status: 200,
      target: 'Telegram',
    })
    await subject.post('run', {})
    await subject.idle()
    expect(subject.gateway.outbox().map(({ target, error }) => [target, error])).toEqual([
      ['telegram', null],
      ['Telegram', 'Unknown deliver type: Telegram'],
      ['Telegram', 'Unknown deliver type: Telegram'],
    ])
  },
  {
    routes: {
      direct: direct('x', { deliver: 'Telegram' }),
      run: { secret, prompt: 'x', deliver: 'Telegram' },
    },
  },
)

proves(
  'deliveries/empty-target',
  async (subject) => {
    expect((await subject.post('empty', {})).status).toBe(202)
    expect((await subject.post('missing', {})).status).toBe(202)
    await subject.idle()
    expect(subject.gateway.outbox().map(({ target, error }) => [target, error])).toEqual([
      ['', 'Unknown deliver type: '],
      ['', 'Unknown deliver type: '],
      ['log', null],
    ])
    expect(() => subject.gateway.subscribe('direct', direct('x', { deliver: '' }))).toThrow(
      'has deliver_only, but its target is ""',
    )
  },
  { routes: { empty: { secret, prompt: 'x', deliver: '' }, missing: { secret, prompt: 'x' } } },
)

provesCli('deliveries/not-connected', async (cli) => {
  const flags = ['--port', '0', '--connected', 'slack,telegrm']
  expect(await cli.run('gateway', 'run', ...flags)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean telegram?'),
  })
})
