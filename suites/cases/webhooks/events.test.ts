// The event type of a post, and the routes that it triggers.

import { type GatewaySubject, SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

/** The event in the answer to an accepted or an ignored post. */
const eventOf = async (
  post: GatewaySubject['post'],
  payload: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> => (await post('hook', payload, headers)).json().event

const [hub, lab] = ['X-GitHub-Event', 'X-Gitlab-Event']

proves('webhooks/event-header', async ({ post }) => {
  const payload = { event_type: 'inner', type: 'other' }
  expect(await eventOf(post, payload, { [hub]: 'push', [lab]: 'Push Hook' })).toBe('push')
  expect(await eventOf(post, payload, { [hub]: '', [lab]: 'Push Hook' })).toBe('Push Hook')
  expect(await eventOf(post, payload, { [lab.toLowerCase()]: 'Naïve Hook' })).toBe('Naïve Hook')
  expect(await eventOf(post, payload, { 'X-Gitea-Event': 'push' })).toBe('inner')
})

proves('webhooks/event-member', async ({ post }) => {
  expect(await eventOf(post, { event_type: 'a', type: 'b' })).toBe('a')
  expect(await eventOf(post, { type: 'b' })).toBe('b')
  for (const falsy of ['', 0, false, null, [], {}, -0]) {
    expect(await eventOf(post, { event_type: falsy, type: 'b' })).toBe('b')
  }
  expect(await eventOf(post, { event: 'a', action: 'b', object_kind: 'c' })).toBe('unknown')
})

proves(
  'webhooks/event-value',
  async ({ post }) => {
    for (const odd of [5, ['push'], { a: 'push' }, true, 1.5]) {
      const reply = await post('hook', { type: odd })
      expect(reply.json()).toEqual({ status: 'ignored', event: odd })
    }
    expect((await post('all', { type: 5 })).json().event).toBe(5)
    expect((await post('all', {})).json().event).toBe('unknown')
    expect((await post('all', { event_type: 0, type: '' })).json().event).toBe('unknown')
  },
  { routes: { hook: { secret: SECRET, events: ['push', '5'] }, all: { secret: SECRET } } },
)

const filtered = { routes: { hook: { secret: SECRET, events: ['push', 'Merge Hook'] } } }

proves(
  'webhooks/filter',
  async ({ post, gateway }) => {
    for (const type of ['push', 'Merge Hook', 'ping']) await post('hook', { type })
    expect(gateway.runs().map(({ event }) => event)).toEqual(['push', 'Merge Hook'])
  },
  filtered,
)

proves(
  'webhooks/filter-exact',
  async ({ post }) => {
    const others = [
      'Push',
      'pus',
      'push.opened',
      'pushed',
      ' push',
      '*',
      'Merge',
      'push,Merge Hook',
    ]
    for (const type of others) {
      expect({ type, status: (await post('hook', { type })).json().status }).toEqual({
        type,
        status: 'ignored',
      })
    }
    expect((await post('wild', { type: 'push' })).json().status).toBe('ignored')
    // A list that was written as one text is not searched for parts.
    expect((await post('text', { type: 'pull' })).json().status).toBe('ignored')
    expect((await post('text', { type: 'push' })).json().status).toBe('accepted')
  },
  {
    routes: {
      ...filtered.routes,
      wild: { secret: SECRET, events: ['*'] },
      text: { secret: SECRET, events: 'pull_request, push' },
    },
  },
)

proves(
  'webhooks/filter-empty',
  async ({ post }) => {
    for (const name of ['none', 'empty']) {
      for (const type of ['push', 'ping', '']) {
        expect({ name, status: (await post(name, { type })).status }).toEqual({ name, status: 202 })
      }
    }
  },
  { routes: { none: { secret: SECRET }, empty: { secret: SECRET, events: [] } } },
)

proves(
  'webhooks/filter-of-nothing',
  async ({ post, gateway }) => {
    for (const name of ['piece', 'comma', 'blank']) {
      for (const type of ['push', '', ' ']) {
        const reply = await post(name, { type })
        expect({ name, type, status: reply.json().status }).toEqual({
          name,
          type,
          status: 'ignored',
        })
      }
    }
    for (const name of ['some', 'text']) {
      expect({ name, status: (await post(name, { type: 'push' })).status }).toEqual({
        name,
        status: 202,
      })
    }
    expect(gateway.runs()).toHaveLength(2)
  },
  {
    routes: {
      piece: { secret: SECRET, events: [''] },
      comma: { secret: SECRET, events: ',' },
      blank: { secret: SECRET, events: ['  ', ''] },
      some: { secret: SECRET, events: ['', 'push'] },
      text: { secret: SECRET, events: '' },
    },
  },
)

proves(
  'webhooks/ignored',
  async ({ post, gateway }) => {
    const reply = await post('hook', { type: 'ping' })
    expect({ status: reply.status, json: reply.json() }).toEqual({
      status: 200,
      json: { status: 'ignored', event: 'ping' },
    })
    expect((await post('hook', {})).json()).toEqual({ status: 'ignored', event: 'unknown' })
    expect(gateway.runs()).toEqual([])
  },
  filtered,
)
