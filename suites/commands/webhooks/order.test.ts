// The order in which a gateway reports posts, runs and deliveries.

import {
  createGatewayWorld,
  type GatewayStateOptions,
  stepGateway as step,
} from '../../../dist/emulator/internal.js'
import { SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { statusOfHead } from '../../judge/wire.ts'

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

proves(
  'webhooks/refused-early',
  async ({ url }) => {
    const refused: readonly [method: string, path: string, status: number][] = [
      ['POST', '/webhooks/unknown', 404],
      ['POST', '/webhooks/off', 403],
      ['POST', '/nowhere', 404],
      ['PUT', '/webhooks/on', 405],
    ]
    for (const [method, path, status] of refused) {
      const head = `${method} ${path} HTTP/1.1\r\nHost: here\r\n`
      expect([path, await statusOfHead(url, head)]).toEqual([path, status])
    }
  },
  { routes: { on: { secret: SECRET }, off: { secret: SECRET, enabled: false } } },
)
