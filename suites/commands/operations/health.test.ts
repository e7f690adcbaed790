// What a gateway says of itself: what is wrong, and whether it is to be sent posts.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gatewayHealth } from '../../../spec/gateway/webhooks.ts'
import { direct, type GatewaySubject, SECRET } from '../../judge/gateway-subject.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { violations } from '../../judge/judge.ts'
import { folder } from '../../support/folder.ts'

const degraded = (reason: string) => ({
  status: 'degraded',
  platform: 'webhook',
  reasons: [reason],
})
const healthy = { status: 'ok', platform: 'webhook' }

async function healthOf({ send }: GatewaySubject) {
  const reply = await send('GET', '/health')
  expect(reply.status).toBe(200)
  expect(violations(gatewayHealth, reply.json())).toEqual([])
  const { runs, ...rest } = reply.json()
  expect(runs).toEqual({ at_work: 0, waiting: 0, waiting_bytes: 0 })
  return rest
}

const onFile = () => ({ subscriptionsFile: join(folder(), 'subscriptions.json') })
const corrupt = degraded('The subscriptions file is corrupt.')

proves(
  ['operations/degraded', 'operations/degraded-file'],
  async (subject) => {
    const file = subject.gateway.options.subscriptionsFile as string
    expect(await healthOf(subject)).toEqual(healthy)
    for (const mend of [() => writeFileSync(file, '{}'), () => rmSync(file)]) {
      writeFileSync(file, '{"a": 5}')
      expect(await healthOf(subject)).toEqual(corrupt)
      mend()
      expect(await healthOf(subject)).toEqual(healthy)
    }
  },
  onFile(),
)

provesQuirk(
  'webhooks.plain-health',
  async ({ gateway, send }) => {
    writeFileSync(gateway.options.subscriptionsFile as string, '[]')
    expect((await send('GET', '/health')).body).toBe('{"status": "ok", "platform": "webhook"}')
    expect(await send('GET', '/ready')).toMatchObject({ status: 404, body: '404: Not Found' })
  },
  onFile(),
)

const reason = 'Deliveries to telegram fail: the last 3 attempts did.'

proves(
  ['operations/degraded', 'operations/degraded-target'],
  async (subject) => {
    const { gateway, post } = subject
    const fail = async (times: number): Promise<void> => {
      gateway.failDeliveries({ target: 'telegram', error: 'out of reach', times })
      for (let at = 0; at < times; at++) expect((await post('note', {})).status).toBe(502)
    }
    await fail(2)
    expect((await post('note', {})).status).toBe(200)
    await fail(2)
    expect(await healthOf(subject)).toEqual(healthy)
    await fail(1)
    expect(await healthOf(subject)).toEqual(degraded(reason))
    // Another target is another matter.
    expect((await post('other', {})).status).toBe(200)
    expect(await healthOf(subject)).toEqual(degraded(reason))
    expect((await post('note', {})).status).toBe(200)
    expect(await healthOf(subject)).toEqual(healthy)
    await fail(3)
    await gateway.advance(3_600_000)
    expect(await healthOf(subject)).toEqual(degraded(reason))
    await gateway.advance(1)
    expect(await healthOf(subject)).toEqual(healthy)
  },
  { routes: { note: direct('x'), other: direct('x', { deliver: 'slack' }) } },
)

proves(
  'operations/ready',
  async ({ send, post, gateway }) => {
    expect(await send('GET', '/ready')).toMatchObject({ status: 200, body: '{"status":"ready"}' })
    expect((await send('POST', '/ready')).status).toBe(405)
    await gateway.drain(1)
    const ready = await send('GET', '/ready')
    expect({ status: ready.status, json: ready.json() }).toEqual({
      status: 503,
      json: { status: 'draining' },
    })
    expect((await post('hook', {})).status).toBe(503)
    expect((await send('GET', '/health')).status).toBe(200)
  },
  { routes: { hook: { secret: SECRET } } },
)
