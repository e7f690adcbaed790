// Sockets of one local client, one after the other: which of them receives a run, and what a new one receives first.

import { slow, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import type { Message } from '../../judge/judge.ts'
import { messagesAbout, occupy, shown, submitFor, watch } from '../../judge/own-runs.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { endsRun, listedIds } from '../../judge/responses.ts'
import { transcript, typesOf } from '../../support/transcript.ts'

const local = { deployment: 'local' } as const
const isStatus = ({ type }: Message): boolean => type === 'status'

proves('messages/newest-socket', async (subject) => {
  const open = () => subject.connect(subject.unique('me'))
  const [oldest, older, newest] = [await open(), await open(), await open()]
  const first = await subject.run(newest, shown(subject, 'first'))
  await older.close()
  await subject.get('/queue')
  const second = await subject.run(newest, shown(subject, 'second'))
  for (const { messages } of [first, second])
    expect(typesOf(messages)).toContain('execution_success')
  await oldest.settled()
  expect(typesOf(oldest.messages())).toEqual(['status'])
  expect(typesOf(older.messages())).toEqual(['status'])
})

// A socket that opens while the run is at work receives the rest of it.
proves(
  ['messages/newest-socket', 'messages/disconnect'],
  async (subject) => {
    const open = () => subject.connect(subject.unique('me'))
    const first = await open()
    const { prompt_id } = await occupy(subject, first)
    const [older, newest] = [await open(), await open()]
    await subject.reach(newest, endsRun('local', prompt_id))
    const ends = typesOf(messagesAbout(newest, prompt_id)).filter(
      (type) => !type.startsWith('progress'),
    )
    expect(ends.slice(-2)).toEqual(['execution_success', 'executing'])
    await first.settled()
    for (const session of [first, older])
      expect(typesOf(messagesAbout(session, prompt_id))).not.toContain('execution_success')
  },
  local,
)

proves('messages/older-socket', async (subject) => {
  const older = await subject.connect(subject.unique('me'))
  const newest = await subject.connect(subject.unique('me'))
  // Neither broadcasts, nor the progress of a run without a client.
  const id = await submitFor(subject, newest, shown(subject, 'none'), { client_id: undefined })
  await subject.run(newest, shown(subject, 'some'))
  await subject.idle()
  older.send('{"type": "feature_flags", "data": {"supports_preview_metadata": true}}')
  await newest.next(({ type }) => type === 'feature_flags')
  await older.settled()
  expect(older.received).toHaveLength(1)
  expect(messagesAbout(newest, id).length).toBeGreaterThan(0)
})

proves('messages/reconnect', async (subject) => {
  const first = await subject.connect(subject.unique('me'))
  const held = await occupy(subject, first, { '0': talking(subject.unique('said'))['1']! })
  await first.close()
  await subject.get('/queue')
  const back = await subject.connect(first.clientId)
  const other = await subject.connect(subject.unique('other'))
  await subject.reach(back, ({ type, data }) => type === 'executing' && !('prompt_id' in data))
  expect(back.received[1]).toEqual({ type: 'executing', data: { node: expect.any(String) } })
  // Not a node that had run before.
  const over = messagesAbout(first, held.prompt_id)
    .flatMap(({ type, data }) => (type === 'executing' ? [String(data['node'])] : []))
    .slice(0, -1)
  const left = Object.keys(held.graph).filter((id) => !over.includes(id))
  expect(over.length).toBeGreaterThan(0)
  expect(left).toContain(back.messages()[1]?.data['node'])
  const statuses = watch(other, isStatus)
  await subject.post('/interrupt', { prompt_id: held.prompt_id })
  await subject.reach(back, endsRun('local', held.prompt_id))
  await statuses(1)
  expect(new Set(typesOf(other.messages()))).toEqual(new Set(['status']))
  const after = await subject.connect(first.clientId)
  await after.settled()
  expect(typesOf(after.messages())).not.toContain('executing')
})

// Before the run has come to a node there is nothing to say about it.
proves(
  'messages/reconnect',
  async ({ connect, submit, reach, idle }) => {
    const first = await connect('me')
    await submit(slow(), { client_id: 'me' })
    await reach(first, ({ type }) => type === 'execution_cached')
    const early = await connect('me')
    await early.settled()
    expect(transcript(early.received)).toEqual(['status 1'])
    await idle()
    await early.settled()
    const end = ['execution_success', 'status 0', 'executing null']
    expect(transcript(early.received).slice(-3)).toEqual(end)
  },
  ownWorld,
)

proves(
  'messages/disconnect',
  async (subject) => {
    const first = await subject.connect(subject.unique('me'))
    const held = await occupy(subject, first)
    const leaving = await subject.connect(subject.unique('leaving'))
    const id = await submitFor(subject, leaving, shown(subject, 'left'))
    await leaving.close()
    await first.close()
    await subject.get('/queue')
    const { running, pending } = await listedIds(subject)
    expect(running).toContain(held.prompt_id)
    expect(pending).toContain(id)
    await subject.post('/interrupt', { prompt_id: held.prompt_id })
    await subject.idle()
    expect((await subject.finished(id))?.status).toMatchObject({
      status_str: 'success',
      completed: true,
    })
    const stopped = (await subject.finished(held.prompt_id))?.status.messages.at(-1)
    expect(stopped?.[0]).toBe('execution_interrupted')
  },
  local,
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
