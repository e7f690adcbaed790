// Delivery ids: the headers and the members of payloads in which senders name them.

import { createHmac } from 'node:crypto'
import { SECRET } from '../../judge/gateway-subject.ts'
import { headersOf } from '../../generate/senders.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const id = (text: string) => ({ 'X-Request-ID': text })

proves('webhooks/id-header', async ({ post }) => {
  const names = [
    'X-GitHub-Delivery',
    'webhook-id',
    'Linear-Delivery',
    'Idempotency-Key',
    'X-Request-ID',
  ]
  const ids = Object.fromEntries(names.map((name) => [name, `from ${name}`]))
  for (const [at, name] of names.entries()) {
    const left = Object.fromEntries(Object.entries(ids).slice(at))
    const emptied = Object.fromEntries(names.slice(0, at).map((one) => [one, '']))
    const headers = { ...left, ...emptied }
    const delivery_id = `from ${name}`
    expect((await post('hook', {}, headers)).json()).toMatchObject({ delivery_id })
    expect((await post('hook', {}, headers)).json()).toEqual({ status: 'duplicate', delivery_id })
  }
  const others = { 'X-Gitlab-Event-UUID': 'c' }
  expect((await post('hook', { id: 'd' }, others)).json().delivery_id).toMatch(/^[0-9a-f-]{36}$/)
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

proves('webhooks/id-header', async ({ gateway, send }) => {
  const time = '1767225600'
  const digest = createHmac('sha256', SECRET).update(`msg-1.${time}.{}`).digest('base64')
  const signed = { 'svix-id': 'msg-1', 'svix-timestamp': time, 'svix-signature': `v1,${digest}` }
  const more = { 'webhook-id': 'other', 'X-Request-ID': 'another' }
  const reply = await send('POST', '/webhooks/hook', '{}', { ...signed, ...more })
  expect(reply.json().delivery_id).toBe('msg-1')
  expect(gateway.runs()).toHaveLength(1)
})

proves('webhooks/id-stripe', async ({ send, post }) => {
  const body = '{"id":"evt_1"}'
  const digest = createHmac('sha256', SECRET).update(`1767225600.${body}`).digest('hex')
  const signed = { 'Stripe-Signature': `t=1767225600,v1=${digest}` }
  const first = await send('POST', '/webhooks/hook', body, signed)
  expect(first.json()).toMatchObject({ status: 'accepted', delivery_id: 'evt_1' })
  expect((await send('POST', '/webhooks/hook', body, signed)).json().status).toBe('duplicate')
  const named = await send('POST', '/webhooks/hook', body, { ...signed, ...id('mine') })
  expect(named.json().delivery_id).toBe('mine')
  expect((await post('hook', body)).json().delivery_id).not.toBe('evt_1')
})

proves('webhooks/id-member', async ({ send }) => {
  const bodies = { slack: '{"event_id":"Ev1"}', pagerduty: '{"event":{"id":"Ev2"}}' } as const
  for (const [name, body] of Object.entries(bodies)) {
    const headers = headersOf(name as keyof typeof bodies, { body, secret: SECRET })
    const words = [1, 2].map(async () =>
      (await send('POST', '/webhooks/hook', body, headers)).json(),
    )
    const id = /Ev\d/.exec(body)?.[0]
    expect(await Promise.all(words)).toEqual([
      expect.objectContaining({ status: 'accepted', delivery_id: id }),
      { status: 'duplicate', delivery_id: id },
    ])
  }
})
