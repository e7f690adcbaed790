// What clients meet in named scenarios about records, redirects, streams and servers that are gone.

import { once } from 'node:events'
import { startEmulator } from 'flowdouble'
import { slow, solid } from '../../generate/graphs.ts'
import type { Deployment } from '../../../spec/language.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { startSubject, type Subject } from '../../judge/subject.ts'
import { isOpen } from '../../support/faults.ts'
import { forTest } from '../../support/for-test.ts'
import { wordOf } from '../../judge/hosted/jobs.ts'
import { type OpenStream, v2Of } from '../../judge/hosted/v2.ts'
import { WebSocket } from 'ws'

/** A server with a scenario of the package, on a clock by hand. */
const served = (scenario: string, deployment: Deployment = 'local'): Promise<Subject> =>
  forTest(startSubject({ scenario, deployment }))

test('history-appears-after-polls shows a run at the fourth request', async () => {
  const { submit, idle, finished } = await served('history-appears-after-polls')
  const { prompt_id } = (await submit(solid())).json()
  await idle()
  for (let poll = 1; poll <= 3; poll++) expect(await finished(prompt_id)).toBeUndefined()
  expect(await finished(prompt_id)).toBeDefined()
})

test('status-changes-after-polls shows the end of a job at the fourth request', async () => {
  const { deployment } = (await forTest(startEmulator({ scenario: 'status-changes-after-polls' })))
    .options
  expect(deployment).toBe('hosted')
  const subject = await served('status-changes-after-polls', 'hosted')
  const { prompt_id } = (await subject.submit(solid())).json()
  await subject.idle()
  const words = []
  for (let poll = 1; poll <= 4; poll++) words.push(await wordOf(subject, prompt_id))
  expect(words).toEqual(['in_progress', 'in_progress', 'in_progress', 'completed'])
})

test('redirected leads a submit to its place, and a download round in a circle', async () => {
  const { url } = await served('redirected')
  const body = JSON.stringify({ prompt: solid() })
  const reply = await fetch(`${url}/prompt`, { method: 'POST', body })
  expect([reply.redirected, reply.status]).toEqual([true, 200])
  await expect(fetch(`${url}/view?filename=example.png`)).rejects.toMatchObject({
    cause: { message: 'redirect count exceeded' },
  })
})

/** A stream of a job of four steps, a second each. */
async function streamOf(subject: Subject): Promise<OpenStream> {
  const { stream, submit } = await v2Of(subject)
  const { id } = await submit(slow(4, 4))
  return stream(id)
}

const stepsOf = (events: OpenStream): readonly unknown[] =>
  events.seen().flatMap(({ name, data }) => (name === 'progress' ? [data.step] : []))

test('stream-goes-silent leaves the first stream open, without comments', async () => {
  const subject = await served('stream-goes-silent', 'hosted')
  const events = await streamOf(subject)
  await subject.idle()
  await subject.emulator!.advance(100_000)
  await subject.get('/features')
  expect(stepsOf(events)).toEqual([null, 0])
  expect(events.seen().at(-1)?.name).toBe('progress')
  events.close()
  const second = await streamOf(subject)
  await subject.idle()
  expect(await second.ended).toBe('whole')
})

test('stream-breaks-off ends the first stream inside an event', async () => {
  const subject = await served('stream-breaks-off', 'hosted')
  const events = await streamOf(subject)
  await subject.idle()
  expect(await events.ended).toBe('broken')
  expect(stepsOf(events)).toEqual([null, 0])
  expect(events.text()).toMatch(/\n\nevent: progress\ndata: \{"value[^\n]*$/)
})

test('stream-stalls sends nothing for a minute, then everything', async () => {
  const subject = await served('stream-stalls', 'hosted')
  const events = await streamOf(subject)
  await subject.emulator!.advance(50_000)
  await subject.get('/features')
  expect(stepsOf(events)).toEqual([])
  await subject.idle()
  expect(await events.ended).toBe('whole')
  expect(stepsOf(events)).toEqual([null, 0, 1, 2, 3, 4])
})

const submitTwice = async (scenario: string): Promise<readonly unknown[]> => {
  const { post } = await v2Of(await served(scenario, 'hosted'))
  const replies = [
    await post('/jobs', { workflow: solid() }),
    await post('/jobs', { workflow: solid() }),
  ]
  return replies.map(({ status, headers, json }) => [
    status,
    headers['retry-after'],
    json().error?.code,
  ])
}

test('deployment-starts refuses two submits for a second each', async () => {
  const refused = [429, '1', 'deployment_not_ready']
  expect(await submitTwice('deployment-starts')).toEqual([refused, refused])
})

test('deployment-stopped refuses each submit', async () => {
  const refused = [422, undefined, 'deployment_stopped']
  expect(await submitTwice('deployment-stopped')).toEqual([refused, refused])
})

test('job-expires ends the first job while it waits', async () => {
  const subject = await served('job-expires', 'hosted')
  const { job, submit } = await v2Of(subject)
  const { id } = await submit(solid())
  await subject.emulator?.advance(3_600_000)
  expect((await job(id)).status).toBe('expired')
})

test('malformed-messages breaks some messages, and no others', async () => {
  const { url, submit, emulator } = await served('malformed-messages')
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=me`)
  const texts: string[] = []
  socket.on('message', (data) => texts.push((data as Buffer).toString()))
  await once(socket, 'open')
  await submit(slow(10, 30), { client_id: 'me' })
  await emulator!.until('idle')
  await emulator!.dropSockets({ close: 1000 })
  await once(socket, 'close')
  const isBroken = (text: string): boolean => !text.endsWith('}}')
  const broken = texts.filter(isBroken)
  expect(broken.length).toBeGreaterThan(3)
  expect(broken.filter((text) => !text.startsWith('{"type": "progress"'))).toEqual([])
  for (const text of broken) expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(texts.some((text) => text.includes('execution_success'))).toBe(true)
})

test('server-is-down-for-a-while refuses connections for ten seconds in mid-run', async () => {
  const { url, submit, emulator, history } = await served('server-is-down-for-a-while')
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=me`)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  await submit(slow(1, 5), { client_id: 'me' })
  await emulator!.until((effect) => effect.kind === 'restart')
  expect((await closed)[0]).toBe(1006)
  await emulator!.advance(9999)
  expect(await isOpen(url)).toBe(false)
  await emulator!.advance(1)
  expect(await isOpen(url)).toBe(true)
  expect(await history()).toEqual([])
})

test('server-exits ends for good in mid-run', async () => {
  const { url, submit, emulator } = await served('server-exits')
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=me`)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  const exited = emulator!.exited()
  await submit(slow(1, 5), { client_id: 'me' })
  await emulator!.until('idle')
  expect(await exited).toBe(1)
  expect((await closed)[0]).toBe(1006)
  expect(await isOpen(url)).toBe(false)
})
