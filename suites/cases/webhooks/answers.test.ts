// What a gateway answers to the posts that it accepts.

import type { GatewaySubject } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { postAs, type SenderPost } from '../../judge/posts.ts'

/** What a gateway does with a post that it accepts, by the status of its reply. */
const outcomes: Readonly<Record<number, 'accepted' | 'delivered' | 'error'>> = {
  202: 'accepted',
  200: 'delivered',
  502: 'error',
}

/** Posts, and demands that the reply has the parts of its outcome. */
async function outcomeOf(subject: GatewaySubject, post: SenderPost = {}) {
  const delivery_id = subject.sender.newId()
  const reply = await postAs(subject, { ...post, id: delivery_id })
  const status = outcomes[reply.status]
  expect(reply.json()).toMatchObject({ status, delivery_id })
  return { delivery_id, reply, status }
}

proves('webhooks/accepted', async (subject) => {
  const { sender, isOwn, idle } = subject
  const { reply, status, delivery_id } = await outcomeOf(subject)
  if (status !== 'accepted') sender.missing('The route delivers directly.')
  const { route, event } = sender
  expect(Object.keys(reply.json())).toEqual(['status', 'route', 'event', 'delivery_id'])
  expect(reply.json()).toEqual({ status: 'accepted', route, event, delivery_id })
  expect(reply.header('content-type')).toBe('application/json; charset=utf-8')
  if (!isOwn) return
  // The run has only begun.
  expect(subject.gateway.runs()).toMatchObject([{ status: 'running' }])
  await idle()
  expect(subject.gateway.runs()).toMatchObject([{ status: 'completed' }])
})

proves('webhooks/delivered', async (subject) => {
  const to = subject.sender.direct
  const { reply, status, delivery_id } = await outcomeOf(subject, { to })
  if (status === 'accepted') subject.sender.missing('The route starts agent runs.')
  if (status === 'error') subject.sender.missing('The deliveries of the route fail.')
  const { target } = reply.json()
  expect(target).toMatch(subject.isOwn ? 'telegram' : /./)
  expect(reply.json()).toEqual({ status: 'delivered', route: to.route, target, delivery_id })
  if (subject.isOwn) expect(subject.texts()).toEqual(['x'])
})

proves('webhooks/delivery-failed', async (subject) => {
  const { sender } = subject
  const failed = { status: 'error', error: 'Delivery failed' }
  const { reply, status, delivery_id } = await outcomeOf(subject, { to: sender.failing })
  if (status !== 'error') sender.missing('The deliveries of the route do not fail.')
  expect(reply.json()).toEqual({ ...failed, delivery_id })
  if (!subject.isOwn) return
  subject.gateway.failDeliveries({ target: 'telegram', error: 'Chat is closed', times: 1 })
  const chat = await outcomeOf(subject, { to: sender.direct })
  expect(chat.reply.json()).toEqual({ ...failed, delivery_id: chat.delivery_id })
  expect(subject.gateway.outbox().at(-1)).toMatchObject({
    status: 'failed',
    error: 'Chat is closed',
  })
})

proves('webhooks/direct-is-checked', async (subject) => {
  const { sender } = subject
  const [to, id] = [sender.direct, sender.newId()]
  expect((await postAs(subject, { to, id, secret: 'wrong' })).status).toBe(401)
  const { status } = (await postAs(subject, { to, id })).json()
  if (status !== 'delivered') sender.missing('The route does not deliver directly.')
  expect((await postAs(subject, { to, id })).json().status).toBe('duplicate')
  if (!subject.isOwn) return
  for (let count = 2; count < sender.rateLimit; count++) await postAs(subject, { to, id })
  expect((await postAs(subject, { to })).status).toBe(429)
  expect(subject.texts()).toEqual(['x'])
})
