// Which secret opens a route of any gateway, and that none opens one without.

import { type GatewaySubject } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { pathOf, postAs, signedBy, usualBody } from '../../judge/posts/posts.ts'

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
