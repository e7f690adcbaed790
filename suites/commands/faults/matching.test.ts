// Which requests and messages a fault matches, and which of several faults applies.

import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { account } from '../../judge/hosted/jobs.ts'
import { proves } from '../../judge/proves.ts'
import { startSubject, type Subject } from '../../judge/subject.ts'
import { watchInputs, withFaults } from '../../support/faults.ts'

/** The statuses of GET requests, one after the other. */
async function statuses({ get }: Subject, ...paths: readonly string[]): Promise<number[]> {
  const found: number[] = []
  for (const path of paths) found.push((await get(path)).status)
  return found
}

const times = (count: number, path: string): string[] => Array.from({ length: count }, () => path)

proves(
  'faults/all-members',
  async (subject) => {
    const posted = async (path: string): Promise<number> =>
      (await subject.request('POST', path, '{}')).status
    expect(await statuses(subject, '/queue', '/prompt')).toEqual([418, 200])
    expect(await posted('/queue')).not.toBe(418)
    // Without members, each request matches.
    subject.emulator!.fault({ when: {}, then: { status: 425 } })
    expect(await statuses(subject, '/queue', '/nowhere')).toEqual([418, 425])
    expect(await posted('/prompt')).toBe(425)
  },
  withFaults({ when: { method: 'GET', path: '/queue' }, then: { status: 418 } }),
)

proves(
  'faults/path',
  async (subject) => {
    const deep = ['/deep/a', '/deep/a/b', '/deep', '/one/a', '/one/a/b', '/one', '/end/x/queue']
    const found = await statuses(subject, '/queue?x=1', ...deep)
    const isFound = [true, true, true, true, true, false, false, true]
    expect(found.map((status) => status === 418)).toEqual(isFound)
    if (subject.deployment === 'local')
      expect((await subject.raw('GET', '/api/queue')).status).toBe(418)
  },
  withFaults(
    { when: { path: '/api/queue' }, then: { status: 418 } },
    { when: { path: '/deep/**' }, then: { status: 418 } },
    { when: { path: '/one/*' }, then: { status: 418 } },
    { when: { path: '/**/x/queue' }, then: { status: 418 } },
  ),
)

proves(
  'faults/preflight',
  async ({ request }) => {
    expect((await request('OPTIONS', '/queue')).status).not.toBe(418)
    expect((await request('GET', '/queue')).status).toBe(418)
    expect((await request('OPTIONS', '/prompt')).status).toBe(418)
  },
  withFaults(
    { when: { path: '/queue' }, then: { status: 418 } },
    { when: { method: 'OPTIONS', path: '/prompt' }, then: { status: 418 } },
  ),
)

proves(
  'faults/user',
  async (subject) => {
    const [one, other] = [subject.as('one'), subject.as('other')]
    expect(await statuses(one, '/queue')).toEqual([200])
    expect(await statuses(other, '/queue')).toEqual([418])
    expect((await subject.as('nobody').get('/queue')).status).toBe(401)
    const [own, foreign] = [await one.connect(), await other.connect()]
    await one.submit(solid())
    await other.submit(solid(1))
    await subject.idle()
    await own.next(({ type }) => type === 'execution_success')
    await foreign.settled()
    const types = foreign.messages().map(({ type }) => type)
    expect(types).not.toContain('execution_success')
    expect(types).toContain('execution_start')
  },
  {
    accounts: [account('one'), account('other')],
    ...withFaults(
      { when: { path: '/queue', user: 'user-of-other' }, then: { status: 418 } },
      { when: { message: 'execution_success', user: 'user-of-other' }, then: { skip: true } },
    ),
  },
)

proves(
  'faults/nth',
  async (subject) => {
    const found = await statuses(subject, ...times(8, '/queue'))
    expect(found).toEqual([418, 425, 422, 425, 422, 200, 200, 200])
  },
  withFaults(
    { when: { path: '/queue', nth: 1 }, then: { status: 418 } },
    { when: { path: '/queue', nth: [2, 4] }, then: { status: 425 } },
    { when: { path: '/queue' }, then: { status: 422 }, times: 2 },
  ),
)

const inputs = watchInputs()

proves(
  'faults/first',
  async ({ emulator, get }) => {
    const arrives = inputs.next('request')
    const answer = get('/queue')
    await arrives
    await emulator!.until(({ kind }) => kind === 'reply')
    const { status, headers } = await answer
    const next = await get('/queue')
    expect([status, next.status]).toEqual([418, 418])
    const date = (headers: Readonly<Record<string, string>>): number =>
      Date.parse(headers['date'] ?? '')
    expect(date(headers) - 5000).toBe(emulator!.options.epoch)
    expect(date(next.headers)).toBe(date(headers))
  },
  {
    onEntry: inputs.onEntry,
    ...withFaults(
      { when: { path: '/queue' }, then: { status: 418 } },
      { when: {}, then: { delayMs: 5000 }, times: 1 },
      { when: { path: '/queue' }, then: { status: 425 } },
    ),
  },
)

const often = withFaults({ when: { path: '/queue', probability: 0.3 }, then: { status: 418 } })

proves(
  'faults/probability',
  async (subject) => {
    const { deployment } = subject
    const found = await statuses(subject, ...times(100, '/queue'))
    const hits = found.filter((status) => status === 418).length
    expect(hits).toBeGreaterThan(15)
    expect(hits).toBeLessThan(45)
    const on = async (seed: string): Promise<number[]> => {
      const other = await startSubject({ deployment, seed, ...often })
      const own = await statuses(other, ...times(100, '/queue'))
      await other.close()
      return own
    }
    expect(await on('one')).toEqual(found)
    expect(await on('two')).not.toEqual(found)
  },
  { seed: 'one', ...often },
)
