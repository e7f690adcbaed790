// Whoever has the token of one world of a shared server does nothing to another one, or to the server, however it asks.

import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { exchangeBytes } from '../../judge/wire.ts'
import { isLong } from '../../support/effort.ts'

const ADMIN = 'token-of-the-admin'

/** Ways to the control paths of the server, and to those of the world `theirs`. */
const bases = [
  '/_flowdouble/',
  '//_flowdouble/',
  '/./_flowdouble/',
  '/w/theirs/_flowdouble/',
  '/w/%74heirs/_flowdouble/',
  '/w/theirs/%5fflowdouble/',
  '/w/theirs//_flowdouble/',
  '/w/mine/../theirs/_flowdouble/',
  '/w/mine/../../_flowdouble/',
  '/w/mine/w/theirs/_flowdouble/',
  'http://127.0.0.1/w/theirs/_flowdouble/',
]

const paths = [
  '',
  'runs',
  'journal',
  'requests',
  'recording',
  'messages',
  'faults',
  'clock',
  'openapi.json',
  'explain/0',
  'advance',
  'reset',
  'snapshot',
  'fork',
  'scenario',
  'drop',
  'worlds',
  'worlds/theirs',
  'worlds/new',
  'state',
  'worlds/theirs/state',
  'worlds/new/state',
]

const asked = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
  target: fc
    .tuple(
      fc.constantFrom(...bases),
      fc.constantFrom(...paths),
      fc.constantFrom('', '?token=TOKEN'),
    )
    .map((parts) => parts.join('')),
  header: fc.constantFrom(
    'Authorization: Bearer TOKEN',
    'authorization: bearer  TOKEN',
    'Authorization: Bearer TOKEN\r\nX-Forwarded-Prefix: /w/mine',
    'Authorization: Bearer TOKEN\r\nX-Original-URL: /w/mine/_flowdouble/runs',
    'Cookie: token=TOKEN',
    'X-Nothing: TOKEN',
  ),
  body: fc.constantFrom('', '{}', '{"name": "new"}', '{"ms": 1}'),
})

/** Whether this is a page of the package, as it is. */
const isPage = (body: string): boolean =>
  ['inspector', 'admin'].some((name) => body === readFileSync(`dist/bundle/${name}.html`, 'utf8'))

test.each(['local', 'hosted'] as const)(
  'shared/token-only On %s the token of one world opens no other',
  async (deployment) => {
    const server = await startEmulator({ deployment, shared: true, controlToken: ADMIN })
    const mine = await server.world({ name: 'mine' })
    const theirs = await server.world({ name: 'theirs' })
    const { id } = theirs.fault({ when: { path: '/prompt' }, then: { status: 503 } })
    await fc.assert(
      fc.asyncProperty(asked, async ({ method, target, header, body }) => {
        const withToken = (text: string): string => text.replaceAll('TOKEN', mine.worldToken ?? '')
        const head = `${method} ${withToken(target)} HTTP/1.1\r\nHost: 127.0.0.1\r\n${withToken(header)}`
        const sent = `${head}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        const reply = await exchangeBytes(server.url, sent)
        // The page alone is open: it is the same everywhere, and reads nothing without a token.
        if (!isPage(reply.body)) expect(reply.status).toBeGreaterThanOrEqual(400)
      }),
      { numRuns: isLong ? 5000 : 250 },
    )
    expect(server.worlds().map(({ name }) => name)).toEqual(['mine', 'theirs'])
    expect(theirs.faults()).toMatchObject([{ id }])
    await server.close()
  },
)
