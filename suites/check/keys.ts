// The keys of a check: the operator's take the place of those that the suites' worlds have, and none of them is shown.

import type { TargetOptions } from '../../spec/check.ts'
import { testToken } from '../judge/proves.ts'
import { Skip } from '../judge/skip.ts'
import type { Outgoing } from '../judge/traffic.ts'

/** The names under which the cases know the keys of their worlds. A name stands before those that it contains. */
const keyNames = ['test-key-free', 'test-key', 'other-key', testToken] as const
type KeyName = (typeof keyNames)[number]

const flagOf: Readonly<Record<KeyName, string>> = {
  'test-key': '--key',
  'other-key': '--second-key',
  'test-key-free': '--free-key',
  [testToken]: '--token',
}

/** The key for partner nodes in the worlds of the suites. Only the body of a submit carries it. */
const partnerKeyName = 'test-partner-key'

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
  const keys: Readonly<Record<KeyName, string | undefined>> = {
    'test-key': options.key,
    'other-key': options.secondKey,
    'test-key-free': options.freeKey,
    [testToken]: options.token,
  }
  const hide = (text: string): string =>
    [...Object.values(keys), options.partnerKey].reduce<string>(
      (sum, key) => (key === undefined ? sum : sum.replaceAll(key, '$FLOWDOUBLE_KEY')),
      text,
    )
  return {
    insert: (text) =>
      keyNames.reduce((sum, name) => {
        const escaped = encodeURIComponent(name)
        if (!sum.includes(name) && !sum.includes(escaped)) return sum
        const key = keys[name]
        if (key === undefined) throw new Skip('no-key', `It needs ${flagOf[name]}.`)
        const whole = sum.replaceAll(name, key)
        return escaped === name ? whole : whole.replaceAll(escaped, encodeURIComponent(key))
      }, text),
    insertPartner: (body) => {
      const text = typeof body === 'string' ? body : Buffer.from(body).toString('latin1')
      if (!text.includes(partnerKeyName)) return body
      if (options.partnerKey === undefined) throw new Skip('no-key', 'It needs --partner-key.')
      return Buffer.from(body as string)
        .toString()
        .replaceAll(partnerKeyName, options.partnerKey)
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
