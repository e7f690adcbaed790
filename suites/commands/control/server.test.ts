// The control paths of a server: moving its clock and reading its journal over HTTP, and the page for people.

import { test } from 'vitest'
import { banner, nextStep, quirksCommand } from '../../../dist/emulator/internal.js'
import { both } from '../../../spec/language.ts'
import hostedDocument from '../../../spec/openapi.hosted.json' with { type: 'json' }
import localDocument from '../../../spec/openapi.local.json' with { type: 'json' }
import { slow, solid } from '../../generate/graphs.ts'
import { startSubject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'
import { watchOn } from '../../support/watch.ts'

const io = (isTTY: boolean, env: Record<string, string> = {}) => {
  const written = { out: '', error: '' }
  return {
    written,
    stdout: { isTTY, write: (text: string) => (written.out += text) },
    stderr: { isTTY, write: (text: string) => (written.error += text) },
    env,
    cwd: '/',
  }
}

test('control/advance A manual clock moves over HTTP, and the answer comes after the effects', async () => {
  const subject = await startSubject()
  const session = await subject.connect('me')
  await subject.submit(slow(10, 5), { client_id: 'me' })
  const start = ({ type }: { type: string }): boolean => type === 'execution_start'
  expect((await subject.post('/_flowdouble/advance', { ms: 24 })).status).toBe(200)
  await session.settled()
  expect(session.messages().some(start)).toBe(false)
  expect((await subject.post('/_flowdouble/advance', { ms: 1 })).status).toBe(200)
  await session.settled()
  expect(session.messages().some(start)).toBe(true)
  expect((await subject.post('/_flowdouble/advance', { until: 'idle' })).status).toBe(200)
  expect(Object.keys((await subject.get('/history')).json())).toHaveLength(1)
  await subject.close()
})

test('control/advance The answer has the new time and what happened until then', async () => {
  const subject = await startSubject()
  const { epoch } = subject.emulator!.options
  await subject.connect('me')
  await subject.submit(slow(10, 5), { client_id: 'me' })
  const answers = []
  for (const body of [{ ms: 20 }, { ms: 5 }, { until: 'idle' }, { ms: 0 }])
    answers.push((await subject.post('/_flowdouble/advance', body)).json())
  expect(answers).toEqual([
    { nowMs: 20, timeMs: Number(epoch) + 20, happened: {} },
    { nowMs: 25, timeMs: Number(epoch) + 25, happened: expect.any(Object) },
    { nowMs: expect.any(Number), timeMs: expect.any(Number), happened: expect.any(Object) },
    { nowMs: answers[2].nowMs, timeMs: answers[2].timeMs, happened: {} },
  ])
  expect(answers[1].happened).toMatchObject({ 'run started': 1 })
  expect(answers[2].happened).toMatchObject({ 'message progress': 5, 'run success': 1 })
  await subject.close()
})

test('control/advance Another clock, another body or another path is rejected with a hint', async () => {
  const subject = await startSubject({ clock: 'instant' })
  const refusals = [
    await subject.post('/_flowdouble/advance', { ms: 1 }),
    await subject.post('/_flowdouble/advance', { days: 1 }),
    await subject.post('/_flowdouble/advance', { until: 'idle', ms: 3 }),
    await subject.post('/_flowdouble/advance', { untill: 'idle' }),
    await subject.post('/_flowdouble/advance', null),
    await subject.request('POST', '/_flowdouble/advance', '{'),
    await subject.get('/_flowdouble/advance'),
    await subject.get('/_flowdouble/nothing'),
  ]
  expect(refusals.map(({ status }) => status)).toEqual([409, 400, 400, 400, 400, 400, 404, 404])
  expect(refusals[0]?.json().error).toContain('manual')
  expect(refusals[1]?.json().error).toContain('"until": "idle"')
  expect(refusals[3]?.json().error).toMatch(/Unknown member "untill"\. Did you mean until\?/)
  expect(refusals[7]?.json().error).toContain('POST /_flowdouble/advance')
  await subject.close()
})

test('control/until-message The clock moves to a message with these data, and the answer returns it', async () => {
  const subject = await startSubject()
  const session = await subject.connect('me')
  const emulator = subject.emulator!
  const { prompt_id } = (await subject.submit(slow(10, 5), { client_id: 'me' })).json()
  const data = await emulator.untilMessage('progress', { value: 3 })
  expect(data).toMatchObject({ value: 3, max: 5, prompt_id })
  await session.settled()
  const values = session.messages().filter(({ type }) => type === 'progress')
  expect(values.map((message) => message.data['value'])).toEqual([1, 2, 3])
  await emulator.untilMessage('execution_success', { prompt_id })
  await expect(emulator.untilMessage('progress', { value: 4 })).rejects.toThrow(
    /No timer is left.*type progress/,
  )
  await subject.close()
})

test('control/epoch A world on a real clock begins now, one on a manual clock at a fixed time', async () => {
  const beginning = async (options: Parameters<typeof startSubject>[0]): Promise<number> => {
    const subject = await startSubject(options)
    const { headers } = await subject.get('/prompt')
    await subject.close()
    return Date.parse(headers['date'] ?? '')
  }
  const before = Math.floor(Date.now() / 1000) * 1000
  for (const clock of ['real', 'x2'] as const)
    expect([clock, (await beginning({ clock })) >= before]).toEqual([clock, true])
  for (const clock of ['manual', 'instant'] as const)
    expect([clock, await beginning({ clock })]).toEqual([clock, 1_767_225_600_000])
  expect(await beginning({ clock: 'real', epoch: 1_000_000 })).toBeLessThan(before)
  expect(await beginning({ clock: 'manual', epoch: 'now' })).toBeGreaterThanOrEqual(before)
})

test('control/advance Time does not move backwards', async () => {
  const subject = await startSubject()
  expect((await subject.post('/_flowdouble/advance', { ms: -5 })).status).toBe(400)
  await subject.close()
})

test('control/journal The journal lists inputs and effects, after the options', async () => {
  const subject = await startSubject({ clock: 'instant', seed: 7 })
  await subject.submit(solid(), { extra_data: { api_key_comfy_org: 'SECRET' } })
  const text = (await subject.get('/_flowdouble/journal')).text
  const [header, first] = text.split('\n').map((line) => (line === '' ? null : JSON.parse(line)))
  expect(header.options.seed).toBe('7')
  expect(first.input).toMatchObject({ kind: 'request', method: 'POST', target: '/prompt' })
  expect(first.effects[0]).toMatchObject({ kind: 'reply', status: 200 })
  expect(text).not.toContain('SECRET')
  await subject.close()
})

test.each(both)('control/openapi The %s server returns its own document', async (deployment) => {
  const subject = await startSubject({ deployment })
  const document = deployment === 'local' ? localDocument : hostedDocument
  const reply = await subject.raw('GET', '/_flowdouble/openapi.json', undefined, {
    'X-API-Key': 'test-key',
  })
  expect(reply.json()).toEqual({ ...document, servers: [{ url: '/' }] })
  await subject.close()
})

test('serve/watch A terminal shows each request and run, why a submit was rejected, and no token', async () => {
  const terminal = io(true, { NO_COLOR: '1' })
  const { show } = await watchOn(terminal)
  const subject = await startSubject({ clock: 'instant', onEntry: show })
  await subject.submit(solid(), { prompt_id: 'mine\u001b[2J' })
  await subject.get('/view?filename=none.png&token=SECRET')
  await subject.submit({ '1': { class_type: 'NoSuchNode', inputs: {} } })
  await subject.submit({
    '1': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'mine.safetensors' } },
    '2': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
  })
  await subject.close()
  const lines = terminal.written.out
  expect(lines).toMatch(/\d\.\d{3}s {2}200 POST \/prompt\n/)
  expect(lines).toMatch(/success run mine.* \d+ ms\n/)
  expect(lines).toContain('404 GET /view?filename=none.png&token=***')
  expect(lines).toMatch(
    /400 POST \/prompt .*NoSuchNode does not exist[\s\S]*--unknown-nodes accept/,
  )
  expect(lines).toContain('--models any')
  expect(lines).not.toContain('SECRET')
  expect(lines).not.toContain('\u001b')
})

test('serve/banner Colours are for terminals that support them', async () => {
  const subject = await startSubject({ clock: 'instant', quirk: ['local.zombie-socket'] })
  const server = subject.emulator!
  expect(banner([server], io(true))).toContain('\u001b[')
  expect(banner([server], io(true, { NO_COLOR: '1' }))).not.toContain('\u001b[')
  expect(banner([server], io(false))).not.toContain('\u001b[')
  expect(banner([server], io(false))).toContain('quirks local.zombie-socket')
  expect(nextStep(server, true)).toContain('run image-to-image --url')
  expect(nextStep(server, false)).toContain('did not succeed')
  await subject.close()
})

test('quirks/command The list states what holds with and without each quirk of local', () => {
  const asked = (...argv: string[]) => {
    const screen = io(false)
    return { code: quirksCommand(argv, screen), ...screen.written }
  }
  expect(asked().out).toMatch(
    /^workflows\.bare-graph-errors \(local, hosted\)\n {2}default: .*\n {2}switched: /,
  )
  expect(asked().out).toMatch(/^hosted\.no-free \(hosted\)$/m)
  expect(Object.keys(JSON.parse(asked('--json').out))).toContain('hosted.no-free')
  expect(asked('--colour')).toMatchObject({ code: 2, out: '' })
  expect(asked('more')).toMatchObject({ code: 2, out: '' })
})
