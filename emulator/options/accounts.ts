// The accounts of a hosted server as a caller gives them: what each member is, and what it is by default.

import { partnerNodeCost, tiers } from '../../spec/server/access.ts'
import { exceptionTypes } from '../../spec/server/errors.ts'
import { readObjects, type Schema } from './json-schema.ts'
import { headerPattern } from './header-text.ts'
import type { Account } from '../server/state/options.ts'

/** The accounts of a hosted server that is given none. */
export const defaultAccounts: readonly Account[] = [
  {
    user: 'test-user',
    keys: ['test-key'],
    tier: 'pro',
    balance: 1000,
    subscription: 'active',
    partnerKey: 'test-partner-key',
    failsWith: null,
  },
  {
    user: 'test-user-free',
    keys: ['test-key-free'],
    tier: 'free',
    balance: 0,
    subscription: 'active',
    partnerKey: null,
    failsWith: null,
  },
]

const words = (of: object): string[] => Object.keys(of)

/** The JSON Schema of one account in a config file: what each member has to be, and what it is when it is left out. */
const accountSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['user', 'keys'],
  properties: {
    user: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'name of the account, which no other has: letters, digits, _ and -, 64 at most',
    },
    keys: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', pattern: headerPattern },
      description: 'list of the API keys that stand for it, at least one, without blanks',
    },
    tier: {
      enum: words(tiers),
      default: 'pro',
      description: 'how many runs it has at a time; free is refused on the paid paths',
    },
    balance: {
      type: 'number',
      minimum: 0,
      default: 1000,
      description: `what it can spend on partner nodes, each of which costs ${partnerNodeCost}`,
    },
    subscription: {
      enum: ['active', 'inactive'],
      default: 'active',
      description: 'inactive ends each run with InactiveSubscriptionError',
    },
    partnerKey: {
      type: ['string', 'null'],
      pattern: headerPattern,
      default: null,
      description: 'the key that its partner nodes take; without one they fail',
    },
    failsWith: {
      enum: [...words(exceptionTypes), null],
      default: null,
      description: 'the word with which each of its runs fails before any node begins',
    },
  },
} as const satisfies Schema

export const accountsSchema = { type: 'array', minItems: 1, items: accountSchema } as const

/** The accounts that a value stands for, or a sentence that says what is wrong with it. */
export function readAccounts(value: unknown): readonly Account[] | string {
  const read = readObjects(accountsSchema, value, 'account')
  if (typeof read === 'string') return read
  const accounts = read as readonly Account[]
  const twice = findTwice(accounts.map(({ user }) => user))
  if (twice !== undefined) return `the user ${twice} comes twice`
  const keys = accounts.flatMap((account) => [...new Set(account.keys)])
  if (findTwice(keys) !== undefined) return 'one key stands for two accounts'
  const isBoth = accounts.some(({ partnerKey }) => partnerKey !== null && keys.includes(partnerKey))
  return isBoth ? 'a partner key is an API key too' : accounts
}

const findTwice = (values: readonly string[]): string | undefined =>
  values.find((value, index) => values.indexOf(value) !== index)
