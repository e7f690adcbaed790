// Signed links that are requested with a key, which they do not need: what is reported, and what is rejected.

import { type Effect, type Input, replay } from 'flowdouble'
import { digits, refusalOf, seen } from '../../../judge/hosted/links.ts'
import { ownWorld, proves } from '../../../judge/proves.ts'
import type { Subject } from '../../../judge/subject.ts'
import { expect } from '../../../judge/expect.ts'
import { fetchLink } from '../../../judge/http-client.ts'

type Leak = Extract<Effect, { readonly kind: 'leak' }>
const isLeak = (effect: Effect): effect is Leak => effect.kind === 'leak'

/** Where keys leaked, according to the journal. */
async function leaks({ emulator }: Subject): Promise<readonly string[]> {
  const lines = (await emulator!.journal()).slice(1).map((line) => JSON.parse(line))
  const entries = lines as { input: Input; effects: readonly Effect[] }[]
  return entries.flatMap(({ input, effects }) =>
    effects.filter(isLeak).map(({ where, request }) => {
      expect(input).toMatchObject({ kind: 'request', links: true, request })
      return where
    }),
  )
}

proves(
  'files/hosted-link-leak',
  async (subject) => {
    const { link } = await digits(subject)
    await fetchLink(link, { Range: 'bytes=0-1', Accept: '*/*' })
    expect(await leaks(subject)).toEqual([])
    expect(seen(await fetchLink(link, { 'X-API-Key': 'test-key' }))).toEqual([200, '0123456789'])
    expect(await leaks(subject)).toEqual(['X-API-Key'])
    const bearer = { Authorization: 'Bearer some-secret-token', 'x-api-key': 'another-secret' }
    expect(seen(await fetchLink(link, bearer))).toEqual([200, '0123456789'])
    expect(await leaks(subject)).toEqual(['X-API-Key', 'X-API-Key', 'Authorization'])
    // Also with a link that is rejected.
    expect((await fetchLink(`${link}0`, { Authorization: 'x' })).status).toBe(403)
    expect(await leaks(subject)).toHaveLength(4)
    expect((await subject.emulator!.journal()).join()).not.toMatch(
      /test-key"|secret-token|another-secret/,
    )
  },
  ownWorld,
)

proves(
  'files/hosted-link-leak-address',
  async (subject) => {
    const { link } = await digits(subject)
    // Adding to a link changes it: it is rejected, and reported all the same.
    for (const added of ['&token=test-key', '&key=test-partner-key', '&a=test%2Dkey-free']) {
      expect(refusalOf(await fetchLink(link + added))[0]).toBe(403)
    }
    expect(await leaks(subject)).toEqual(['address', 'address', 'address'])
    expect((await fetchLink(`${link}&token=nonsense`)).status).toBe(403)
    expect((await fetchLink(link)).status).toBe(200)
    expect(await leaks(subject)).toHaveLength(3)
    const lines = await subject.emulator!.journal()
    expect(lines.join()).not.toMatch(/test(?:-|%2D)(?:partner-)?key/)
    expect(replay(lines).differs).toBeNull()
  },
  ownWorld,
)

proves(
  'files/hosted-link-strict',
  async (subject) => {
    const { link } = await digits(subject)
    for (const headers of [{ 'X-API-Key': 'test-key' }, { Authorization: 'Bearer x' }]) {
      const reply = await fetchLink(link, headers)
      expect(refusalOf(reply)).toEqual([403, 'AccessDenied'])
      expect(reply.text).not.toContain('test-key')
    }
    expect(await leaks(subject)).toEqual(['X-API-Key', 'Authorization'])
    expect(seen(await fetchLink(link))).toEqual([200, '0123456789'])
  },
  { strictSignedLinks: true },
)
