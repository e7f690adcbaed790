// Signature schemes: published vectors for each, and which scheme applies.

import { type SchemeName, schemes } from '../../../spec/gateway/signatures.ts'
import { type GatewaySubject, SECRET, signed } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { headersOf, NOW, schemeNames, signingSchemes } from '../../generate/senders.ts'
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

/** A key in base64, as the libraries of Standard Webhooks accept it without its prefix. */
const bare = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYX'

const by = (name: SchemeName, secret = SECRET, timestamp = `${NOW}`): Record<string, string> =>
  headersOf(name, { body, secret, timestamp })

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
  const { 'Linear-Signature': signature = '' } = headersOf('linear', { body, secret: SECRET })
  expect(await isIn(subject, { 'Linear-Signature': signature })).toBe(true)
  expect(await isIn(subject, { 'Linear-Signature': `sha256=${signature}` })).toBe(false)
})

proves(
  'signatures/bare-base64',
  async (subject) => {
    for (const name of ['svix', 'standard'] as const) {
      for (const [sender, isValid] of [
        [`whsec_${bare}`, true],
        [bare, true],
        [`whsec_${bare.toLowerCase()}`, false],
      ] as const)
        expect(await isIn(subject, by(name, sender))).toBe(isValid)
    }
    // Other schemes never read a secret as base64.
    expect(await isIn(subject, signed(body, bare))).toBe(true)
  },
  { routes: { hook: { secret: bare } } },
)

proves('signatures/linear-window', async (subject) => {
  for (const [seconds, isFresh] of [
    [-61, false],
    [-60, true],
    [60, true],
    [61, false],
  ] as const) {
    const timed = JSON.stringify({ webhookTimestamp: (NOW + seconds) * 1000 })
    const headers = headersOf('linear', { body: timed, secret: SECRET })
    expect([seconds, await isIn(subject, headers, timed)]).toEqual([seconds, isFresh])
  }
  // Another scheme does not read it.
  const old = '{"webhookTimestamp": 1000}'
  expect(await isIn(subject, signed(old), old)).toBe(true)
})

proves('signatures/pagerduty', async (subject) => {
  const { 'X-PagerDuty-Signature': valid = '' } = headersOf('pagerduty', { body, secret: SECRET })
  const old = `v1=${'0'.repeat(64)}`
  for (const [value, isValid] of [
    [`${old},${valid}`, true],
    [`${valid},${old}`, true],
    [old, false],
    [valid.replace('v1', 'v2'), false],
  ] as const)
    expect(await isIn(subject, { 'X-PagerDuty-Signature': value })).toBe(isValid)
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
