// The order in which a gateway reports posts, runs and deliveries.

import {
  createGatewayWorld,
  type GatewayStateOptions,
  stepGateway as step,
} from '../../../dist/emulator/internal.js'
import { SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

// Over HTTP the clock never passes a due event: the case uses the machine behind it, created from the gateway's setup.
proves('webhooks/answered-in-order', async ({ gateway }) => {
  const [header = '{}'] = await gateway.journal()
  const { options } = JSON.parse(header) as { options: GatewayStateOptions }
  const routes = JSON.stringify({ hook: { secret: SECRET } })
  const world = createGatewayWorld({ ...options, routes })
  const post = (name: string, atMs: number) => {
    const headers = { 'x-gitlab-token': SECRET, 'x-request-id': name }
    const asked = { kind: 'request', request: 1, method: 'POST', target: '/webhooks/hook' } as const
    return step(world, { ...asked, atMs, headers, body: new Uint8Array() })
  }
  const aroundReply = (effects: ReturnType<typeof step>) => {
    const at = effects.findIndex(({ kind }) => kind === 'reply')
    return [effects.slice(0, at), effects.slice(at + 1)].map((part) => JSON.stringify(part))
  }
  const [none, begun] = aroundReply(post('first', 0))
  expect(none).toBe('[]')
  expect(begun).toContain('first')
  const [before, after] = aroundReply(post('second', 10_000))
  expect(before).toContain('first')
  expect(before).not.toContain('second')
  expect(after).toContain('second')
  expect(after).not.toContain('first')
})
