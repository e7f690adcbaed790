// Schemes that config.yaml or a program declares: senders that the table does not have.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { replayGateway, startGateway } from 'flowdouble'
import configSchema from '../../../spec/config.schema.json' with { type: 'json' }
import { type OwnScheme, ownScheme } from '../../../spec/gateway/signatures.ts'
import { type GatewaySubject, SECRET } from '../../judge/gateway-subject.ts'
import { headersBy, NOW } from '../../generate/senders.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

/** Schemes of real senders as their documentation describes them. */
const own = {
  paddle: {
    header: 'Paddle-Signature',
    signs: '{time}:{body}',
    prefix: 'h1=',
    separator: ';',
    time: { item: 'ts' },
    id: { member: 'notification_id' },
    event: { member: 'event_type' },
  },
  zoom: {
    header: 'x-zm-signature',
    signs: 'v0:{time}:{body}',
    prefix: 'v0=',
    time: { header: 'x-zm-request-timestamp' },
    event: { member: 'event' },
  },
  hubspot: {
    header: 'X-HubSpot-Signature-v3',
    signs: 'POST{url}{body}{time}',
    encoding: 'base64',
    time: { header: 'X-HubSpot-Request-Timestamp' },
    time_unit: 'ms',
  },
  square: { header: 'x-square-hmacsha256-signature', signs: '{url}{body}', encoding: 'base64' },
  trello: {
    header: 'X-Trello-Webhook',
    signs: '{body}{url}',
    algorithm: 'sha1',
    encoding: 'base64',
  },
  paystack: { header: 'x-paystack-signature', algorithm: 'sha512' },
  'grafana-timed': {
    header: 'X-Grafana-Alerting-Signature',
    signs: '{time}:{body}',
    time: { header: 'X-Grafana-Alerting-Timestamp' },
    window_seconds: 60,
  },
  resend: {
    header: 'x-own-signature',
    signs: '{id}.{time}.{body}',
    encoding: 'base64',
    prefix: 'v1,',
    separator: ' ',
    key: 'base64',
    id: { header: 'x-own-id' },
    time: { header: 'x-own-time' },
  },
  secret: { header: 'X-Api-Key', algorithm: 'none', prefix: 'key ', event: { header: 'X-Kind' } },
} as const satisfies Readonly<Record<string, OwnScheme>>
type OwnName = keyof typeof own

const names = Object.keys(own) as readonly OwnName[]
const key = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX'
const secretOf = (name: OwnName): string => (name === 'resend' ? key : SECRET)
const routes = Object.fromEntries(
  names.map((scheme) => [scheme, { secret: secretOf(scheme), scheme }]),
)

const options = { schemes: own, routes }

/** The time as a scheme writes it. */
const timeOf = (name: OwnName, seconds: number): string =>
  `${(own[name] as OwnScheme).time_unit === 'ms' ? seconds * 1000 : seconds}`

function signedFor(
  { url }: GatewaySubject,
  name: OwnName,
  { body = '{}', seconds = NOW, secret = secretOf(name), base = url } = {},
): Record<string, string> {
  const content = { body, secret, timestamp: timeOf(name, seconds) }
  return headersBy(ownScheme(own[name]), { ...content, url: `${base}/webhooks/${name}` })
}

const statusOf = async (
  { send }: GatewaySubject,
  name: OwnName,
  headers: Readonly<Record<string, string>>,
  body = '{}',
): Promise<number> => (await send('POST', `/webhooks/${name}`, body, headers)).status

const changed = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === 'x' ? 'y' : 'x') + text.slice(at + 1)

proves(
  'signatures/own-scheme',
  async (subject) => {
    // The laws know the headers of the table only.
    subject.breaks('signatures/every-post')
    for (const name of names) {
      const right = signedFor(subject, name)
      const accepted = await statusOf(subject, name, right)
      expect({ name, accepted }).toEqual({ name, accepted: 202 })
      const scheme: OwnScheme = own[name]
      const wrong: [string, Readonly<Record<string, string>>, string?][] = [
        ['secret', signedFor(subject, name, { secret: 'whsec_AAAA' })],
        ['none', {}],
        ...Object.entries(right).map(([header, value]): [string, Record<string, string>] => [
          header,
          { ...right, [header]: changed(value, value.length - 2) },
        ]),
      ]
      if (scheme.algorithm !== 'none') wrong.push(['body', right, '{ }'])
      if (scheme.time !== undefined)
        for (const off of [-(scheme.window_seconds ?? 300) - 1, (scheme.window_seconds ?? 300) + 1])
          wrong.push(['time', signedFor(subject, name, { seconds: NOW + off })])
      for (const [what, headers, body] of wrong) {
        const status = await statusOf(subject, name, headers, body)
        expect({ name, what, status }).toEqual({ name, what, status: 401 })
      }
      // Other routes do not accept it.
      const other = await subject.send('POST', '/webhooks/plain', '{}', right)
      expect({ name, status: other.status }).toEqual({ name, status: 401 })
    }
    // Its places of id and event count like those of the table.
    const body = '{"notification_id": "ntf_1", "event_type": "paid"}'
    const paddle = signedFor(subject, 'paddle', { body })
    const post = () => subject.send('POST', '/webhooks/paddle', body, paddle)
    expect((await post()).json()).toMatchObject({ event: 'paid', delivery_id: 'ntf_1' })
    expect((await post()).json()).toEqual({ status: 'duplicate', delivery_id: 'ntf_1' })
    const kind = { ...signedFor(subject, 'secret'), 'X-Kind': 'seen' }
    const named = await subject.send('POST', '/webhooks/secret', '{"type": "x"}', kind)
    expect(named.json()).toMatchObject({ event: 'seen' })
    // One of several signatures is enough.
    const both = { ...paddle, 'Paddle-Signature': `${paddle['Paddle-Signature']};h1=00` }
    expect((await subject.send('POST', '/webhooks/paddle', body, both)).status).toBe(200)
  },
  { ...options, routes: { ...routes, plain: { secret: SECRET } } },
)

proves(
  'signatures/signed-url',
  async (subject) => {
    subject.breaks('signatures/every-post')
    const base = 'https://hooks.example/in'
    for (const name of ['square', 'trello', 'hubspot'] as const) {
      expect(await statusOf(subject, name, signedFor(subject, name, { base }))).toBe(202)
      expect(await statusOf(subject, name, signedFor(subject, name))).toBe(401)
    }
  },
  { ...options, baseUrl: 'https://hooks.example/in' },
)

proves(
  'signatures/signed-url',
  async (subject) => {
    subject.breaks('signatures/every-post')
    // The query is part of the address.
    const target = '/webhooks/square?a=1'
    const url = subject.url + target
    const headers = headersBy(ownScheme(own.square), { body: '{}', secret: SECRET, url })
    expect((await subject.send('POST', target, '{}', headers)).status).toBe(202)
    expect((await subject.send('POST', '/webhooks/square?a=2', '{}', headers)).status).toBe(401)
  },
  options,
)

proves('signatures/own-scheme-checked', async () => {
  const header = 'X-Sign'
  for (const [scheme, says] of [
    [{}, 'acme lacks the member header'],
    [5, 'acme must be an object'],
    [{ header: 'X Sign' }, 'acme.header is not valid here (the header with the signature)'],
    [{ header, algorithm: 'md5' }, 'acme.algorithm must be one of sha256, sha512, sha1, none'],
    [{ header, encodng: 'hex' }, 'acme.encodng is not a known member; did you mean encoding?'],
    [{ header, encoding: 'text' }, 'acme.encoding is text'],
    [{ header, signs: '{time}' }, 'acme.signs leaves out {body}'],
    [{ header, signs: '{body}{now}' }, 'acme.signs names {now}'],
    [{ header, signs: '{time}.{body}' }, 'acme.signs names {time}, which needs time'],
    [{ header, signs: '{id}.{body}', id: { member: 'id' } }, 'acme.signs names {id}'],
    [{ header, time: { header: 'X-Time' } }, 'acme.time is not signed'],
    [{ header, time: { item: 't' }, signs: '{time}{body}' }, 'acme.time is an item'],
    [{ header, time: { at: 't' } }, 'acme.time must be'],
    [{ header, window_seconds: 10 }, 'acme.window_seconds needs time'],
    [{ header, window_seconds: 0 }, 'acme.window_seconds must be a whole number from 1'],
    [{ header, algorithm: 'none', signs: '{body}' }, 'acme.signs has no effect'],
    [{ header, algorithm: 'none', encoding: 'hex' }, 'acme.encoding of a secret'],
  ] as const) {
    const given = { schemes: { acme: scheme } as Readonly<Record<string, OwnScheme>> }
    const error: unknown = await startGateway({ port: 0, ...given }).catch((one: unknown) => one)
    expect(String(error)).toContain(says)
  }
  // Editors know it from the published schema.
  const valid = new Ajv2020({ strict: false }).compile(configSchema.$defs.gateway)
  const config = (schemes: unknown) => ({ platforms: { webhook: { extra: { schemes } } } })
  expect(valid(config(own))).toBe(true)
  expect(valid(config({ acme: { header, encodng: 'hex' } }))).toBe(false)
  for (const [name, says] of [
    ['github', 'github is a scheme of every gateway'],
    ['Acme', '"Acme" is not a name of'],
  ] as const)
    await expect(startGateway({ port: 0, schemes: { [name]: { header } } })).rejects.toThrow(says)
})

proves(
  'signatures/hidden',
  async (subject) => {
    subject.breaks('signatures/every-post')
    const { gateway, send, idle } = subject
    const posted: [name: string, headers: Readonly<Record<string, string>>][] = [
      ['bearer', { Authorization: 'Bearer hidden-bearer' }],
      ['bearer', { Authorization: 'Bearer hidden-guess' }],
      ['bearer', { Authorization: 'hidden-bearer' }],
      ['basic', { Authorization: `Basic ${btoa('user:hidden-basic')}` }],
      ['basic', { Authorization: `Basic ${btoa('user:hidden-other')}` }],
      ['basic', { Authorization: 'Basic %%' }],
      ...names.map((name): [string, Record<string, string>] => [name, signedFor(subject, name)]),
      ...names.map((name): [string, Record<string, string>] => [
        name,
        signedFor(subject, name, { secret: 'hidden-wrong' }),
      ]),
    ]
    const statuses: number[] = []
    for (const [name, headers] of posted)
      statuses.push((await send('POST', `/webhooks/${name}`, '{}', headers)).status)
    const valid = names.map(() => 202)
    expect(statuses).toEqual([202, 401, 401, 202, 401, 401, ...valid, ...valid.map(() => 401)])
    await idle()
    const journal = (await gateway.journal()).join('\n')
    expect(journal).not.toMatch(/hidden|aGlkZG/)
    expect(journal).not.toContain(btoa('user:hidden-basic'))
    for (const name of names)
      for (const value of Object.values(signedFor(subject, name)))
        if (value.length > 30) expect([name, journal.includes(value)]).toEqual([name, false])
    const entries = journal.split('\n').length - 1
    expect(replayGateway(journal)).toEqual({ entries, differs: null })
  },
  {
    ...options,
    rateLimit: 100,
    routes: {
      ...routes,
      bearer: { secret: 'hidden-bearer', scheme: 'bearer' },
      basic: { secret: 'user:hidden-basic', scheme: 'basic' },
    },
  },
)
