// The rate limit of a gateway, used up by posts with an id that it knows: they start no further run.

import { type Answer, direct, type GatewaySubject, sendTo } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { pathOf, payloadOf, postAs, type SenderPost } from '../../judge/posts.ts'

/** How long after the first post the others follow, in seconds. */
const LATER_SECONDS = 20

/** Posts, and does not wait if the rate limit refuses it. */
const postAtOnce = ({ url, sender }: GatewaySubject, post: SenderPost = {}): Promise<Answer> =>
  postAs({ sender, send: sendTo(url) }, { id: sender.knownId, ...post })

/** Posts until the limit refuses a post, and returns how many it let pass. */
async function fill(subject: GatewaySubject, post: SenderPost = {}): Promise<number> {
  const { rateLimit } = subject.sender
  for (let count = 0; count <= rateLimit; count++)
    if ((await postAtOnce(subject, post)).status === 429) return count
  return rateLimit + 1
}

proves('webhooks/rate-counts', async (subject) => {
  const { sender, send } = subject
  await sender.room(3)
  for (let count = 0; count <= sender.rateLimit; count++)
    expect((await send('POST', pathOf(sender.route), '{}')).status).toBe(401)
  expect((await postAtOnce(subject, { id: sender.newId() })).status).not.toBe(429)
})

proves(['webhooks/rate-limit', 'webhooks/rate-counts', 'webhooks/order'], async (subject) => {
  const { sender, send } = subject
  await sender.pause(1)
  await sender.room(sender.rateLimit)
  const start = await sender.now()
  const seconds = async (): Promise<number> => (await sender.now()) - start
  // A body that cannot be parsed counts like any other.
  const broken = await postAtOnce(subject, { body: '{' })
  expect(broken.status).not.toBe(429)
  await sender.pause(2000)
  if ((await seconds()) === 0) sender.missing('The clock of this gateway stands still.')
  // The others arrive later, so that the window empties in two parts.
  while ((await seconds()) < LATER_SECONDS) await sender.pause(1000)
  expect(await fill(subject)).toBe(sender.rateLimit - 1)
  const refused = await postAtOnce(subject)
  expect(refused.json()).toEqual({ error: 'Rate limit exceeded' })
  expect((await postAtOnce(subject, { body: '{' })).status).toBe(429)
  expect((await send('POST', pathOf(sender.route), payloadOf({}))).status).toBe(401)
  // The window slides: it is full until 60 seconds after the first post. Posts that it refuses do not count.
  while ((await seconds()) < 57) {
    expect([await seconds(), (await postAtOnce(subject)).status]).toEqual([expect.any(Number), 429])
    await sender.pause(1000)
  }
  while ((await seconds()) < 62) await sender.pause(1000)
  const freed = [await postAtOnce(subject), await postAtOnce(subject)]
  // On a busy machine the others can be over by now as well.
  if ((await seconds()) < 58 + LATER_SECONDS)
    expect(freed.map(({ status }) => status === 429)).toEqual([false, true])
  await sender.room(sender.rateLimit)
  expect((await postAtOnce(subject, { id: sender.newId() })).status).not.toBe(429)
  if (!subject.isOwn) return
  // A post counts until 60 seconds have passed, including that moment.
  await sender.room(sender.rateLimit)
  for (let count = 0; count < 15; count++) await postAtOnce(subject)
  await sender.pause(1000)
  expect(await fill(subject)).toBe(15)
  await sender.pause(59_000)
  expect((await postAtOnce(subject)).status).toBe(429)
  await sender.pause(1)
  expect(await fill(subject)).toBe(15)
})

proves('webhooks/rate-per-route', async (subject) => {
  const { second, rateLimit } = subject.sender
  await subject.sender.pause(1)
  expect(await fill(subject)).toBeLessThanOrEqual(rateLimit)
  const { status } = await postAtOnce(subject, { to: second, id: subject.sender.newId() })
  expect(status).not.toBe(429)
})

proves('webhooks/rate-counts', async (subject) => {
  const { sender } = subject
  const { filtered, rateLimit } = sender
  await sender.pause(1)
  await sender.room(rateLimit)
  const body = payloadOf({ event_type: 'flowdouble-check-other' })
  expect(await fill(subject, { to: filtered, body })).toBe(rateLimit)
})

proves(
  'webhooks/rate-counts',
  async (subject) => {
    const { gateway, post, send } = subject
    const id = { 'X-Request-ID': '1' }
    gateway.failDeliveries({ target: 'telegram', error: 'x', times: 1 })
    const counted = [
      await post('hook', '['),
      await post('hook', { type: 'no' }),
      await post('hook', {}, id),
      await post('hook', {}, id),
      await post('hook', {}, id),
    ]
    expect(counted.map(({ status }) => status)).toEqual([400, 200, 502, 200, 200])
    await gateway.advance(60_000)
    const uncounted = [
      await send('POST', '/webhooks/hook', '{}'),
      await send('POST', '/webhooks/other', '{}'),
      await post('hook', ' '.repeat(101)),
    ]
    expect(uncounted.map(({ status }) => status)).toEqual([401, 404, 413])
    expect((await post('hook', {})).status).toBe(429)
    await gateway.advance(1)
    expect(await fill(subject, { body: '{}' })).toBe(5)
  },
  { rateLimit: 5, maxBodyBytes: 100, routes: { hook: direct('x', { events: ['unknown'] }) } },
)

proves(
  'webhooks/rate-limit',
  async ({ post }) => expect((await post('hook', {})).status).toBe(429),
  {
    rateLimit: 0,
  },
)
