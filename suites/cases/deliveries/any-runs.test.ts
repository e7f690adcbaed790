// The agent runs of any gateway with the control API, and what it delivers of them.

import { agentRun } from '../../../spec/gateway/deliveries.ts'
import { expect } from '../../judge/expect.ts'
import { type GatewaySubject } from '../../judge/gateway-subject.ts'
import { violations } from '../../judge/judge.ts'
import { CHAT, makeRuns, postTo } from '../../judge/posts/made-routes.ts'
import { CHECK_TEXT } from '../../judge/posts/posts.ts'
import { proves } from '../../judge/proves.ts'
import type { RouteSettings } from '../../generate/sender.ts'

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
})

proves('deliveries/run', async (subject) => {
  const { control } = subject.sender
  const to = await makeRuns(subject, `{n} ${CHECK_TEXT}`)
  for (const n of [1, 2, 3]) await postTo(subject, to, { n })
  const prompts = (await control.runs(to)).map(({ prompt }) => prompt)
  expect(prompts).toEqual([1, 2, 3].map((n) => `${n} ${CHECK_TEXT}`))
})

proves('deliveries/skills', async (subject) => {
  const skillsOf = async (skills: unknown): Promise<unknown> =>
    (await runOf(subject, { skills })).run?.skills
  expect(await skillsOf(['review', 'code search', 'a'])).toEqual(['review', 'code search', 'a'])
  expect(await skillsOf('review, code search,')).toEqual(['review', 'code search'])
  expect(await skillsOf([])).toEqual([])
})

proves(['deliveries/answer', 'deliveries/answer-trimmed', 'deliveries/chat'], async (subject) => {
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
    expect(run.answer).toBe(run.answer?.trim())
    const entries = await subject.sender.control.deliveries(to, 1)
    if (entries[0]?.error?.includes('not connected')) subject.sender.missing(entries[0].error)
    const found = entries.map((one) => [one.target, one.chat_id, one.thread_id, one.text])
    expect(found).toEqual([[deliver, chat_id, '9', run.answer]])
    expect(entries[0]).toMatchObject({ route: to.route, event: 'push', delivery_id, attempt: 1 })
  }
})

proves('deliveries/log', async (subject) => {
  for (const settings of [{ deliver: 'log' }, { deliver: undefined }]) {
    const { to, run } = await runOf(subject, settings)
    if (run?.status !== 'completed' || run.is_silent)
      subject.sender.missing('Its agent has no answer.')
    const entries = await subject.sender.control.deliveries(to, 1)
    const found = entries.map(({ target, status, text }) => ({ target, status, text }))
    expect(found).toEqual([{ target: 'log', status: 'delivered', text: run?.answer }])
  }
})
