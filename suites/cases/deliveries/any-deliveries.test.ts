// What any gateway with the control API delivers directly, and where to.

import { targets as allTargets, platforms } from '../../../spec/gateway/deliveries.ts'
import { expect } from '../../judge/expect.ts'
import { type GatewaySubject } from '../../judge/gateway-subject.ts'
import { CHAT, makeDirect, makeRuns, postTo } from '../../judge/posts/made-routes.ts'
import { proves } from '../../judge/proves.ts'
import type { RouteSettings } from '../../generate/sender.ts'

type Payload = Readonly<Record<string, unknown>>

/** Posts to a new direct route. Returns the status and what it has delivered, or tried to. */
async function deliver(subject: GatewaySubject, settings: RouteSettings, payload: Payload = {}) {
  const to = await makeDirect(subject, 'Hello {who}', settings)
  const { status } = await postTo(subject, to, { who: 'Ann', ...payload })
  const entries = await subject.sender.control.deliveries(to, 1)
  const runs = await subject.sender.control.runs(to)
  expect({ settings, entries: entries.length, runs }).toEqual({ settings, entries: 1, runs: [] })
  return { status, entry: entries[0] }
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
    const { status, entry } = await deliver(
      subject,
      { deliver: target, deliver_extra },
      { ...pull, n: at },
    )
    if (entry?.error?.includes('not connected')) subject.sender.missing(entry.error)
    expect({ status, ...entry }).toMatchObject({ status: 'delivered', target, chat_id })
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
})

proves('deliveries/chat', async (subject) => {
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
    [{ repo: '', pr_number: ' 12 ' }, pull, own, 12],
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
