// Shared by the cases about templates: a route with a template, and a payload with its indented form.

import { direct, type GatewaySubject } from './gateway-subject.ts'
import { expect } from './expect.ts'

/** Options of a gateway for many posts, whose routes are created later. */
export const many = { rateLimit: 1000, routes: {} }

type Payload = Readonly<Record<string, unknown>> | string

/** Posts payloads to a direct route with this template, and compares what it delivers with these texts. */
export async function delivers(
  { gateway, post, texts }: GatewaySubject,
  template: string,
  pairs: readonly (readonly [payload: Payload, text: string])[],
): Promise<void> {
  gateway.subscribe('note', direct(template))
  for (const [payload, text] of pairs) {
    const { status } = await post('note', payload)
    expect([template, payload, status, texts().at(-1)]).toEqual([template, payload, 200, text])
  }
}

/** A payload, */
export const container = '{"b": 1, "2": [], "1": {}, "a": [true, null, "x", {"c": [1.0]}]}'
/** and its rendered form. */
export const indented = `{
  "b": 1,
  "2": [],
  "1": {},
  "a": [
    true,
    null,
    "x",
    {
      "c": [
        1.0
      ]
    }
  ]
}`
