// Requests for pages of other sites, which later local servers reject by what browsers say of them.

import { once } from 'node:events'
import { proves } from '../../judge/proves.ts'
import { openSocket } from '../../judge/edges.ts'
import { missing } from '../../judge/skip.ts'
import { corsOriginOf, exchange, outsideCors, summaryOf } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

/** An empty refusal, whose length HEAD does not say [http/head]. */
const refusedTo = (method: string) => ({
  status: 403,
  type: undefined,
  length: method === 'HEAD' ? undefined : '0',
  body: '',
})

proves('http/cross-site', async ({ url }) => {
  await outsideCors(url)
  const site = (value: string) => ({ 'Sec-Fetch-Site': value })
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/queue'],
    ['HEAD', '/queue'],
    ['GET', '/view?filename=example.png'],
    ['GET', '/nowhere'],
    ['POST', '/queue'],
    ['OPTIONS', '/prompt'],
  ] as const)
    expect([path, summaryOf(await exchange(url, method, path, site('cross-site'), ''))]).toEqual([
      path,
      refusedTo(method),
    ])
  const own = { ...site('cross-site'), Host: 'localhost:1', Origin: 'http://localhost:1' }
  expect((await exchange(url, 'GET', '/queue', own)).status).toBe(403)
  const open = async (value: string) => (await exchange(url, 'GET', '/queue', site(value))).status
  for (const value of ['same-site', 'same-origin', 'none', 'Cross-Site', 'cross-sites'])
    expect({ value, status: await open(value) }).toEqual({ value, status: 200 })
  const foreign = { ...site('same-origin'), Host: 'localhost:1', Origin: 'http://evil.example' }
  expect((await exchange(url, 'GET', '/queue', foreign)).status).toBe(403)
})

proves('http/cross-site', async ({ url }) => {
  await outsideCors(url)
  const socket = openSocket(url, '/ws', { headers: { 'Sec-Fetch-Site': 'cross-site' } })
  const [, response] = await once(socket, 'unexpected-response')
  expect(response.statusCode).toBe(403)
  response.destroy()
})

proves(
  'http/cross-site',
  async ({ url }) => {
    if ((await corsOriginOf(url)) === undefined) throw missing('The server is not in CORS mode.')
    const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://page.example' }
    expect((await exchange(url, 'GET', '/queue', headers)).status).toBe(200)
  },
  { cors: '*' },
)
