// Signatures on any gateway: each scheme with small changes of body and signature, precedence, and signed times.

import { rules, type SchemeName, type Scheme, schemes } from '../../../spec/gateway/signatures.ts'
import { type GatewaySubject } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import {
  pathOf,
  payloadOf,
  postAs,
  type SenderPost,
  signedBy,
  usualBody,
} from '../../judge/posts/posts.ts'
import { exchangeBytes } from '../../judge/wire.ts'
import { headerOf, isIn, refuses } from '../../judge/posts/signatures.ts'

const taken: readonly number[] = [200, 202, 502]

/** A text with another character at a position. */
const withOther = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1)

/** Signatures that are nearly the right one. */
function nearly(right: string, { encoding, prefix, form }: Scheme): readonly string[] {
  const start = form === 'pairs' ? right.indexOf(prefix) + prefix.length : prefix.length
  const padding = encoding === 'base64' ? 2 : 1
  const digest = right.slice(start)
  const before = right.slice(0, start)
  const hex = encoding === 'hex' ? [before + digest.toUpperCase()] : []
  const without = prefix === '' ? [`sha256=${right}`] : [right.replace(prefix, '')]
  return [
    withOther(right, start),
    withOther(right, Math.floor((start + right.length) / 2)),
    withOther(right, right.length - padding),
    right.slice(0, -1),
    `${right}0`,
    before,
    ...hex.filter((one) => one !== right),
    ...(encoding === 'plain' ? [] : without),
  ]
}

/** The rule of a scheme. */
const ruleOf = (name: SchemeName) =>
  name === 'token' || name === 'gitlab' ? 'provider-token' : name

/** Proves that a scheme accepts what is signed, and nothing that differs by one byte. */
const holds =
  (name: SchemeName) =>
  async (subject: GatewaySubject): Promise<void> => {
    const body = usualBody(subject)
    const { basis } = rules[`signatures/${ruleOf(name)}`]
    const known = basis === 'stated' ? {} : { id: subject.sender.knownId }
    const first = await postAs(subject, { scheme: name, body, ...known })
    expect({ name, status: first.status }).toEqual({ name, status: expect.toBeOneOf([...taken]) })
    const right = await signedBy(subject, { scheme: name, body })
    expect(await isIn(subject, right, body)).toBe(true)
    const own = headerOf(name)
    for (const value of nearly(right[own] ?? '', schemes[name]))
      await refuses(subject, { ...right, [own]: value }, body)
    await refuses(subject, await signedBy(subject, { scheme: name, body, secret: 'wrong' }), body)
    if (schemes[name].signs === 'token') return
    for (const at of [0, Math.floor(body.length / 2), body.length - 1])
      await refuses(subject, right, withOther(body, at))
    for (const other of [`${body} `, ` ${body}`, `${body}\n`, body.slice(0, -1), '', '{}'])
      await refuses(subject, right, other)
  }

proves('signatures/github', holds('github'))
proves('signatures/provider-token', holds('gitlab'))
proves('signatures/provider-token', holds('token'))
proves('signatures/svix', holds('svix'))
proves('signatures/standard', holds('standard'))
proves('signatures/stripe', holds('stripe'))
proves('signatures/linear', holds('linear'))
proves('signatures/generic', holds('generic'))
proves('signatures/generic-v2', holds('generic-v2'))

proves('signatures/every-scheme', async (subject) => {
  for (const scheme of Object.keys(schemes) as readonly SchemeName[]) {
    const headers = await signedBy(subject, { scheme })
    const isAccepted = await isIn(subject, headers, usualBody(subject))
    expect({ scheme, isAccepted }).toEqual({ scheme, isAccepted: true })
  }
})

proves('signatures/raw-body', async (subject) => {
  const { event: event_type } = subject.sender
  const usual = payloadOf({ event_type })
  const texts = [
    `${usual}\n`,
    JSON.stringify(JSON.parse(usual), null, 2),
    payloadOf({ event_type, name: 'é' }),
    payloadOf({ event_type, name: 'é' }).replace('é', '\\u00e9'),
    ` ${usual}\t `,
  ]
  const used = ['github', 'svix', 'generic'] as const
  const scheme = used.find((one) => subject.sender.schemes.includes(one)) ?? 'github'
  for (const [at, body] of texts.entries()) {
    const known = at === 0 ? {} : { id: subject.sender.knownId }
    const { status } = await postAs(subject, { scheme, body, ...known })
    expect({ body, status }).toEqual({ body, status: expect.toBeOneOf([...taken]) })
    const others = await signedBy(subject, { scheme, body: texts[(at + 1) % texts.length] ?? '' })
    await refuses(subject, others, body)
  }
})

proves('signatures/precedence', async (subject) => {
  const { sender } = subject
  const body = usualBody(subject)
  const by = (scheme: SchemeName, more: SenderPost = {}) =>
    signedBy(subject, { scheme, body, ...more })
  for (const [at, first] of sender.schemes.entries()) {
    for (const second of sender.schemes.slice(at + 1)) {
      const wrong = await by(first, { secret: 'wrong' })
      await refuses(subject, { ...(await by(second)), ...wrong }, body)
    }
    const next = sender.schemes[at + 1]
    if (next === undefined) continue
    const both = { ...(await by(next, { secret: 'wrong' })), ...(await by(first)) }
    expect({ first, next, isAccepted: await isIn(subject, both, body) }).toEqual({
      first,
      next,
      isAccepted: true,
    })
  }
})

/** Ends the case on a gateway without this scheme. */
function needs({ sender }: GatewaySubject, name: SchemeName): void {
  if (!sender.schemes.includes(name)) sender.missing(`It does not accept the scheme ${name}.`)
}

proves('signatures/repeated-header', async (subject) => {
  needs(subject, 'github')
  const { sender, url } = subject
  const body = usualBody(subject)
  const { 'X-Hub-Signature-256': right = '' } = await signedBy(subject, { scheme: 'github' })
  const post = async (...values: readonly string[]): Promise<number> => {
    await sender.room(1)
    const lines = values.map((value) => `X-Hub-Signature-256: ${value}\r\n`).join('')
    const host = `Host: ${new URL(url).host}\r\nConnection: close\r\n`
    const more = `X-GitHub-Delivery: ${sender.knownId}\r\nContent-Length: ${body.length}\r\n`
    const head = `POST ${pathOf(sender.route)} HTTP/1.1\r\n${host}${more}${lines}\r\n`
    return (await exchangeBytes(url, head + body)).status
  }
  expect(await post('sha256=00', right)).toBe(401)
  expect(await post('wrong', right)).toBe(401)
  expect(taken).toContain(await post(right, 'wrong'))
})

proves('signatures/header-names', async (subject) => {
  needs(subject, 'github')
  const body = usualBody(subject)
  const { 'X-Hub-Signature-256': value = '' } = await signedBy(subject, { scheme: 'github' })
  expect(await isIn(subject, { 'x-hub-signature-256': value }, body)).toBe(true)
  expect(await isIn(subject, { 'X-HUB-SIGNATURE-256': value }, body)).toBe(true)
  const empty = { 'svix-id': '', 'X-Hub-Signature-256': value, 'X-Gitlab-Token': '' }
  expect(await isIn(subject, empty, body)).toBe(true)
  await refuses(subject, { 'X-Hub-Signature-256': '', 'X-Gitlab-Token': '' }, body)
})

proves('signatures/other-headers', async (subject) => {
  const body = usualBody(subject)
  const digest = (await signedBy(subject, { scheme: 'generic' }))['X-Webhook-Signature'] ?? ''
  for (const name of ['X-Hub-Signature', 'X-Signature', 'Signature', 'X-Slack-Signature'])
    for (const value of [digest, `sha256=${digest}`, `v0=${digest}`])
      await refuses(subject, { [name]: value }, body)
  const { secret } = subject.sender
  for (const name of ['Token', 'X-Token', 'X-Acme-Tokens', 'Acme-Token', 'X-Api-Key'])
    await refuses(subject, { [name]: secret }, body)
  await refuses(subject, { Authorization: `Bearer ${secret}` }, body)
})

proves('signatures/svix-headers', async (subject) => {
  needs(subject, 'svix')
  const body = usualBody(subject)
  const all = await signedBy(subject, { scheme: 'svix' })
  expect(await isIn(subject, all, body)).toBe(true)
  const github = await signedBy(subject, { scheme: 'github' })
  for (const name of ['svix-id', 'svix-timestamp', 'svix-signature']) {
    const { [name]: own = '', ...others } = all
    await refuses(subject, others, body)
    await refuses(subject, { ...others, [name]: '' }, body)
    await refuses(subject, { ...others, [name]: `${own}x` }, body)
    await refuses(subject, { [name]: own, ...github }, body)
  }
})

proves('signatures/standard', async (subject) => {
  needs(subject, 'github')
  const body = usualBody(subject)
  const { 'webhook-signature': _, ...both } = await signedBy(subject, { scheme: 'standard' })
  const github = await signedBy(subject, { scheme: 'github' })
  expect(await isIn(subject, { ...both, ...github }, body)).toBe(true)
  await refuses(subject, both, body)
})

proves('signatures/several-entries', async (subject) => {
  needs(subject, 'svix')
  const body = usualBody(subject)
  const all = await signedBy(subject, { scheme: 'svix' })
  const right = all['svix-signature'] ?? ''
  const other = await signedBy(subject, { scheme: 'svix', secret: 'other' })
  const wrong = other['svix-signature'] ?? ''
  const inV = (version: string) => `${version},${right.slice('v1,'.length)}`
  for (const value of [`${wrong} ${right}`, `${right} ${wrong}`, `v1a,x ${wrong} ${right}`]) {
    const headers = { ...all, 'svix-signature': value }
    const { knownId, newId } = subject.sender
    const id = value.startsWith('v1a') ? newId() : knownId
    const path = pathOf(subject.sender.route)
    const { status } = await subject.send('POST', path, body, {
      ...headers,
      'X-GitHub-Delivery': id,
    })
    expect({ value, status }).toEqual({ value, status: expect.toBeOneOf([...taken]) })
  }
  const refused = [wrong, inV('V1'), inV('v2'), inV('v1a'), right.slice(3), `${right},x`]
  for (const value of refused) await refuses(subject, { ...all, 'svix-signature': value }, body)
})

proves('signatures/token-order', async (subject) => {
  needs(subject, 'token')
  const body = usualBody(subject)
  const right = { 'X-B-Token': subject.sender.secret }
  const three = { 'X-A-Token': 'wrong', ...right, 'X-C-Token': 'wrong' }
  expect(await isIn(subject, three, body)).toBe(true)
  await refuses(subject, { ...right, 'X-Gitlab-Token': 'wrong' }, body)
})
