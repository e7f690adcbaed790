// Signed posts: what a signature covers, the headers that carry it, and its time.

import { type GatewaySubject, SECRET } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { exchangeBytes } from '../../judge/wire.ts'
import { headersOf, timedSchemes } from '../../generate/senders.ts'
import {
  accepts,
  headerOf,
  judges,
  needs,
  pathOf,
  payloadOf,
  postAs,
  refuses,
  signedBy,
  taken,
  usualBody,
} from '../../judge/posts.ts'

proves('signatures/every-post', async (subject) => {
  const body = usualBody(subject)
  for (const headers of [
    {},
    ...subject.sender.schemes.map((name) => headersOf(name, { body, secret: `not the ${SECRET}` })),
    ...subject.sender.schemes.map((name) => headersOf(name, { body, secret: '' })),
    { 'X-Hub-Signature-256': 'sha256=' },
    { 'X-Hub-Signature-256': 'undefined' },
    { 'X-Gitlab-Token': '' },
    { 'svix-id': 'a' },
    { 'svix-id': 'a', 'svix-timestamp': '0', 'svix-signature': 'v1,' },
    { Authorization: `Bearer ${SECRET}` },
  ])
    await refuses(subject, headers)
  if (subject.isOwn) await accepts(subject, await signedBy(subject))
})

proves('signatures/raw-body', async (subject) => {
  const { sender, isOwn } = subject
  const { event: event_type } = sender
  const usual = payloadOf({ event_type })
  const texts = [
    `${usual}\n`,
    JSON.stringify(JSON.parse(usual), null, 2),
    payloadOf({ event_type, name: 'é' }),
    payloadOf({ event_type, name: 'é' }).replace('é', '\\u00e9'),
    ` ${usual}\t `,
  ]
  const used = ['github', 'svix', 'generic'] as const
  const scheme = used.find((one) => sender.schemes.includes(one)) ?? 'github'
  for (const [at, body] of texts.entries()) {
    const known = at === 0 ? {} : { id: sender.knownId }
    const { status } = await postAs(subject, { scheme, body, ...known })
    expect({ body, status }).toEqual({ body, status: expect.toBeOneOf([...taken]) })
    const [next = ''] = [...texts.slice(at + 1), ...texts]
    for (const other of isOwn ? texts.filter((one) => one !== body) : [next])
      await refuses(subject, await signedBy(subject, { scheme, body: other }), { body })
  }
  if (!isOwn) return
  // Bytes that cannot be decoded as text can be signed, but not parsed.
  expect((await postAs(subject, { body: Buffer.from([0xff, 0x00, 0x80]) })).status).toBe(400)
})

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
  expect(taken).toContain(await post(right, right))
})

proves('signatures/header-names', async (subject) => {
  needs(subject, 'github')
  const { 'X-Hub-Signature-256': value = '' } = await signedBy(subject, { scheme: 'github' })
  await accepts(subject, { 'x-hub-signature-256': value })
  await accepts(subject, { 'X-HUB-SIGNATURE-256': value })
  await accepts(subject, { 'svix-id': '', 'X-Hub-Signature-256': value, 'X-Gitlab-Token': '' })
  await refuses(subject, { 'X-Hub-Signature-256': '', 'X-Gitlab-Token': '' })
  if (!subject.isOwn) return
  await accepts(subject, { 'X-Hub-Signature-256': '', 'X-Gitlab-Token': SECRET })
})

/** Whether a gateway takes a header as a signature of Bitbucket. */
const isBitbucket = ({ sender }: GatewaySubject, name: string, value: string): boolean =>
  sender.schemes.includes('bitbucket') && name === 'X-Hub-Signature' && value.startsWith('sha256=')

proves('signatures/other-headers', async (subject) => {
  const digest = (await signedBy(subject, { scheme: 'generic' }))['X-Webhook-Signature'] ?? ''
  const names = ['X-Hub-Signature', 'X-Signature', 'Signature', 'X-Acme-Signature']
  for (const name of [...names, 'X-Slack-Signature'])
    for (const value of [digest, `sha256=${digest}`, `sha1=${digest}`, `v0=${digest}`])
      if (!isBitbucket(subject, name, value)) await refuses(subject, { [name]: value })
  const { secret } = subject.sender
  for (const name of ['Token', 'X-Token', 'X-Acme-Tokens', 'Acme-Token', 'X--Token', 'X-Api-Key'])
    await refuses(subject, { [name]: secret })
  await refuses(subject, { Authorization: `Bearer ${secret}` })
  if (!subject.isOwn) return
  // They do not disturb a valid signature.
  const valid = await signedBy(subject, { scheme: 'github' })
  for (const name of names) await accepts(subject, { [name]: 'wrong', ...valid })
})

/** The schemes of a gateway that sign a time. */
function timedOf({ sender }: Parameters<typeof needs>[0]) {
  const timed = timedSchemes.filter((one) => sender.schemes.includes(one))
  return timed.length > 0 ? timed : sender.missing('It accepts no scheme that signs a time.')
}

proves('signatures/window', async (subject) => {
  const { sender, isOwn } = subject
  // The clock of a gateway elsewhere goes on between its date and the post.
  const [outside, inside] = isOwn
    ? [
        [-301, 301],
        [-300, 0, 300],
      ]
    : [
        [-301, -305, -600, -3600, 310, 599],
        [-290, 295],
      ]
  for (const scheme of timedOf(subject)) {
    const judged = async (off: number, isAccepted: boolean): Promise<void> => {
      // A post that the limit holds back would arrive with a time that has gone by.
      if (!isOwn) await sender.room(1)
      const timestamp = `${(await sender.now()) + off}`
      await judges(subject, isAccepted, await signedBy(subject, { scheme, timestamp }))
    }
    for (const off of [...outside, 1_000_000]) await judged(off, false)
    for (const off of inside) await judged(off, true)
    const timestamp = `${(await sender.now()) * 1000}`
    await refuses(subject, await signedBy(subject, { scheme, timestamp }))
  }
  if (!isOwn) return
  // The clock counts whole seconds.
  const timestamp = `${(await sender.now()) - 300}`
  const old = await signedBy(subject, { scheme: 'stripe', timestamp })
  await sender.pause(999)
  await accepts(subject, old)
  await sender.pause(1)
  await refuses(subject, old)
})

proves('signatures/timestamp-digits', async (subject) => {
  const now = await subject.sender.now()
  const grouped = `${now}`.replace(/(?=...$)/, '_')
  const odd = [
    `+${now}`,
    `-${now}`,
    `${now}.0`,
    `0x${now.toString(16)}`,
    'now',
    ' ',
    '1e9',
    grouped,
  ]
  for (const scheme of timedOf(subject))
    for (const timestamp of [...odd, `${now / 1e9}e9`, `${now}`.repeat(40)])
      await refuses(subject, await signedBy(subject, { scheme, timestamp }))
  if (!subject.isOwn) return
  await accepts(subject, await signedBy(subject, { scheme: 'stripe', timestamp: `000${now}` }))
})

proves('signatures/non-ascii', async (subject) => {
  for (const scheme of subject.sender.schemes) {
    const headers = await signedBy(subject, { scheme })
    await refuses(subject, { ...headers, [headerOf(scheme)]: 'v1,é☃' })
  }
  if (!subject.isOwn) return
  const to = await subject.sender.control.make({ secret: 'clé☃' })
  const post = (token: Buffer) =>
    exchangeBytes(
      subject.url,
      `POST ${pathOf(to.route)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Gitlab-Token: `,
      token,
      '\r\n\r\n',
    )
  expect((await post(Buffer.from('clé☃'))).status).toBe(202)
  expect((await post(Buffer.from('clé', 'latin1'))).status).toBe(401)
  expect((await postAs(subject, { to })).status).toBe(202)
})
