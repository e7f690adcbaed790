// The customers of the proxy to partners: their keys, who they are, and the files that they store.

import { createHash } from 'node:crypto'
import {
  concurrency,
  customer,
  customerBalance,
  NO_LIMIT,
  storage,
  STORED_H,
} from '../../../spec/partner/partner.ts'
import { expect } from '../../judge/expect.ts'
import { fetchLink } from '../../judge/http-client.ts'
import { expectPartnerRefusal, partnerOf } from '../../judge/hosted/partner.ts'
import { account, fitting } from '../../judge/hosted/jobs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'

proves(['partner/key', 'partner/refusals'], async (subject) => {
  const { raw, key } = subject
  await partnerOf(subject)
  for (const headers of [{ 'X-API-Key': key }, { Authorization: `Bearer ${key}` }])
    fitting(customer, await raw('GET', '/customers/me', undefined, headers))
  for (const headers of [{}, { 'X-API-Key': 'nobody' }, { Authorization: 'Bearer ' }]) {
    for (const path of ['/customers/me', '/proxy/luma/generations/1'])
      expectPartnerRefusal(await raw('GET', path, undefined, headers), 401, 'UNAUTHORIZED')
  }
})

proves(
  'partner/partner-key',
  async (subject) => {
    await partnerOf(subject)
    const reply = await subject.raw('GET', '/customers/me', undefined, { 'X-API-Key': 'partners' })
    expect(fitting(customer, reply)).toMatchObject({ id: account('test-key').user })
  },
  {
    accounts: [
      { ...account('test-key'), partnerKey: 'partners' },
      { ...account('poor'), partnerKey: null },
    ],
  },
)

proves('partner/health', async (subject) => {
  await partnerOf(subject)
  expect((await subject.raw('GET', '/health')).status).toBe(200)
})

proves(['partner/customer', 'partner/balance', 'partner/concurrency'], async (subject) => {
  const send = await partnerOf(subject)
  const me = fitting(customer, await send('GET', '/customers/me'))
  expect(fitting(customer, await send('POST', '/customers', {}))).toEqual(me)
  fitting(customerBalance, await send('GET', '/customers/balance'))
  const path = '/customers/me/partner-node-concurrency'
  const { limit } = fitting(concurrency, await send('GET', path))
  if (subject.isOwn) expect(limit).toBe(NO_LIMIT)
})

const put = async (url: string, type: string, body: Uint8Array): Promise<[number, string]> => {
  const { status, text } = await fetchLink(url, { 'Content-Type': type }, 'PUT', body)
  return [status, text]
}

/** Asks where a file can be stored. */
async function stored(subject: Subject, bytes: Uint8Array, more: object = {}): Promise<any> {
  const send = await partnerOf(subject)
  const asked = { file_name: 'own.txt', content_type: 'text/plain', ...more }
  const reply = await send('POST', '/customers/storage', {
    file_hash: createHash('sha256').update(bytes).digest('hex'),
    ...asked,
  })
  return fitting(storage, reply)
}

proves(
  ['partner/storage', 'partner/storage-known', 'partner/storage-type', 'partner/links'],
  async (subject) => {
    const bytes = Buffer.from(subject.unique('stored for partners'))
    const first = await stored(subject, bytes)
    expect(first.existing_file).toBe(false)
    expect((await fetchLink(first.download_url)).status).toBe(404)
    const [refused] = await put(first.upload_url, 'image/png', bytes)
    expect(refused).toBe(403)
    expect((await fetchLink(first.download_url)).status).toBe(404)
    expect(await put(first.upload_url, 'text/plain', bytes)).toEqual([200, ''])
    expect(Buffer.from((await fetchLink(first.download_url)).bytes)).toEqual(bytes)
    const again = await stored(subject, bytes)
    expect(again.existing_file).toBe(true)
    expect(Buffer.from((await fetchLink(again.download_url)).bytes)).toEqual(bytes)
    await subject.emulator?.advance(STORED_H * 3_600_000)
    expect((await fetchLink(again.download_url)).status).toBe(200)
    await subject.emulator?.advance(1000)
    expect((await fetchLink(again.download_url)).status).toBe(400)
  },
  ownWorld,
)

proves('partner/storage-bad', async (subject) => {
  const send = await partnerOf(subject)
  const bodies = [{}, { file_name: '' }, { file_name: 7 }, { file_name: 'a', file_hash: 'abc' }, []]
  for (const body of bodies)
    expectPartnerRefusal(await send('POST', '/customers/storage', body), 400, 'BAD_REQUEST')
})

proves(
  'partner/storage-bound',
  async (subject) => {
    const { upload_url, download_url } = await stored(subject, Buffer.from('large'))
    const large = Buffer.alloc(2 ** 20 + 1)
    const [status, text] = await put(upload_url, 'text/plain', large)
    expect([status, text]).toEqual([400, expect.stringContaining('EntityTooLarge')])
    expect((await fetchLink(download_url)).status).toBe(404)
  },
  { ...ownWorld, worldMib: 1 },
)

proves('partner/unknown-path', async (subject) => {
  const send = await partnerOf(subject)
  expectPartnerRefusal(await send('GET', '/customers/nowhere'), 404, 'NOT_FOUND')
  const refused = await send('DELETE', '/customers/me')
  expectPartnerRefusal(refused, 405, 'METHOD_NOT_ALLOWED')
  expect(refused.headers['allow']).toBe('GET,HEAD')
})
