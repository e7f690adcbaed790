// Access to any hosted server: the key of its socket, and what two accounts see of each other.

import { openSession } from '../../judge/client.ts'
import { solid, talking } from '../../generate/graphs.ts'
import { isAtWork, newColor } from '../../judge/hosted/busy-account.ts'
import { cancel, isOf, listed, queued, submitOne, wordOf } from '../../judge/hosted/jobs.ts'
import { onlyOurs } from '../../judge/own-runs.ts'
import { proves, twoAccounts } from '../../judge/proves.ts'
import { Skip } from '../../judge/skip.ts'
import { exchange } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const handshake = {
  Connection: 'Upgrade, close',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}

proves('access/hosted-socket-key', async ({ url, unique }) => {
  for (const query of ['token=test-key', 'clientId=me&token=test-key']) {
    const session = await openSession(url, `/ws?${query}`, undefined, undefined, 'hosted')
    expect(session.messages()[0]?.type).toBe('status')
    await session.close()
  }
  const nonsense = encodeURIComponent(unique('nonsense'))
  const refused = [
    '',
    '?token=',
    `?token=${nonsense}`,
    '?token=test-key0',
    '?clientId=test-key',
    '?Token=test-key',
  ]
  for (const path of refused.map((query) => `/ws${query}`)) {
    for (const headers of [{}, { 'X-API-Key': 'test-key' }]) {
      const { status, body } = await exchange(url, 'GET', path, { ...handshake, ...headers })
      expect({ path, status, body }).toMatchObject({
        path,
        status: 401,
        body: expect.stringContaining('UNAUTHORIZED'),
      })
    }
  }
})

proves(['access/hosted-socket-key', 'access/free-tier-refusal'], async ({ url }) => {
  const session = await openSession(url, '/ws?token=test-key-free', undefined, undefined, 'hosted')
  expect(session.messages()[0]?.type).toBe('status')
  await session.close()
})

proves(
  ['access/hosted-accounts-apart', 'messages/hosted-status'],
  async (subject) => {
    const other = subject.as('other-key')
    const [listener, session] = [await other.connect('one'), await subject.connect('one')]
    const secret = subject.unique('a secret text')
    const running = await submitOne(subject, await subject.workloads.slow())
    const fields = { client_id: 'one' }
    const shared = (await subject.submit(talking(secret), fields)).json().prompt_id
    await subject.reach(session, isAtWork(running))
    const { text } = await other.get('/queue')
    for (const id of [running, shared]) expect(text).not.toContain(id)
    // No account removes or interrupts the runs of another.
    await other.post('/interrupt', { prompt_id: running })
    await other.post('/queue', { delete: [running, shared] })
    expect((await queued(subject)).running).toContain(running)
    await subject.reach(session, isOf('execution_success', running))
    await subject.reach(session, isOf('execution_success', shared))
    expect(await wordOf(subject, running)).toBe('completed')
    for (const id of [shared, running]) {
      expect((await subject.get(`/jobs/${id}`)).status).toBe(200)
      expect((await other.get(`/jobs/${id}`)).status).toBe(404)
    }
    for (const path of [
      '/history',
      `/history/${shared}`,
      `/history/${running}`,
      '/jobs?limit=1000',
    ]) {
      const reply = await other.get(path)
      for (const word of [secret, running, shared])
        expect({ path, has: reply.text.includes(word) }).toEqual({ path, has: false })
    }
    await listener.settled()
    const received = listener.texts.join()
    for (const word of [secret, running, shared]) expect(received).not.toContain(word)
  },
  twoAccounts,
)

// While another account works, the statuses of this one count its own runs.
proves(
  'messages/hosted-status',
  async (subject) => {
    const other = subject.as('other-key')
    const [listener, session] = [await other.connect(), await subject.connect()]
    const running = await submitOne(other, await other.workloads.slow())
    await other.reach(listener, isAtWork(running))
    await onlyOurs(subject, [])
    const before = session.messages().length
    await subject.run(session, talking(subject.unique('alone')))
    await session.settled()
    await onlyOurs(subject, [])
    const counts = session
      .messages()
      .slice(before)
      .flatMap(({ type, data }) => (type === 'status' ? [data['status']] : []))
    expect(counts.length).toBeGreaterThan(0)
    for (const status of counts)
      expect([
        { exec_info: { queue_remaining: 0 } },
        { exec_info: { queue_remaining: 1 } },
      ]).toContainEqual(status)
    expect(counts.at(-1)).toEqual({ exec_info: { queue_remaining: 0 } })
    await cancel(other, running)
  },
  twoAccounts,
)

// What the socket of another account receives while this account works and it does not.
proves(
  ['access/hosted-accounts-apart', 'messages/hosted-status'],
  async (subject) => {
    const other = subject.as('other-key')
    const listener = await other.connect()
    const session = await subject.connect()
    await subject.run(session, solid(newColor(subject, 'apart')))
    await listener.settled()
    const sent = listener.messages().slice(1)
    const theirs = await listed(other, '?limit=1000')
    if (sent.some(({ data }) => theirs.includes(String(data['prompt_id']))))
      throw new Skip('busy', 'Somebody else works with the second key.')
    expect(sent).toEqual([])
  },
  twoAccounts,
)
