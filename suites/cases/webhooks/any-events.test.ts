// The event type of a post to any gateway, and its filter.

import { anyGateway, type GatewaySubject } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { payloadOf, postAs } from '../../judge/posts/posts.ts'

type Named = {
  readonly payload?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** The event in the answer to a post: a direct delivery does not name it. */
async function eventOf(subject: GatewaySubject, { payload = {}, headers = {} }: Named) {
  const { event, status } = (await postAs(subject, { body: payloadOf(payload), headers })).json()
  if (status === 'delivered' || status === 'error')
    subject.sender.missing('Direct deliveries do not name the event.')
  return event as unknown
}

const [hub, lab] = ['X-GitHub-Event', 'X-Gitlab-Event']

proves(
  'webhooks/event-header',
  async (subject) => {
    const payload = { event_type: 'flowdouble-check-inner' }
    const both = { [hub]: 'flowdouble-check-a', [lab]: 'flowdouble-check-b' }
    expect(await eventOf(subject, { payload, headers: both })).toBe('flowdouble-check-a')
    const second = { ...both, [hub]: '' }
    expect(await eventOf(subject, { payload, headers: second })).toBe('flowdouble-check-b')
    const other = { 'X-Gitea-Event': 'flowdouble-check-c' }
    expect(await eventOf(subject, { payload, headers: other })).toBe('flowdouble-check-inner')
  },
  anyGateway,
)

proves(
  'webhooks/event-member',
  async (subject) => {
    const [a, b] = ['flowdouble-check-a', 'flowdouble-check-b']
    expect(await eventOf(subject, { payload: { type: b, event_type: a } })).toBe(a)
    expect(await eventOf(subject, { payload: { type: b } })).toBe(b)
    expect(await eventOf(subject, { payload: { event_type: '', type: b } })).toBe(b)
    const unnamed = { event: a, action: b, object_kind: b }
    expect(await eventOf(subject, { payload: unnamed })).toBe('unknown')
  },
  anyGateway,
)

/** Posts an event to the route that filters events. */
const filterWord = async (
  subject: GatewaySubject,
  named: Named,
): Promise<{ readonly status: number; readonly word: string; readonly event: unknown }> => {
  const { payload = {}, headers = {} } = named
  const to = subject.sender.filtered
  const reply = await postAs(subject, { to, body: payloadOf(payload), headers })
  const { status, event } = reply.json()
  return { status: reply.status, word: status, event }
}

proves(
  ['webhooks/filter', 'webhooks/ignored'],
  async (subject) => {
    const { event } = subject.sender.filtered
    const word = 'ignored'
    for (const other of ['flowdouble-check-other', `${event}-not`]) {
      const found = { status: 200, word, event: other }
      expect(await filterWord(subject, { payload: { type: other } })).toEqual(found)
      expect(await filterWord(subject, { headers: { [hub]: other } })).toEqual(found)
    }
    const reply = await postAs(subject, {
      to: subject.sender.filtered,
      body: payloadOf({ type: 'flowdouble-check-other' }),
    })
    expect(reply.json()).toEqual({ status: word, event: 'flowdouble-check-other' })
    expect(await filterWord(subject, {})).toEqual({ status: 200, word, event: 'unknown' })
    for (const named of [{ payload: { event_type: event } }, { headers: { [hub]: event } }])
      expect((await filterWord(subject, named)).word).toBeOneOf(['accepted', 'delivered', 'error'])
  },
  anyGateway,
)

proves(
  'webhooks/filter-exact',
  async (subject) => {
    const { event } = subject.sender.filtered
    const swapped = event.replace(/[a-z]/gi, (char) =>
      char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase(),
    )
    const others = [swapped, event.slice(0, -1), `${event}.opened`, `${event}ed`, ` ${event}`, '*']
    for (const type of others) {
      const { word } = await filterWord(subject, { payload: { type } })
      expect({ type, word }).toEqual({ type, word: 'ignored' })
    }
  },
  anyGateway,
)

proves(
  'webhooks/filter-empty',
  async (subject) => {
    const { control } = subject.sender
    for (const settings of [{}, { events: [] }]) {
      const to = await control.make(settings)
      for (const event of ['ping', 'push', 'flowdouble-check']) {
        const reply = await postAs(subject, { to, headers: { [hub]: event } })
        const { status, event: named } = reply.json()
        const found = { status: reply.status, word: status, event: named }
        expect(found).toEqual({ status: 202, word: 'accepted', event })
      }
      const body = payloadOf({ type: ['flowdouble-check'] })
      expect((await postAs(subject, { to, body })).status).toBe(202)
    }
  },
  anyGateway,
)

proves(
  'webhooks/event-value',
  async (subject) => {
    for (const type of [5, ['push'], { a: 'push' }, true]) {
      const found = await filterWord(subject, { payload: { type } })
      expect(found).toEqual({ status: 200, word: 'ignored', event: type })
    }
  },
  anyGateway,
)
