// Each case can fail: on a server that breaks its rule, it does.

import { describe, expect, test } from 'vitest'
import { type RuleId, rules } from '../../spec/index.ts'
import type { Place, Rule } from '../../spec/language.ts'
import { generated } from '../mutants/generated/index.ts'
import { byHand } from '../mutants/by-hand/index.ts'
import { mutants } from '../mutants/index.ts'
import { type Mutant, onData, onJson, type Tamper } from '../mutants/tamper.ts'
import { wrongOptions } from '../mutants/wrong-options.ts'
import { BrokenLaw } from '../laws/judge-traffic.ts'
import { type Case, runCase } from '../judge/proves.ts'
import { isLong, sampleOf } from '../support/effort.ts'
import { cases, source, withCases } from './cases.ts'

/**
 * What cases make of a wrong server. They are blind to it if none fails although its output differs; it is idle if they
 * do nothing that its fault changes.
 */
type Verdict = 'caught' | 'blind' | 'idle'

/**
 * Runs a case on a wrong server. A law that its traffic breaks counts for the rules of that law alone. A failure does not count if the server does not start, because such a world is
 * impossible, nor if the mutant itself breaks down, because what it changes is missing.
 */
async function verdictOf(one: Case, rule: RuleId, mutant: Mutant): Promise<Verdict> {
  // Other options change the output as well.
  const record = { hasChanged: mutant.tamper === undefined, isBroken: false }
  const run = await one.start(wrongOptions(mutant, one.place, record)).catch(() => undefined)
  if (run === undefined) return 'idle'
  const hasFailed = await run().then(
    () => false,
    (error: unknown) => !(error instanceof BrokenLaw) || error.ids.includes(rule),
  )
  if (hasFailed && !record.isBroken) return 'caught'
  return record.hasChanged ? 'blind' : 'idle'
}

/** The verdict of the cases of a rule at a place: that of the first that catches the mutant, else of the best. */
async function tryAt(rule: RuleId, place: Place, mutant: Mutant): Promise<Verdict> {
  const own = cases.filter((one) => one.ids.includes(rule) && one.place === place)
  let best: Verdict = 'idle'
  for (const one of own) {
    const verdict = await verdictOf(one, rule, mutant)
    if (verdict === 'caught') return verdict
    if (verdict === 'blind') best = verdict
  }
  return best
}

/** `rule on place` for each wrong server that was caught. */
const caught = new Set<string>()

/** Tries a mutant at each place of a rule, the later ones only if nothing was caught so far. */
async function tryOn(rule: RuleId, mutant: Mutant): Promise<Verdict> {
  let best: Verdict = 'idle'
  const { on }: Rule = rules[rule]
  for (const place of on) {
    const pair = `${rule} on ${place}`
    if (best === 'caught' && caught.has(pair)) continue
    const verdict = await tryAt(rule, place, mutant)
    if (verdict === 'caught') caught.add(pair)
    if (best === 'idle' || verdict === 'caught') best = verdict
  }
  return best
}

/** Whether a rule behind a mutant catches it at a place: those are tried first that have caught none so far. */
async function isCaught(place: Place, mutant: Mutant): Promise<boolean> {
  const pairOf = (rule: RuleId): string => `${rule} on ${place}`
  const own = mutant.breaks
    .filter((rule) => (rules[rule] as Rule).on.includes(place))
    .toSorted((one, other) => Number(caught.has(pairOf(one))) - Number(caught.has(pairOf(other))))
  for (const rule of own) {
    if ((await tryAt(rule, place, mutant)) !== 'caught') continue
    caught.add(pairOf(rule))
    return true
  }
  return false
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
  test.each(sampleOf(byHand, 15))(
    '%s is caught by a case of each rule that it breaks, except those that are known to miss it',
    async (_, mutant) => {
      const { breaks, missedBy = [] }: Mutant = mutant
      const isMissed = (rule: RuleId): boolean => missedBy.some((one) => one === rule)
      const verdicts: string[] = []
      for (const rule of breaks) {
        const verdict = await tryOn(rule, mutant)
        const isExpected = isMissed(rule) === (verdict !== 'caught')
        if (!isExpected) verdicts.push(`${rule}: ${verdict}`)
      }
      expect(verdicts).toEqual([])
    },
  )

  test.each(sampleOf(generated, 120))(
    '%s is caught by a case of one of the rules behind it, at each of its places',
    async (_, mutant) => {
      const missedOn: Place[] = []
      for (const place of mutant.on) if (!(await isCaught(place, mutant))) missedOn.push(place)
      expect(missedOn).toEqual(mutant.missedOn)
    },
  )

  test('no two have the same name', () => {
    expect(new Set(mutants.map(([name]) => name)).size).toBe(mutants.length)
  })

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
    for (const one of sampleOf([...first.values()], 2)) {
      const tamper: Tamper = (effects, input) => messages(json(effects, input), input)
      await runCase(one, { server: { tamper } })
    }
  })
})

test('files with cases take test from a module that skips it when cases are collected', () => {
  const registers = /import \{[^}]*\b(test|it|describe)\b[^}]*\} from 'vitest'/
  expect(withCases.filter((file) => registers.test(source(file)))).toEqual([])
})
