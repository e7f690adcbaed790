// The page of the inspector as it is served: its headers, its size, and who may read it.

import { createHash } from 'node:crypto'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { type Exchange, exchange } from '../../judge/wire.ts'

/** The largest page, in bytes. */
const MAX_BYTES = 80 * 1024

/** The directives of the policy of a page by name. */
const policyOf = (page: Exchange): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (page.header('content-security-policy') ?? '').split('; ').map((directive) => {
      const cut = directive.indexOf(' ')
      return [directive.slice(0, cut), directive.slice(cut + 1)]
    }),
  )

/** The hash of the only element of this name, as a policy names it. */
function hashOf({ body }: Exchange, name: string): string {
  const found = [...body.matchAll(new RegExp(`<${name}[^>]*>(.*?)</${name}>`, 'gs'))]
  expect(found.length).toBe(1)
  return `'sha256-${createHash('sha256')
    .update(found[0]?.[1] ?? '')
    .digest('base64')}'`
}

async function expectPage(url: string, title = 'inspector', mostBytes = MAX_BYTES): Promise<void> {
  const { origin, pathname } = new URL(url)
  const page = await exchange(origin, 'GET', `${pathname.replace(/\/$/, '')}/_flowdouble/`)
  expect({ status: page.status, type: page.header('content-type') }).toEqual({
    status: 200,
    type: 'text/html; charset=utf-8',
  })
  expect(policyOf(page)).toEqual({
    'default-src': "'none'",
    'script-src': hashOf(page, 'script'),
    'style-src': hashOf(page, 'style'),
    'connect-src': "'self'",
    'img-src': "'self' data:",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'",
  })
  expect(page.header('x-content-type-options')).toBe('nosniff')
  expect(page.header('referrer-policy')).toBe('no-referrer')
  expect(page.header('cross-origin-resource-policy')).toBe('same-origin')
  expect(page.body).toMatch(/^<!doctype html>/)
  expect(page.body).toContain(`<title>flowdouble ${title}</title>`)
  expect(Buffer.byteLength(page.body)).toBeLessThan(mostBytes)
  expect(page.body).not.toMatch(
    /(https?:)?\/\/[\w-]+\.\w|@import|innerHTML|outerHTML|insertAdjacent|\beval\b/,
  )
}

proves(
  'inspector/page',
  async ({ url, emulator }) => {
    await expectPage(url)
    await expectPage((await emulator!.world({ name: 'one' })).url)
  },
  ownWorld,
)

proves('inspector/gateway-page', async ({ url }) => expectPage(url))

proves(
  'inspector/link',
  async ({ url }) => {
    const open = (Accept: string) => exchange(url, 'GET', '/_flowdouble', { Accept })
    const { status, header } = await open('text/html,application/xhtml+xml,*/*;q=0.8')
    const to = new URL(header('location') ?? '', `${url}/_flowdouble`).href
    expect({ status, to }).toEqual({ status: 302, to: `${url}/_flowdouble/` })
    expect(JSON.parse((await open('*/*')).body).paths).toContain('GET /_flowdouble/journal')
  },
  ownWorld,
)

proves(
  'inspector/guard',
  async ({ url }) => {
    const others = [
      { Host: 'evil.example' },
      { Via: '1.1 tunnel' },
      { Origin: 'http://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { Via: '1.1 tunnel', Authorization: 'Bearer wrong' },
    ]
    const known = { Via: '1.1 tunnel', Authorization: 'Bearer of-the-tester' }
    for (const path of ['clock', 'journal?from=0', 'explain/0', 'pictures/0.0']) {
      const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
        (await exchange(url, 'GET', `/_flowdouble/${path}`, headers)).status
      for (const headers of others)
        expect([path, headers, await status(headers)]).toEqual([path, headers, 403])
      expect(await status({})).not.toBe(403)
      expect(await status(known)).not.toBe(403)
    }
  },
  { ...ownWorld, controlToken: 'of-the-tester' },
)

const elsewhere = [
  { Host: 'evil.example' },
  { Via: '1.1 tunnel' },
  { 'Sec-Fetch-Site': 'cross-site' },
]

for (const controlToken of [null, 'of-the-tester'])
  proves(
    'inspector/guard-page',
    async ({ url }) => {
      const expected = controlToken === null ? 403 : 200
      for (const headers of elsewhere) {
        const page = await exchange(url, 'GET', '/_flowdouble/', headers)
        expect([headers, page.status]).toEqual([headers, expected])
        const link = { ...headers, Accept: 'text/html' }
        const { status } = await exchange(url, 'GET', '/_flowdouble', link)
        expect(status).toBe(controlToken === null ? 403 : 302)
        expect((await exchange(url, 'GET', '/_flowdouble', headers)).status).toBe(403)
        expect((await exchange(url, 'POST', '/_flowdouble/', headers)).status).toBe(403)
      }
      expect((await exchange(url, 'GET', '/_flowdouble/')).status).toBe(200)
    },
    { ...ownWorld, controlToken },
  )

proves(
  'shared/page',
  async ({ url, emulator }) => {
    await expectPage(url, 'worlds', 10 * 1024)
    const { url: at } = await emulator!.world({ name: 'one' })
    await expectPage(at)
  },
  { ...ownWorld, shared: true, controlToken: 'of-the-tester' },
)
