// Agent runs: their input, how they answer, and what happens with the answer.

import { agentRun } from '../../../spec/gateway/deliveries.ts'
import { EMPTY_NOTICE, failureNotice, postAll, SECRET } from '../../judge/gateway-subject.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const secret = SECRET
const id = (text: string) => ({ 'X-Request-ID': text })
const chat = { secret, prompt: '{text}', deliver: 'telegram' }
const one = { routes: { hook: chat } }

proves(
  'deliveries/run',
  async ({ gateway, post, idle }) => {
    await post('hook', { text: 'Look at this' })
    await idle()
    const runs = gateway.runs().map(({ prompt, status }) => [prompt, status])
    expect(runs).toEqual([['Look at this', 'completed']])
  },
  one,
)

proves(
  'deliveries/answer',
  async ({ gateway, post, idle }) => {
    await post('hook', { text: 'question' })
    expect(gateway.outbox()).toEqual([])
    await idle()
    expect(gateway.outbox()).toMatchObject([
      { target: 'slack', chat_id: 'C1', text: 'Answer to "question"', attempt: 1 },
    ])
  },
  {
    agent: { answer: 'Answer to "{prompt}"' },
    routes: { hook: { ...chat, deliver: 'slack', deliver_extra: { chat_id: 'C1' } } },
  },
)

proves(
  'deliveries/skills',
  async ({ gateway, post }) => {
    await post('list', {})
    await post('text', {})
    await post('none', {})
    expect(gateway.runs().map(({ skills }) => skills)).toEqual([
      ['review', 'code search'],
      ['review', 'code search'],
      [],
    ])
  },
  {
    routes: {
      list: { ...chat, skills: ['review', 'code search'] },
      text: { ...chat, skills: 'review, code search,' },
      none: chat,
    },
  },
)

proves(
  'deliveries/run-listed',
  async ({ gateway, post, idle, send }) => {
    const payload = '{"text": "hi", "2": 1, "1": 2}'
    await post('hook', payload, { ...id('d-1'), 'X-GitHub-Event': 'push' })
    const begun = {
      delivery_id: 'd-1',
      route: 'hook',
      event: 'push',
      prompt: 'hi',
      skills: [],
      payload: { text: 'hi', '2': 1, '1': 2 },
      chat_id: 'webhook:hook:d-1',
      session_key: 'agent:main:webhook:webhook:webhook:hook:d-1:webhook:hook',
      status: 'running',
      answer: null,
      is_silent: false,
      error: null,
    }
    expect(gateway.runs()).toEqual([begun])
    await idle()
    const ended = { ...begun, status: 'completed', answer: 'hi' }
    expect(gateway.runs()).toEqual([ended])
    expect(violations(agentRun, ended)).toEqual([])
    const listed = await send('GET', '/_flowdouble/runs')
    expect(listed.json()).toEqual([ended])
    // Members are in the order of the post.
    expect(listed.body).toContain(payload)
  },
  one,
)

proves(
  'deliveries/runs-at-once',
  async ({ gateway, post }) => {
    await post('hook', { text: 'slow' })
    await gateway.advance(400)
    await post('hook', { text: 'later' })
    await post('quick', { text: 'quick' })
    await gateway.advance(600)
    const states = () => gateway.runs().map(({ status }) => status)
    expect(states()).toEqual(['completed', 'running', 'completed'])
    await gateway.advance(400)
    expect(states()).toEqual(['completed', 'completed', 'completed'])
    expect(gateway.outbox().map(({ text }) => text)).toEqual(['quick', 'slow', 'later'])
  },
  {
    agent: { delayMs: 1000, routes: { quick: { delayMs: 10 } } },
    routes: { hook: chat, quick: chat },
  },
)

proves(
  'deliveries/scripted-agent',
  async ({ gateway, post, idle, texts }) => {
    await post('hook', { text: '{event} $&' }, id('d-1'))
    await idle()
    expect(texts()).toEqual(['{event} $&'])
    expect(gateway.options.agent).toMatchObject({ answer: '{prompt}' })
  },
  one,
)

proves(
  'deliveries/scripted-agent',
  async ({ gateway, post, idle, texts }) => {
    await post('hook', { text: '{route}', type: 'push' }, id('d-1'))
    await post('broken', { text: 'x' })
    await idle()
    expect(texts()).toEqual(['hook push d-1 {route} {no}', failureNotice('out of order')])
    expect(gateway.runs().map(({ status }) => status)).toEqual(['completed', 'failed'])
  },
  {
    routes: { hook: chat, broken: chat },
    agent: {
      answer: '{route} {event} {delivery_id} {prompt} {no}',
      routes: { broken: { failure: 'out of order' } },
    },
  },
)

proves(
  'deliveries/runs-kept',
  async ({ gateway, post, idle }) => {
    const text = 'x'.repeat(900_000)
    for (let count = 0; count < 30; count++) await post('hook', { text, count })
    await idle()
    // Prompt, payload and answer of each are stored: 24 of them fill the available room.
    const held = gateway.runs().map(({ payload }) => (payload as { count: number }).count)
    expect(held.at(-1)).toBe(29)
    expect(held).toEqual(held.map((_, at) => 30 - held.length + at))
    expect([held.length > 20, held.length < 27]).toEqual([true, true])
    expect(gateway.outbox()).toHaveLength(30)
  },
  { ...one, rateLimit: 100 },
)

proves(
  'deliveries/runs-kept',
  async ({ gateway, url, idle }) => {
    await postAll(
      url,
      Array.from({ length: 10_005 }, (_, at) => `${at}`),
    )
    await idle()
    const runs = gateway.runs()
    expect([runs.length, gateway.outbox().length]).toEqual([10_000, 10_000])
    expect([runs[0]?.delivery_id, runs.at(-1)?.delivery_id]).toEqual(['5', '10004'])
    expect(gateway.outbox()[0]?.delivery_id).toBe('5')
  },
  { ...one, rateLimit: 20_000 },
)

proves(
  'deliveries/answer-trimmed',
  async ({ gateway, post, idle, texts }) => {
    await post('hook', { text: ' \n two\n\nlines \t\n' })
    await idle()
    expect(texts()).toEqual(['two\n\nlines'])
    expect(gateway.runs()[0]?.answer).toBe('two\n\nlines')
  },
  one,
)

proves(
  'deliveries/failed-run',
  async ({ gateway, post, idle, texts }) => {
    for (const text of ['throws', 'rejects', '', ' \n', 'long']) await post('hook', { text })
    await idle()
    expect(texts()).toEqual([
      failureNotice('thrown'),
      failureNotice('rejected'),
      EMPTY_NOTICE,
      EMPTY_NOTICE,
      failureNotice('x'.repeat(300)),
    ])
    expect(gateway.runs().map(({ status, error }) => [status, error])).toEqual([
      ['failed', 'thrown'],
      ['failed', 'rejected'],
      ['failed', 'the agent gave no answer'],
      ['failed', 'the agent gave no answer'],
      ['failed', 'x'.repeat(301)],
    ])
  },
  {
    ...one,
    agent: ({ prompt }) => {
      if (prompt === 'throws') throw new Error('thrown')
      if (prompt === 'long') throw new Error('x'.repeat(301))
      return prompt === 'rejects' ? Promise.reject(new Error('rejected')) : Promise.resolve(prompt)
    },
  },
)

proves(
  'deliveries/silence',
  async ({ gateway, post, idle, texts }) => {
    const silent = ['[SILENT]', 'silent', ' No_Reply\n', 'no \t reply', '[silent]']
    const loud = [
      '[SILENT] but',
      'NO-REPLY',
      'silent.',
      'SILENT SILENT',
      `SILENT${' '.repeat(70)}x`,
    ]
    for (const text of [...silent, ...loud]) await post('hook', { text })
    await idle()
    expect(texts()).toEqual(loud)
    expect(gateway.runs().map(({ is_silent }) => is_silent)).toEqual([
      ...silent.map(() => true),
      ...loud.map(() => false),
    ])
  },
  one,
)

proves(
  'deliveries/silence',
  async ({ post, idle, texts }) => {
    await post('hook', { text: 'x' })
    await idle()
    expect(texts()).toEqual([failureNotice('SILENT')])
  },
  { ...one, agent: { failure: 'SILENT' } },
)

proves(
  'deliveries/agent-time-out',
  async ({ gateway, post, texts }) => {
    await post('hook', { text: 'x' })
    await gateway.advance(599_999)
    expect(gateway.runs().map(({ status }) => status)).toEqual(['running'])
    await gateway.advance(1)
    expect(gateway.runs().map(({ status, error }) => [status, error])).toEqual([
      ['failed', 'the agent timed out'],
    ])
    expect(texts()).toEqual([failureNotice('the agent timed out')])
    expect(stopped).toBe(1)
  },
  {
    ...one,
    agent: (_, signal) =>
      new Promise(() => {
        stopped = 0
        signal.addEventListener('abort', () => stopped++)
      }),
  },
)
let stopped = 0
