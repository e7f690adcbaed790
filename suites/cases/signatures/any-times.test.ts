// Signed times on any gateway, and characters beyond ASCII.

import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { signedBy, usualBody } from '../../judge/posts/posts.ts'
import { headerOf, isIn, refuses } from '../../judge/posts/signatures.ts'
import { timedSchemes } from '../../generate/senders.ts'

proves('signatures/window', async (subject) => {
  const body = usualBody(subject)
  const { sender } = subject
  const timed = timedSchemes.filter((one) => sender.schemes.includes(one))
  if (timed.length === 0) sender.missing('It accepts no scheme that signs a time.')
  for (const scheme of timed) {
    // The clock of the gateway goes on between its date and the post.
    for (const [off, isAccepted] of [
      [-301, false],
      [-305, false],
      [-600, false],
      [-3600, false],
      [310, false],
      [599, false],
      [1_000_000, false],
      [-290, true],
      [295, true],
    ] as const) {
      // A post that the limit holds back would arrive with a time that has gone by.
      await sender.room(1)
      const timestamp = `${(await sender.now()) + off}`
      const headers = await signedBy(subject, { scheme, timestamp })
      const found = await isIn(subject, headers, body)
      expect({ scheme, off, isAccepted: found }).toEqual({ scheme, off, isAccepted })
    }
    const timestamp = `${(await sender.now()) * 1000}`
    await refuses(subject, await signedBy(subject, { scheme, timestamp }), body)
  }
})

proves('signatures/timestamp-digits', async (subject) => {
  const { sender } = subject
  const timed = timedSchemes.filter((one) => sender.schemes.includes(one))
  if (timed.length === 0) sender.missing('It accepts no scheme that signs a time.')
  const now = await sender.now()
  const odd = [`+${now}`, `-${now}`, `${now}.0`, `0x${now.toString(16)}`, 'now', ' ', '1e9']
  for (const scheme of timed)
    for (const timestamp of odd)
      await refuses(subject, await signedBy(subject, { scheme, timestamp }), usualBody(subject))
})

proves('signatures/non-ascii', async (subject) => {
  const body = usualBody(subject)
  for (const scheme of subject.sender.schemes) {
    const headers = await signedBy(subject, { scheme })
    await refuses(subject, { ...headers, [headerOf(scheme)]: 'v1,é☃' }, body)
  }
})
