// Each case can fail: on a server that breaks its rule, it does.

import { describe, expect, test } from 'vitest'
import { type RuleId, rules } from '../../spec/index.ts'
import { both, type Deployment, type Rule } from '../../spec/language.ts'
import { mutants } from '../mutants/index.ts'
import { type Mutant, onData, onJson, type Tamper } from '../mutants/tamper.ts'
import { type Case, runCase, runOn, startFor } from '../proves.ts'
import { isForeign } from '../subject.ts'
import { cases, source, withCases } from './cases.ts'

/**
 * Whether a case fails on a wrong server. It does not count where the server does not start, as a world cannot be so, nor
 * where it breaks down itself, as what it should change is not there.
 */
async function fails(one: Case, { tamper, options = {} }: Mutant): Promise<boolean> {
  let isBroken = false
  const wrong = tamper?.(one.deployment)
  const guarded: Tamper = (effects, input) => {
    try {
      return wrong?.(effects, input) ?? effects
    } catch {
      isBroken = true
      return effects
    }
  }
  const subject = await startFor(one, { ...options, tamper: guarded }).catch(() => undefined)
  if (subject === undefined) return false
  return runOn(subject, one).then(
    () => false,
    () => !isBroken,
  )
}

/** Whether one of the cases of a rule on a deployment fails. */
async function isCaught(rule: RuleId, deployment: Deployment, mutant: Mutant): Promise<boolean> {
  const own = cases.filter((one) => one.ids.includes(rule) && one.deployment === deployment)
  for (const one of own) if (await fails(one, mutant)) return true
  return false
}

/** `rule on deployment` where a wrong server was caught. */
const caught = new Set<string>()

/** Tries a mutant on each deployment of a rule, the later ones only where nothing was caught so far. */
async function tryOn(rule: RuleId, mutant: Mutant): Promise<boolean> {
  let isFound = false
  const { on }: Rule = rules[rule]
  for (const deployment of both.filter((one) => on.includes(one))) {
    const pair = `${rule} on ${deployment}`
    if (isFound && caught.has(pair)) continue
    if (!(await isCaught(rule, deployment, mutant))) continue
    caught.add(pair)
    isFound = true
  }
  return isFound
}

describe.skipIf(isForeign)('mutants', () => {
  test.each(mutants)('%s is caught by a case of each rule that it breaks', async (_, mutant) => {
    const survived: RuleId[] = []
    for (const rule of mutant.breaks) if (!(await tryOn(rule, mutant))) survived.push(rule)
    expect(survived).toEqual([])
  })

  test('each stated rule is broken, and that is caught, on each of its deployments', () => {
    const stated = Object.entries<Rule>(rules).filter(([, { basis }]) => basis === 'stated')
    const pairs = stated.flatMap(([id, { on }]) =>
      both.filter((one) => on.includes(one)).map((deployment) => `${id} on ${deployment}`),
    )
    expect(pairs.filter((pair) => !caught.has(pair))).toEqual([])
  })

  test('a server that is tampered with in nothing passes the first case of each area', async () => {
    const first = new Map(cases.toReversed().map((one) => [one.ids[0]?.split('/')[0], one]))
    const json = onJson(/^GET \/(queue|history)/, (body) => body)()
    const messages = onData('progress_state', (data) => data)()
    for (const one of first.values()) {
      await runCase(one, { tamper: (effects, input) => messages(json(effects, input), input) })
    }
  })
})

test('files with cases take test from where it is left out when cases are collected', () => {
  const registers = /import \{[^}]*\b(test|it|describe)\b[^}]*\} from 'vitest'/
  expect(withCases.filter((file) => registers.test(source(file)))).toEqual([])
})
