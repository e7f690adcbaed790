// Each case can fail: on a server that breaks its rule, it does.

import { describe, expect, test } from 'vitest'
import { type RuleId, rules } from '../../spec/index.ts'
import type { Place, Rule } from '../../spec/language.ts'
import { mutants } from '../mutants/index.ts'
import { type Mutant, onData, onJson, type Tamper } from '../mutants/tamper.ts'
import { type Case, type CaseOptions, runCase } from '../judge/proves.ts'
import { isLong, sampleOf } from '../support/effort.ts'
import { cases, source, withCases } from './cases.ts'

/**
 * Whether a case fails on a wrong server. It does not count if the server does not start, because such a world is
 * impossible, nor if the mutant itself breaks down, because what it changes is missing.
 */
async function fails(one: Case, mutant: Mutant): Promise<boolean> {
  let isBroken = false
  const more = brokenBy(mutant, one.place, () => {
    isBroken = true
  })
  const run = await one.start(more).catch(() => undefined)
  if (run === undefined) return false
  return run().then(
    () => false,
    () => !isBroken,
  )
}

/** What makes a subject wrong. `onFault` is called if that itself breaks down. */
function brokenBy(mutant: Mutant, place: Place, onFault: () => void): CaseOptions {
  if ('gateway' in mutant) {
    const { tamper, options = {} } = mutant.gateway
    return { gateway: tamper ? { ...options, tamper: guarded(tamper(), onFault) } : options }
  }
  const { tamper, options = {} } = mutant
  if (tamper === undefined || place === 'gateway') return { server: options }
  return { server: { ...options, tamper: guarded(tamper(place), onFault) } }
}

const guarded =
  <I, E>(change: (effects: readonly E[], input: I) => readonly E[], onFault: () => void) =>
  (effects: readonly E[], input: I): readonly E[] => {
    try {
      return change(effects, input)
    } catch {
      onFault()
      return effects
    }
  }

/** Whether one of the cases of a rule at a place fails. */
async function isCaught(rule: RuleId, place: Place, mutant: Mutant): Promise<boolean> {
  const own = cases.filter((one) => one.ids.includes(rule) && one.place === place)
  for (const one of own) if (await fails(one, mutant)) return true
  return false
}

/** `rule on place` for each wrong server that was caught. */
const caught = new Set<string>()

/** Tries a mutant at each place of a rule, the later ones only if nothing was caught so far. */
async function tryOn(rule: RuleId, mutant: Mutant): Promise<boolean> {
  let isFound = false
  const { on }: Rule = rules[rule]
  for (const place of on) {
    const pair = `${rule} on ${place}`
    if (isFound && caught.has(pair)) continue
    if (!(await isCaught(rule, place, mutant))) continue
    caught.add(pair)
    isFound = true
  }
  return isFound
}

/**
 * Stated rules. Commands have no effects that a mutant could change: of their rules only those have wrong servers that
 * a running gateway shows. Duties are rules of clients: wrong clients break those, in their cases.
 */
const stated = Object.entries<Rule>(rules)
  .map(([id, { basis, on }]) => ({ id, basis, on }))
  .filter(({ id, basis }) => basis === 'stated' && !/^(subscriptions|duties)\//.test(id))

describe('mutants', () => {
  // All of them take minutes: a sample shows that each kind of case can fail, the nightly command tries the rest.
  test.each(sampleOf(mutants, 10))(
    '%s is caught by a case of each rule that it breaks',
    async (_, mutant) => {
      const survived: RuleId[] = []
      for (const rule of mutant.breaks) if (!(await tryOn(rule, mutant))) survived.push(rule)
      expect(survived).toEqual([])
    },
  )

  test('each stated rule has a wrong server that breaks it', () => {
    const broken = new Set<string>(mutants.flatMap(([, { breaks }]) => breaks))
    expect(stated.filter(({ id }) => !broken.has(id))).toEqual([])
  })

  if (isLong) {
    test('each stated rule is broken, and that is caught, at each of its places', () => {
      const pairs = stated.flatMap(({ id, on }) => on.map((place) => `${id} on ${place}`))
      expect(pairs.filter((pair) => !caught.has(pair))).toEqual([])
    })
  }

  test('a server without any tampering passes the first case of each area', async () => {
    const first = new Map(cases.toReversed().map((one) => [one.ids[0]?.split('/')[0], one]))
    const json = onJson(/^GET \/(queue|history)/, (body) => body)()
    const messages = onData('progress_state', (data) => data)()
    for (const one of first.values()) {
      const tamper: Tamper = (effects, input) => messages(json(effects, input), input)
      await runCase(one, { server: { tamper } })
    }
  })
})

test('files with cases take test from a module that skips it when cases are collected', () => {
  const registers = /import \{[^}]*\b(test|it|describe)\b[^}]*\} from 'vitest'/
  expect(withCases.filter((file) => registers.test(source(file)))).toEqual([])
})
