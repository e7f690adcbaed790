// Secrets: which one opens a route, that none opens a route without one, and the key that a secret stands for.

import type { GatewaySubject } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { signingSchemes } from '../../generate/senders.ts'
import { schemes } from '../../../spec/gateway/signatures.ts'
import { accepts, judges, pathOf, postAs, refuses, signedBy, usualBody } from '../../judge/posts.ts'

/** Demands that a route takes no post, signed or not. */
async function takesNone(subject: GatewaySubject, route: string, secrets: readonly string[]) {
  const body = usualBody(subject)
  const tokens = secrets.map((secret) => ({ 'X-Gitlab-Token': secret }))
  const signatures = await Promise.all(
    secrets.map((secret) => signedBy(subject, { scheme: 'github', secret })),
  )
  for (const headers of [{}, ...tokens, ...signatures]) {
    const { status } = await subject.send('POST', pathOf(route), body, headers)
    expect({ route, headers, status }).toEqual({
      route,
      headers,
      status: expect.toBeOneOf([401, 403, 404]),
    })
  }
}

const openly = 'INSECURE_NO_AUTH'

proves(['signatures/no-open-route', 'signatures/no-empty-secret'], async (subject) => {
  const { route, secret } = subject.sender
  await takesNone(subject, route, [openly, '', 'null', 'undefined'])
  for (const unknown of ['flowdouble-check-nobody', 'constructor', '__proto__'])
    await takesNone(subject, unknown, [secret, openly, '', 'null', 'undefined'])
})

proves(['signatures/no-open-route', 'signatures/no-empty-secret'], async (subject) => {
  const { control } = subject.sender
  for (const settings of [{ secret: openly }, { secret: '' }, { secret: null }, { secret: 5 }, {}])
    await takesNone(subject, await control.attempt(settings), [openly, '', 'null', '5'])
})

proves('signatures/own-secret', async (subject) => {
  const { control } = subject.sender
  const own = ['flowdouble-check-one', 'flowdouble-check-two']
  const [one, two] = [
    await control.make({ secret: own[0] }),
    await control.make({ secret: own[1] }),
  ]
  const status = async (to: typeof one, secret: string): Promise<number> =>
    (await postAs(subject, { to, scheme: 'github', secret })).status
  expect([await status(one, one.secret), await status(two, two.secret)]).toEqual([202, 202])
  await takesNone(subject, one.route, [two.secret, subject.sender.secret])
  await takesNone(subject, two.route, [one.secret, subject.sender.secret])
})

proves('signatures/old-secret', async (subject) => {
  const { control, now, schemes: known } = subject.sender
  const at = async (seconds: number): Promise<string> =>
    new Date(((await now()) + seconds) * 1000).toISOString().replace('.000Z', 'Z')
  const until = async (secret: string, seconds: number) => ({
    secret,
    valid_until: await at(seconds),
  })
  const make = async () =>
    control.make({
      secret: 'flowdouble-check-new',
      old_secrets: [
        await until('flowdouble-check-over', -5),
        await until('flowdouble-check-long', 3600),
        await until('flowdouble-check-short', 600),
        { secret: 'flowdouble-check-timeless' },
        { secret: 'flowdouble-check-odd', valid_until: 'tomorrow' },
        await until(openly, 3600),
        await until('', 3600),
      ],
    })
  for (const scheme of known) {
    const { route } = await make()
    for (const [name, isValid] of [
      ['new', true],
      ['long', true],
      ['short', true],
      ['over', false],
      ['timeless', false],
      ['odd', false],
      ['none', false],
    ] as const) {
      const headers = await signedBy(subject, { scheme, secret: `flowdouble-check-${name}` })
      await judges(subject, isValid, headers, { route })
    }
  }
  const to = await make()
  await takesNone(subject, to.route, [openly, '', 'undefined'])
  if (!subject.isOwn) return
  const takes = async (secret: string): Promise<number> =>
    (await postAs(subject, { to, scheme: 'github', secret: `flowdouble-check-${secret}` })).status
  await subject.gateway.advance(599_999)
  expect([await takes('short'), await takes('long')]).toEqual([202, 202])
  await subject.gateway.advance(1)
  expect([await takes('short'), await takes('long'), await takes('new')]).toEqual([401, 202, 202])
})

proves('signatures/bare-base64', async (subject) => {
  const bare = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYX'
  const { route } = await subject.sender.control.make({ secret: bare })
  for (const scheme of ['svix', 'standard'] as const)
    for (const [secret, isValid] of [
      [`whsec_${bare}`, true],
      [bare, true],
      [`whsec_${bare.toLowerCase()}`, false],
    ] as const)
      await judges(subject, isValid, await signedBy(subject, { scheme, secret }), { route })
  // Other schemes never read a secret as base64.
  await accepts(subject, await signedBy(subject, { scheme: 'github', secret: bare }), { route })
})

proves('signatures/base64-secret', async (subject) => {
  const { control } = subject.sender
  const secret = 'whsec_a2V5Pz5rZXk='
  const headers = await signedBy(subject, { scheme: 'svix', secret })
  expect(headers).toEqual(await signedBy(subject, { scheme: 'svix', secret: 'key?>key' }))
  await accepts(subject, headers, await control.make({ secret }))
  // Without its padding, in the letters of addresses, with a blank, and with more behind its end.
  for (const other of ['whsec_a2V5Pz5rZXk', 'whsec_a2V5Pz5rZXk_', `${secret} `, `${secret}a2V5`]) {
    const to = await control.make({ secret: other })
    await refuses(subject, headers, to)
    // An invalid key is not used as raw text either.
    await refuses(subject, await signedBy(subject, { scheme: 'svix', secret: other }), to)
    await accepts(subject, await signedBy(subject, { scheme: 'github', secret: other }), to)
  }
})

proves('signatures/utf8-secret', async (subject) => {
  const looksEncoded = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const { control } = subject.sender
  // The prefix is part of the key wherever base64 is not the form of a scheme.
  const others = signingSchemes.filter((name) => schemes[name].key === 'text')
  expect(others.length).toBeGreaterThan(3)
  for (const [secret, names] of [
    [looksEncoded, signingSchemes],
    ['ключ', signingSchemes],
    [`whsec_${looksEncoded}`, others],
  ] as const) {
    const { route } = await control.make({ secret })
    for (const scheme of names)
      await accepts(subject, await signedBy(subject, { scheme, secret }), { route })
  }
})
