// The sockets of hosted: each connection of an account receives all of its runs, and none of another account's.

import { openSession, type Session, untilStill } from '../../judge/client.ts'
import { askForMetadata, painting } from '../../judge/frames.ts'
import { slow, talking } from '../../generate/graphs.ts'
import type { Message } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { transcript } from '../../support/transcript.ts'
import { exchange } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const
const isProgress = ({ type }: Message): boolean => type === 'progress'

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
    const end = session.messages().find(({ type }) => type === 'execution_success')
    expect(end?.data['prompt_id']).toBe(prompt_id)
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
    expect({ path, status, code: JSON.parse(body).code }).toEqual({
      path,
      status: 404,
      code: 'NOT_FOUND',
    })
  }
})

proves('messages/hosted-all-connections', async ({ connect, submit, idle }) => {
  const sessions = [
    await connect('one'),
    await connect('one'),
    await connect('two'),
    await connect(),
  ]
  for (const client_id of ['one', 'two', 'nobody', undefined]) {
    const before = sessions.map((session) => session.messages().length)
    const fields = client_id === undefined ? {} : { client_id, extra_data: { client_id } }
    const { prompt_id } = (await submit(talking(`for ${client_id}`), fields)).json()
    await idle()
    for (const session of sessions) await session.settled()
    const received = sessions.map((session, index) => session.texts.slice(before[index]))
    expect(received[0]?.some((text) => text.includes(prompt_id))).toBe(true)
    expect(transcript(sessions[0]!.messages()).slice(-2)).toEqual(['execution_success', 'status 0'])
    for (const one of received) expect(one).toEqual(received[0])
  }
  const [first, ...others] = sessions
  await first?.close()
  await submit(talking('after'))
  await idle()
  for (const session of others) {
    await session.settled()
    expect(transcript(session.messages()).at(-2)).toBe('execution_success')
  }
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
    expect(
      theirs.texts.slice(1).every((text) => /"status"/.test(text) || text.includes(prompt_id)),
    ).toBe(true)
    expect(transcript(theirs.messages()).at(-1)).toBe('status 0')
    const runs = new Set(mine.messages().map(({ data }) => data['prompt_id']))
    expect([runs.size, runs.has(prompt_id)]).toEqual([3, false])
  },
  twoAccounts,
)

proves(
  ['messages/hosted-reconnect', 'messages/hosted-names-run', 'messages/disconnect'],
  async ({ connect, submit, reach, idle, as }) => {
    const first = await connect()
    const [a, b] = [(await submit(slow(10, 5))).json(), (await submit(slow(20, 5))).json()]
    await reach(first, ({ type }) => type === 'execution_cached')
    const early = await connect()
    await early.settled()
    expect(transcript(early.messages())).toEqual(['status 2'])
    await reach(first, isProgress)
    await first.close()
    const back = await connect('whoever')
    await back.settled()
    expect(back.messages().slice(1)).toEqual([
      { type: 'executing', data: { node: '1', prompt_id: a.prompt_id } },
      { type: 'executing', data: { node: '1', prompt_id: b.prompt_id } },
    ])
    const other = await as('test-key-free').connect()
    await other.settled()
    expect(transcript(other.messages())).toEqual(['status 0'])
    await idle()
    await back.settled()
    const ends = back.messages().filter(({ type }) => type === 'execution_success')
    expect(ends.map(({ data }) => data['prompt_id'])).toEqual([a.prompt_id, b.prompt_id])
    const after = await connect()
    await after.settled()
    expect(transcript(after.messages())).toEqual(['status 0'])
  },
  ownWorld,
)

proves(
  ['messages/hosted-previews', 'frames/metadata-names-node', 'frames/previews-on'],
  async ({ connect, submit, idle }) => {
    const [plain, asking, refusing] = [await connect('me'), await connect('me'), await connect()]
    await askForMetadata(asking)
    await askForMetadata(refusing, false)
    for (const fields of [{}, { client_id: 'me' }]) {
      const before = asking.frames().length
      const { prompt_id } = (await submit(painting(2, before), fields)).json()
      await idle()
      for (const session of [plain, asking, refusing]) await session.settled()
      const names = (session: Session) =>
        session
          .frames()
          .slice(before)
          .map(({ frame }) => frame)
      expect(names(asking)).toEqual(['previewWithMetadata', 'previewWithMetadata'])
      expect(names(plain)).toEqual(['previewImage', 'previewImage'])
      expect(names(refusing)).toEqual(['previewImage', 'previewImage'])
      expect(asking.frames().at(-1)?.fields['metadata']).toMatchObject({ prompt_id, node_id: 'é' })
    }
  },
  { ...hosted, preview: 'jpeg' },
)

const flags = JSON.stringify({
  type: 'feature_flags',
  data: { supports_preview_metadata: true },
})

proves(
  ['messages/feature-flags', 'messages/client-messages'],
  async ({ connect, submit, reach }) => {
    const session = await connect()
    session.send(flags)
    const answer = await session.next(({ type }) => type === 'feature_flags')
    expect(answer.data).toMatchObject({ supports_preview_metadata: true })
    await submit(slow())
    await reach(session, isProgress)
    const before = session.received.length
    for (const text of [flags, '{"type": "interrupt"}', 'no JSON', '7', '']) session.send(text)
    session.send(new Uint8Array(100))
    await session.settled()
    expect(session.received).toHaveLength(before)
    await reach(session, ({ type }) => type === 'execution_success')
  },
  hosted,
)

proves(
  'messages/no-handshake',
  async ({ url, raw }) => {
    const plain = await raw('GET', '/ws?token=test-key')
    expect({ status: plain.status, code: plain.json().code }).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
    })
    const key = 'AAAAAAAAAAAAAAAAAAAAAA=='
    for (const headers of [
      { 'Sec-WebSocket-Version': '12', 'Sec-WebSocket-Key': key },
      { 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'abc' },
    ]) {
      const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', ...headers }
      const { status, body } = await exchange(url, 'GET', '/ws?token=test-key', upgrade)
      expect({ status, code: JSON.parse(body).code }).toEqual({ status: 400, code: 'BAD_REQUEST' })
    }
  },
  hosted,
)
