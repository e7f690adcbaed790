// The machine behind a gateway, for what no request of a client can make it do.

import type { Gateway, GatewayEffect, GatewayInput } from 'flowdouble'
import {
  createGatewayWorld,
  type GatewayStateOptions,
  stepGateway,
} from '../../../dist/emulator/internal.js'

type Timed<T> = T extends { readonly atMs: number } ? Omit<T, 'atMs'> : never
type Input = Timed<GatewayInput>
type Reply = Extract<GatewayEffect, { kind: 'reply' }>

export type GatewayMachine = {
  readonly step: (input: Input) => readonly GatewayEffect[]
  /** The reply to a request. Throws if it comes later. */
  readonly reply: (input: Input) => Reply
}

/** A machine with the options of this gateway, at its start. Secrets stand in a journal as placeholders. */
export async function machineOf(
  gateway: Gateway,
  routes: object = gateway.options.routes,
): Promise<GatewayMachine> {
  const [header = '{}'] = await gateway.journal()
  const { options } = JSON.parse(header) as { options: GatewayStateOptions }
  const world = createGatewayWorld({ ...options, routes: JSON.stringify(routes) })
  const step = (input: Input): readonly GatewayEffect[] => stepGateway(world, { ...input, atMs: 0 })
  return {
    step,
    reply: (input) => {
      const reply = step(input).find((effect) => effect.kind === 'reply')
      if (reply === undefined) throw new Error('This request has no reply yet.')
      return reply
    },
  }
}

/** The input for a request. */
export const inputTo = (
  method: string,
  target: string,
  body = '',
  headers: Readonly<Record<string, string>> = {},
): Input => ({
  kind: 'request',
  request: 1,
  method,
  target,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  ),
  body: Buffer.from(body),
})
