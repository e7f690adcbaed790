// The CORS mode, which grants access to pages of other origins.

import { solid } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { missing } from '../../judge/skip.ts'
import type { Subject } from '../../judge/subject.ts'
import { corsOriginOf, exchange, type Exchange } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const foreign = { Origin: 'http://evil.example' }
const named = (origin: string) => [
  `Access-Control-Allow-Origin: ${origin}`,
  'Access-Control-Allow-Methods: POST, GET, DELETE, PUT, OPTIONS',
  'Access-Control-Allow-Headers: Content-Type, Authorization',
  'Access-Control-Allow-Credentials: true',
]
const corsLines = ({ lines }: Exchange) =>
  lines.filter((line) => /^access-control-/i.test(line)).toSorted()

/** The origin that the replies of a server name. Ends a case on a server that is not in CORS mode. */
async function originOf({ url }: Subject): Promise<string> {
  const origin = await corsOriginOf(url)
  if (origin === undefined) throw missing('The server is not in CORS mode.')
  return origin
}

for (const cors of ['*', 'https://pages.example']) {
  proves(
    'http/cors-mode',
    async (subject) => {
      const { url, isOwn } = subject
      const origin = await originOf(subject)
      if (isOwn) expect(origin).toBe(cors)
      const ways: [method: string, path: string, status: number, body?: string][] = [
        ['GET', '/queue', 200],
        ['GET', '/', 200],
        ['GET', '/nowhere', 404],
        ['GET', '/models/nowhere', 404],
        ['HEAD', '/api/queue', 200],
        ['OPTIONS', '/prompt', 200],
        ['OPTIONS', '/nowhere', 200],
        ['POST', '/prompt', 400, '{}'],
        ['POST', '/prompt', 200, JSON.stringify({ prompt: solid() })],
      ]
      for (const headers of [foreign, { Origin: 'http://127.0.0.1:bad' }, {}]) {
        for (const [method, path, status, body] of ways) {
          const reply = await exchange(url, method, path, headers, body)
          expect({ path, status: reply.status }).toEqual({ path, status })
          expect(corsLines(reply)).toEqual(named(origin).toSorted())
        }
      }
    },
    { cors },
  )
}

const raised: readonly [method: string, path: string, status: number, body?: string][] = [
  ['DELETE', '/queue', 405],
  ['POST', '/nowhere', 405],
  ['GET', '/../x', 404],
  ['POST', '/prompt', 500, '{'],
  ['GET', '/ws', 400],
  ['FOO', '/queue', 400],
]

/** No reply of these ways names an origin. */
async function namesNone({ url }: Subject, ways: typeof raised): Promise<void> {
  for (const [method, path, status, body] of ways) {
    const reply = await exchange(url, method, path, foreign, body)
    expect({ path, status: reply.status, corsLines: corsLines(reply) }).toEqual({
      path,
      status,
      corsLines: [],
    })
  }
}

proves(
  'http/cors-raised',
  async (subject) => {
    await originOf(subject)
    await namesNone(subject, raised)
  },
  { cors: '*' },
)
