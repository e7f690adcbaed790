// Posts that repeat, and posts that are too frequent, on any gateway.

import { anyGateway, type GatewaySubject } from '../../judge/gateway-subject.ts'
import { makeDirect, toChat } from '../../judge/posts/made-routes.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import {
  payloadOf,
  pathOf,
  postAs,
  type SenderPost,
  signedBy,
  usualBody,
} from '../../judge/posts/posts.ts'

/** Posts, and returns the word and the id of the answer. A delivery that fails leaves its id new. */
async function answerOf(subject: GatewaySubject, post: SenderPost) {
  const { status, delivery_id } = (await postAs(subject, post)).json()
  if (status === 'error') subject.sender.missing('The deliveries of the route fail.')
  return { word: status as string, delivery_id: delivery_id as string }
}
const first: readonly string[] = ['accepted', 'delivered']

proves(
  ['webhooks/duplicate', 'webhooks/direct-is-checked'],
  async (subject) => {
    const { sender } = subject
    const id = sender.newId()
    expect((await answerOf(subject, { id })).word).toBeOneOf([...first])
    const duplicate = { status: 'duplicate', delivery_id: id }
    const again = await postAs(subject, { id })
    expect({ status: again.status, json: again.json() }).toEqual({ status: 200, json: duplicate })
    const body = payloadOf({ event_type: sender.event, other: true })
    expect((await postAs(subject, { id, body })).json()).toEqual(duplicate)
    for (const headers of [{}, { 'X-Hub-Signature-256': 'sha256=00' }]) {
      const unsigned = { 'X-GitHub-Delivery': id, ...headers }
      const { status } = await subject.send('POST', pathOf(sender.route), body, unsigned)
      expect(status).toBe(401)
    }
  },
  anyGateway,
)

proves(
  'webhooks/id-header',
  async (subject) => {
    const names = ['X-GitHub-Delivery', 'webhook-id', 'X-Request-ID']
    const ids = names.map((name) => [name, subject.sender.newId()] as const)
    for (const [at, [, id]] of ids.entries()) {
      const headers = Object.fromEntries(ids.slice(at))
      expect((await answerOf(subject, { id: null, headers })).delivery_id).toBe(id)
      const { word } = await answerOf(subject, { id: null, headers: { 'X-Request-ID': id } })
      expect(word).toBe('duplicate')
    }
  },
  anyGateway,
)

proves(
  'webhooks/id-made',
  async (subject) => {
    const body = payloadOf({ event_type: subject.sender.event })
    // At the same moment: an id that is made of the time alone would be that of both.
    const post = { id: null, scheme: bodyScheme(subject), body }
    const made = await Promise.all([answerOf(subject, post), answerOf(subject, post)])
    for (const { word, delivery_id } of made) {
      expect(word).toBeOneOf([...first])
      expect(delivery_id).toMatch(/./)
    }
    expect(made[0]?.delivery_id).not.toBe(made[1]?.delivery_id)
  },
  anyGateway,
)

/** A scheme whose headers carry no id. */
function bodyScheme({ sender }: GatewaySubject) {
  const found = sender.schemes.find((name) => name !== 'svix' && name !== 'standard')
  return found ?? sender.missing('Its schemes all carry an id.')
}

proves(
  'webhooks/id-stripe',
  async (subject) => {
    const { sender } = subject
    if (!sender.schemes.includes('stripe')) sender.missing('It does not accept Stripe-Signature.')
    const id = sender.newId()
    const body = payloadOf({ id, event_type: sender.event })
    const stripe = { id: null, scheme: 'stripe', body } as const
    const found = await answerOf(subject, stripe)
    expect(found).toEqual({ word: expect.toBeOneOf([...first]), delivery_id: id })
    expect((await answerOf(subject, stripe)).word).toBe('duplicate')
  },
  anyGateway,
)

proves(
  'webhooks/id-recorded',
  async (subject) => {
    const { sender } = subject
    const id = sender.newId()
    const wrong = await signedBy(subject, { secret: 'not the secret' })
    await subject.send('POST', pathOf(sender.route), usualBody(subject), {
      ...wrong,
      'X-GitHub-Delivery': id,
    })
    expect((await postAs(subject, { id, body: '{' })).status).toBe(400)
    expect((await answerOf(subject, { id })).word).toBeOneOf([...first])
  },
  anyGateway,
)

proves(
  'webhooks/id-recorded',
  async (subject) => {
    const to = subject.sender.filtered
    const id = subject.sender.newId()
    const ignored = payloadOf({ event_type: 'flowdouble-check-other' })
    expect((await answerOf(subject, { to, id, body: ignored })).word).toBe('ignored')
    const body = payloadOf({ event_type: to.event })
    expect((await answerOf(subject, { to, id, body })).word).toBeOneOf([...first])
  },
  anyGateway,
)

proves(
  'webhooks/id-forgotten',
  async (subject) => {
    const id = subject.sender.newId()
    const to = subject.sender.failing
    const { status } = await postAs(subject, { to, id })
    if (status !== 502) subject.sender.missing('The deliveries of the route do not fail.')
    expect((await postAs(subject, { to, id })).json().status).toBeOneOf(['error', 'delivered'])
  },
  anyGateway,
)

proves(
  'webhooks/id-forgotten',
  async (subject) => {
    const { control, newId } = subject.sender
    const to = await makeDirect(subject, 'x', { deliver: 'nowhere' })
    const id = newId()
    const word = async (): Promise<unknown> => (await postAs(subject, { to, id })).json().status
    expect(await word()).toBe('error')
    await control.change(to, { prompt: 'x', ...toChat })
    expect([await word(), await word()]).toEqual(['delivered', 'duplicate'])
  },
  anyGateway,
)

proves(
  'webhooks/id-per-route',
  async (subject) => {
    const id = subject.sender.newId()
    expect((await answerOf(subject, { id })).word).toBeOneOf([...first])
    const { word } = await answerOf(subject, { id, to: subject.sender.second })
    expect(word).toBeOneOf([...first, 'ignored'])
  },
  anyGateway,
)
