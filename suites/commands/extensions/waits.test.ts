// Nodes that wait for a request, as those at which a user chooses pictures.

import { replay, startEmulator } from 'flowdouble'
import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import { textToImage } from '../../generate/graphs.ts'
import { openPlain } from '../../judge/broken.ts'
import { expect } from '../../judge/expect.ts'
import { proves, test } from '../../judge/proves.ts'
import { startSubject, type Subject } from '../../judge/subject.ts'
import { scripted } from '../../support/scripted.ts'

const PATH = '/image_chooser_message'
const waitsFor = { method: 'POST', path: PATH }
const chooses: NodeRule = { class_type: 'VAEDecode', durationMs: 500, waitsFor }

/** A server whose decoder waits, after a message. */
const choosing = (...more: readonly NodeRule[]) =>
  scripted(
    {
      nodes: [...more, chooses],
      messages: [
        { at: 'node-start', class_type: 'VAEDecode', type: 'choose', data: { id: '{node}' } },
      ],
    },
    { pace: 1, cache: 'none' },
  )

/** The state of each run, in their order. */
const states = ({ emulator }: Subject): readonly unknown[] =>
  emulator!.runs().map(({ state }) => state)

proves(
  ['scenario/node-waits', 'scenario/node-waits-idle'],
  async (subject) => {
    const emulator = subject.emulator!
    const socket = await openPlain(subject)
    // It comes before the node waits.
    await subject.post(PATH, { id: 'early' })
    await subject.submit(textToImage(1, 2), { client_id: 'me' })
    await emulator.until('idle')
    await emulator.advance(3_600_000)
    await socket.settled()
    expect(socket.messages.at(-1)).toEqual({ type: 'choose', data: { id: '8' } })
    expect(states(subject)).toEqual(['running'])
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', '/another'],
    ] as const)
      await subject.request(method, path)
    await emulator.until('idle')
    expect(states(subject)).toEqual(['running'])
    await subject.post(PATH, { id: '8', selection: [0] })
    await emulator.advance(499)
    expect(states(subject)).toEqual(['running'])
    await emulator.until('idle')
    expect(states(subject)).toEqual(['success'])
    await socket.settled()
    expect(socket.of('choose')).toHaveLength(1)
    // The next run waits again.
    await subject.submit(textToImage(2, 2), { client_id: 'me' })
    await emulator.until('idle')
    expect(states(subject)).toEqual(['success', 'running'])
  },
  choosing(),
)

proves(
  'scenario/node-waits-reply',
  async (subject) => {
    const { post, request } = subject
    const sent = await post(PATH, { id: '8' })
    expect(sent).toMatchObject({
      status: 200,
      text: '{}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    expect((await post('/answered', {})).status).toBe(299)
    expect((await request('PUT', PATH)).headers['allow']).toContain('POST')
    expect((await subject.get('/queue')).json()).toMatchObject({ queue_running: [] })
    const [received] = await subject.emulator!.requests({ body: { id: '8' } })
    expect(received).toMatchObject({ method: 'POST', status: 200 })
  },
  scripted({
    nodes: [
      { class_type: 'VAEDecode', waitsFor },
      { class_type: 'KSampler', waitsFor: { path: '/answered' } },
      { class_type: 'SaveImage', waitsFor: { path: '/queue' } },
    ],
    answers: [{ path: '/answered', status: 299 }],
  }),
)

proves(
  'scenario/node-waits',
  async (subject) => {
    const { get, submit } = subject
    const emulator = subject.emulator!
    await submit(textToImage(1, 2))
    for (const query of ['?id=1', '?id=8']) {
      await emulator.until('idle')
      expect(states(subject)).toEqual(['running'])
      await get(`/queue${query}`)
    }
    await emulator.until('idle')
    expect(states(subject)).toEqual(['success'])
  },
  choosing({ class_type: 'VAEDecode', waitsFor: { path: '/queue', query: { id: 8 } } }),
)

proves(
  'scenario/node-waits-interrupt',
  async (subject) => {
    const emulator = subject.emulator!
    for (const seed of [1, 2]) await subject.submit(textToImage(seed, 2))
    await emulator.until('idle')
    await subject.post('/interrupt', {})
    await emulator.until('idle')
    expect(states(subject)).toEqual(['interrupted', 'running'])
    await subject.get('/system_stats')
    await emulator.until('idle')
    expect(states(subject)).toEqual(['interrupted', 'success'])
  },
  choosing({ class_type: 'VAEDecode', run: 2, waitsFor: { path: '/system_stats' } }),
)

test('what a scenario answers and sends, and for what it waits, replays without a difference', async () => {
  const subject = await startSubject({
    ...choosing(),
    scenario: [
      ...[choosing().scenario].flat(),
      {
        version: 1,
        answers: [{ path: PATH, json: { taken: true }, times: 1 }],
        messages: [{ everyMs: 100, type: 'tick' }],
      },
    ] as never,
  })
  await openPlain(subject)
  await subject.submit(textToImage(1, 2), { client_id: 'me' })
  await subject.emulator!.advance(500)
  for (const id of ['8', '8']) await subject.post(PATH, { id })
  await subject.emulator!.advance(2000)
  expect(states(subject)).toEqual(['success'])
  const lines = await subject.emulator!.journal()
  expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
  await subject.close()
})

test('a workflow in the cache of the start has not waited', async () => {
  const cached = [textToImage(1, 2)]
  const subject = await startSubject(scripted({ start: { cached }, nodes: [chooses] }))
  await subject.submit(textToImage(1, 2))
  await subject.idle()
  expect(states(subject)).toEqual(['success'])
  await subject.close()
})

test('a node cannot wait for a control request', async () => {
  const nodes = [{ class_type: 'VAEDecode', waitsFor: { path: '/_flowdouble/advance' } }]
  await expect(startEmulator(scripted({ nodes }))).rejects.toThrow(
    'nodes[0].waitsFor.path belongs to the control paths',
  )
})
