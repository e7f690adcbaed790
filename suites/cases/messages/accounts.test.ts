// The sockets of a hosted server: each connection of an account receives all of its runs, and none of another account's.

import { openSession, type Session, untilStill } from '../../judge/client.ts'
import { slow, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { askForMetadata, painting } from '../../judge/frames.ts'
import { isAtWork } from '../../judge/hosted/busy-account.ts'
import { isOf, submitOne } from '../../judge/hosted/jobs.ts'
import type { Message } from '../../judge/judge.ts'
import { messagesAbout } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { missing } from '../../judge/skip.ts'
import { dataOf, transcript } from '../../support/transcript.ts'
import { exchange } from '../../judge/wire.ts'

proves('deployments/hosted-socket', async ({ url, submit, idle }) => {
  const queries = ['clientId=me&token=test-key', 'token=test-key&clientId=me', 'token=test-key']
  const sessions: Session[] = []
  for (const query of queries) {
    sessions.push(await openSession(url, `/ws?${query}`, undefined, untilStill, 'hosted'))
  }
  const { prompt_id } = (await submit(talking())).json()
  await idle()
  for (const session of sessions) {
    await session.settled()
    expect(session.faults).toEqual([])
    expect(dataOf('execution_success', session.messages())[0]).toMatchObject({ prompt_id })
    await session.close()
  }
  const upgrade = {
    Connection: 'Upgrade, close',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    'X-API-Key': 'test-key',
  }
  for (const path of ['/api/ws', '/ws/', '/', '/api/queue/ws']) {
    const { status, body } = await exchange(url, 'GET', `${path}?token=test-key`, upgrade)
    const { code } = JSON.parse(body)
    expect({ path, status, code }).toEqual({ path, status: 404, code: 'NOT_FOUND' })
  }
})

proves(['messages/hosted-sid', 'messages/status-on-connect'], async ({ connect }) => {
  const sids: unknown[] = []
  for (const clientId of ['me', 'me', undefined, '']) {
    const [first] = (await connect(clientId)).messages()
    expect(first?.type).toBe('status')
    expect(first?.data['status']).toEqual({ exec_info: { queue_remaining: expect.any(Number) } })
    sids.push(first?.data['sid'])
  }
  for (const sid of sids) expect(sid).toEqual(expect.stringMatching(/.{8}/))
  expect(new Set(sids).size).toBe(sids.length)
})

const ofAll = [
  'messages/hosted-status',
  'messages/status',
  'messages/hosted-all-connections',
] as const

proves(ofAll, async (subject) => {
  const { connect, submit, reach, isOwn } = subject
  const sessions = [await connect('one'), await connect('one'), await connect('two')]
  sessions.push(await connect())
  for (const client_id of ['one', 'nobody', undefined]) {
    const before = sessions.map((session) => session.texts.length)
    const fields = client_id === undefined ? {} : { client_id, extra_data: { client_id } }
    const { prompt_id } = (await submit(talking(`for ${client_id}`), fields)).json()
    for (const session of sessions) await reach(session, isOf('execution_success', prompt_id))
    const [received, ...others] = sessions.map((session) => messagesAbout(session, prompt_id))
    expect(received?.length).toBeGreaterThan(2)
    for (const one of others) expect(one).toEqual(received)
    if (!isOwn) continue
    await subject.idle()
    for (const session of sessions) await session.settled()
    expect(transcript(sessions[0]!.messages()).slice(-2)).toEqual(['execution_success', 'status 0'])
    const [first, ...more] = sessions.map(({ texts }, index) => texts.slice(before[index]))
    for (const texts of more) expect(texts).toEqual(first)
  }
  const isChange = ({ type, data }: Message): boolean => type === 'status' && !('sid' in data)
  for (const session of sessions) await session.next(isChange)
  // The others do not depend on the first.
  const [leaving, ...staying] = sessions
  await leaving?.close()
  const prompt_id = await submitOne(subject, talking('after'))
  for (const session of staying) await reach(session, isOf('execution_success', prompt_id))
})

const twoAccounts = {
  accounts: (['one', 'two'] as const).map((user) => ({
    user,
    keys: [user],
    tier: 'standard' as const,
    balance: 0,
    subscription: 'active' as const,
    partnerKey: null,
    failsWith: null,
  })),
}

proves(
  ['messages/hosted-status', 'messages/hosted-all-connections'],
  async ({ as, idle }) => {
    const [one, two] = [as('one'), as('two')]
    const [mine, theirs] = [await one.connect('same'), await two.connect('same')]
    await one.submit(talking('a'), { client_id: 'same' })
    await one.submit(talking('b'))
    await Promise.all([mine.settled(), theirs.settled()])
    expect(transcript(mine.messages())).toEqual(['status 0', 'status 1', 'status 2'])
    expect(transcript(theirs.messages())).toEqual(['status 0'])
    expect(transcript((await two.connect()).messages())).toEqual(['status 0'])
    expect(transcript((await one.connect()).messages())).toEqual(['status 2'])
    const { prompt_id } = (await two.submit(talking('c'))).json()
    await idle()
    await Promise.all([mine.settled(), theirs.settled()])
    const foreign = theirs.texts.slice(1).filter((text) => !text.includes(prompt_id))
    for (const text of foreign) expect(text).toMatch(/"status"/)
    expect(transcript(theirs.messages()).at(-1)).toBe('status 0')
    const runs = new Set(mine.messages().map(({ data }) => data['prompt_id']))
    expect([runs.size, runs.has(prompt_id)]).toEqual([3, false])
  },
  twoAccounts,
)

proves(
  ['messages/hosted-reconnect', 'messages/hosted-names-run', 'messages/disconnect'],
  async (subject) => {
    const { connect, reach, isOwn } = subject
    const first = await connect()
    const ids = [await submitOne(subject, await subject.workloads.slow())]
    const [prompt_id = ''] = ids
    if (isOwn) {
      ids.push(await submitOne(subject, slow(20, 5)))
      await reach(first, isOf('execution_cached', prompt_id))
      const early = await connect()
      await early.settled()
      expect(transcript(early.messages())).toEqual(['status 2'])
    }
    await reach(first, isAtWork(ids.at(-1)!))
    await first.close()
    const back = await connect('whoever')
    await back.next(({ data }) => data['prompt_id'] === prompt_id)
    const starts = ids.map((id) => messagesAbout(back, id)[0])
    expect(starts).toEqual(
      ids.map((id) => ({ type: 'executing', data: { node: expect.any(String), prompt_id: id } })),
    )
    if (isOwn) {
      expect(back.messages().slice(1)).toEqual(starts)
      const other = await subject.as('test-key-free').connect()
      await other.settled()
      expect(transcript(other.messages())).toEqual(['status 0'])
    }
    for (const id of ids) await reach(back, isOf('execution_success', id))
    await subject.idle()
    const after = await connect()
    await after.settled()
    expect(messagesAbout(after, prompt_id)).toEqual([])
    if (isOwn) expect(transcript(after.messages())).toEqual(['status 0'])
  },
)

/** Which kinds of previews a session has received. */
const previewKinds = (session: Session): readonly string[] => [
  ...new Set(session.frames().flatMap(({ frame }) => (frame === 'text' ? [] : [frame]))),
]

proves(
  ['messages/hosted-previews', 'frames/metadata-names-node', 'frames/previews-on'],
  async (subject) => {
    const { connect, isOwn } = subject
    const [plain, asking] = [await connect('me'), await connect('me')]
    const refusing = await connect()
    await askForMetadata(asking)
    await askForMetadata(refusing, false)
    const graph = isOwn ? painting(4) : await subject.workloads.sampling(4)
    const { prompt_id } = await subject.run(plain, graph)
    for (const session of [asking, refusing])
      await subject.reach(session, isOf('execution_success', prompt_id))
    if (plain.frames().length === 0) throw missing('The server sends no previews.')
    expect(previewKinds(plain)).toEqual(['previewImage'])
    expect(previewKinds(refusing)).toEqual(['previewImage'])
    expect(previewKinds(asking)).toEqual(['previewWithMetadata'])
    const metadata = asking.frames().map(({ fields }) => fields['metadata'] as any)
    const own = metadata.filter((one) => one?.prompt_id === prompt_id)
    expect(own.length).toBeGreaterThan(0)
    for (const { node_id } of own) expect(Object.keys(graph)).toContain(node_id)
    if (!isOwn) return
    // A run without a client too.
    await submitOne(subject, painting(4, 2))
    await subject.idle()
    for (const session of [plain, asking, refusing]) {
      await session.settled()
      expect(session.frames()).toHaveLength(8)
    }
    expect(asking.frames().at(-1)?.fields['metadata']).toMatchObject({ node_id: 'é' })
  },
  { deployment: 'hosted', preview: 'jpeg' },
)
