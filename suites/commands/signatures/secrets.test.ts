// Secrets: which one applies, which ones a gateway refuses, and that none is printed.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { replayGateway, startGateway } from 'flowdouble'
import { type GatewaySubject, SECRET, signed } from '../../judge/gateway-subject.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { headersOf, NOW, schemeNames } from '../../generate/senders.ts'
import { exchangeBytes } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'

const body = '{}'

/** A file with these subscriptions: routes in memory are rejected if they cannot be served. */
function fileWith(routes: unknown): string {
  const path = join(folder(), 'subscriptions.json')
  writeFileSync(path, JSON.stringify(routes))
  return path
}

/** The status of a post with these headers. */
const status = async (
  { send }: GatewaySubject,
  headers: Readonly<Record<string, string>>,
  route = 'hook',
): Promise<number> => (await send('POST', `/webhooks/${route}`, body, headers)).status

const at = (timestamp: number | string, secret = SECRET) => ({
  body,
  secret,
  timestamp: `${timestamp}`,
})

const openly = 'INSECURE_NO_AUTH'

proves('signatures/no-open-route', async (subject) => {
  const { gateway } = subject
  expect(() => gateway.subscribe('open', { secret: openly })).toThrow(/INSECURE_NO_AUTH/)
  for (const headers of [{}, signed(body, openly), { 'X-Gitlab-Token': openly }]) {
    expect(await status(subject, headers, 'open')).toBe(404)
  }
  for (const options of [
    { routes: { open: { secret: openly } } },
    { secret: openly, routes: { open: {} } },
  ]) {
    await expect(startGateway({ port: 0, ...options })).rejects.toThrow(/does not protect it/)
  }
})

proves(
  ['signatures/no-open-route', 'signatures/no-empty-secret'],
  async (subject) => {
    for (const name of ['open', 'empty', 'null', 'number', 'absent']) {
      for (const secret of ['', 'null', '5', openly]) {
        for (const headers of [{}, signed(body, secret), { 'X-Gitlab-Token': secret }]) {
          const found = { name, secret, status: await status(subject, headers, name) }
          expect(found).toEqual({ name, secret, status: 404 })
        }
      }
    }
    // The prefix alone would be an empty key.
    expect(await status(subject, headersOf('svix', at(NOW, 'whsec_')), 'prefix')).toBe(401)
    expect(await status(subject, {}, 'closed')).toBe(401)
    expect(await status(subject, signed(body), 'closed')).toBe(202)
    for (const route of [{}, { secret: '' }, { secret: null }])
      await expect(startGateway({ port: 0, routes: { route } })).rejects.toThrow(/has no secret/)
  },
  {
    routes: {},
    subscriptionsFile: fileWith({
      open: { secret: openly },
      closed: { secret: SECRET },
      empty: { secret: '' },
      null: { secret: null },
      number: { secret: 5 },
      absent: {},
      prefix: { secret: 'whsec_' },
    }),
  },
)

proves(
  'signatures/own-secret',
  async (subject) => {
    const cases = [
      ['own', 'own-secret', 202],
      ['own', 'global-secret', 401],
      ['global', 'global-secret', 202],
      ['global', 'own-secret', 401],
      // An empty one is not replaced.
      ['empty', 'global-secret', 404],
    ] as const
    for (const [route, secret, expected] of cases) {
      expect({ route, secret, status: await status(subject, signed(body, secret), route) }).toEqual(
        { route, secret, status: expected },
      )
    }
  },
  {
    secret: 'global-secret',
    routes: { own: { secret: 'own-secret' }, global: {} },
    subscriptionsFile: fileWith({ empty: { secret: '' } }),
  },
)

const secrets = [
  'hidden-own',
  'hidden-global',
  'hidden-later',
  'hidden-before',
  'hidden-older',
  'whsec_aGlkZGVuLWtleQ==',
  'ключ-hidden',
]

proves(
  'signatures/hidden',
  async ({ gateway, send, post, idle, url, logs }) => {
    const replies = [
      await post('own', { echo: 'hidden-own', type: 'a' }),
      await send('POST', '/webhooks/own', '{}', { 'X-Gitlab-Token': 'hidden-own' }),
      await send('POST', '/webhooks/own', '{}', { 'X-Acme-Token': 'hidden-global' }),
      await send('POST', '/webhooks/own', 'hidden-own', signed('hidden-own', 'hidden-own')),
    ]
    for (const name of schemeNames) {
      const secret = 'whsec_aGlkZGVuLWtleQ=='
      replies.push(
        await send(
          'POST',
          '/webhooks/svix',
          '{"n":1}',
          headersOf(name, { ...at(NOW, secret), body: '{"n":1}' }),
        ),
      )
    }
    const unicode = Buffer.from('X-A-Token: ключ-hidden\r\n\r\n')
    const head = 'POST /webhooks/unicode HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'
    expect((await exchangeBytes(url, head, unicode)).status).toBe(202)
    gateway.subscribe('later', { secret: 'hidden-later', prompt: 'x' })
    replies.push(await post('later', {}, signed('{}', 'hidden-later')))
    const old_secrets = [{ secret: 'hidden-before', valid_until: '2100-01-01T00:00:00Z' }]
    gateway.subscribe('rotated', { secret: 'hidden-later', prompt: 'hidden-before', old_secrets })
    replies.push(await post('rotated', {}, signed('{}', 'hidden-before')))
    replies.push(await post('static', {}, signed('{}', 'hidden-older')))
    gateway.failDeliveries({ target: '*', error: 'failed with hidden-own', times: 1 })
    replies.push(await post('direct', {}, signed('{}', 'hidden-global')))
    await idle()
    expect(replies.map(({ status }) => status)).toEqual([
      202,
      202,
      401,
      400,
      // Svix comes first with the id that these have too.
      ...schemeNames.map((name) => (['standard', 'jira'].includes(name) ? 200 : 202)),
      202,
      202,
      202,
      502,
    ])
    const journal = (await gateway.journal()).join('\n')
    const logged = JSON.stringify(logs)
    expect(logs.length).toBeGreaterThan(20)
    expect(logged).toContain('failed with <secret>')
    for (const secret of [...secrets, 'aGlkZGVuLWtleQ']) {
      for (const { body } of replies) expect(body).not.toContain(secret)
      expect([secret, journal.includes(secret)]).toEqual([secret, false])
      expect([secret, logged.includes(secret)]).toEqual([secret, false])
    }
    // Nor does a signature by which a post could be sent again.
    for (const secret of ['hidden-later', 'hidden-before', 'hidden-older'])
      for (const digest of Object.values(signed('{}', secret)))
        expect(journal).not.toContain(digest)
    expect(replayGateway(journal)).toEqual({
      entries: journal.split('\n').length - 1,
      differs: null,
    })
  },
  {
    secret: 'hidden-global',
    routes: {
      own: { secret: 'hidden-own', deliver: 'log' },
      svix: { secret: 'whsec_aGlkZGVuLWtleQ==' },
      unicode: { secret: 'ключ-hidden' },
      direct: { deliver: 'slack', deliver_only: true },
      static: {
        secret: 'hidden-later',
        old_secrets: [{ secret: 'hidden-older', valid_until: '2100-01-01T00:00:00Z' }],
      },
    },
  },
)

provesQuirk(
  'webhooks.insecure-no-auth',
  async (subject) => {
    subject.breaks('signatures/every-post')
    expect(await status(subject, {})).toBe(202)
    expect(await status(subject, { 'X-Hub-Signature-256': 'wrong' })).toBe(202)
    const quirk = ['webhooks.insecure-no-auth']
    const routes = { hook: { secret: openly } }
    for (const host of ['0.0.0.0', '127.0.0.2']) {
      await expect(startGateway({ port: 0, host, quirk, routes })).rejects.toThrow(
        /does not protect it/,
      )
    }
  },
  { routes: { hook: { secret: openly } } },
)

provesQuirk('webhooks.fewer-schemes', async (subject) => {
  for (const name of schemeNames) {
    const known = ['svix', 'github', 'gitlab', 'generic-v2', 'generic'].includes(name)
    const found = await status(subject, headersOf(name, at(NOW)))
    expect([name, found === 401]).toEqual([name, !known])
  }
  const stripe = headersOf('stripe', at(NOW, 'wrong'))
  expect(await status(subject, { ...stripe, ...signed(body) })).toBe(202)
})

proves(
  'signatures/replayed',
  async ({ gateway, post, send, idle }) => {
    const body = '{}'
    const digest = signed(body)['X-Hub-Signature-256'] ?? ''
    // Their names sound like those of credentials.
    const kinds = { 'X-Event-Key': 'repo:push', 'X-Acme-Key': 'paid', 'X-Acme-Token': 'id-of-it' }
    const bitbucket = { 'X-Hub-Signature': digest, ...kinds }
    const acme = { 'X-Acme-Sign': digest.slice('sha256='.length), ...kinds }
    const path = '/webhooks/acme'
    expect((await send('POST', '/webhooks/bitbucket', body, bitbucket)).json()).toMatchObject({
      event: 'repo:push',
    })
    expect((await send('POST', path, body, acme)).json()).toMatchObject({ event: 'paid' })
    expect((await post('acme', {}, { 'X-Acme-Sign': 'wrong', ...kinds })).status).toBe(401)
    await idle()
    const journal = await gateway.journal()
    for (const text of [journal.join('\n'), await gateway.recording()]) {
      expect(text.split('repo:push').length).toBeGreaterThan(3)
      expect(text.split('"paid"').length).toBeGreaterThan(3)
      // A token is a secret at some route, whatever it is here.
      expect(text).not.toContain('id-of-it')
    }
    expect(replayGateway(journal)).toEqual({ entries: journal.length - 1, differs: null })
  },
  {
    schemes: { acme: { header: 'X-Acme-Sign', event: { header: 'X-Acme-Key' } } },
    routes: {
      bitbucket: { secret: SECRET, scheme: 'bitbucket' },
      acme: { secret: SECRET, scheme: 'acme' },
    },
  },
)
