// Pages of other origins and sites: which requests the server refuses them, and what CORS grants them.

import { once } from 'node:events'
import { hostedCors } from '../../../spec/server/http.ts'
import { solid } from '../../generate/graphs.ts'
import { openSocket } from '../../judge/edges.ts'
import { expect } from '../../judge/expect.ts'
import { busy } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { emptyAnswer, wireExchanges, type WireRow } from '../../judge/rows.ts'
import { missing } from '../../judge/skip.ts'
import type { Subject } from '../../judge/subject.ts'
import { corsOriginOf, outsideCors } from '../../judge/wire.ts'

const evil = 'http://evil.example'
const key = { 'X-API-Key': 'test-key' }
const foreign = { Origin: evil }
const ok = { status: 200 }
const forbidden = { ...emptyAnswer, status: 403 }
/** To HEAD the server does not say the length of an empty refusal [http/head]. */
const forbiddenHead = { ...forbidden, 'content-length': undefined }

/** The head of the refusal of a handshake. */
async function refusalOf(socket: ReturnType<typeof openSocket>): Promise<object> {
  const [, response] = await once(socket, 'unexpected-response')
  response.destroy()
  return { statusCode: response.statusCode, contentLength: response.headers['content-length'] }
}

proves('http/foreign-origin', async (subject) => {
  const { url } = subject
  await outsideCors(url)
  const refused: readonly (readonly [host: string, origin: string])[] = [
    ['127.0.0.1:8188', 'http://evil.example'],
    ['127.0.0.1:8188', 'http://localhost:8188'],
    ['127.0.0.1:8188', 'http://127.0.0.1:3000'],
    ['127.0.0.1:8188', 'http://127.0.0.1.evil.example'],
    ['127.0.0.1:8188', 'http://evil.example:8188'],
    // A scheme is not needed.
    ['127.0.0.1:8188', '//evil.example'],
    ['localhost:8188', 'http://localhost:3000'],
    ['LOCALHOST:8188', 'HTTP://EVIL.EXAMPLE'],
    ['127.8.8.8:8188', 'https://evil.example'],
    ['[::1]:8188', 'http://[::2]:8188'],
    ['localhost', 'http://evil.example:3000'],
    // A user and a port without digits are compared too.
    ['127.0.0.1:8188', 'http://me@127.0.0.1:8188'],
    ['127.0.0.1:8188', 'http://127.0.0.1:'],
    ['[::1]:8188', 'http://[::1]'],
  ]
  const accepted: typeof refused = [
    ['127.0.0.1:8188', 'http://127.0.0.1:8188'],
    ['127.0.0.1:8188', 'https://127.0.0.1:8188'],
    ['127.0.0.1:8188', 'http://127.0.0.1'],
    ['LOCALHOST:8188', 'http://localhost:8188'],
    ['localhost', 'http://localhost:3000'],
    ['[::1]:8188', 'http://[::1]:8188'],
    ['localhost', 'http://me@localhost:3000'],
    ['127.0.0.1:8188', 'null'],
    ['127.0.0.1:8188', ''],
    ['example.com', 'http://evil.example'],
    ['0.0.0.0:8188', 'http://evil.example'],
  ]
  const failing: typeof refused = [
    ['127.0.0.1:8188', 'http://127.0.0.1:bad'],
    ['127.0.0.1:8188', 'http://127.0.0.1:65536'],
  ]
  const each = (ways: typeof refused, answer: object) =>
    ways.map(([Host, Origin]): WireRow => ['GET', '/queue', { ...answer }, { Host, Origin }])
  await wireExchanges(url, [
    ...each(refused, forbidden),
    ...each(accepted, ok),
    ...each(failing, { status: 500 }),
  ])
  const socket = openSocket(url, '/ws', { origin: evil })
  expect(await refusalOf(socket)).toEqual({ statusCode: 403, contentLength: '0' })
  const own = openSocket(url, '/ws', { origin: url })
  const [first] = await once(own, 'message')
  expect(JSON.parse(`${first}`).type).toBe('status')
  own.close()
  // A page can send a form without a preflight: every method is refused, and has no effect.
  const { pend, pending } = await busy(subject)
  const ours = await pend('waiting')
  const body = JSON.stringify({ clear: true, prompt: solid() })
  await wireExchanges(url, [
    ['POST', '/queue', forbidden, foreign, body],
    ['POST', '/api/prompt', forbidden, foreign, body],
    ['OPTIONS', '/prompt', forbidden, foreign, body],
    ['HEAD', '/queue', forbiddenHead, foreign, body],
    ['DELETE', '/prompt', forbidden, foreign, body],
    ['GET', '/nowhere', forbidden, foreign, body],
    ['GET', '/', forbidden, foreign, body],
  ])
  expect(await pending(ours)).toEqual(ours)
})

const site = (value: string) => ({ 'Sec-Fetch-Site': value })

proves('http/cross-site', async ({ url }) => {
  await outsideCors(url)
  const fromOther = site('cross-site')
  const own = { Host: 'localhost:1', Origin: 'http://localhost:1' }
  const sites = ['same-site', 'same-origin', 'none', 'Cross-Site', 'cross-sites']
  await wireExchanges(url, [
    ['GET', '/', forbidden, fromOther],
    ['GET', '/queue', forbidden, fromOther],
    ['HEAD', '/queue', forbiddenHead, fromOther],
    ['GET', '/view?filename=example.png', forbidden, fromOther],
    ['GET', '/nowhere', forbidden, fromOther],
    ['POST', '/queue', forbidden, fromOther],
    ['OPTIONS', '/prompt', forbidden, fromOther],
    ['GET', '/queue', { status: 403 }, { ...fromOther, ...own }],
    ['GET', '/queue', { status: 403 }, { ...site('same-origin'), ...own, Origin: evil }],
    ...sites.map((value): WireRow => ['GET', '/queue', ok, site(value)]),
  ])
  const socket = openSocket(url, '/ws', { headers: fromOther })
  expect(await refusalOf(socket)).toMatchObject({ statusCode: 403 })
})

/** The origin that the replies of a server name. Ends a case on a server that is not in CORS mode. */
async function originOf({ url }: Subject): Promise<string> {
  const origin = await corsOriginOf(url)
  if (origin === undefined) throw missing('The server is not in CORS mode.')
  return origin
}

proves(
  'http/cross-site',
  async (subject) => {
    await originOf(subject)
    const headers = { ...site('cross-site'), Origin: 'http://page.example' }
    await wireExchanges(subject.url, [['GET', '/queue', ok, headers]])
  },
  { cors: '*' },
)

for (const cors of ['*', 'https://pages.example']) {
  proves(
    'http/cors-mode',
    async (subject) => {
      const origin = await originOf(subject)
      if (subject.isOwn) expect(origin).toBe(cors)
      const granted = [
        'Access-Control-Allow-Credentials: true',
        'Access-Control-Allow-Headers: Content-Type, Authorization',
        'Access-Control-Allow-Methods: POST, GET, DELETE, PUT, OPTIONS',
        `Access-Control-Allow-Origin: ${origin}`,
      ]
      const answer = (status: number) => ({ status, 'access-control-*': granted })
      for (const headers of [foreign, { Origin: 'http://127.0.0.1:bad' }, {}])
        await wireExchanges(subject.url, [
          ['GET', '/queue', answer(200), headers],
          ['GET', '/', answer(200), headers],
          ['GET', '/nowhere', answer(404), headers],
          ['GET', '/models/nowhere', answer(404), headers],
          ['HEAD', '/api/queue', answer(200), headers],
          ['OPTIONS', '/prompt', answer(200), headers],
          ['OPTIONS', '/nowhere', answer(200), headers],
          ['POST', '/prompt', answer(400), headers, '{}'],
          ['POST', '/prompt', answer(200), headers, JSON.stringify({ prompt: solid() })],
        ])
    },
    { cors },
  )
}

proves(
  'http/cors-raised',
  async (subject) => {
    await originOf(subject)
    const answer = (status: number) => ({ status, 'access-control-*': [] })
    await wireExchanges(subject.url, [
      ['DELETE', '/queue', answer(405), foreign],
      ['POST', '/nowhere', answer(405), foreign],
      ['GET', '/../x', answer(404), foreign],
      ['POST', '/prompt', answer(500), foreign, '{'],
      ['GET', '/ws', answer(400), foreign],
      ['FOO', '/queue', answer(400), foreign],
    ])
  },
  { cors: '*' },
)

proves('http/hosted-cors', async ({ url, isOwn }) => {
  const granted = Object.entries(hostedCors).map(([name, value]) => `${name}: ${value}`)
  const answer = (status: number) => ({ status, 'access-control-*': granted.toSorted() })
  const origins = ['https://page.example', 'http://127.0.0.1:bad', 'null'].map((Origin) => ({
    Origin,
  }))
  for (const origin of [...origins, {}]) {
    const headers = { ...origin, ...key }
    await wireExchanges(url, [
      ['GET', '/api/system_stats', answer(200), origin],
      ['GET', '/api/user', answer(200), headers],
      ['GET', '/api/user', answer(401), origin],
      ['GET', '/api/nowhere', answer(404), headers],
      ['GET', '/queue', answer(404), origin],
      ['DELETE', '/api/prompt', answer(405), headers],
      ['POST', '/api/settings', answer(400), headers, '{'],
      ['POST', '/api/settings', answer(413), { ...headers, 'Content-Length': '999999999999' }],
      ['HEAD', '/api/user', answer(200), headers],
    ])
    if (!isOwn) continue
    await wireExchanges(url, [
      ['GET', '/api/queue', answer(403), { ...origin, 'X-API-Key': 'test-key-free' }],
      ['GET', `/api/user?${'q'.repeat(9000)}`, answer(400), headers],
    ])
  }
})
