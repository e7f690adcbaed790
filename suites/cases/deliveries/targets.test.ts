// Direct deliveries, and the meaning of each target.

import { targets as allTargets, platforms } from '../../../spec/gateway/deliveries.ts'
import { direct, type GatewaySubject } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import type { RouteSettings } from '../../generate/sender.ts'
import { CHAT, makeDirect, makeRuns, postTo } from '../../judge/posts.ts'

type Payload = Readonly<Record<string, unknown>>

/** Posts to a new direct route. Returns the status and what it has delivered, or tried to. */
async function deliver(subject: GatewaySubject, settings: RouteSettings, payload: Payload = {}) {
  const to = await makeDirect(subject, 'Hello {who}', settings)
  const reply = await postTo(subject, to, { who: 'Ann', ...payload })
  const entries = await subject.sender.control.deliveries(to, 1)
  const runs = await subject.sender.control.runs(to)
  expect({ settings, entries: entries.length, runs }).toEqual({ settings, entries: 1, runs: [] })
  return { status: reply.status, reply, entry: entries[0] }
}

proves(['deliveries/direct', 'deliveries/direct-once'], async (subject) => {
  const to = await makeDirect(subject, 'Hello {who}')
  for (const who of ['Ann', 'Bob', '']) await postTo(subject, to, { who })
  const entries = await subject.sender.control.deliveries(to, 3)
  const texts = entries.map(({ text }) => text)
  expect(texts).toEqual(['Hello Ann', 'Hello Bob', 'Hello '])
  for (const entry of entries)
    expect(entry).toMatchObject({
      target: 'telegram',
      chat_id: CHAT,
      attempt: 1,
      status: 'delivered',
      error: null,
    })
  expect(await subject.sender.control.runs(to)).toEqual([])
  const nowhere = await deliver(subject, { deliver: 'nowhere' })
  expect(nowhere.status).toBe(502)
  expect(nowhere.entry).toMatchObject({ status: 'failed', attempt: 1 })
  if (!subject.isOwn) return
  for (const error of ['econnreset', 'timed out', 'format']) {
    subject.gateway.failDeliveries({ target: 'telegram', error, times: 1 })
    const { status, entry } = await deliver(subject, {})
    expect({ status, entry }).toMatchObject({ status: 502, entry: { attempt: 1, error } })
  }
})

proves('deliveries/direct-is-literal', async (subject) => {
  const to = await makeDirect(subject, '{text}', { skills: ['review', 'code'] })
  const texts = ['[SILENT]', ' no_reply ', '/help', '', 'x\n', ' \t']
  for (const text of texts) await postTo(subject, to, { text })
  const entries = await subject.sender.control.deliveries(to, texts.length)
  expect(entries.map(({ text }) => text)).toEqual(texts)
})

const pull = { repository: { full_name: 'flowdouble-check/none' }, number: 7 }

proves(['deliveries/target', 'deliveries/chat'], async (subject) => {
  for (const [at, target] of allTargets.entries()) {
    if (target === 'log') continue
    const isChat = platforms.some((one) => one === target)
    const chat_id = isChat ? `-100${at}` : null
    const deliver_extra = isChat ? { chat_id: '-100{n}' } : {}
    const { status, reply, entry } = await deliver(
      subject,
      { deliver: target, deliver_extra },
      { ...pull, n: at },
    )
    if (entry?.error?.includes('not connected')) subject.sender.missing(entry.error)
    expect(entry).toMatchObject({ status: 'delivered', target, chat_id })
    expect(reply.json()).toMatchObject({ target })
    expect({ target, status, text: entry?.text }).toEqual({
      target,
      status: 200,
      text: 'Hello Ann',
    })
  }
  for (const target of ['nowhere', 'telegram:5', 'LOG']) {
    const { status, entry } = await deliver(subject, { deliver: target })
    const error = `Unknown deliver type: ${target}`
    expect({ status, error: entry?.error }).toEqual({ status: 502, error })
  }
  for (const chat_id of ['5', 17, 'C1', '-100']) {
    const { entry } = await deliver(subject, { deliver_extra: { chat_id } })
    expect(entry).toMatchObject({ target: 'telegram', chat_id })
  }
})

proves('deliveries/thread', async (subject) => {
  const extras = [
    [{ message_thread_id: '{n}', thread_id: '9' }, '7'],
    [{ message_thread_id: '', thread_id: '9' }, '9'],
    [{ thread_id: 9 }, 9],
    [{}, null],
  ] as const
  for (const [extra, thread_id] of extras) {
    const deliver_extra = { chat_id: CHAT, ...extra }
    const { entry } = await deliver(subject, { deliver_extra }, { n: 7 })
    expect({ extra, thread_id: entry?.thread_id }).toEqual({ extra, thread_id })
  }
})

proves('deliveries/origin', async (subject) => {
  const origin = { platform: 'telegram', chat_id: '42' }
  const placed = await deliver(subject, { deliver: 'origin', origin, deliver_extra: {} })
  expect({ http: placed.status, ...placed.entry }).toMatchObject({
    http: 200,
    target: 'telegram',
    chat_id: '42',
    status: 'delivered',
  })
  const unplaced = await deliver(subject, { deliver: 'origin', deliver_extra: {} })
  expect({ http: unplaced.status, ...unplaced.entry }).toMatchObject({
    http: 200,
    target: 'origin',
    chat_id: null,
  })
  const to = await makeRuns(subject, 'flowdouble-check', { deliver: 'origin', origin })
  await postTo(subject, to, {})
  const entries = await subject.sender.control.deliveries(to, 1)
  expect(entries).toMatchObject([{ target: 'telegram', chat_id: '42' }])
})

const numbered = { ...pull, pull_request: { number: 3 }, issue: { number: 4 } }

proves('deliveries/comment', async (subject) => {
  const own = 'flowdouble-check/none'
  const asked = [
    [{ repo: '{repository.full_name}', pr_number: '{number}' }, numbered, own, 7],
    [{ repo: 'flowdouble-check/other', pr_number: 5 }, numbered, 'flowdouble-check/other', 5],
    [{}, numbered, own, 3],
    [{}, { ...numbered, pull_request: {} }, own, 4],
    [{}, { ...numbered, pull_request: null, issue: 5 }, own, 7],
    [{ repo: '', pr_number: ' 12 ' }, pull, own, 12],
    [{ pr_number: 7.9 }, pull, own, 7],
    [{}, pull, own, 7],
  ] as const
  for (const [deliver_extra, payload, repo, pr_number] of asked) {
    const settings = { deliver: 'github_comment', deliver_extra }
    const { status, entry } = await deliver(subject, settings, payload)
    if (entry?.error?.includes('not connected')) subject.sender.missing(entry.error)
    const { target, deliver_extra: extra, text } = entry ?? {}
    expect({ deliver_extra, status, target, extra, text }).toEqual({
      deliver_extra,
      status: 200,
      target: 'github_comment',
      extra: expect.objectContaining({ repo, pr_number }),
      text: 'Hello Ann',
    })
  }
})

proves('deliveries/comment-checked', async (subject) => {
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
  for (const [deliver_extra, payload, error] of cases) {
    const settings = { deliver: 'github_comment', deliver_extra }
    const { status, entry } = await deliver(subject, settings, payload)
    expect({ deliver_extra, status, entry }).toMatchObject({
      deliver_extra,
      status: 502,
      entry: { status: 'failed', error },
    })
  }
})

proves(
  'deliveries/home-channel',
  async (subject) => {
    await subject.post('own', {})
    await subject.post('home', {})
    await subject.post('empty', {})
    const chats = subject.gateway.outbox().map(({ status, chat_id }) => ({ status, chat_id }))
    expect(chats).toEqual(
      ['5', 'home-chat', 'home-chat'].map((chat_id) => ({ status: 'delivered', chat_id })),
    )
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

provesQuirk('webhooks.origin-undeliverable', async (subject) => {
  const origin = { platform: 'telegram', chat_id: '42' }
  const { status, entry } = await deliver(subject, { deliver: 'origin', origin })
  expect({ status, error: entry?.error }).toEqual({
    status: 502,
    error: 'Unknown deliver type: origin',
  })
})

provesQuirk('webhooks.comment-needs-extra', async (subject) => {
  const settings = { deliver: 'github_comment', deliver_extra: {} }
  const { status, entry } = await deliver(subject, settings, pull)
  expect({ status, error: entry?.error }).toEqual({
    status: 502,
    error: 'Missing repo or pr_number',
  })
  const deliver_extra = { repo: 'a/b', pr_number: '{number}' }
  expect((await deliver(subject, { ...settings, deliver_extra }, pull)).status).toBe(200)
})

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
