// Files on hosted: signed links, which return a file to everyone who has them, for a limited time.

import { type EmulatorOptions, startEmulator } from 'flowdouble'
import { digits, linkTo, refusalOf, seen, ten } from '../../../judge/hosted/links.ts'
import { ownWorld, proves } from '../../../judge/proves.ts'
import type { Subject } from '../../../judge/subject.ts'
import { exchange } from '../../../judge/wire.ts'
import { fetchLink } from '../../../judge/fetch-link.ts'
import { expect } from '../../../judge/expect.ts'

/** The links that a server returns to clients that use this host name. */
async function linkFor({ url }: Subject, host: string): Promise<URL> {
  const headers = { Host: host, 'X-API-Key': 'test-key' }
  const { header } = await exchange(url, 'GET', '/api/view?filename=example.png', headers)
  return new URL(header('Location') ?? '')
}

proves('files/hosted-signed-url', async (subject) => {
  const { link } = await digits(subject)
  const [{ hostname, port, origin }, own] = [new URL(link), new URL(subject.url)]
  expect(hostname).not.toBe(own.hostname)
  expect(port).not.toBe(own.port)
  if (subject.emulator !== null) expect(subject.emulator.signedUrl).toBe(origin)
  expect(seen(await fetchLink(link))).toEqual([200, '0123456789'])
  // The server itself serves no links, and the host of the links serves nothing else.
  expect((await fetchLink(link.replace(origin, subject.url))).status).toBe(404)
  for (const path of ['/api/system_stats', '/api/queue', '/_flowdouble/journal', '/ws', '/']) {
    expect([path, ...refusalOf(await fetchLink(origin + path))]).toEqual([
      path,
      403,
      'SignatureDoesNotMatch',
    ])
  }
})

proves(
  'files/hosted-link-host',
  async (subject) => {
    const port = subject.emulator!.port
    const name = async (host: string) => (await linkFor(subject, host)).hostname
    expect(await name(`127.0.0.1:${port}`)).toBe('localhost')
    expect(await name('127.0.0.1')).toBe('localhost')
    expect(await name(`localhost:${port}`)).toBe('127.0.0.1')
    expect(await name('flowdouble:8189')).toBe('127.0.0.1')
    expect(await name(`[::1]:${port}`)).toBe('127.0.0.1')
    expect(await name('127.0.0.1.example:80')).toBe('127.0.0.1')
    for (const host of ['127.0.0.1', 'localhost']) {
      expect((await fetchLink((await linkFor(subject, host)).href)).status).toBe(200)
    }
  },
  ownWorld,
)

proves(
  'files/hosted-link-host',
  async ({ emulator }) => {
    const { signedUrl, port, close } = await startEmulator({
      deployment: 'hosted',
      clock: 'manual',
    })
    await close()
    expect(Number(new URL(signedUrl ?? '').port)).not.toBe(port)
    // Local has none.
    const main = await startEmulator({ clock: 'manual' })
    expect(main.signedUrl).toBeNull()
    await main.close()
    const last = startEmulator({ deployment: 'hosted', port: 65535 })
    await expect(last).rejects.toMatchObject({ code: 'USAGE' })
    // On an explicit port a server serves them at the next one.
    const linksPort = Number(new URL(emulator!.signedUrl ?? '').port)
    const taken = startEmulator({ deployment: 'hosted', port: linksPort - 1 })
    await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE', port: linksPort })
  },
  { seed: 'links' },
)

proves(
  'files/hosted-link-base',
  async (subject) => {
    const { link } = await digits(subject)
    expect(link).toMatch(/^https:\/\/storage\.example:444\/test-user\/\w+\.txt\?X-Goog-/)
    expect(subject.emulator!.signedUrl).toBe('https://storage.example:444')
    for (const signedBaseUrl of [
      'ftp://a',
      'http://a/b',
      'http://a?b',
      'storage',
      'http://u@a',
      '',
    ]) {
      const started = startEmulator({ deployment: 'hosted', signedBaseUrl })
      await expect(started).rejects.toMatchObject({ code: 'USAGE' })
    }
  },
  { signedBaseUrl: 'https://storage.example:444/' },
)

proves('files/hosted-link-signed-host', async (subject) => {
  const { link } = await digits(subject)
  const { origin, host, port, pathname, search } = new URL(link)
  const statusFor = async (named: string) =>
    (await exchange(origin, 'GET', pathname + search, { Host: named })).status
  expect(await statusFor(host)).toBe(200)
  expect(await statusFor(host.toUpperCase())).toBe(200)
  for (const other of [`127.0.0.1:${port}`, 'localhost', `[::1]:${port}`, 'storage', '']) {
    expect([other, await statusFor(other)]).toEqual([other, 403])
  }
  // Not even if another link names that host.
  const changed = link.replace(host, `127.0.0.1:${port}`)
  expect(refusalOf(await fetchLink(changed))).toEqual([403, 'SignatureDoesNotMatch'])
})

proves(
  ['files/hosted-link-signed-host', 'files/hosted-link-base'],
  async (subject) => {
    const { link } = await digits(subject)
    const [header = ''] = await subject.emulator!.journal()
    const origin = `http://127.0.0.1:${JSON.parse(header).options.signedLinks.port}`
    const { pathname, search } = new URL(link)
    const statusFor = async (named: string) =>
      (await exchange(origin, 'GET', pathname + search, { Host: named })).status
    expect(await statusFor('storage.example')).toBe(200)
    expect(await statusFor('Storage.Example:443')).toBe(200)
    expect(await statusFor('storage.example:444')).toBe(403)
    expect(await statusFor(new URL(origin).host)).toBe(403)
  },
  { signedBaseUrl: 'https://storage.example:443' },
)

proves(
  'files/hosted-link-query',
  async (subject) => {
    await subject.emulator?.advance(61_500)
    const { name, link } = await digits(subject)
    const { pathname, searchParams } = new URL(link)
    expect(pathname).toBe(`/test-user/${name}`)
    const { 'X-Goog-Signature': signature, ...others } = Object.fromEntries(searchParams)
    expect(signature).toMatch(/^[0-9a-f]{64}$/)
    expect(others).toEqual({
      'X-Goog-Algorithm': 'GOOG4-HMAC-SHA256',
      'X-Goog-Date': '20260101T000101Z',
      'X-Goog-Expires': '3600',
      'X-Goog-SignedHeaders': 'host',
    })
    expect(await linkTo(subject, name)).toBe(link)
    await subject.emulator?.advance(1000)
    expect(await linkTo(subject, name)).not.toBe(link)
  },
  ownWorld,
)

proves('files/hosted-link-file', async (subject) => {
  const { name, link } = await digits(subject)
  const whole = await fetchLink(link)
  const etag = whole.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[0-9a-f]+-a"$/)
  expect(whole.headers.get('content-disposition')).toBe(`filename="${name}"`)
  expect(whole.headers.get('content-type')).toBe('text/plain')
  const head = await fetchLink(link, {}, 'HEAD')
  expect([...seen(head), head.headers.get('content-length')]).toEqual([200, '', '10'])
  const part = await fetchLink(link, { Range: 'bytes=2-4' })
  expect([...seen(part), part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10'])
  expect(seen(await fetchLink(link, { Range: 'bytes=10-' }))).toEqual([416, ''])
  expect(seen(await fetchLink(link, { 'If-None-Match': etag }))).toEqual([304, ''])
  expect(seen(await fetchLink(link, { 'If-Match': '"other"' }))).toEqual([412, ''])
  const modified = whole.headers.get('last-modified') ?? ''
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

proves('files/hosted-link-tampered', async (subject) => {
  const { link } = await digits(subject)
  const url = new URL(link)
  const changes: [from: string | RegExp, to: string][] = [
    ['3600', '3601'],
    ['20260101', '20270101'],
    [/X-Goog-Signature=.*/, ''],
    [/&X-Goog-Signature=.*/, ''],
    [/\?.*/, ''],
    [/$/, '0'],
    [/$/, '&more=1'],
    ['.txt', '.png'],
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
    [/Signature=.*/, `Signature=${url.searchParams.get('X-Goog-Signature')?.toUpperCase()}`],
  ]
  for (const [from, to] of changes) {
    const target = (url.pathname + url.search).replace(from, to)
    const { status, body } = await exchange(url.origin, 'GET', target)
    expect({ target, status }).toEqual({ target, status: 403 })
    expect(body).toContain('<Code>SignatureDoesNotMatch</Code>')
  }
  expect((await fetchLink(link)).status).toBe(200)
})

const accounts: EmulatorOptions['accounts'] = ['one', 'two'].map((user) => ({
  user,
  keys: [`${user}-key`],
  tier: 'pro',
  balance: 0,
  subscription: 'active',
  partnerKey: null,
  failsWith: null,
}))

proves(
  'files/hosted-link-account',
  async (subject) => {
    const [one, two] = [subject.as('one-key'), subject.as('two-key')]
    const mine = await digits(one)
    const theirs = await digits(two)
    const other = (await one.upload({ name: 'b.txt', bytes: ten.subarray(1) })).json().name
    expect(mine.name).toBe(theirs.name)
    expect(mine.link).not.toBe(theirs.link)
    const crossed = [
      mine.link.replace('/one/', '/two/'),
      theirs.link.replace('/two/', '/one/'),
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
  const replies = [
    await fetchLink(link, origin),
    await fetchLink(link),
    await fetchLink(link, { ...origin, Range: 'bytes=0-1' }),
    await fetchLink(`${link}0`, origin),
    await fetchLink(link, origin, 'OPTIONS'),
    await fetchLink(`${link}0`, { ...origin, 'Access-Control-Request-Method': 'GET' }, 'OPTIONS'),
  ]
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 206, 403, 200, 200])
  for (const { headers } of replies) {
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-methods')).toContain('GET')
    expect(headers.get('access-control-allow-headers')).toContain('Range')
  }
})

proves('files/hosted-link-method', async (subject) => {
  const { link } = await digits(subject)
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const reply = await fetchLink(link, {}, method)
    expect([method, ...refusalOf(reply)]).toEqual([method, 405, 'MethodNotAllowed'])
    expect(reply.headers.get('allow')).toBe('GET,HEAD,OPTIONS')
  }
  expect((await fetchLink(link)).status).toBe(200)
})
