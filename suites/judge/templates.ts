// Shared by the cases about templates: a route with a template, and a payload with its indented form.

import type { GatewaySubject } from './gateway-subject.ts'
import { expect } from './expect.ts'
import { makeDirect, postTo } from './posts/made-routes.ts'

type Payload = Readonly<Record<string, unknown>> | string

/** Posts payloads to a direct route with this template, and compares what it delivers with these texts. */
export async function delivers(
  subject: GatewaySubject,
  template: string,
  pairs: readonly (readonly [payload: Payload, text: string])[],
): Promise<void> {
  const to = await makeDirect(subject, template)
  for (const [at, [payload, text]] of pairs.entries()) {
    const { status } = await postTo(subject, to, payload)
    const texts = (await subject.sender.control.deliveries(to, at + 1)).map((one) => one.text)
    const found = { template, payload, status, count: texts.length, text: texts.at(-1) }
    expect(found).toEqual({ template, payload, status: 200, count: at + 1, text })
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
