// Who receives the messages of a local server: others may be connected at the same time.

import { slow, talking } from '../../generate/graphs.ts'
import type { Session } from '../../judge/client.ts'
import { expect } from '../../judge/expect.ts'
import { hex } from '../../judge/frames.ts'
import { isOf } from '../../judge/hosted/jobs.ts'
import type { Message } from '../../judge/judge.ts'
import { messagesAbout, shown, submitFor, watch } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { endsRun } from '../../judge/responses.ts'
import { transcript, typesOf } from '../../support/transcript.ts'

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
  const { connect, unique, run, isOwn } = subject
  const sessions = [await connect(unique('mine')), await connect(unique('other')), await connect()]
  const [mine, ...others] = sessions as [Session, Session, Session]
  const statuses = sessions.map((session) => watch(session, isStatus))
  const ids = [(await run(mine, shown(subject, 'own'))).prompt_id]
  ids.push((await run(mine, (await subject.workloads.failing()).graph)).prompt_id)
  const forOther = await submitFor(subject, mine, shown(subject, 'other'), {
    client_id: unique('other'),
    extra_data: { client_id: unique('mine') },
  })
  const absent = [unique('absent'), ...(isOwn ? [''] : [])]
  const forNobody: string[] = []
  for (const client_id of absent)
    forNobody.push(await submitFor(subject, mine, shown(subject, 'absent'), { client_id }))
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
  for (const session of sessions)
    for (const id of forNobody) expect(messagesAbout(session, id)).toEqual([])
  if (!isOwn) return
  await others[1].settled()
  const counts = [0, 1, 1, 0, 1, 1, 0, 1, 2, 3, 3, 2, 2, 1, 1, 0]
  expect(transcript(others[1].received)).toEqual(counts.map((count) => `status ${count}`))
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
    await subject.reach(session, isOf('execution_interrupted', cut))
    for (const id of plain)
      expect(new Set(typesOf(messagesAbout(session, id)))).toEqual(new Set(['progress_state']))
    const types = typesOf(messagesAbout(session, cut))
    expect(types.at(-1)).toBe('execution_interrupted')
    const others = types.filter((type) => !/^progress(_state)?$/.test(type))
    expect(others).toEqual(['execution_interrupted'])
  }
})

proves(
  'messages/no-client',
  async (subject) => {
    const sessions = [await subject.connect(subject.unique('one')), await subject.connect()]
    // Every server reports the first and the last step.
    const graph = await subject.workloads.sampling(2)
    const id = await submitFor(subject, sessions[0]!, graph, { client_id: undefined })
    const received = sessions.map((session) => watch(session, isOf('progress', id)))
    await subject.idle()
    for (const steps of received)
      expect((await steps(2)).map(({ data }) => data['value'])).toEqual([1, 2])
    if (!subject.isOwn) return
    for (const session of sessions) {
      await session.settled()
      expect(session.frames().map(({ frame }) => frame)).toEqual(['previewImage', 'previewImage'])
    }
  },
  { preview: 'jpeg' },
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
