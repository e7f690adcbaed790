// In which order a gateway tells what happens.

import { expect } from 'vitest'
import {
  createGatewayWorld,
  type GatewayStateOptions,
} from '../../../dist/emulator/gateway/state.js'
import { step } from '../../../dist/emulator/gateway/step.js'
import { SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'

// Over HTTP the clock never passes what is due: the machine behind it is asked, made from what the gateway is made from.
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
  const told = (effects: ReturnType<typeof step>) => {
    const at = effects.findIndex(({ kind }) => kind === 'reply')
    return [effects.slice(0, at), effects.slice(at + 1)].map((part) => JSON.stringify(part))
  }
  const [none, begun] = told(post('first', 0))
  expect(none).toBe('[]')
  expect(begun).toContain('first')
  const [before, after] = told(post('second', 10_000))
  expect(before).toContain('first')
  expect(before).not.toContain('second')
  expect(after).toContain('second')
  expect(after).not.toContain('first')
})
