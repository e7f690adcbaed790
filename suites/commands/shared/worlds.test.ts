// A server that many teams share: who creates worlds, who controls them, and what is below the name of no world.

import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { type Subject, subjectOf } from '../../judge/subject.ts'
import { exchange } from '../../judge/wire.ts'

const ADMIN = 'token-of-the-admin'
const shared = { shared: true, controlToken: ADMIN, clock: 'manual' } as const

const WORLDS = '/_flowdouble/worlds'

/** Sends a control request with a token; resolves to the status and the JSON of the answer. */
async function ask(
  { url }: Pick<Subject, 'url'>,
  method: string,
  path: string,
  token: string | null = ADMIN,
  body?: unknown,
): Promise<readonly [status: number, json: any]> {
  const headers = token === null ? {} : { Authorization: `Bearer ${token}` }
  const text = body === undefined ? undefined : JSON.stringify(body)
  const reply = await exchange(url, method, path, headers, text)
  return [reply.status, JSON.parse(reply.body)]
}

proves(
  'shared/put',
  async (subject) => {
    const url = `${subject.url}/w/one`
    const put = (body?: unknown) => ask(subject, 'PUT', `${WORLDS}/one`, ADMIN, body)
    const [status, { worldToken: token, ...place }] = await put({ pace: 7 })
    expect([status, place]).toEqual([201, { name: 'one', url }])
    expect(await put({ pace: 9 })).toEqual([200, { name: 'one', url }])
    const [world] = subject.emulator!.worlds()
    expect(world!.options.pace).toBe(7)
    expect(world!.worldToken).toBe(token)
    expect(await put({ name: 'two' })).toEqual([
      400,
      { error: expect.stringContaining('leave out') },
    ])
    expect((await ask(subject, 'PUT', `${WORLDS}/a%2Fb`))[0]).toBe(400)
    expect((await ask(subject, 'PUT', `${WORLDS}/x`, ADMIN, { nodes: ['/etc/hosts'] }))[0]).toBe(
      400,
    )
  },
  shared,
)

proves(
  ['shared/tokens', 'shared/token-only', 'shared/own-world', 'shared/token-given'],
  async (subject) => {
    const given = 'chosen-by-its-owner'
    const [, first] = await ask(subject, 'POST', WORLDS, ADMIN, { name: 'one' })
    const [, second] = await ask(subject, 'PUT', `${WORLDS}/two`, ADMIN, { worldToken: given })
    expect(first.worldToken).toMatch(/^[\w-]{43}$/)
    expect(second.worldToken).toBe(given)
    expect((await ask(subject, 'PUT', `${WORLDS}/three`, ADMIN, { worldToken: 'short' }))[0]).toBe(
      400,
    )
    const [, listed] = await ask(subject, 'GET', WORLDS)
    expect(JSON.stringify(listed)).not.toContain('oken')
    // Each token opens its control paths, from this machine too.
    const statusOf = async (at: string, token: string | null): Promise<number> =>
      (await ask({ url: at }, 'GET', '/_flowdouble/runs', token))[0]
    const tokens = [null, ADMIN, first.worldToken, given, `${given}x`]
    const table = []
    for (const at of [subject.url, first.url, second.url]) {
      const row = []
      for (const token of tokens) row.push(await statusOf(at, token))
      table.push(row)
    }
    expect(table).toEqual([
      [403, 200, 403, 403, 403],
      [403, 403, 200, 403, 403],
      [403, 403, 403, 200, 403],
    ])
    // Below its name a world lists and closes itself alone, and creates none.
    const own = { url: first.url as string }
    expect(await ask(own, 'GET', WORLDS, first.worldToken)).toMatchObject([
      200,
      [{ name: 'one', url: first.url }],
    ])
    expect(await ask(own, 'DELETE', `${WORLDS}/two`, first.worldToken)).toEqual([
      200,
      { closed: false },
    ])
    for (const [method, path] of [
      ['POST', WORLDS],
      ['PUT', `${WORLDS}/four`],
      ['POST', '/_flowdouble/fork'],
    ] as const)
      expect((await ask(own, method, path, first.worldToken))[0]).toBe(404)
    expect(subject.emulator!.worlds()).toHaveLength(2)
    expect(await ask(own, 'DELETE', `${WORLDS}/one`, first.worldToken)).toEqual([
      200,
      { closed: true },
    ])
    expect(subject.emulator!.worlds().map(({ name }) => name)).toEqual(['two'])
  },
  shared,
)

proves(
  'shared/unknown-refused',
  async (subject) => {
    const refused = [404, { error: expect.stringMatching(/no world "nobody".*PUT/) }]
    for (const path of [
      '/w/nobody',
      '/w/nobody/prompt',
      '/w/nobody/_flowdouble/runs',
      '/w/nobody/ws',
    ])
      expect(await ask(subject, 'GET', path)).toEqual(refused)
    expect((await ask(subject, 'POST', '/w/nobody/prompt', null, {}))[0]).toBe(404)
    // The root is still there.
    expect((await subject.submit(solid())).status).toBe(200)
    expect(subject.emulator!.worlds()).toEqual([])
  },
  shared,
)

proves(
  'shared/unknown-created',
  async (subject) => {
    const names = ['a', 'a', 'b']
    const replies = names.map((name) =>
      exchange(subject.url, 'GET', `/w/${name}/_flowdouble/runs`, {}),
    )
    expect((await Promise.all(replies)).map(({ status, body }) => [status, body])).toEqual(
      names.map(() => [200, '[]']),
    )
    const made = subject.emulator!.worlds()
    expect(made.map(({ name }) => name)).toEqual(['a', 'b'])
    const session = await subjectOf(made[0]!).connect('me')
    await session.settled()
    expect((await exchange(subject.url, 'GET', '/w/a..%20b/prompt', {})).status).toBe(404)
    for (const name of ['c', 'd'])
      expect((await exchange(subject.url, 'GET', `/w/${name}/_flowdouble/runs`, {})).status).toBe(
        name === 'c' ? 200 : 409,
      )
  },
  { unknownWorlds: 'create', maxWorlds: 3, clock: 'manual' },
)

proves(
  'shared/most',
  async (subject) => {
    expect((await ask(subject, 'POST', WORLDS, null, { name: 'one' }))[0]).toBe(200)
    const full = [409, { error: expect.stringMatching(/at most 1 worlds.*Close/) }]
    expect(await ask(subject, 'POST', WORLDS, null)).toEqual(full)
    expect(await ask(subject, 'PUT', `${WORLDS}/two`, null)).toEqual(full)
    expect((await ask(subject, 'PUT', `${WORLDS}/one`, null))[0]).toBe(200)
  },
  { maxWorlds: 1, clock: 'manual' },
)
