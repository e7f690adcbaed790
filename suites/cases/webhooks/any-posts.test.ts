// What any gateway answers to well-signed posts: outcomes, bodies, events and names.

import { type Answer, anyGateway, type GatewaySubject } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { payloadOf, pathOf, postAs, type SenderPost, signedBy } from '../../judge/posts/posts.ts'

/** What a gateway does with a post that it accepts, by the status of its reply. */
const outcomes: Readonly<Record<number, 'accepted' | 'delivered' | 'error'>> = {
  202: 'accepted',
  200: 'delivered',
  502: 'error',
}

/** Posts, and demands that the reply has the parts of its outcome. */
async function outcomeOf(subject: GatewaySubject, post: SenderPost = {}) {
  const { sender } = subject
  const delivery_id = sender.newId()
  const reply = await postAs(subject, { ...post, id: delivery_id })
  const status = outcomes[reply.status]
  expect(reply.json()).toMatchObject({ status, delivery_id })
  return { delivery_id, reply, status }
}

const membersOf = (reply: Answer): readonly string[] => Object.keys(reply.json() as object)

proves(
  'webhooks/accepted',
  async (subject) => {
    const { sender } = subject
    const { reply, status, delivery_id } = await outcomeOf(subject)
    if (status !== 'accepted') sender.missing('The route delivers directly.')
    expect(membersOf(reply)).toEqual(['status', 'route', 'event', 'delivery_id'])
    const { route, event } = sender
    expect(reply.json()).toEqual({ status: 'accepted', route, event, delivery_id })
    expect(reply.header('content-type')).toBe('application/json; charset=utf-8')
  },
  anyGateway,
)

proves(
  'webhooks/delivered',
  async (subject) => {
    const to = subject.sender.direct
    const { reply, status, delivery_id } = await outcomeOf(subject, { to })
    if (status === 'accepted') subject.sender.missing('The route starts agent runs.')
    if (status === 'error') subject.sender.missing('The deliveries of the route fail.')
    const { target } = reply.json()
    expect(target).toMatch(/./)
    expect(reply.json()).toEqual({ status: 'delivered', route: to.route, target, delivery_id })
  },
  anyGateway,
)

proves(
  'webhooks/delivery-failed',
  async (subject) => {
    const to = subject.sender.failing
    const { reply, status, delivery_id } = await outcomeOf(subject, { to })
    if (status !== 'error') subject.sender.missing('The deliveries of the route do not fail.')
    expect(reply.json()).toEqual({ status: 'error', error: 'Delivery failed', delivery_id })
  },
  anyGateway,
)

/** The status of a well-signed post that starts no further run if the gateway has accepted its id before. */
const statusOf = async (subject: GatewaySubject, post: SenderPost): Promise<number> =>
  (await postAs(subject, { id: subject.sender.knownId, ...post })).status
const taken: readonly number[] = [200, 202, 502]

proves(
  ['webhooks/path', 'webhooks/json-body'],
  async (subject) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'a;b"', '']) {
      const status = await statusOf(subject, { headers: { 'Content-Type': type } })
      expect({ type, status }).toEqual({ type, status: expect.toBeOneOf([...taken]) })
    }
    const body = payloadOf({ event_type: subject.sender.event, ключ: ['é', null, 1e3, '😀'] })
    await outcomeOf(subject, { body, headers: { 'Content-Type': 'application/json' } })
  },
  anyGateway,
)

proves(
  'webhooks/encoded-name',
  async (subject) => {
    const { send, sender } = subject
    const headers = { ...(await signedBy(subject)), 'X-GitHub-Delivery': sender.knownId }
    const body = payloadOf({ event_type: sender.event })
    const code = sender.route.charCodeAt(0).toString(16)
    const encoded = `/webhooks/%${code}${sender.route.slice(1)}?name=other&x`
    expect(taken).toContain((await send('POST', encoded, body, headers)).status)
    const other = sender.route.replace(/[a-z]/i, (char) =>
      char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase(),
    )
    if (other === sender.route) sender.missing('The name of the route has no letter.')
    expect((await send('POST', pathOf(other), body, headers)).status).toBe(404)
  },
  anyGateway,
)

proves(
  'webhooks/empty-body',
  async (subject) => {
    const event = { 'X-GitHub-Event': subject.sender.event }
    for (const body of ['', '\uFEFF{"text": "flowdouble-check: ignore this"}', '{}']) {
      const status = await statusOf(subject, { body, headers: event })
      expect({ body, status }).toEqual({ body, status: expect.toBeOneOf([...taken]) })
    }
  },
  anyGateway,
)

proves(
  'webhooks/form-body',
  async (subject) => {
    const value = encodeURIComponent(payloadOf({ event_type: subject.sender.event }))
    expect(taken).toContain(await statusOf(subject, { body: `payload=${value}` }))
    expect(taken).toContain(await statusOf(subject, { body: `x=1&payload=${value}&y` }))
    expect(await statusOf(subject, { body: `other=${value}` })).toBe(400)
  },
  anyGateway,
)

proves(
  'webhooks/unparsable-body',
  async (subject) => {
    const bytes = [Buffer.from([0xc3, 0x28]), Buffer.from('{"a":"\xff"}', 'latin1')]
    const event = { 'X-GitHub-Event': subject.sender.event }
    for (const body of ['{', '{"a":1,}', '[]', '5', 'a=1&b=2', 'payload=[]', ...bytes]) {
      const reply = await postAs(subject, { body, headers: event })
      expect({ body, status: reply.status }).toEqual({ body, status: 400 })
      expect(reply.json()).toEqual({ error: 'Cannot parse body' })
    }
    expect(await statusOf(subject, { body: 'null' })).toBe(400)
  },
  anyGateway,
)

proves(
  'webhooks/deep-body',
  async (subject) => {
    const nested = (levels: number): string =>
      `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
    expect(await statusOf(subject, { body: nested(100_000) })).toBe(400)
    expect(await statusOf(subject, { body: nested(1001) })).toBe(400)
  },
  anyGateway,
)

proves(
  'webhooks/no-500',
  async (subject) => {
    const event = { 'X-GitHub-Event': subject.sender.event }
    const odd = ['{"type": {"deep": [1]}}', '{"type": 1e400}', '{"type": "\\ud800"}']
    for (const body of odd) {
      const reply = await postAs(subject, { id: subject.sender.knownId, body, headers: event })
      expect({ body, status: reply.status }).toEqual({
        body,
        status: expect.toBeOneOf([...taken]),
      })
      expect(() => reply.json()).not.toThrow()
    }
  },
  anyGateway,
)
