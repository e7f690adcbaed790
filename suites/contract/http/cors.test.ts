// The CORS mode, which grants access to pages of other origins.

import { solid } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { exchange, type Exchange } from '../../judge/wire.ts'
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

for (const cors of ['*', 'https://pages.example']) {
  proves(
    'http/cors-mode',
    async ({ url }) => {
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
          expect(corsLines(reply)).toEqual(named(cors).toSorted())
        }
      }
    },
    { cors },
  )
}

proves(
  'http/cors-raised',
  async ({ url }) => {
    const ways: [method: string, path: string, status: number, body?: string][] = [
      ['DELETE', '/queue', 405],
      ['POST', '/nowhere', 405],
      ['GET', '/../x', 404],
      ['POST', '/prompt', 500, '{'],
      ['POST', '/prompt', 413, ' '.repeat(1050)],
      ['GET', '/ws', 400],
      ['FOO', '/queue', 400],
    ]
    for (const [method, path, status, body] of ways) {
      const reply = await exchange(url, method, path, foreign, body)
      expect({ path, status: reply.status, corsLines: corsLines(reply) }).toEqual({
        path,
        status,
        corsLines: [],
      })
    }
  },
  { cors: '*', maxUploadSize: 0.001 },
)
