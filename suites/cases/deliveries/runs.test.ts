// Agent runs: their input, how they answer, and what happens with the answer.

import { agentRun } from '../../../spec/gateway/deliveries.ts'
import { expect } from '../../judge/expect.ts'
import {
  EMPTY_NOTICE,
  failureNotice,
  type GatewaySubject,
  SECRET,
} from '../../judge/gateway-subject.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import type { RouteSettings } from '../../generate/sender.ts'
import { CHAT, CHECK_TEXT, makeRuns, postTo } from '../../judge/posts.ts'

/** Posts to a new route once, and returns its only run. */
async function runOf(
  subject: GatewaySubject,
  settings: RouteSettings = {},
  more: Readonly<Record<string, unknown>> = {},
) {
  const { control } = subject.sender
  const to = await makeRuns(subject, '{text}', settings)
  const payload = { text: CHECK_TEXT, ...more }
  const reply = await postTo(subject, to, payload, { 'X-GitHub-Event': 'push' })
  expect(reply.status).toBe(202)
  const runs = await control.runs(to)
  expect(runs).toHaveLength(1)
  if (runs[0]?.status === 'running') subject.sender.missing('Its agent takes long.')
  return { to, run: runs[0], payload, delivery_id: reply.json().delivery_id as string }
}

proves(['deliveries/run', 'deliveries/run-listed'], async (subject) => {
  const { to, run, payload, delivery_id } = await runOf(subject, {}, { '2': 1, '1': { a: null } })
  const chat_id = `webhook:${to.route}:${delivery_id}`
  expect(violations(agentRun, run)).toEqual([])
  expect(run).toMatchObject({
    delivery_id,
    route: to.route,
    event: 'push',
    prompt: CHECK_TEXT,
    skills: [],
    payload,
    chat_id,
    session_key: `agent:main:webhook:webhook:${chat_id}:webhook:${to.route}`,
  })
  const { status, answer, error } = run ?? {}
  if (status === 'completed') expect({ answer, error }).toEqual({ answer, error: null })
  else expect({ status, error }).toEqual({ status: 'failed', error: expect.any(String) })
  const { control } = subject.sender
  const several = await makeRuns(subject, `{n} ${CHECK_TEXT}`)
  for (const n of [1, 2, 3]) await postTo(subject, several, { n })
  const prompts = (await control.runs(several)).map(({ prompt }) => prompt)
  expect(prompts).toEqual([1, 2, 3].map((n) => `${n} ${CHECK_TEXT}`))
  if (!subject.isOwn) return
  const { gateway, send } = subject
  const text = '{"text": "hi", "2": 1, "1": 2}'
  await postTo(subject, await makeRuns(subject, '{text}'), text)
  const begun = { status: 'running', answer: null, is_silent: false, error: null }
  expect(gateway.runs().at(-1)).toMatchObject({ prompt: 'hi', ...begun })
  await subject.idle()
  const ended = gateway.runs()
  expect(ended.at(-1)).toMatchObject({ ...begun, status: 'completed', answer: 'hi' })
  const listed = await send('GET', '/_flowdouble/runs')
  expect(listed.json()).toEqual(ended)
  // Members are in the order of the post.
  expect(listed.body).toContain(text)
})

proves('deliveries/skills', async (subject) => {
  const skillsOf = async (skills: unknown): Promise<unknown> =>
    (await runOf(subject, { skills })).run?.skills
  expect(await skillsOf(['review', 'code search', 'a'])).toEqual(['review', 'code search', 'a'])
  expect(await skillsOf('review, code search,')).toEqual(['review', 'code search'])
  expect(await skillsOf([])).toEqual([])
})

const chat = { secret: SECRET, prompt: '{text}', deliver: 'telegram' }
const one = { routes: { hook: chat } }

proves(['deliveries/answer', 'deliveries/answer-trimmed'], async (subject) => {
  // An agent that repeats its prompt repeats the white space as well.
  for (const [deliver, chat_id, around] of [
    ['telegram', CHAT, ''],
    ['slack', 'C1', ' \n'],
    ['discord', '7', '\t\n\n'],
  ] as const) {
    const settings = { deliver, deliver_extra: { chat_id, thread_id: '9' } }
    const text = `${around}${CHECK_TEXT}\n\nflowdouble-check${around}`
    const { to, run, delivery_id } = await runOf(subject, settings, { text })
    if (run?.status !== 'completed' || run.is_silent)
      return subject.sender.missing('Its agent has no answer.')
    expect(run.answer).toBe((subject.isOwn ? text : run.answer)?.trim())
    const entries = await subject.sender.control.deliveries(to, 1)
    if (entries[0]?.error?.includes('not connected')) subject.sender.missing(entries[0].error)
    const found = entries.map((one) => [one.target, one.chat_id, one.thread_id, one.text])
    expect(found).toEqual([[deliver, chat_id, '9', run.answer]])
    expect(entries[0]).toMatchObject({ route: to.route, event: 'push', delivery_id, attempt: 1 })
  }
})

proves(
  ['deliveries/answer-trimmed', 'deliveries/silence'],
  async ({ gateway, post, idle, texts }) => {
    // What Python counts as blank: also separators of ASCII and the next line, but no byte order mark.
    await post('hook', { text: '\u0085\u001cx\u0085y\u001f\u3000' })
    await post('hook', { text: '\ufeffx ' })
    await post('hook', { text: '\u001fno\u001c\u0085reply\u2029' })
    await post('hook', { text: '\u001d\u0085' })
    await idle()
    expect(texts()).toEqual(['x\u0085y', '\ufeffx', EMPTY_NOTICE])
    expect(gateway.runs().map(({ is_silent }) => is_silent)).toEqual([false, false, true, false])
  },
  one,
)

proves('deliveries/log', async (subject) => {
  for (const settings of [{ deliver: 'log' }, { deliver: undefined }]) {
    const { to, run } = await runOf(subject, settings)
    if (run?.status !== 'completed' || run.is_silent)
      subject.sender.missing('Its agent has no answer.')
    const entries = await subject.sender.control.deliveries(to, 1)
    const found = entries.map(({ target, status, text }) => ({ target, status, text }))
    expect(found).toEqual([{ target: 'log', status: 'delivered', text: run?.answer }])
  }
  if (!subject.isOwn) return
  // It logs characters, not halves of them.
  const start = `${'☃'.repeat(199)}😀`
  const { to } = await runOf(subject, { deliver: 'log' }, { text: `${start}ü` })
  const text = `Answer of ${to.route}: ${start}`
  expect(subject.logs).toContainEqual(expect.objectContaining({ level: 'info', text }))
})

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
    await post('hook', { text: '{event} $&' })
    expect(gateway.outbox()).toEqual([])
    await idle()
    expect(texts()).toEqual(['{event} $&'])
    expect(gateway.options.agent).toMatchObject({ answer: '{prompt}' })
  },
  one,
)

proves(
  ['deliveries/answer', 'deliveries/scripted-agent'],
  async ({ gateway, post, idle, texts }) => {
    await post('hook', { text: '{route}', type: 'push' }, { 'X-Request-ID': 'd-1' })
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
    const others = ['[SILENT] but', 'NO-REPLY', 'silent.', 'SILENT SILENT']
    const loud = [...others, `SILENT${' '.repeat(70)}x`]
    for (const text of [...silent, ...loud]) await post('hook', { text })
    await post('failing', { text: 'x' })
    await idle()
    expect(texts()).toEqual([...loud, failureNotice('SILENT')])
    const found = gateway.runs().map(({ is_silent }) => is_silent)
    expect(found).toEqual([...silent.map(() => true), ...loud.map(() => false), false])
  },
  { routes: { hook: chat, failing: chat }, agent: { routes: { failing: { failure: 'SILENT' } } } },
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
