// Routes that name the scheme of their sender.

import { schemes } from '../../../spec/gateway/signatures.ts'
import type { GatewaySubject } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { accepts, headerOf, refuses, signedBy } from '../../judge/posts.ts'
import { allSchemes } from '../../generate/senders.ts'

proves('signatures/named-scheme', async (subject) => {
  const { control, room } = subject.sender
  for (const scheme of allSchemes) {
    const { route } = await control.make({ scheme })
    const right = await signedBy(subject, { scheme })
    await accepts(subject, right, { route })
    for (const other of allSchemes.filter((one) => headerOf(one) !== headerOf(scheme))) {
      const theirs = await signedBy(subject, { scheme: other })
      await refuses(subject, theirs, { route })
      // They do not count beside the right one, even if they are wrong.
      const wrong = await signedBy(subject, { scheme: other, secret: 'wrong' })
      if (other.endsWith('x')) await accepts(subject, { ...wrong, ...right }, { route })
    }
    await refuses(subject, {}, { route })
  }
  await room(1)
  // Another name applies from the next post on.
  const to = await control.make({ scheme: 'github' })
  const { route } = to
  await control.change(to, { scheme: 'gitlab' })
  await refuses(subject, await signedBy(subject, { scheme: 'github' }), { route })
  await accepts(subject, await signedBy(subject, { scheme: 'gitlab' }), { route })
})

/** Proves that a scheme in the header Authorization is accepted where a route names it, and nowhere else. */
async function authorizes(
  subject: GatewaySubject,
  scheme: 'bearer' | 'basic',
  secret: string,
  wrong: readonly string[],
): Promise<void> {
  const { control } = subject.sender
  const { route } = await control.make({ scheme, secret })
  const right = await signedBy(subject, { scheme, secret })
  await accepts(subject, right, { route })
  for (const Authorization of wrong) await refuses(subject, { Authorization }, { route })
  for (const settings of [{ secret }, { secret, scheme: 'token' }, { secret, scheme: 'github' }])
    await refuses(subject, right, await control.make(settings))
}

proves('signatures/bearer', (subject) =>
  authorizes(subject, 'bearer', 'of-the-bearer', [
    'of-the-bearer',
    'Bearer',
    'Bearer of-the-beare',
    'Bearer of-the-bearer2',
    'Basic of-the-bearer',
    `Bearer ${btoa('of-the-bearer')}`,
  ]),
)

proves('signatures/basic', (subject) =>
  authorizes(subject, 'basic', 'hook:of-ключ', [
    `${schemes.basic.prefix}${btoa('hook:of')}`,
    `Basic ${btoa('hook')}`,
    `Basic ${btoa(':')}`,
    'Basic hook:of-',
    `Bearer ${Buffer.from('hook:of-ключ').toString('base64')}`,
    `Basic ${Buffer.from('hook:of-ключ').toString('base64url')}0`,
  ]),
)
