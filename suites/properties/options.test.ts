// What holds for every value of an option: the project's check accepts what the published schema accepts, and nothing
// else.

import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  accountsSchema,
  failuresSchema,
  readAccounts,
  readFailures,
} from '../../dist/emulator/internal.js'
import { runs } from '../support/effort.ts'

const ajv = new Ajv2020({ allowUnionTypes: true })

const oddities = fc.oneof(
  fc.constantFrom(null, true, '', 'x', 'two words', 'ü', 'a\n', '\u{1f600}', 0, -1, 0.5, 2, 'pro'),
  fc.constantFrom<unknown>([], [''], ['k'], ['k', 'l'], [7], {}, { user: 'a' }),
)
/** Values for a member: mostly valid ones, and others. */
const member = (...fine: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...fine) }, { weight: 1, arbitrary: oddities })

const account = fc.record(
  {
    user: member('me', 'A-b_9', 'x'.repeat(64), 'x'.repeat(65)),
    keys: member(['k'], ['key-1', 'key-2']),
    tier: member('free', 'standard', 'creator', 'pro', 'team'),
    balance: member(0, 1000, 1.5),
    subscription: member('active', 'inactive'),
    partnerKey: member(null, 'partner'),
    failsWith: member(null, 'OOMError', 'ValueError'),
    other: fc.constant(1),
  },
  { requiredKeys: [] },
)
const failure = fc.record(
  {
    class_type: member('KSampler'),
    node_id: member('3', 'a:b'),
    user: member('me'),
    run: member(1, 7),
    exception_type: member('OOMError', 'my.Error'),
    exception_message: member('', 'no room'),
    atStep: member(0, 3),
    other: fc.constant(1),
  },
  { requiredKeys: [] },
)
/** Without the member that fits nowhere, in most cases; with the required members. */
const likely = (one: fc.Arbitrary<Record<string, unknown>>, needed: Record<string, unknown>) =>
  fc.tuple(one, fc.nat(3)).map(([given, odd]) => {
    const { other: _other, ...rest } = given
    return odd === 0 ? given : Object.assign({}, needed, rest)
  })
const listOf = (one: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.array(one, { maxLength: 2 }) },
    { weight: 1, arbitrary: oddities },
  )

/** Whether it is accepted, as JSON: what JSON leaves out is left out here too. */
function compare(schema: object, read: (value: unknown) => unknown, values: fc.Arbitrary<unknown>) {
  const takes = ajv.compile(schema)
  const seen = { taken: 0, refused: 0 }
  const property = fc.property(values, (value) => {
    const plain = JSON.parse(JSON.stringify(value)) as unknown
    const isTaken = typeof read(plain) !== 'string'
    expect(isTaken).toBe(takes(plain))
    seen[isTaken ? 'taken' : 'refused']++
  })
  fc.assert(property, { seed: 3, numRuns: runs(1500) })
  // Both happen often.
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(runs(100))
}

test('options/accounts Accounts are accepted exactly if their schema accepts them.', () => {
  // Whether two of them clash is beyond a schema: here each has a unique name and unique keys.
  const apart = listOf(likely(account, { user: 'me', keys: ['k'] })).map((list) =>
    Array.isArray(list) ? list.slice(0, 1) : list,
  )
  compare(accountsSchema, readAccounts, apart)
})

test('options/failures Failures are accepted exactly if their schema accepts them.', () => {
  compare(failuresSchema, readFailures, listOf(likely(failure, { exception_type: 'OOMError' })))
})
