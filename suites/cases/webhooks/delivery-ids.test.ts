// Delivery ids: where senders name them, which posts they belong to, and posts that repeat.

import type { GatewaySubject } from '../../judge/gateway-subject.ts'
import { type Place, schemes } from '../../../spec/gateway/signatures.ts'
import { expect } from '../../judge/expect.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import {
  makeDirect,
  nested,
  needs,
  pathOf,
  payloadOf,
  postAs,
  type SenderPost,
  signedBy,
  toChat,
  usualBody,
} from '../../judge/posts.ts'

/** Posts, and returns the word and the id of the answer. A delivery that fails leaves its id new. */
async function answerOf(subject: GatewaySubject, post: SenderPost) {
  const { status, delivery_id } = (await postAs(subject, post)).json()
  if (status === 'error') subject.sender.missing('The deliveries of the route fail.')
  return { word: status as string, delivery_id: delivery_id as string }
}
const first: readonly string[] = ['accepted', 'delivered']

proves('webhooks/duplicate', async (subject) => {
  const { sender, idle } = subject
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
  if (!subject.isOwn) return
  await idle()
  expect(subject.gateway.runs()).toMatchObject([{ payload: JSON.parse(usualBody(subject)) }])
  expect(subject.gateway.outbox()).toHaveLength(1)
})

proves('webhooks/id-header', async (subject) => {
  const { sender, isOwn } = subject
  const known = ['X-GitHub-Delivery', 'webhook-id', 'X-Request-ID']
  const all = [...known.slice(0, 2), 'Linear-Delivery', 'Idempotency-Key', 'X-Request-ID']
  const ids = (isOwn ? all : known).map((name) => [name, sender.newId()] as const)
  for (const [at, [, id]] of ids.entries()) {
    const emptied = isOwn ? ids.slice(0, at).map(([name]) => [name, ''] as const) : []
    const headers = Object.fromEntries([...emptied, ...ids.slice(at)])
    expect((await answerOf(subject, { id: null, headers })).delivery_id).toBe(id)
    const { word } = await answerOf(subject, { id: null, headers: { 'X-Request-ID': id } })
    expect(word).toBe('duplicate')
  }
  if (!isOwn) return
  const others = { 'webhook-id': 'other', 'X-Request-ID': 'another' }
  const svix = await answerOf(subject, { scheme: 'svix', id: null, headers: others })
  expect(svix.delivery_id).toBe('msg-1')
  const unknown = { id: null, body: '{"id": "d"}', headers: { 'X-Gitlab-Event-UUID': 'c' } }
  expect((await answerOf(subject, unknown)).delivery_id).toMatch(/^[0-9a-f-]{36}$/)
})

proves('webhooks/id-made', async (subject) => {
  const count = subject.isOwn ? 20 : 2
  // At the same moment: an id that is made of the time alone would be that of all.
  const post = { id: null, scheme: bodyScheme(subject), body: usualBody(subject) }
  const made = await Promise.all(Array.from({ length: count }, () => answerOf(subject, post)))
  for (const { word, delivery_id } of made) {
    expect(word).toBeOneOf([...first])
    expect(delivery_id).toMatch(/./)
  }
  expect(new Set(made.map(({ delivery_id }) => delivery_id)).size).toBe(count)
  if (subject.isOwn) expect(subject.gateway.runs()).toHaveLength(count)
})

/** A scheme whose headers carry no id. */
function bodyScheme({ sender }: GatewaySubject) {
  const found = sender.schemes.find((name) => name !== 'svix' && name !== 'standard')
  return found ?? sender.missing('Its schemes all carry an id.')
}

proves('webhooks/id-stripe', async (subject) => {
  const { sender } = subject
  needs(subject, 'stripe')
  const id = sender.newId()
  const body = payloadOf({ id, event_type: sender.event })
  const stripe = { id: null, scheme: 'stripe', body } as const
  const found = await answerOf(subject, stripe)
  expect(found).toEqual({ word: expect.toBeOneOf([...first]), delivery_id: id })
  expect((await answerOf(subject, stripe)).word).toBe('duplicate')
  if (!subject.isOwn) return
  // A proxy adds a different id to each attempt.
  const proxied = await answerOf(subject, { ...stripe, headers: { 'X-Request-ID': 'mine' } })
  expect(proxied).toEqual({ word: 'duplicate', delivery_id: id })
  const other = await answerOf(subject, { id: null, scheme: 'github', body })
  expect(other.delivery_id).not.toBe(id)
})

proves('webhooks/id-member', async (subject) => {
  const { sender } = subject
  for (const [scheme, payloadWith] of [
    ['slack', (event_id: string) => ({ event_id })],
    ['pagerduty', (id: string) => ({ event: { id } })],
  ] as const) {
    needs(subject, scheme)
    const id = sender.newId()
    const post = { id: null, scheme, body: payloadOf(payloadWith(id)) }
    const found = [await answerOf(subject, post), await answerOf(subject, post)]
    expect(found).toEqual([
      { word: expect.toBeOneOf([...first]), delivery_id: id },
      { word: 'duplicate', delivery_id: id },
    ])
  }
})

proves('webhooks/id-scheme', async (subject) => {
  const { sender } = subject
  for (const scheme of sender.schemes) {
    const place: Place | undefined = schemes[scheme].id
    if (place === undefined) continue
    const id = sender.newId()
    const member = 'member' in place ? nested(place.member, id) : {}
    const body = payloadOf({ event_type: sender.event, ...member })
    const own = {
      ...(await signedBy(subject, { scheme, body, id })),
      ...('header' in place && { [place.header]: id }),
    }
    // Attempts differ in what a proxy adds.
    const attempt = (proxy: string) =>
      answerOf(subject, { id: null, scheme, body, headers: { ...own, 'X-Request-ID': proxy } })
    const found = [await attempt(sender.newId()), await attempt(sender.newId())]
    expect({ scheme, found }).toEqual({
      scheme,
      found: [
        { word: expect.toBeOneOf([...first]), delivery_id: id },
        { word: 'duplicate', delivery_id: id },
      ],
    })
  }
})

proves('webhooks/id-recorded', async (subject) => {
  const { sender } = subject
  const id = sender.newId()
  const wrong = await signedBy(subject, { secret: 'not the secret' })
  await subject.send('POST', pathOf(sender.route), usualBody(subject), {
    ...wrong,
    'X-GitHub-Delivery': id,
  })
  expect((await postAs(subject, { id, body: '{' })).status).toBe(400)
  expect((await answerOf(subject, { id })).word).toBeOneOf([...first])
})

proves('webhooks/id-recorded', async (subject) => {
  const to = subject.sender.filtered
  const id = subject.sender.newId()
  const ignored = payloadOf({ event_type: 'flowdouble-check-other' })
  expect((await answerOf(subject, { to, id, body: ignored })).word).toBe('ignored')
  const body = payloadOf({ event_type: to.event })
  expect((await answerOf(subject, { to, id, body })).word).toBeOneOf([...first])
  if (!subject.isOwn) return
  // Nor does a post whose text is too large, or which the rate limit refuses.
  const { control, rateLimit, room } = subject.sender
  const long = await control.make({ prompt: '{text}'.repeat(100_000) })
  const status = async (text: string): Promise<number> =>
    (await postAs(subject, { to: long, id: 'a', body: payloadOf({ text }) })).status
  expect(await status('x'.repeat(200))).toBe(413)
  for (let count = 1; count < rateLimit; count++) await postAs(subject, { to: long, body: '[' })
  expect(await status('')).toBe(429)
  await room(rateLimit)
  expect([await status(''), await status('')]).toEqual([202, 200])
})

proves('webhooks/id-forgotten', async (subject) => {
  const id = subject.sender.newId()
  const to = subject.sender.failing
  const { status } = await postAs(subject, { to, id })
  if (status !== 502) subject.sender.missing('The deliveries of the route do not fail.')
  expect((await postAs(subject, { to, id })).json().status).toBeOneOf(['error', 'delivered'])
})

proves('webhooks/id-forgotten', async (subject) => {
  const { control, newId } = subject.sender
  const to = await makeDirect(subject, 'x', { deliver: 'nowhere' })
  const id = newId()
  const word = async (): Promise<unknown> => (await postAs(subject, { to, id })).json().status
  expect([await word(), await word()]).toEqual(['error', 'error'])
  await control.change(to, { prompt: 'x', ...toChat })
  expect([await word(), await word()]).toEqual(['delivered', 'duplicate'])
  expect(await control.deliveries(to, 3)).toHaveLength(3)
})

proves('webhooks/id-per-route', async (subject) => {
  const id = subject.sender.newId()
  expect((await answerOf(subject, { id })).word).toBeOneOf([...first])
  const { word } = await answerOf(subject, { id, to: subject.sender.second })
  expect(word).toBeOneOf([...first, 'ignored'])
  if (!subject.isOwn) return
  // Names and ids cannot be confused with one another.
  const { route, secret } = subject.sender
  const to = { route: route.slice(0, -1), secret }
  subject.gateway.subscribe(to.route, { secret })
  expect((await answerOf(subject, { to, id: `${route.at(-1)}${id}` })).word).toBe('accepted')
  expect((await answerOf(subject, { id })).word).toBe('duplicate')
})

provesQuirk('webhooks.empty-id', async ({ breaks, post }) => {
  breaks('webhooks/accepted', 'webhooks/duplicate')
  const empty = { 'X-GitHub-Delivery': '', 'X-Request-ID': 'later' }
  expect((await post('hook', {}, empty)).json()).toMatchObject({
    status: 'accepted',
    delivery_id: '',
  })
  expect((await post('hook', {}, empty)).json()).toEqual({ status: 'duplicate', delivery_id: '' })
  expect((await post('hook', {}, { 'X-Request-ID': 'later' })).json().status).toBe('accepted')
})
