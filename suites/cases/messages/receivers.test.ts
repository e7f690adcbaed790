// The messages of the socket: who receives them.

import { failing, slow, solid, talking, textToImage } from '../../generate/graphs.ts'
import type { Message } from '../../judge/judge.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { transcript } from '../../support/transcript.ts'
import { expect } from '../../judge/expect.ts'

const isProgress = ({ type }: Message): boolean => type === 'progress'
const isNull = ({ type, data }: Message): boolean => type === 'executing' && data['node'] === null
const statuses = ['status 1', 'status 1', 'status 0']

proves(
  ['messages/own-client', 'messages/status-to-everyone'],
  async ({ connect, run, submit, idle }) => {
    const mine = await connect('mine')
    const other = await connect('other')
    const nameless = await connect()
    const { messages } = await run(mine, textToImage())
    expect(messages.filter(({ type }) => type !== 'status').length).toBeGreaterThan(20)
    await run(mine, failing())
    for (const client_id of ['absent', '']) {
      await submit(solid(), { client_id })
      await idle()
    }
    await Promise.all([mine, other, nameless].map((session) => session.settled()))
    const expected = [statuses, statuses, statuses, statuses].flat()
    expect(transcript(other.received)).toEqual(['status 0', ...expected])
    expect(transcript(nameless.received)).toEqual(['status 0', ...expected])
    expect(transcript(mine.messages().slice(mine.messages().findLastIndex(isNull) + 1))).toEqual([
      ...statuses,
      ...statuses,
    ])
  },
  ownWorld,
)

proves(
  'messages/own-client',
  async ({ connect, run, submit, idle }) => {
    const mine = await connect('mine')
    const other = await connect('other')
    await submit(solid(), { extra_data: { client_id: 'mine' } })
    await idle()
    await mine.settled()
    expect(mine.messages().filter(isNull)).toHaveLength(1)
    await submit(solid(), { client_id: 'other', extra_data: { client_id: 'mine' } })
    await idle()
    await Promise.all([mine.settled(), other.settled()])
    expect([mine, other].map((session) => session.messages().filter(isNull).length)).toEqual([1, 1])
    await run(mine, talking())
  },
  ownWorld,
)

proves(
  'messages/no-client',
  async ({ connect, submit, idle, reach, post }) => {
    const one = await connect('one')
    const nameless = await connect()
    const settled = (): Promise<unknown> => Promise.all([one.settled(), nameless.settled()])
    const step = (at: number): string[] => [
      `progress_state 1 running ${at}/2`,
      `progress 1 ${at}/2`,
    ]
    const started = ['status 0', 'status 1', 'status 1', 'progress_state 1 running 0/1']
    await submit(slow(1, 2))
    await idle()
    await settled()
    const whole = [...started, ...step(1), ...step(2), 'progress_state 1 finished 2/2', 'status 0']
    expect(transcript(one.received)).toEqual(whole)
    expect(transcript(nameless.received)).toEqual(whole)
    const before = one.received.length
    await submit(slow(1, 2), { client_id: null, prompt_id: 'cut' })
    await reach(one, ({ type, data }) => type === 'progress' && data['prompt_id'] === 'cut')
    await post('/interrupt', {})
    await idle()
    await settled()
    const cut = [...started.slice(1), ...step(1), 'execution_interrupted 1', 'status 0']
    expect(transcript(one.received.slice(before))).toEqual(cut)
    expect(transcript(nameless.received.slice(before))).toEqual(cut)
  },
  ownWorld,
)

proves(
  'messages/no-client',
  async ({ connect, submit, idle }) => {
    const session = await connect('one')
    for (const graph of [solid(), solid(), failing()]) await submit(graph)
    await idle()
    await session.settled()
    const types = new Set(session.messages().map(({ type }) => type))
    expect([...types].toSorted()).toEqual(['progress_state', 'status'])
  },
  ownWorld,
)

proves(
  'messages/no-client',
  async ({ connect, submit, idle }) => {
    const sessions = [await connect('one'), await connect()]
    await submit(textToImage(1, 2))
    await idle()
    for (const session of sessions) {
      await session.settled()
      expect(session.frames().map(({ frame }) => frame)).toEqual(['previewImage', 'previewImage'])
    }
  },
  { ...ownWorld, preview: 'jpeg' },
)

proves(
  'messages/newest-socket',
  async ({ connect, run, get }) => {
    const oldest = await connect('me')
    const older = await connect('me')
    const newest = await connect('me')
    await run(newest, solid(1))
    await older.close()
    await get('/queue')
    await newest.settled()
    const { messages } = await run(newest, solid(2))
    expect(messages.map(({ type }) => type)).toContain('execution_success')
    await oldest.settled()
    expect(transcript(oldest.received)).toEqual(['status 0'])
  },
  ownWorld,
)

proves(
  'messages/older-socket',
  async ({ connect, run, submit, idle }) => {
    const older = await connect('me')
    const newest = await connect('me')
    await run(newest, solid(1))
    // Neither broadcasts, nor the progress of a run without a client.
    await submit(textToImage(1, 2))
    await idle()
    older.send('{"type": "feature_flags", "data": {"supports_preview_metadata": true}}')
    await Promise.all([older.settled(), newest.settled()])
    expect(transcript(older.received)).toEqual(['status 0'])
    const types = newest.messages().map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['executed', 'progress', 'status']))
    expect(types.at(-1)).toBe('feature_flags')
  },
  ownWorld,
)

provesQuirk('local.zombie-socket', async ({ connect, run, submit, idle, get }) => {
  const older = await connect('me')
  const newest = await connect('me')
  await run(newest, talking('one'))
  await older.settled()
  expect(transcript(older.received)).toEqual(['status 0'])
  await older.close()
  await get('/queue')
  await newest.settled()
  const before = newest.received.length
  await submit(talking('two'), { client_id: 'me' })
  await idle()
  await newest.settled()
  expect(newest.received.slice(before)).toEqual([])
  await run(await connect('me'), talking('three'))
})

proves(
  'messages/reconnect',
  async ({ connect, submit, reach, idle, get }) => {
    const first = await connect('me')
    await submit(slow(), { client_id: 'me' })
    await reach(first, ({ type }) => type === 'execution_cached')
    const early = await connect('me')
    await early.settled()
    expect(transcript(early.received)).toEqual(['status 1'])
    await reach(early, isProgress)
    await early.close()
    await get('/queue')
    const [back, other] = [await connect('me'), await connect('other')]
    await Promise.all([back.settled(), other.settled()])
    expect(transcript(other.received)).toEqual(['status 1'])
    expect(back.received.slice(1)).toEqual([{ type: 'executing', data: { node: '1' } }])
    await idle()
    await back.settled()
    expect(transcript(back.received).slice(-3)).toEqual([
      'execution_success',
      'status 0',
      'executing null',
    ])
    const after = await connect('me')
    await after.settled()
    expect(transcript(after.received)).toEqual(['status 0'])
  },
  ownWorld,
)
