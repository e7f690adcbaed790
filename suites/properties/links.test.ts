// What holds for every signed link and every hosted name: no change passes, no name leads out, time decides.

import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer, hosted, stepServer as step } from '../../dist/emulator/internal.js'
import { formOf, viewPath } from '../generate/form.ts'
import { linkTo } from '../judge/hosted/links.ts'
import { smallWorld } from '../support/small-world.ts'
import { startSubject, type Subject } from '../judge/subject.ts'
import { exchange } from '../judge/wire.ts'
import { runs } from '../support/effort.ts'
import { fetchLink } from '../judge/http-client.ts'

const account = (user: string) =>
  ({
    user,
    keys: [`key of ${user}`.replaceAll(' ', '-')],
    tier: 'pro',
    balance: 0,
    subscription: 'active',
    partnerKey: null,
    failsWith: null,
  }) as const
const users = ['one', 'two'] as const

let subject: Subject
const of: Record<string, Subject> = {}
beforeAll(async () => {
  subject = await startSubject({ deployment: 'hosted', accounts: users.map(account) })
  for (const user of users) of[user] = subject.as(`key-of-${user}`)
})
afterAll(() => subject?.close())

/** Uploads a text, and returns its name. */
const put = async (user: string, text: string): Promise<string> =>
  (await of[user]!.upload({ name: 'a.txt', bytes: Buffer.from(text) })).json().name

const run = { seed: 20260101, numRuns: runs(300) }

describe('signed links', () => {
  test('files/links-whole No change of one character of a signed link passes.', async () => {
    const { origin, pathname, search } = new URL(await linkTo(of['one']!, await put('one', 'text')))
    const target = pathname + search
    const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
    const change = fc.record({
      // Without the slash at its beginning it is not a request.
      at: fc.integer({ min: 1, max: target.length - 1 }),
      by: visible,
      how: fc.constantFrom('replaced', 'inserted', 'left out'),
    })
    const property = fc.asyncProperty(change, async ({ at, by, how }) => {
      const rest = target.slice(how === 'inserted' ? at : at + 1)
      const changed = target.slice(0, at) + (how === 'left out' ? '' : by) + rest
      fc.pre(changed !== target)
      const { status, body } = await exchange(origin, 'GET', changed)
      expect([changed, status]).toEqual([changed, 403])
      expect(body).not.toContain('text')
    })
    await fc.assert(property, run)
    expect((await exchange(origin, 'GET', target)).body).toBe('text')
  })

  test('files/links-apart A link of one account never opens the file of another.', async () => {
    const text = fc.string({ maxLength: 8 })
    const property = fc.asyncProperty(fc.constantFrom(...users), text, async (user, content) => {
      const other = users.find((one) => one !== user)!
      const mine = `of ${user}: ${content}`
      const name = await put(user, mine)
      const link = await linkTo(of[user]!, name)
      expect((await fetchLink(link)).text).toBe(mine)
      expect((await of[other]!.get(viewPath({ filename: name }))).status).toBe(404)
      expect((await fetchLink(link.replace(`/${user}/`, `/${other}/`))).status).toBe(403)
      const theirs = await linkTo(of[other]!, await put(other, content))
      const names = /\/[^/?]+\?/
      const crossed = theirs.replace(names, names.exec(link)![0])
      expect((await fetchLink(crossed)).status).toBe(crossed === theirs ? 200 : 403)
    })
    await fc.assert(property, { ...run, numRuns: runs(30) })
  })

  test('files/names-lead-nowhere No name leads to a file that was not uploaded.', async () => {
    const mine = await put('one', 'mine')
    const pieces = ['..', '.', '/', '\\', '\0', '%2e', '%2f', '//', 'input', 'output', 'temp', mine]
    const others = ['etc/passwd', 'C:', '~', ' [input]', 'ž', '?', '&', '#', 'one', 'two', 'a']
    const piece = fc.constantFrom(...pieces, ...others)
    const name = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''))
    const property = fc.asyncProperty(name, name, async (filename, subfolder) => {
      const reply = await of['one']!.get(viewPath({ filename, subfolder }))
      const expected = filename === mine ? 302 : filename === '' ? 400 : 404
      expect([filename, reply.status]).toEqual([filename, expected])
      const { origin } = new URL(await linkTo(of['one']!, mine))
      const target = `/${encodeURI(filename).replaceAll('#', '%23')}`
      expect([target, (await exchange(origin, 'GET', target)).status]).toEqual([target, 403])
    })
    await fc.assert(property, run)
  })

  test('files/links-expire A link works until its hour has passed, and not after it.', async () => {
    const name = await put('two', 'for a while')
    const hourMs = 3_600_000
    const stepMs = fc.oneof(
      fc.integer({ min: 0, max: 2 * hourMs }),
      fc.constantFrom(0, 1, 999, 1000, hourMs - 1000, hourMs - 1, hourMs, hourMs + 1),
    )
    let nowMs = 0
    const advance = async (byMs: number) => {
      await subject.emulator!.advance(byMs)
      nowMs += byMs
    }
    const steps = fc.array(stepMs, { maxLength: 4 })
    const property = fc.asyncProperty(fc.nat(5000), steps, async (beforeMs, manyMs) => {
      await advance(beforeMs)
      const link = await linkTo(of['two']!, name)
      // Links use whole seconds.
      const untilMs = Math.floor(nowMs / 1000) * 1000 + hourMs
      for (const byMs of manyMs) {
        await advance(byMs)
        const { status } = await fetchLink(link)
        expect([nowMs, untilMs, status]).toEqual([nowMs, untilMs, nowMs <= untilMs ? 200 : 400])
      }
    })
    await fc.assert(property, { ...run, numRuns: runs(40) })
  })
})

test('files/forgotten-link A link to a file that was dropped for newer ones gets 404.', () => {
  const server = createServer(
    {
      ...smallWorld,
      deployment: 'hosted',
      accounts: [account('one')],
      fileLimit: 2,
      uploadLimitBytes: 10,
      signedLinks: { scheme: 'http', port: 1, baseUrl: null, strict: false },
    },
    hosted,
  )
  const send = (method: string, target: string, content?: string, links?: true) => {
    const image = { name: 'image', filename: 'a.txt', content: content ?? '' }
    const [body, { 'Content-Type': type = '' }] = formOf(image)
    const own = links ? { host: '127.0.0.1:1' } : { 'x-api-key': 'key-of-one' }
    const headers = { 'content-type': type, ...own }
    const bytes = new Uint8Array(body)
    const input = {
      kind: 'request',
      atMs: 0,
      request: 0,
      method,
      target,
      headers,
      body: bytes,
    } as const
    const [reply] = step(server, links ? { ...input, links } : input)
    if (reply?.kind !== 'reply') throw new Error('There is no reply.')
    return reply
  }
  const upload = (content: string) => {
    const { status, body } = send('POST', '/api/upload/image', content)
    return { status, name: status === 200 ? JSON.parse(body as string).name : '' }
  }
  const { name } = upload('four')
  const { headers } = send('GET', `/api/view?filename=${name}`)
  const { pathname, search } = new URL(headers['Location'] ?? '')
  const follow = () => send('GET', pathname + search, undefined, true).status
  expect(follow()).toBe(200)
  // Stored bytes are bounded as well: the same bytes count once, others are rejected in time.
  const more = ['four', 'four', 'five.', 'too much'].map((content) => upload(content).status)
  expect(more).toEqual([200, 200, 200, 413])
  expect(follow()).toBe(200)
  expect(upload('6').status).toBe(200)
  expect(follow()).toBe(404)
})
