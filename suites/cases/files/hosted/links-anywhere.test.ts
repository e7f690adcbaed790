// Signed links of any hosted server: on another host, without a key, only as they are.

import { exchange } from '../../../judge/wire.ts'
import { fetchLink } from '../../../judge/fetch-link.ts'
import { digits, linkTo, seen } from '../../../judge/hosted/links.ts'
import { proves } from '../../../judge/proves.ts'
import { expect } from '../../../judge/expect.ts'

proves('files/hosted-signed-url', async (subject) => {
  const { link } = await digits(subject)
  const [{ hostname, origin }, own] = [new URL(link), new URL(subject.url)]
  expect(hostname).not.toBe(own.hostname)
  expect(seen(await fetchLink(link))).toEqual([200, '0123456789'])
  // The server itself serves no links.
  expect((await fetchLink(link.replace(origin, own.origin))).status).toBeGreaterThanOrEqual(400)
})

proves('files/hosted-link-query', async (subject) => {
  const { name, link } = await digits(subject)
  const { pathname, searchParams } = new URL(link)
  expect(pathname).toMatch(new RegExp(`/${name}$`))
  expect(Object.fromEntries(searchParams)).toEqual({
    'X-Goog-Algorithm': expect.stringMatching(/^GOOG4-/),
    'X-Goog-Date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
    'X-Goog-Expires': expect.stringMatching(/^\d+$/),
    'X-Goog-SignedHeaders': expect.stringContaining('host'),
    'X-Goog-Signature': expect.stringMatching(/^[0-9a-f]{64,}$/),
  })
})

proves('files/hosted-link-file', async (subject) => {
  const { link } = await digits(subject)
  const whole = await fetchLink(link)
  const etag = whole.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[^"]+"$/)
  const head = await fetchLink(link, {}, 'HEAD')
  expect([...seen(head), head.headers.get('content-length')]).toEqual([200, '', '10'])
  const part = await fetchLink(link, { Range: 'bytes=2-4' })
  expect([...seen(part), part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10'])
  expect((await fetchLink(link, { Range: 'bytes=10-' })).status).toBe(416)
  expect(seen(await fetchLink(link, { 'If-None-Match': etag }))).toEqual([304, ''])
})

proves('files/hosted-link-tampered', async (subject) => {
  const { link } = await digits(subject)
  const { origin, pathname, search } = new URL(link)
  const changes: readonly (readonly [from: string | RegExp, to: string])[] = [
    [/X-Goog-Expires=\d+/, 'X-Goog-Expires=99999'],
    [/X-Goog-Date=\d{4}/, 'X-Goog-Date=2099'],
    [/X-Goog-Signature=[^&]*/, 'X-Goog-Signature=00'],
    ['.txt', '.png'],
  ]
  for (const [from, to] of changes) {
    const target = (pathname + search).replace(from, to)
    const { status, body } = await exchange(origin, 'GET', target)
    expect({ target, status, has: body.includes('0123456789') }).toEqual({
      target,
      status: 403,
      has: false,
    })
  }
  expect((await fetchLink(link)).status).toBe(200)
})

proves('files/hosted-link-file', async (subject) => {
  const { link } = await digits(subject)
  const bytes = Buffer.from('9876543210')
  const picture = await linkTo(
    subject,
    (await subject.upload({ name: 'a.png', bytes })).json().name,
  )
  // Another file of the same length has another tag.
  const tags = new Set<string>()
  for (const one of [link, picture]) {
    const whole = await fetchLink(one)
    const length = whole.bytes.length
    const tag = whole.headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[^"]+"$/)
    tags.add(tag)
    const head = await fetchLink(one, {}, 'HEAD')
    expect([head.status, head.headers.get('etag')]).toEqual([200, tag])
    expect(head.headers.get('content-length')).toBe(`${length}`)
    const last = await fetchLink(one, { Range: 'bytes=-3' })
    expect(last.bytes).toEqual(whole.bytes.subarray(-3))
    const range = `bytes ${length - 3}-${length - 1}/${length}`
    expect([last.status, last.headers.get('content-range')]).toEqual([206, range])
    expect(seen(await fetchLink(one, { 'If-None-Match': tag }))).toEqual([304, ''])
    const other = await fetchLink(one, { 'If-None-Match': '"flowdouble-check"' })
    expect([other.status, other.bytes]).toEqual([200, whole.bytes])
  }
  expect(tags.size).toBe(2)
})

proves('files/hosted-link-method', async (subject) => {
  const { link } = await digits(subject)
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const { status, text } = await fetchLink(link, {}, method)
    expect({ method, status, text }).toEqual({
      method,
      status: 405,
      text: expect.not.stringContaining('0123456789'),
    })
  }
  expect(seen(await fetchLink(link))).toEqual([200, '0123456789'])
})

proves('files/hosted-link-cors', async (subject) => {
  const { link } = await digits(subject)
  const origin = { Origin: 'https://pages.example' }
  for (const more of [{}, { Range: 'bytes=0-1' }]) {
    const { headers } = await fetchLink(link, { ...origin, ...more })
    expect(headers.get('access-control-allow-origin')).toBe('*')
  }
})
