// Each case can fail: on a server that breaks its rule, it does.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type RuleId, rules } from '../../spec/index.ts'
import type { Rule } from '../../spec/language.ts'
import { mutants } from '../mutants/index.ts'
import { type Mutant, onData, onJson } from '../mutants/tamper.ts'
import { type Case, collectCases, type More } from '../proves.ts'
import { isForeign } from '../subject.ts'
import { unproved } from './unproved.ts'

const contract = join(import.meta.dirname, '..', 'contract')
const source = (file: string): string => readFileSync(join(contract, file), 'utf8')
const withCases = readdirSync(contract).filter(
  (file) => file.endsWith('.test.ts') && /^\s*(proves|switched)\(/m.test(source(file)),
)
const cases = await collectCases(async () => {
  // The query makes a module apart from the one that registers the tests, in case one thread loads both.
  for (const file of withCases) await import(`${join(contract, file)}?cases`)
})

/** Whether a case fails on a wrong server. */
const fails = (one: Case, mutant: Mutant): Promise<boolean> =>
  one.run(brokenBy(mutant)).then(
    () => false,
    () => true,
  )

function brokenBy(mutant: Mutant): More {
  if ('gateway' in mutant) {
    const { tamper, options = {} } = mutant.gateway
    return { gateway: tamper === undefined ? options : { ...options, tamper: tamper() } }
  }
  const { tamper, options = {} } = mutant
  return { server: tamper === undefined ? options : { ...options, tamper: tamper() } }
}

/** Whether one of the cases of a rule fails. */
async function isCaught(rule: RuleId, mutant: Mutant): Promise<boolean> {
  for (const one of cases.filter(({ ids }) => ids.includes(rule))) {
    if (await fails(one, mutant)) return true
  }
  return false
}

const isOpen = (id: string): boolean => id in unproved

describe.skipIf(isForeign)('mutants', () => {
  test.each(mutants)('%s is caught by a case of each rule that it breaks', async (_, mutant) => {
    const survived: RuleId[] = []
    for (const rule of mutant.breaks) {
      if (!isOpen(rule) && !(await isCaught(rule, mutant))) survived.push(rule)
    }
    expect(survived).toEqual([])
  })

  test('a server that is tampered with in nothing passes the first case of each area', async () => {
    const first = new Map(cases.toReversed().map((one) => [one.ids[0]?.split('/')[0], one]))
    const json = onJson(/^GET \/(queue|history)/, (body) => body)()
    const messages = onData('progress_state', (data) => data)()
    for (const one of first.values()) {
      await one.run({
        server: { tamper: (effects, input) => messages(json(effects, input), input) },
        gateway: { tamper: (effects) => effects.map((effect) => ({ ...effect })) },
      })
    }
  })
})

test('each stated rule of the local server, and of the gateway, has a mutant', () => {
  const broken = new Set<string>(mutants.flatMap(([, { breaks }]) => breaks))
  // Commands have no effects that could be changed under way: of their rules those only have mutants that a running
  // gateway shows.
  const isHere = ([id, { on }]: readonly [string, Rule]): boolean =>
    on.includes('local') || (on.includes('gateway') && !id.startsWith('subscriptions/'))
  const stated = Object.entries<Rule>(rules).filter(
    (entry) => entry[1].basis === 'stated' && isHere(entry) && !isOpen(entry[0]),
  )
  expect(stated.map(([id]) => id).filter((id) => !broken.has(id))).toEqual([])
})

test('files with cases take test from where it is left out when cases are collected', () => {
  const registers = /import \{[^}]*\b(test|it|describe)\b[^}]*\} from 'vitest'/
  expect(withCases.filter((file) => registers.test(source(file)))).toEqual([])
})
