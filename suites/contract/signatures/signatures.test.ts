// Signature schemes: published vectors for each, and which scheme applies.

import { type SchemeName, schemes } from '../../../spec/gateway/signatures.ts'
import { type GatewaySubject, SECRET, signed } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { headersOf, NOW, schemeNames, signingSchemes } from '../../generate/senders.ts'
import { signatureVectors } from '../../generate/signature-vectors.ts'
import { exchangeBytes } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

type Headers = Readonly<Record<string, string>>
const refusal = { error: 'Invalid signature' }
const body = '{"a": 1}'

/** Whether a post with these headers is accepted. Any refusal other than that of signatures fails. */
async function isIn(
  { send }: GatewaySubject,
  headers: Headers,
  sent: string | Uint8Array = body,
  route = 'hook',
): Promise<boolean> {
  const reply = await send('POST', `/webhooks/${route}`, sent, headers)
  if (reply.status !== 401) expect([200, 202]).toContain(reply.status)
  else expect(reply.json()).toEqual(refusal)
  return reply.status !== 401
}

const by = (name: SchemeName, secret = SECRET, timestamp = `${NOW}`): Record<string, string> =>
  headersOf(name, { body, secret, timestamp })

const vectorsBy = (scheme: SchemeName | null) =>
  signatureVectors
    .filter((one) => one.scheme === scheme)
    .toSorted((a, b) => (a.epochSeconds ?? NOW) - (b.epochSeconds ?? NOW))

/** A gateway with a route for each vector of a scheme, at the time of the first one. */
const routesFor = (scheme: SchemeName | null) => ({
  epoch: (vectorsBy(scheme)[0]?.epochSeconds ?? NOW) * 1000,
  routes: Object.fromEntries(vectorsBy(scheme).map(({ secret }, at) => [`${at}`, { secret }])),
})

/** Checks the vectors of a scheme on a gateway, each at its own time. */
const holds =
  (scheme: SchemeName | null) =>
  async ({ send, gateway }: GatewaySubject): Promise<void> => {
    let timeMs = Number(gateway.options.epoch)
    for (const [at, vector] of vectorsBy(scheme).entries()) {
      const ownMs = (vector.epochSeconds ?? NOW) * 1000
      await gateway.advance(ownMs - timeMs)
      timeMs = ownMs
      const { status } = await send('POST', `/webhooks/${at}`, vector.body, vector.headers)
      // A body that is not valid JSON is rejected only after its signature was verified.
      const taken = vector.body === 'Hello, World!' ? 400 : 202
      expect([vector.title, status]).toEqual([vector.title, vector.isValid ? taken : 401])
    }
  }

proves('signatures/github', holds('github'), routesFor('github'))
proves('signatures/provider-token', holds('gitlab'), routesFor('gitlab'))
proves('signatures/provider-token', holds('token'), routesFor('token'))
proves('signatures/svix', holds('svix'), routesFor('svix'))
proves('signatures/standard', holds('standard'), routesFor('standard'))
proves('signatures/stripe', holds('stripe'), routesFor('stripe'))
proves('signatures/linear', holds('linear'), routesFor('linear'))
proves('signatures/generic', holds('generic'), routesFor('generic'))
proves('signatures/generic-v2', holds('generic-v2'), routesFor('generic-v2'))
proves('signatures/other-headers', holds(null), routesFor(null))

proves('signatures/every-post', async (subject) => {
  const right = signed(body)['X-Hub-Signature-256'] as string
  const wrong = [
    {},
    signed(body, 'other'),
    { 'X-Hub-Signature-256': right.toUpperCase() },
    { 'X-Hub-Signature-256': right.slice('sha256='.length) },
    { 'X-Hub-Signature-256': `${right}0` },
    { 'X-Hub-Signature-256': right.slice(0, -1) },
    { 'X-Hub-Signature-256': 'sha256=' },
    { Authorization: `Bearer ${SECRET}` },
    by('svix', SECRET, `${NOW - 301}`),
    by('svix', SECRET, 'now'),
  ]
  for (const headers of wrong) expect(await isIn(subject, headers)).toBe(false)
  expect(await isIn(subject, signed(body))).toBe(true)
  expect(await isIn(subject, signed('[]'), '[1]')).toBe(false)
})

proves(
  'signatures/raw-body',
  async (subject) => {
    const texts = [
      '{"a":1}',
      '{ "a": 1 }',
      '{"a":1.0}',
      '{"a":"\\u00e9"}',
      '{"a":"é"}',
      '{"a":1}\n',
    ]
    for (const one of texts) {
      for (const other of texts) {
        expect([one, other, await isIn(subject, signed(other), one)]).toEqual([
          one,
          other,
          one === other,
        ])
      }
    }
    const bytes = Buffer.from([0xff, 0x00, 0x80])
    expect((await subject.send('POST', '/webhooks/hook', bytes, signed(bytes))).status).toBe(400)
  },
  { rateLimit: 100 },
)

proves(
  'signatures/precedence',
  async (subject) => {
    for (const [at, first] of schemeNames.entries()) {
      for (const second of schemeNames.slice(at + 1)) {
        // A secret of another length, so that a token cannot match by chance.
        const [right, wrong] = [by(second), by(first, 'wrong')]
        expect([first, second, await isIn(subject, { ...right, ...wrong })]).toEqual([
          first,
          second,
          false,
        ])
        const [last, decides] = [by(second, 'wrong'), by(first)]
        expect([first, second, await isIn(subject, { ...last, ...decides })]).toEqual([
          first,
          second,
          true,
        ])
      }
    }
  },
  { rateLimit: 1000 },
)

proves('signatures/repeated-header', async ({ url }) => {
  const right = signed('')['X-Hub-Signature-256'] as string
  const post = async (...values: readonly string[]): Promise<number> => {
    const lines = values.map((value) => `X-Hub-Signature-256: ${value}\r\n`).join('')
    const head = `POST /webhooks/hook HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`
    return (await exchangeBytes(url, head)).status
  }
  expect([await post(right, 'wrong'), await post('wrong', right)]).toEqual([202, 401])
  expect(await post(right, right)).toBe(202)
})

proves('signatures/header-names', async (subject) => {
  const value = signed(body)['X-Hub-Signature-256'] as string
  expect(await isIn(subject, { 'x-hub-signature-256': value })).toBe(true)
  expect(await isIn(subject, { 'X-HUB-SIGNATURE-256': value })).toBe(true)
  expect(await isIn(subject, { 'svix-id': '', ...signed(body) })).toBe(true)
  expect(await isIn(subject, { 'X-Hub-Signature-256': '', ...by('gitlab') })).toBe(true)
  expect(await isIn(subject, { 'X-Gitlab-Token': '' })).toBe(false)
})

proves('signatures/every-scheme', async (subject) => {
  for (const name of schemeNames) {
    expect([name, await isIn(subject, by(name))]).toEqual([name, true])
    expect([name, await isIn(subject, by(name, 'wrong'))]).toEqual([name, false])
  }
})

proves('signatures/provider-token', async (subject) => {
  for (const name of ['X-Gitlab-Token', 'X-Acme-Token', 'x-my-own-2-token']) {
    expect([name, await isIn(subject, { [name]: SECRET })]).toEqual([name, true])
    for (const wrong of ['x', `${SECRET}x`, SECRET.slice(1), SECRET.toUpperCase()]) {
      expect([name, await isIn(subject, { [name]: wrong })]).toEqual([name, false])
    }
  }
  for (const name of ['Token', 'X-Token', 'X-Acme-Tokens', 'Acme-Token', 'X--Token']) {
    expect([name, await isIn(subject, { [name]: SECRET })]).toEqual([name, false])
  }
})

proves('signatures/token-order', async (subject) => {
  const right = { 'X-B-Token': SECRET }
  expect(await isIn(subject, { 'X-A-Token': 'wrong', ...right, 'X-C-Token': 'wrong' })).toBe(true)
  expect(await isIn(subject, { ...right, 'X-Gitlab-Token': 'wrong' })).toBe(false)
  expect(await isIn(subject, { ...right, ...by('generic', 'wrong') })).toBe(false)
  expect(await isIn(subject, { 'X-A-Token': 'wrong', 'X-Gitlab-Token': SECRET })).toBe(true)
})

proves('signatures/generic', async (subject) => {
  const digest = by('generic')['X-Webhook-Signature'] as string
  expect(await isIn(subject, { 'X-Webhook-Signature': `sha256=${digest}` })).toBe(false)
  expect(await isIn(subject, { 'X-Webhook-Signature': digest })).toBe(true)
})

proves('signatures/generic-v2', async (subject) => {
  const { 'X-Webhook-Timestamp': _, ...without } = by('generic-v2')
  expect(await isIn(subject, without)).toBe(false)
  expect(await isIn(subject, { ...without, ...by('generic') })).toBe(false)
  expect(await isIn(subject, { ...without, 'X-Webhook-Timestamp': `${NOW + 1}` })).toBe(false)
  expect(await isIn(subject, by('generic-v2'))).toBe(true)
})

proves('signatures/linear', async (subject) => {
  // Its time is in its payload, and is not checked.
  const old = '{"webhookTimestamp": 1000}'
  const headers = headersOf('linear', { body: old, secret: SECRET })
  expect(await isIn(subject, headers, old)).toBe(true)
  expect(await isIn(subject, { 'Linear-Signature': `sha256=${headers['Linear-Signature']}` })).toBe(
    false,
  )
})

const svixNames = ['svix-id', 'svix-timestamp', 'svix-signature']

proves('signatures/svix-headers', async (subject) => {
  const all = by('svix')
  expect(await isIn(subject, all)).toBe(true)
  for (const name of svixNames) {
    const { [name]: own = '', ...others } = all
    expect([name, await isIn(subject, others)]).toEqual([name, false])
    expect([name, await isIn(subject, { ...others, [name]: '' })]).toEqual([name, false])
    expect([name, await isIn(subject, { [name]: own, ...signed(body) })]).toEqual([name, false])
  }
})

proves('signatures/standard', async (subject) => {
  const all = by('standard')
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    const { [name]: _, ...others } = all
    expect([name, await isIn(subject, others)]).toEqual([name, false])
  }
  const { 'webhook-signature': _, ...both } = all
  expect(await isIn(subject, { ...both, ...signed(body) })).toBe(true)
  expect(await isIn(subject, { ...both, ...by('gitlab') })).toBe(true)
})

proves('signatures/several-entries', async (subject) => {
  const all = by('svix')
  const right = all['svix-signature'] as string
  const wrong = by('svix', 'other')['svix-signature'] as string
  const inV = (version: string) => `${version},${right.slice('v1,'.length)}`
  const accepted = [`${wrong} ${right}`, `${right} ${wrong}`, `v1a,x x ${right}`, `  ${right}\t`]
  const refused = [wrong, inV('V1'), inV('v2'), inV('v1a'), right.slice(3), `${right},x`]
  for (const value of accepted) {
    expect([value, await isIn(subject, { ...all, 'svix-signature': value })]).toEqual([value, true])
  }
  for (const value of refused) {
    expect([value, await isIn(subject, { ...all, 'svix-signature': value })]).toEqual([
      value,
      false,
    ])
  }
  const stripe = by('stripe')['Stripe-Signature'] as string
  for (const [from, to] of [
    ['v1=', 'v1=00,v0=11,v1='],
    ['t=', 'v1=xx,t='],
  ] as const) {
    expect(await isIn(subject, { 'Stripe-Signature': stripe.replace(from, to) })).toBe(true)
  }
  expect(await isIn(subject, { 'Stripe-Signature': stripe.replace('v1=', 'v0=') })).toBe(false)
})

proves(
  'signatures/base64-secret',
  async (subject) => {
    const headers = headersOf('svix', { body, secret: 'whsec_a2V5Pz5rZXk=' })
    expect(headers).toEqual(headersOf('svix', { body, secret: 'key?>key' }))
    for (const name of ['right', 'unpadded', 'for-urls', 'blank', 'long']) {
      const found = await isIn(subject, headers, body, name)
      expect([name, found]).toEqual([name, name === 'right'])
    }
    // An invalid key is not used as raw text either.
    const raw = headersOf('github', { body, secret: 'whsec_a2V5Pz5rZXk' })
    expect(await isIn(subject, raw, body, 'unpadded')).toBe(true)
  },
  {
    routes: {
      right: { secret: 'whsec_a2V5Pz5rZXk=' },
      unpadded: { secret: 'whsec_a2V5Pz5rZXk' },
      'for-urls': { secret: 'whsec_a2V5Pz5rZXk_' },
      blank: { secret: 'whsec_a2V5Pz5rZXk= ' },
      long: { secret: 'whsec_a2V5Pz5rZXk=a2V5' },
    },
  },
)

const looksEncoded = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

proves(
  'signatures/utf8-secret',
  async (subject) => {
    for (const [route, secret] of [
      ['bare', looksEncoded],
      ['other', 'ключ'],
    ] as const) {
      for (const name of signingSchemes) {
        expect([route, name, await isIn(subject, by(name, secret), body, route)]).toEqual([
          route,
          name,
          true,
        ])
      }
    }
    // The prefix is part of the key wherever base64 is not its scheme's form.
    const prefixed = `whsec_${looksEncoded}`
    const others = signingSchemes.filter((name) => schemes[name].key === 'utf-8')
    expect(others.length).toBeGreaterThan(3)
    for (const name of others) {
      expect([name, await isIn(subject, by(name, prefixed), body, 'prefixed')]).toEqual([
        name,
        true,
      ])
    }
  },
  {
    routes: {
      bare: { secret: looksEncoded },
      other: { secret: 'ключ' },
      prefixed: { secret: `whsec_${looksEncoded}` },
    },
  },
)
