// The schemes of signatures: what each signs, which one applies, and several signatures in one header.

import { rules, type Scheme, type SchemeName, schemes } from '../../../spec/gateway/signatures.ts'
import type { GatewaySubject } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { allSchemes, isSigning, NOW, schemeNames, signedHeadersBy } from '../../generate/senders.ts'
import { signatureVectors } from '../../generate/signature-vectors.ts'
import {
  accepts,
  headerOf,
  judges,
  needs,
  pathOf,
  postAs,
  refuses,
  type SenderPost,
  signedBy,
  taken,
  usualBody,
} from '../../judge/posts.ts'

/** A text with another character at a position. */
const withOther = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1)

/** Signatures that are nearly the right one. */
function nearly(right: string, { encoding, prefix, time }: Scheme): readonly string[] {
  const isBehindTime = time !== undefined && 'item' in time
  const start = (isBehindTime ? right.indexOf(prefix) : 0) + prefix.length
  const padding = encoding === 'base64' ? 2 : 1
  const digest = right.slice(start)
  const before = right.slice(0, start)
  const hex = encoding === 'hex' ? [before + digest.toUpperCase(), right.toUpperCase()] : []
  const without = prefix === '' ? [`sha256=${right}`] : [right.replace(prefix, '')]
  return [
    withOther(right, start),
    withOther(right, Math.floor((start + right.length) / 2)),
    withOther(right, right.length - padding),
    right.slice(0, -1),
    `${right}0`,
    before,
    ...hex.filter((one) => one !== right),
    ...(encoding === 'text' ? [] : without),
  ]
}

/** The rule of a scheme. */
const ruleOf = (name: SchemeName) =>
  name === 'token' || name === 'gitlab' ? 'provider-token' : name

/** Proves that a scheme accepts what is signed, and nothing that differs by one byte. */
async function holds(subject: GatewaySubject, name: SchemeName): Promise<void> {
  const body = usualBody(subject)
  const { separator }: Scheme = schemes[name]
  const { basis } = rules[`signatures/${ruleOf(name)}`]
  const known = basis === 'stated' ? {} : { id: subject.sender.knownId }
  const first = await postAs(subject, { scheme: name, body, ...known })
  expect({ name, status: first.status }).toEqual({ name, status: expect.toBeOneOf([...taken]) })
  const right = await signedBy(subject, { scheme: name })
  await accepts(subject, right)
  const own = headerOf(name)
  for (const value of nearly(right[own] ?? '', schemes[name]))
    await refuses(subject, { ...right, [own]: value })
  await refuses(subject, await signedBy(subject, { scheme: name, secret: 'wrong' }))
  if (separator === ',') await holdsSeveral(subject, name)
  if (!isSigning(name)) return
  for (const at of [0, Math.floor(body.length / 2), body.length - 1])
    await refuses(subject, right, { body: withOther(body, at) })
  for (const other of [`${body} `, ` ${body}`, `${body}\n`, body.slice(0, -1), '', '{}'])
    await refuses(subject, right, { body: other })
  for (const signed of signedHeadersBy(schemes[name])) {
    const { [signed]: value = '', ...others } = right
    await refuses(subject, others)
    await refuses(subject, { ...others, [signed]: withOther(value, value.length - 1) })
  }
}

/** Proves that of several pairs one that is valid is enough. */
async function holdsSeveral(subject: GatewaySubject, name: SchemeName): Promise<void> {
  const { [headerOf(name)]: right = '' } = await signedBy(subject, { scheme: name })
  const pair = /v1=\w+/.exec(right)?.[0] ?? ''
  for (const [value, isAccepted] of [
    [right.replace(pair, `v1=00,v0=11,${pair}`), true],
    [`v1=xx,${right}`, true],
    [`${right},v1=00`, true],
    [right.replace(pair, `v1=${'0'.repeat(64)}`), false],
    [right.replace('v1=', 'v0='), false],
    [right.replace('v1=', 'v2='), false],
  ] as const)
    await judges(subject, isAccepted, { [headerOf(name)]: value })
}

/** Signed posts as their senders create them. */
const vectorsBy = (scheme: SchemeName | null) =>
  signatureVectors
    .filter((one) => one.scheme === scheme)
    .toSorted((a, b) => (a.epochSeconds ?? NOW) - (b.epochSeconds ?? NOW))

/** The member of a route for a scheme that no header selects. */
const namedIfHidden = (scheme: SchemeName | null) =>
  scheme !== null && schemes[scheme].selectedBy.length === 0 ? { scheme } : {}

/** A gateway with a route for each vector of a scheme, at the time of the first one. */
const routesFor = (scheme: SchemeName | null) => ({
  epoch: (vectorsBy(scheme)[0]?.epochSeconds ?? NOW) * 1000,
  routes: Object.fromEntries(
    vectorsBy(scheme).map(({ secret }, at) => [`${at}`, { secret, ...namedIfHidden(scheme) }]),
  ),
})

/** Checks the vectors of a scheme on a gateway, each at its own time. */
const holdVectors =
  (scheme: SchemeName | null) =>
  async ({ send, gateway }: GatewaySubject): Promise<void> => {
    let timeMs = Number(gateway.options.epoch)
    for (const [at, vector] of vectorsBy(scheme).entries()) {
      const ownMs = (vector.epochSeconds ?? NOW) * 1000
      await gateway.advance(ownMs - timeMs)
      timeMs = ownMs
      const { status } = await send('POST', `/webhooks/${at}`, vector.body, vector.headers)
      // A body that is not valid JSON is rejected only after its signature was verified.
      const taken = vector.body.startsWith('Hello') ? 400 : 202
      expect([vector.title, status]).toEqual([vector.title, vector.isValid ? taken : 401])
    }
  }

for (const name of schemeNames) {
  proves(`signatures/${ruleOf(name)}`, async (subject) => {
    await holds(subject, name)
    if (name === 'token') await accepts(subject, { 'x-my-own-2-token': subject.sender.secret })
    if (name !== 'standard' || !subject.sender.schemes.includes('github')) return
    // The other two headers alone select nothing.
    const { 'webhook-signature': _, ...both } = await signedBy(subject, { scheme: name })
    await accepts(subject, { ...both, ...(await signedBy(subject, { scheme: 'github' })) })
    await refuses(subject, both)
  })
}
for (const name of allSchemes)
  proves(`signatures/${ruleOf(name)}`, holdVectors(name), routesFor(name))
proves('signatures/other-headers', holdVectors(null), routesFor(null))

proves('signatures/every-scheme', async (subject) => {
  for (const scheme of schemeNames) await accepts(subject, await signedBy(subject, { scheme }))
})

proves('signatures/precedence', async (subject) => {
  const { sender, isOwn } = subject
  const by = (scheme: SchemeName, more: SenderPost = {}) => signedBy(subject, { scheme, ...more })
  for (const [at, first] of sender.schemes.entries()) {
    for (const [after, second] of sender.schemes.slice(at + 1).entries()) {
      const wrong = await by(first, { secret: 'wrong' })
      await refuses(subject, { ...(await by(second)), ...wrong })
      // What is accepted counts for the rate limit; the gateway knows its id for an hour.
      if (after > 0 && !isOwn) continue
      if (isOwn && after % 10 === 0) await sender.room(1)
      await accepts(subject, { ...(await by(second, { secret: 'wrong' })), ...(await by(first)) })
    }
  }
})

proves('signatures/linear-window', async (subject) => {
  needs(subject, 'linear')
  // The clock of a gateway elsewhere goes on between its date and the post.
  const [outside, inside] = subject.isOwn ? [61, 60] : [70, 50]
  const now = await subject.sender.now()
  const judged = async (scheme: SchemeName, seconds: number, isAccepted: boolean) => {
    const body = JSON.stringify({ webhookTimestamp: (now + seconds) * 1000 })
    await judges(subject, isAccepted, await signedBy(subject, { scheme, body }), { body })
  }
  for (const seconds of [-outside, outside]) await judged('linear', seconds, false)
  for (const seconds of [-inside, inside]) await judged('linear', seconds, true)
  // Another scheme does not read it.
  await judged('github', -now, true)
})

proves('signatures/svix-headers', async (subject) => {
  needs(subject, 'svix')
  const all = await signedBy(subject, { scheme: 'svix' })
  await accepts(subject, all)
  const github = await signedBy(subject, { scheme: 'github' })
  for (const name of ['svix-id', 'svix-timestamp', 'svix-signature']) {
    const { [name]: own = '', ...others } = all
    await refuses(subject, others)
    await refuses(subject, { ...others, [name]: '' })
    await refuses(subject, { ...others, [name]: `${own}x` })
    await refuses(subject, { [name]: own, ...github })
  }
})

proves('signatures/several-entries', async (subject) => {
  needs(subject, 'svix')
  const { sender, isOwn } = subject
  const all = await signedBy(subject, { scheme: 'svix' })
  const right = all['svix-signature'] ?? ''
  const other = await signedBy(subject, { scheme: 'svix', secret: 'other' })
  const wrong = other['svix-signature'] ?? ''
  const inV = (version: string) => `${version},${right.slice('v1,'.length)}`
  for (const value of [`${wrong} ${right}`, `${right} ${wrong}`, `  ${right}\t`])
    await accepts(subject, { ...all, 'svix-signature': value })
  const fresh = await signedBy(subject, { scheme: 'svix', id: sender.newId() })
  const { status } = await subject.send('POST', pathOf(sender.route), usualBody(subject), {
    ...fresh,
    'svix-signature': `v1a,x x ${wrong} ${fresh['svix-signature']}`,
    'X-GitHub-Delivery': sender.newId(),
  })
  expect(taken).toContain(status)
  for (const value of [wrong, inV('V1'), inV('v2'), inV('v1a'), right.slice(3), `${right},x`])
    await refuses(subject, { ...all, 'svix-signature': value })
  if (isOwn) await holdsSeveral(subject, 'stripe')
})

proves('signatures/token-order', async (subject) => {
  needs(subject, 'token')
  const right = { 'X-B-Token': subject.sender.secret }
  await accepts(subject, { 'X-A-Token': 'wrong', ...right, 'X-C-Token': 'wrong' })
  await refuses(subject, { ...right, 'X-Gitlab-Token': 'wrong' })
})
