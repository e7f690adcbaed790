// The accounts option of a hosted server: the schema of an account, and its defaults.

import { partnerNodeCost, tiers } from '../../spec/server/access.ts'
import { exceptionTypes } from '../../spec/server/errors.ts'
import type { Schema } from './json-schema.ts'
import { readObjects } from './read-objects.ts'
import { headerPattern } from './header-text.ts'
import type { Account } from '../server/state/options.ts'

/** The accounts of a hosted server without the option. */
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

const memberNames = (of: object): string[] => Object.keys(of)

/** The account with which a client starts: the first one that is not free, else the first one. */
const usualAccount = (accounts: readonly Account[]): Account | undefined =>
  accounts.find(({ tier }) => tier !== 'free') ?? accounts[0]

/** What a client of a hosted server at this address needs. */
export type ClientSettings = {
  /** A key of an account that may submit; null on a local server. */
  readonly apiKey: string | null
  /** The environment variables with which the vendor's SDKs and command line use the server; none on a local one. */
  readonly clientEnv: Readonly<Record<string, string>>
}

/** The settings of a client, for a server with these options at this address. */
export function clientSettings(
  { deployment, accounts }: { readonly deployment: string; readonly accounts: readonly Account[] },
  url: string,
): ClientSettings {
  const apiKey = deployment === 'hosted' ? (usualAccount(accounts)?.keys[0] ?? null) : null
  if (apiKey === null) return { apiKey, clientEnv: {} }
  return {
    apiKey,
    clientEnv: {
      COMFY_BASE_URL: url,
      COMFY_ROUTER_BASE_URL: url,
      COMFY_API_BASE_URL: url,
      COMFY_API_KEY: apiKey,
      COMFY_CLOUD_BASE_URL: url,
      COMFY_CLOUD_API_KEY: apiKey,
    },
  }
}

/** The JSON Schema of one account in a config file: the type of each member, and its default. */
const accountSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['user', 'keys'],
  properties: {
    user: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'unique name of the account: up to 64 letters, digits, _ and -',
    },
    keys: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', pattern: headerPattern },
      description: 'API keys of the account, at least one, without spaces',
    },
    tier: {
      enum: memberNames(tiers),
      default: 'pro',
      description: 'the number of concurrent runs; the server rejects free on paid paths',
    },
    balance: {
      type: 'number',
      minimum: 0,
      default: 1000,
      description: `credits for partner nodes, each of which costs ${partnerNodeCost}`,
    },
    subscription: {
      enum: ['active', 'inactive'],
      default: 'active',
      description: 'with inactive, each run fails with InactiveSubscriptionError',
    },
    partnerKey: {
      type: ['string', 'null'],
      pattern: headerPattern,
      default: null,
      description: 'the key for partner nodes, which fail without one',
    },
    failsWith: {
      enum: [...memberNames(exceptionTypes), null],
      default: null,
      description: 'the exception type with which each of its runs fails before the first node',
    },
  },
} as const satisfies Schema

export const accountsSchema = { type: 'array', minItems: 1, items: accountSchema } as const

/** Reads the option: the accounts, or a message that says what is wrong. */
export function readAccounts(value: unknown): readonly Account[] | string {
  const read = readObjects(accountsSchema, value, 'account')
  if (typeof read === 'string') return read
  const accounts = read as readonly Account[]
  const twice = findTwice(accounts.map(({ user }) => user))
  if (twice !== undefined) return `the user ${twice} appears twice`
  const keys = accounts.flatMap((account) => [...new Set(account.keys)])
  if (findTwice(keys) !== undefined) return 'two accounts have the same key'
  const known: ReadonlySet<string | null> = new Set(keys)
  const isBoth = accounts.some(({ partnerKey }) => known.has(partnerKey))
  return isBoth ? 'a partner key is also an API key' : accounts
}

function findTwice(values: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return values.find((value) => seen.size === seen.add(value).size)
}
