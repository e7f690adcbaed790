// The accounts of a hosted server as a caller gives them: what each member is, and what it is by default.

import { tiers } from '../spec/access.ts'
import { exceptionTypes } from '../spec/errors.ts'
import type { Account } from './server/accounts.ts'

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

/** Members that may be left out, and what they are then. */
const optional = {
  tier: 'pro',
  balance: 1000,
  subscription: 'active',
  partnerKey: null,
  failsWith: null,
} as const

const words = (of: object): string[] => Object.keys(of)

/** The JSON Schema of one account in a config file. */
const accountSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['user', 'keys'],
  properties: {
    user: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
    keys: { type: 'array', minItems: 1, items: { type: 'string', pattern: '^[\\x21-\\x7e]+$' } },
    tier: { enum: words(tiers), default: optional.tier },
    balance: { type: 'number', minimum: 0, default: optional.balance },
    subscription: { enum: ['active', 'inactive'], default: optional.subscription },
    partnerKey: { type: ['string', 'null'], minLength: 1, default: null },
    failsWith: { enum: [...words(exceptionTypes), null], default: null },
  },
} as const

export const accountsSchema = { type: 'array', minItems: 1, items: accountSchema } as const

/** Whether a member of an account is what it has to be. No message repeats a value: some of them are keys. */
const checks: Readonly<Record<keyof Account, (value: unknown) => boolean>> = {
  user: (value) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
  keys: (value) => Array.isArray(value) && value.length > 0 && value.every(isKey),
  tier: (value) => typeof value === 'string' && Object.hasOwn(tiers, value),
  balance: (value) => typeof value === 'number' && value >= 0 && Number.isFinite(value),
  subscription: (value) => value === 'active' || value === 'inactive',
  partnerKey: (value) => value === null || isKey(value),
  failsWith: (value) =>
    value === null || (typeof value === 'string' && Object.hasOwn(exceptionTypes, value)),
}

const isKey = (value: unknown): boolean => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)

/** The accounts that a value stands for, or a sentence that says what is wrong with it. */
export function readAccounts(value: unknown): readonly Account[] | string {
  if (!Array.isArray(value) || value.length === 0) return 'a list of at least one account is needed'
  const accounts: Account[] = []
  for (const [index, given] of value.entries()) {
    const where = `account ${index + 1}`
    if (typeof given !== 'object' || given === null) return `${where} is no object`
    const account: Record<string, unknown> = { ...optional, ...given }
    for (const name of words(account)) {
      if (!Object.hasOwn(checks, name)) return `${where} has an unknown member "${name}"`
    }
    for (const [name, isFine] of Object.entries(checks)) {
      if (!isFine(account[name])) return `${where} cannot have that ${name}`
    }
    accounts.push(account as Account)
  }
  const twice = findTwice(accounts.map(({ user }) => user))
  if (twice !== undefined) return `the user ${twice} comes twice`
  const keys = accounts.flatMap((account) => account.keys)
  return findTwice(keys) === undefined ? accounts : 'one key stands for two accounts'
}

const findTwice = (values: readonly string[]): string | undefined =>
  values.find((value, index) => values.indexOf(value) !== index)
