// Replies of the proxy to partners: refusals, and JSON whose members are given by their places.

import { partnerRefusals } from '../../../spec/partner/errors.ts'
import { type Reply, refuseBy } from '../../http/replies.ts'

/** A refusal by its name; `values` replace the placeholders in its message. */
export const refusePartner = (
  name: keyof typeof partnerRefusals,
  values: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Reply => refuseBy(partnerRefusals[name], headers, values)

type Holder = Record<string, unknown>

/** Sets the member at a place such as `data.images.0.url`: a number makes a list. */
export function setAt(body: Holder, place: string, value: unknown): void {
  const parts = place.split('.')
  let at = body
  for (const [index, part] of parts.slice(0, -1).entries()) {
    at[part] ??= /^\d+$/.test(parts[index + 1] as string) ? [] : {}
    at = at[part] as Holder
  }
  at[parts.at(-1) as string] = value
}
