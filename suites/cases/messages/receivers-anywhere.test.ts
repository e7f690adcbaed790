// Who receives the messages of any local server: others may be connected at the same time.

import { talking } from '../../generate/graphs.ts'
import type { Session } from '../../judge/client.ts'
import { expect } from '../../judge/expect.ts'
import { hex } from '../../judge/frames.ts'
import type { Message } from '../../judge/judge.ts'
import { listedIds, messagesAbout, occupy, shown, submitFor, watch } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { endsRun } from '../../judge/responses.ts'

const local = { deployment: 'local' } as const
const typesOf = (messages: readonly Message[]): string[] => messages.map(({ type }) => type)
const isStatus = ({ type }: Message): boolean => type === 'status'

proves(['messages/status-on-connect', 'messages/sid'], async ({ connect, unique }) => {
  const status = { exec_info: { queue_remaining: expect.any(Number) } }
  const named = unique('a client, "ünnamed"')
  for (const path of ['/ws', '/api/ws']) {
    const [first] = (await connect(named, path)).received
    expect(first).toEqual({ type: 'status', data: { status, sid: named } })
  }
  const sids: unknown[] = []
  for (const clientId of [undefined, undefined, '']) {
    const [first] = (await connect(clientId)).messages()
    const sid = first?.data['sid']
    expect(first).toEqual({ type: 'status', data: { status, sid } })
    expect(sid).toMatch(/^[0-9a-f]{32}$/)
    sids.push(sid)
  }
  expect(new Set(sids).size).toBe(3)
})

proves('messages/sid', async (subject) => {
  const session = await subject.connect()
  const { sid } = session.messages()[0]!.data as { sid: string }
  const { messages } = await subject.run(session, shown(subject, 'sid'), { client_id: sid })
  expect(typesOf(messages)).toContain('execution_success')
})

proves(['messages/own-client', 'messages/status-to-everyone'], async (subject) => {
  const { connect, unique, run } = subject
  const sessions = [await connect(unique('mine')), await connect(unique('other')), await connect()]
  const [mine, ...others] = sessions as [Session, Session, Session]
  const statuses = sessions.map((session) => watch(session, isStatus))
  const ids = [(await run(mine, shown(subject, 'own'))).prompt_id]
  ids.push((await run(mine, (await subject.workloads.failing()).graph)).prompt_id)
  const forOther = await submitFor(subject, mine, shown(subject, 'other'), {
    client_id: unique('other'),
    extra_data: { client_id: unique('mine') },
  })
  const forNobody = await submitFor(subject, mine, shown(subject, 'absent'), {
    client_id: unique('absent'),
  })
  await subject.reach(others[0], endsRun('local', forOther))
  await subject.idle()
  // A run sends one when it is queued, when it starts, and when it is over.
  for (const received of statuses) expect((await received(12)).length).toBeGreaterThanOrEqual(12)
  for (const id of ids) {
    expect(messagesAbout(mine, id).length).toBeGreaterThan(5)
    for (const session of others) expect(messagesAbout(session, id)).toEqual([])
  }
  expect(typesOf(messagesAbout(others[0], forOther))).toContain('execution_success')
  expect(messagesAbout(mine, forOther)).toEqual([])
  for (const session of sessions) expect(messagesAbout(session, forNobody)).toEqual([])
})

// Each preview is different: those of others may go to everyone.
proves(
  'messages/own-client',
  async (subject) => {
    const { connect, unique } = subject
    const [mine, other, nameless] = [
      await connect(unique('mine')),
      await connect(unique('other')),
      await connect(),
    ]
    const graph = await subject.workloads.sampling(4)
    const statuses = [other, nameless].map((session) => watch(session, isStatus))
    await subject.run(mine, graph)
    for (const received of statuses) await received(3)
    const isImage = (frame: Uint8Array): boolean => frame[3] !== 3
    const sent = mine.rawFrames.filter(isImage).map(hex)
    for (const session of [other, nameless]) {
      const received = new Set(session.rawFrames.map(hex))
      expect(sent.filter((frame) => received.has(frame))).toEqual([])
    }
  },
  { preview: 'jpeg' },
)

proves('messages/own-client', async (subject) => {
  const mine = await subject.connect(subject.unique('inner'))
  const id = await submitFor(subject, mine, shown(subject, 'inner'), {
    client_id: undefined,
    extra_data: { client_id: mine.clientId },
  })
  await subject.reach(mine, endsRun('local', id))
  expect(typesOf(messagesAbout(mine, id))).toContain('execution_success')
})

proves('messages/any-client-id', async (subject) => {
  const endings = ['7', 'ü & ? #', '{"a": 1}', ' ', 'x'.repeat(500)]
  for (const clientId of endings.map((end) => subject.unique('') + end)) {
    const session = await subject.connect(clientId)
    const { messages, entry } = await subject.run(session, talking(clientId))
    expect(typesOf(messages)).toContain('execution_success')
    expect(entry.extra_data.client_id).toBe(clientId)
  }
})

proves('messages/no-client', async (subject) => {
  const sessions = [await subject.connect(subject.unique('one')), await subject.connect()]
  const nobody = { client_id: undefined }
  const failing = (await subject.workloads.failing()).graph
  const plain = [
    await submitFor(subject, sessions[0]!, shown(subject, 'nobody'), nobody),
    await submitFor(subject, sessions[0]!, failing, nobody),
  ]
  const slow = await subject.workloads.slow()
  const cut = await submitFor(subject, sessions[0]!, slow, nobody)
  await subject.reach(
    sessions[0]!,
    ({ type, data }) => type === 'progress_state' && data['prompt_id'] === cut,
  )
  await subject.post('/interrupt', { prompt_id: cut })
  await subject.idle()
  for (const session of sessions) {
    await subject.reach(session, isInterruptionOf(cut))
    for (const id of plain)
      expect(new Set(typesOf(messagesAbout(session, id)))).toEqual(new Set(['progress_state']))
    const types = typesOf(messagesAbout(session, cut))
    expect(types.at(-1)).toBe('execution_interrupted')
    const others = types.filter((type) => !/^progress(_state)?$/.test(type))
    expect(others).toEqual(['execution_interrupted'])
  }
})

const isInterruptionOf =
  (prompt_id: string) =>
  ({ type, data }: Message): boolean =>
    type === 'execution_interrupted' && data['prompt_id'] === prompt_id

proves('messages/no-client', async (subject) => {
  const sessions = [await subject.connect(subject.unique('one')), await subject.connect()]
  // Every server reports the first and the last step.
  const graph = await subject.workloads.sampling(2)
  const id = await submitFor(subject, sessions[0]!, graph, { client_id: undefined })
  const received = sessions.map((session) =>
    watch(session, ({ type, data }) => type === 'progress' && data['prompt_id'] === id),
  )
  await subject.idle()
  for (const steps of received) {
    expect((await steps(2)).map(({ data }) => data['value'])).toEqual([1, 2])
  }
})

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
