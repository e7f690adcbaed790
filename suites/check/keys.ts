// The keys of a check: the operator's take the place of those that the suites' worlds have, and none of them is shown.

import type { TargetOptions } from '../../spec/check.ts'
import { testToken } from '../judge/proves.ts'
import { Skip } from '../judge/skip.ts'
import type { Outgoing } from '../judge/traffic.ts'

/** What an operator can give, its flag, and the name under which the cases know it in their worlds. */
export const secrets = [
  { option: 'key', flag: '--key', name: 'test-key' },
  { option: 'secondKey', flag: '--second-key', name: 'other-key' },
  { option: 'freeKey', flag: '--free-key', name: 'test-key-free' },
  { option: 'token', flag: '--token', name: testToken },
  { option: 'partnerKey', flag: '--partner-key', name: 'test-partner-key' },
] as const

/** The key for partner nodes, which only the body of a submit carries, and the others: a name stands before those that it contains. */
const partner = secrets[4]
const inHeads = secrets
  .filter((one) => one !== partner)
  .toSorted((a, b) => b.name.length - a.name.length)

export type Keys = {
  /** A text with the operator's keys. Throws a skip for a key that is not given. */
  readonly insert: (text: string) => string
  /** A body with the operator's key for partner nodes. Throws a skip if it needs one that is not given. */
  readonly insertPartner: (body: Outgoing['body']) => Outgoing['body']
  /** A text without them. */
  readonly hide: (text: string) => string
  /** A request without them; further headers may be secrets too. */
  readonly hideIn: (request: Outgoing) => Outgoing
}

export function keysOf(options: TargetOptions): Keys {
  const keyFor = ({ option, flag }: (typeof secrets)[number]): string => {
    const key = options[option]
    if (key === undefined) throw new Skip('no-key', `It needs ${flag}.`)
    return key
  }
  const hide = (text: string): string =>
    secrets.reduce((sum, { option }) => {
      const key = options[option]
      return key === undefined ? sum : sum.replaceAll(key, '$FLOWDOUBLE_KEY')
    }, text)
  return {
    insert: (text) =>
      inHeads.reduce((sum, one) => {
        const { name } = one
        const escaped = encodeURIComponent(name)
        if (!sum.includes(name) && !sum.includes(escaped)) return sum
        const key = keyFor(one)
        const whole = sum.replaceAll(name, key)
        return escaped === name ? whole : whole.replaceAll(escaped, encodeURIComponent(key))
      }, text),
    insertPartner: (body) => {
      const text = typeof body === 'string' ? body : Buffer.from(body).toString('latin1')
      if (!text.includes(partner.name)) return body
      return Buffer.from(body as string)
        .toString()
        .replaceAll(partner.name, keyFor(partner))
    },
    hide,
    hideIn: (request) => ({
      ...request,
      path: hide(request.path),
      headers: {
        ...mapValues(request.headers, hide),
        ...mapValues(options.headers, () => '$FLOWDOUBLE_KEY'),
      },
      body: typeof request.body === 'string' ? hide(request.body) : request.body,
    }),
  }
}

/** Changes the values of an object. */
export const mapValues = (
  values: Readonly<Record<string, string>>,
  change: (value: string) => string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
