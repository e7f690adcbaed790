// The event type of a post, and the routes that it triggers.

import type { Answer, GatewaySubject } from '../../judge/gateway-subject.ts'
import { type Place, schemes } from '../../../spec/gateway/signatures.ts'
import { expect } from '../../judge/expect.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { nested, payloadOf, postAs, postTo } from '../../judge/posts.ts'

type Payload = Readonly<Record<string, unknown>>
type Headers = Readonly<Record<string, string>>

const [hub, lab] = ['X-GitHub-Event', 'X-Gitlab-Event']
const [a, b] = ['flowdouble-check-a', 'flowdouble-check-b']

/** The event in the answer to a post: a direct delivery does not name it. */
async function eventOf(subject: GatewaySubject, payload: Payload, headers: Headers = {}) {
  const { event, status } = (await postAs(subject, { body: payloadOf(payload), headers })).json()
  if (status === 'delivered' || status === 'error')
    subject.sender.missing('Direct deliveries do not name the event.')
  return event as unknown
}

proves('webhooks/event-header', async (subject) => {
  const inner = { event_type: 'flowdouble-check-inner', type: b }
  expect(await eventOf(subject, inner, { [hub]: a, [lab]: b })).toBe(a)
  expect(await eventOf(subject, inner, { [hub]: '', [lab]: b })).toBe(b)
  expect(await eventOf(subject, inner, { 'X-Gitea-Event': a })).toBe(inner.event_type)
  if (subject.isOwn)
    expect(await eventOf(subject, inner, { [lab.toLowerCase()]: 'Naïve Hook' })).toBe('Naïve Hook')
})

proves('webhooks/event-scheme', async (subject) => {
  for (const scheme of subject.sender.schemes) {
    const place: Place | undefined = schemes[scheme].event
    if (place === undefined) continue
    const member = 'member' in place ? nested(place.member, a) : {}
    const body = payloadOf({ event_type: b, ...member })
    const headers = 'header' in place ? { [place.header]: a } : {}
    const { event } = (await postAs(subject, { scheme, body, headers })).json()
    if (event === undefined) subject.sender.missing('Direct deliveries do not name the event.')
    expect({ scheme, event }).toEqual({ scheme, event: a })
    // Without it the members that all senders share decide.
    const other = await postAs(subject, { scheme, body: payloadOf({ event_type: b }) })
    expect({ scheme, event: other.json().event }).toEqual({ scheme, event: b })
  }
})

proves('webhooks/event-member', async (subject) => {
  expect(await eventOf(subject, { type: b, event_type: a })).toBe(a)
  expect(await eventOf(subject, { type: b })).toBe(b)
  for (const event_type of subject.isOwn ? ['', 0, false, null, [], {}] : [''])
    expect(await eventOf(subject, { event_type, type: b })).toBe(b)
  expect(await eventOf(subject, { event: a, action: b, object_kind: b })).toBe('unknown')
  if (subject.isOwn) expect(await eventOf(subject, { event_type: 0, type: '' })).toBe('unknown')
})

/** Posts an event to the route that filters events. */
const postFiltered = (subject: GatewaySubject, payload: Payload, headers: Headers = {}) =>
  postAs(subject, { to: subject.sender.filtered, body: payloadOf(payload), headers })

/** The answer to a post whose event the route does not take. */
const ignored = (event: unknown) => ({ status: 200, json: { status: 'ignored', event } })
const shown = ({ status, json }: Answer) => ({ status, json: json() })

proves(['webhooks/filter', 'webhooks/ignored'], async (subject) => {
  const { sender } = subject
  const { event } = sender.filtered
  for (const other of ['flowdouble-check-other', `${event}-not`]) {
    expect(shown(await postFiltered(subject, { type: other }))).toEqual(ignored(other))
    expect(shown(await postFiltered(subject, {}, { [hub]: other }))).toEqual(ignored(other))
  }
  expect(shown(await postFiltered(subject, {}))).toEqual(ignored('unknown'))
  for (const reply of [
    await postFiltered(subject, { event_type: event }),
    await postFiltered(subject, {}, { [hub]: event }),
  ])
    expect(reply.json().status).toBeOneOf(['accepted', 'delivered', 'error'])
  if (!subject.isOwn) return
  expect((await sender.control.runs(sender.filtered)).map((run) => run.event)).toEqual([
    event,
    event,
  ])
  const two = await sender.control.make({ events: ['push', 'Merge Hook'] })
  for (const type of ['push', 'Merge Hook', 'ping']) await postTo(subject, two, { type })
  const runs = await sender.control.runs(two)
  expect(runs.map((run) => run.event)).toEqual(['push', 'Merge Hook'])
})

/** The word in the answer to an event on a new route that takes these events. */
async function filters(subject: GatewaySubject, rows: readonly Filtered[]): Promise<void> {
  for (const [events, type, word] of rows) {
    const to = await subject.sender.control.make({ events })
    const { status } = (await postTo(subject, to, { type })).json()
    expect({ events, type, status }).toEqual({ events, type, status: word })
  }
}
type Filtered = readonly [events: unknown, type: string, word: 'accepted' | 'ignored']

proves('webhooks/filter-exact', async (subject) => {
  const { event } = subject.sender.filtered
  const swapped = event.replace(/[a-z]/gi, (char) =>
    char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase(),
  )
  const parts = [event.slice(0, -1), `${event}.opened`, `${event}ed`, ` ${event}`]
  for (const type of [swapped, ...parts, `${event},other`, '*'])
    expect(shown(await postFiltered(subject, { type }))).toEqual(ignored(type))
  if (!subject.isOwn) return
  // A list that was written as one text is not searched for parts.
  await filters(subject, [
    [['*'], 'push', 'ignored'],
    [['Merge Hook'], 'Merge', 'ignored'],
    ['pull_request, push', 'pull', 'ignored'],
    ['pull_request, push', 'push', 'accepted'],
  ])
})

proves('webhooks/filter-empty', async (subject) => {
  for (const settings of [{}, { events: [] }]) {
    const to = await subject.sender.control.make(settings)
    for (const event of ['ping', 'push', 'flowdouble-check']) {
      const reply = await postAs(subject, { to, headers: { [hub]: event } })
      expect(reply.status).toBe(202)
      expect(reply.json()).toMatchObject({ status: 'accepted', event })
    }
    for (const type of ['', ['flowdouble-check']])
      expect((await postAs(subject, { to, body: payloadOf({ type }) })).status).toBe(202)
  }
})

proves('webhooks/filter-of-nothing', async (subject) => {
  for (const events of [[''], ',', ['  ', '']])
    await filters(
      subject,
      ['push', '', ' '].map((type) => [events, type, 'ignored']),
    )
  await filters(subject, [
    [['', 'push'], 'push', 'accepted'],
    ['', 'push', 'accepted'],
  ])
})

proves('webhooks/event-value', async (subject) => {
  for (const type of [5, ['push'], { a: 'push' }, true, 1.5])
    expect(shown(await postFiltered(subject, { type }))).toEqual(ignored(type))
  if (!subject.isOwn) return
  const to = await subject.sender.control.make({ events: ['5'] })
  expect(shown(await postTo(subject, to, { type: 5 }))).toEqual(ignored(5))
  expect(await eventOf(subject, { type: 5 })).toBe(5)
})

provesQuirk('webhooks.events-as-written', (subject) =>
  filters(subject, [
    ['pull_request, push', 'pull', 'accepted'],
    ['pull_request, push', 'request, pu', 'accepted'],
    ['pull_request, push', 'Pull', 'ignored'],
    [[' push '], ' push ', 'accepted'],
    [[' push '], 'push', 'ignored'],
    [[' push '], 'unlisted', 'ignored'],
  ]),
)
