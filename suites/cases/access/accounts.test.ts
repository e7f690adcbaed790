// The accounts of a hosted server: what the keys of one share, and what two see of each other.

import { solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { isAtWork } from '../../judge/hosted/busy-account.ts'
import { account, cancel, isOf, listed, submitOne, wordOf } from '../../judge/hosted/jobs.ts'
import { onlyOurs, uniqueNumber } from '../../judge/own-runs.ts'
import { proves, twoAccounts } from '../../judge/proves.ts'
import { Skip } from '../../judge/skip.ts'
import type { Subject } from '../../judge/subject.ts'
import { transcript } from '../../support/transcript.ts'
import { listedIds } from '../../judge/responses.ts'

proves(
  'access/hosted-keys-of-one',
  async ({ as }) => {
    const [one, uno, two] = [as('key-one'), as('key-uno'), as('key-two')]
    const session = await uno.connect()
    const foreign = await two.connect()
    const { prompt_id, messages } = await one.run(await one.connect(), solid())
    expect(messages.length).toBeGreaterThan(5)
    await session.settled()
    expect(session.messages().slice(-2)[0]?.data['prompt_id']).toBe(prompt_id)
    const path = `/history/${prompt_id}`
    const [mine, same] = [await one.get(path), await uno.get(path)]
    expect({ status: same.status, text: same.text }).toEqual({ status: 200, text: mine.text })
    expect(mine.text).toContain(prompt_id)
    expect((await two.get(path)).text).not.toContain('solid')
    await foreign.settled()
    expect(foreign.messages()).toHaveLength(1)
  },
  { accounts: [{ ...account('key-one'), keys: ['key-one', 'key-uno'] }, account('key-two')] },
)

const remaining = async ({ get }: Subject): Promise<unknown> =>
  (await get('/prompt')).json().exec_info.queue_remaining

proves(
  'access/hosted-accounts-apart',
  async (subject) => {
    const { isOwn } = subject
    const other = subject.as('other-key')
    const [listener, session] = [await other.connect('one'), await subject.connect('one')]
    const secret = subject.unique('a secret text')
    const running = await submitOne(subject, await subject.workloads.slow())
    const fields = { client_id: 'one' }
    const shared = (await subject.submit(talking(secret), fields)).json().prompt_id
    await subject.reach(session, isAtWork(running))
    const { text } = await other.get('/queue')
    for (const id of [running, shared]) expect(text).not.toContain(id)
    if (isOwn) {
      expect([await remaining(subject), await remaining(other)]).toEqual([2, 0])
      expect((await other.submit(talking('mine'))).json().number).toBe(0)
    }
    // No account removes or interrupts the runs of another.
    await other.post('/interrupt', { prompt_id: running })
    await other.post('/queue', { delete: [running, shared] })
    if (isOwn) await other.post('/queue', { clear: true })
    expect((await listedIds(subject)).running).toContain(running)
    for (const id of [running, shared]) await subject.reach(session, isOf('execution_success', id))
    expect(await wordOf(subject, running)).toBe('completed')
    for (const id of [shared, running]) {
      expect((await subject.get(`/jobs/${id}`)).status).toBe(200)
      expect((await other.get(`/jobs/${id}`)).status).toBe(404)
    }
    const words = [secret, running, shared]
    const single = [`/history/${shared}`, `/history/${running}`]
    for (const path of ['/history', ...single, '/jobs?limit=1000', '/queue']) {
      const reply = await other.get(path)
      const found = words.filter((word) => reply.text.includes(word))
      expect({ path, found }).toEqual({ path, found: [] })
    }
    await listener.settled()
    const received = listener.texts.join()
    for (const word of words) expect(received).not.toContain(word)
    if (!isOwn) return
    // Two runs of one account wait, and the other account never has more than its own.
    const counts = transcript(listener.messages()).filter((line) => line.startsWith('status'))
    expect(new Set(counts)).toEqual(new Set(['status 0', 'status 1']))
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
    await subject.run(session, solid(uniqueNumber(subject, 'apart')))
    await listener.settled()
    const sent = listener.messages().slice(1)
    const theirs = await listed(other, '?limit=1000')
    if (sent.some(({ data }) => theirs.includes(String(data['prompt_id']))))
      throw new Skip('busy', 'Somebody else works with the second key.')
    expect(sent).toEqual([])
  },
  twoAccounts,
)
