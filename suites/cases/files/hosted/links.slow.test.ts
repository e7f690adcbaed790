// Files on hosted: signed links, which return a file to everyone who has them, for a limited time.

import { once } from 'node:events'
import { startEmulator } from 'flowdouble'
import { account } from '../../../judge/hosted/jobs.ts'
import { digits, linkTo, refusalOf, seen, ten } from '../../../judge/hosted/links.ts'
import { ownWorld, proves } from '../../../judge/proves.ts'
import { dial, exchange } from '../../../judge/wire.ts'
import { expect } from '../../../judge/expect.ts'
import { fetchLink } from '../../../judge/http-client.ts'

proves('files/hosted-signed-url', async (subject) => {
  const { link } = await digits(subject)
  const [{ hostname, port, origin }, own] = [new URL(link), new URL(subject.url)]
  expect(hostname).not.toBe(own.hostname)
  expect(seen(await fetchLink(link))).toEqual([200, '0123456789'])
  // The server itself serves no links.
  const there = await fetchLink(link.replace(origin, own.origin))
  expect(there.status).toBeGreaterThanOrEqual(400)
  if (!subject.isOwn) return
  expect(there.status).toBe(404)
  expect(port).not.toBe(own.port)
  expect(subject.emulator?.signedUrl).toBe(origin)
  // The host of the links serves nothing else.
  for (const path of ['/api/system_stats', '/api/queue', '/_flowdouble/journal', '/ws', '/']) {
    const refusal = refusalOf(await fetchLink(origin + path))
    expect({ path, refusal }).toEqual({ path, refusal: [403, 'SignatureDoesNotMatch'] })
  }
  // A client that resolves localhost to an IPv6 address first reaches the links too, where IPv6 exists.
  const socket = dial(`http://[::1]:${port}`)
  const outcome = await once(socket, 'connect').then(
    () => 'open',
    (error: NodeJS.ErrnoException) => error.code,
  )
  socket.destroy()
  expect(['open', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENETUNREACH']).toContain(outcome)
})

proves('files/hosted-link-query', async (subject) => {
  if (subject.isOwn) await subject.emulator?.advance(61_500)
  const { name, link } = await digits(subject)
  const { pathname, searchParams } = new URL(link)
  expect(pathname).toMatch(new RegExp(`/${name}$`))
  const query = Object.fromEntries(searchParams)
  expect(query).toEqual({
    'X-Goog-Algorithm': expect.stringMatching(/^GOOG4-/),
    'X-Goog-Date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
    'X-Goog-Expires': expect.stringMatching(/^\d+$/),
    'X-Goog-SignedHeaders': expect.stringContaining('host'),
    'X-Goog-Signature': expect.stringMatching(/^[0-9a-f]{64,}$/),
  })
  if (!subject.isOwn) return
  expect(pathname).toBe(`/test-user/${name}`)
  expect(query).toEqual({
    'X-Goog-Algorithm': 'GOOG4-HMAC-SHA256',
    'X-Goog-Date': '20260101T000101Z',
    'X-Goog-Expires': '3600',
    'X-Goog-SignedHeaders': 'host',
    'X-Goog-Signature': expect.stringMatching(/^.{64}$/),
  })
  expect(await linkTo(subject, name)).toBe(link)
  await subject.emulator?.advance(1000)
  expect(await linkTo(subject, name)).not.toBe(link)
})

proves('files/hosted-link-file', async (subject) => {
  const { name, link } = await digits(subject)
  const bytes = Buffer.from('9876543210')
  const other = (await subject.upload({ name: 'a.png', bytes })).json().name
  // Another file of the same length has another tag.
  const tags = new Set<string>()
  for (const one of [link, await linkTo(subject, other)]) {
    const whole = await fetchLink(one)
    const length = whole.bytes.length
    const tag = whole.headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[^"]+"$/)
    tags.add(tag)
    const head = await fetchLink(one, {}, 'HEAD')
    expect([...seen(head), head.headers.get('etag')]).toEqual([200, '', tag])
    expect(head.headers.get('content-length')).toBe(`${length}`)
    for (const [range, from] of [
      ['bytes=-3', length - 3],
      [`bytes=${length - 8}-${length - 1}`, length - 8],
    ] as const) {
      const part = await fetchLink(one, { Range: range })
      expect(part.bytes).toEqual(whole.bytes.subarray(from))
      const returned = `bytes ${from}-${length - 1}/${length}`
      expect([part.status, part.headers.get('content-range')]).toEqual([206, returned])
    }
    expect((await fetchLink(one, { Range: `bytes=${length}-` })).status).toBe(416)
    expect(seen(await fetchLink(one, { 'If-None-Match': tag }))).toEqual([304, ''])
    const changed = await fetchLink(one, { 'If-None-Match': '"flowdouble-check"' })
    expect([changed.status, changed.bytes]).toEqual([200, whole.bytes])
  }
  expect(tags.size).toBe(2)
  if (!subject.isOwn) return
  const { headers } = await fetchLink(link)
  expect(headers.get('etag')).toMatch(/^"[0-9a-f]+-a"$/)
  expect(headers.get('content-disposition')).toBe(`filename="${name}"`)
  expect(headers.get('content-type')).toBe('text/plain')
  expect(seen(await fetchLink(link, { Range: 'bytes=10-' }))).toEqual([416, ''])
  expect(seen(await fetchLink(link, { 'If-Match': '"other"' }))).toEqual([412, ''])
  const modified = headers.get('last-modified') ?? ''
  expect((await fetchLink(link, { 'If-Modified-Since': modified })).status).toBe(304)
})

proves(
  'files/hosted-link-expiry',
  async (subject) => {
    const { emulator } = subject
    await emulator!.advance(300)
    const { name, link } = await digits(subject)
    // Links use whole seconds: this one counts from the second that has begun.
    await emulator!.advance(3_600_000 - 300)
    expect(seen(await fetchLink(link))).toEqual([200, '0123456789'])
    await emulator!.advance(1)
    for (const method of ['GET', 'HEAD']) {
      expect((await fetchLink(link, {}, method)).status).toBe(400)
    }
    expect(refusalOf(await fetchLink(link))).toEqual([400, 'ExpiredToken'])
    expect(seen(await fetchLink(await linkTo(subject, name)))).toEqual([200, '0123456789'])
  },
  ownWorld,
)

type Change = readonly [from: string | RegExp, to: string]
const changes: readonly Change[] = [
  [/X-Goog-Expires=\d+/, 'X-Goog-Expires=99999'],
  [/X-Goog-Date=\d{4}/, 'X-Goog-Date=2099'],
  [/X-Goog-Signature=[^&]*/, 'X-Goog-Signature=00'],
  ['.txt', '.png'],
]
/** Changes of a link whose form is known. */
const ownChanges: readonly Change[] = [
  ['3600', '3601'],
  ['20260101', '20270101'],
  [/X-Goog-Signature=.*/, ''],
  [/&X-Goog-Signature=.*/, ''],
  [/\?.*/, ''],
  [/$/, '0'],
  [/$/, '&more=1'],
  ['.txt', '%2etxt'],
  ['/test-user/', '/test-user-free/'],
  ['/test-user/', '/'],
  ['/test-user/', '/nobody/'],
  ['/test-user/', '/test-user/../test-user/'],
  ['/test-user/', '//test-user/'],
  ['?', '/?'],
  ['HMAC', 'RSA'],
  ['host', 'x'],
  ['X-Goog-Date', 'x-goog-date'],
  ['3600', '-1'],
  ['3600', '9e9'],
]

proves('files/hosted-link-tampered', async (subject) => {
  const { link } = await digits(subject)
  const { origin, pathname, search, searchParams } = new URL(link)
  const upper = searchParams.get('X-Goog-Signature')?.toUpperCase()
  const own: readonly Change[] = [...ownChanges, [/Signature=.*/, `Signature=${upper}`]]
  for (const [from, to] of subject.isOwn ? [...changes, ...own] : changes) {
    const target = (pathname + search).replace(from, to)
    const { status, body } = await exchange(origin, 'GET', target)
    expect({ target, status, body }).toEqual({
      target,
      status: 403,
      body: expect.not.stringContaining('0123456789'),
    })
    if (subject.isOwn) expect(body).toContain('<Code>SignatureDoesNotMatch</Code>')
  }
  expect((await fetchLink(link)).status).toBe(200)
})

const accounts = [account('one'), account('two')]

proves(
  'files/hosted-link-account',
  async (subject) => {
    const [one, two] = [subject.as('one'), subject.as('two')]
    const mine = await digits(one)
    const theirs = await digits(two)
    const other = (await one.upload({ name: 'b.txt', bytes: ten.subarray(1) })).json().name
    expect(mine.name).toBe(theirs.name)
    expect(mine.link).not.toBe(theirs.link)
    const crossed = [
      mine.link.replace('/user-of-one/', '/user-of-two/'),
      theirs.link.replace('/user-of-two/', '/user-of-one/'),
      mine.link.replace(mine.name, other),
      mine.link.replace(/Signature=.*/, /Signature=.*/.exec(theirs.link)?.[0] ?? ''),
    ]
    for (const link of crossed) {
      expect(refusalOf(await fetchLink(link))).toEqual([403, 'SignatureDoesNotMatch'])
    }
    for (const { link } of [mine, theirs]) expect((await fetchLink(link)).status).toBe(200)
    const elsewhere = await startEmulator({
      deployment: 'hosted',
      clock: 'manual',
      seed: 'b',
      accounts,
    })
    const same = mine.link.replace(new URL(mine.link).origin, elsewhere.signedUrl ?? '')
    const refused = refusalOf(await fetchLink(same))
    await elsewhere.close()
    expect(refused).toEqual([403, 'SignatureDoesNotMatch'])
  },
  { accounts },
)

proves('files/hosted-link-cors', async (subject) => {
  const { link } = await digits(subject)
  const origin = { Origin: 'https://pages.example' }
  const range = { ...origin, Range: 'bytes=0-1' }
  const replies = [await fetchLink(link, origin), await fetchLink(link, range)]
  expect(replies.map(({ status }) => status)).toEqual([200, 206])
  if (subject.isOwn) {
    const preflight = { ...origin, 'Access-Control-Request-Method': 'GET' }
    const others = [
      await fetchLink(link),
      await fetchLink(`${link}0`, origin),
      await fetchLink(link, origin, 'OPTIONS'),
      await fetchLink(`${link}0`, preflight, 'OPTIONS'),
    ]
    expect(others.map(({ status }) => status)).toEqual([200, 403, 200, 200])
    replies.push(...others)
  }
  for (const { headers } of replies) {
    expect(headers.get('access-control-allow-origin')).toBe('*')
    if (!subject.isOwn) continue
    expect(headers.get('access-control-allow-methods')).toContain('GET')
    expect(headers.get('access-control-allow-headers')).toContain('Range')
  }
})

proves('files/hosted-link-method', async (subject) => {
  const { link } = await digits(subject)
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const reply = await fetchLink(link, {}, method)
    expect({ method, status: reply.status, text: reply.text }).toEqual({
      method,
      status: 405,
      text: expect.not.stringContaining('0123456789'),
    })
    if (!subject.isOwn) continue
    expect(refusalOf(reply)).toEqual([405, 'MethodNotAllowed'])
    expect(reply.headers.get('allow')).toBe('GET,HEAD,OPTIONS')
  }
  expect(seen(await fetchLink(link))).toEqual([200, '0123456789'])
})
