// Which cases run, in which order, and for which of them the budget of runs is.

import { test } from 'vitest'
import { generations } from '../../../spec/generations.ts'
import { asPlanned, planCases, type PlanOptions, usualRuns } from '../../check/plan.ts'
import { shareOf } from '../../check/reports/outcome.ts'
import { expect } from '../../judge/expect.ts'
import type { Case } from '../../judge/proves.ts'

/** A case of these rules; its title has the numbers of runs of a known one. */
const caseOf = (ids: readonly string[], more: Partial<Case> = {}): Case => ({
  title: ids.join(' + '),
  ids,
  place: 'local',
  generations,
  needsOwnWorld: false,
  isAboutToken: false,
  isShared: false,
  body: () => Promise.resolve(),
  start: () => Promise.reject(new Error('It is not started.')),
  ...more,
})

const listing = caseOf(['queue/listing'])
const history = caseOf(['history/kept', 'queue/listing'])
const own = caseOf(['queue/clear'], { needsOwnWorld: true })
const remote = caseOf(['queue/listing'], { place: 'hosted' })
const quirk = caseOf(['quirks/queue.heap-order'])
const all = [listing, history, own, remote, quirk]

/** An operator who allows everything, or less. */
const able = {
  select: [],
  allow: ['global', 'destructive', 'paid', 'slow', 'heavy'],
  isReadOnly: false,
  sessions: 3,
  maxRuns: 50,
} as const

const titles = (select: readonly string[], cases = all) =>
  planCases(cases, { place: 'local' }, { ...able, select }).map(({ one }) => one.title)

test('check/plan Cases of the place run area by area; those of quirks belong to the judgement.', () => {
  const again = caseOf(['queue/fork'])
  expect(titles([], [...all, again])).toEqual([
    'queue/listing',
    'queue/clear',
    'queue/fork',
    'history/kept + queue/listing',
  ])
})

test.each([
  ['queue/listing', ['queue/listing', 'history/kept + queue/listing']],
  ['queue', ['queue/listing', 'queue/clear']],
  ['queue/*', ['queue/listing', 'queue/clear', 'history/kept + queue/listing']],
  ['history/kept + queue/listing', ['history/kept + queue/listing']],
  ['own-world', ['queue/clear']],
])('check/plan-select %s selects by rule, area, glob, title or tag.', (selector, expected) => {
  expect(titles([selector])).toEqual(expected)
})

test.each(['nothing', 'queue/list', 'queue.listing', 'quirks/*', ''])(
  'check/plan-unknown %j matches no case, which is wrong usage.',
  (selector) => {
    const error = expect.objectContaining({
      code: 'USAGE',
      message: `--only ${JSON.stringify(selector)} matches no case of a local server.`,
    })
    expect(thrownBy(() => titles(['queue', selector]))).toEqual(error)
  },
)

function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

test('check/plan-tags A case that needs its own world has that tag, costs nothing and is in any budget.', () => {
  const [, planned] = planCases(all, { place: 'local' }, { ...able, select: ['queue'], maxRuns: 0 })
  expect(planned).toMatchObject({ one: own, area: 'queue', tags: ['own-world'], runs: 0 })
  expect(planned?.isBeyondBudget).toBe(false)
})

test('check/plan-budget The runs are for stated rules first, then for those that cost least.', async () => {
  const { cases } = await import('../../house/cases.ts')
  const plan = (maxRuns: number) => planCases(cases, { place: 'local' }, { ...able, maxRuns })
  const costing = plan(0).filter(({ one, runs }) => runs > 0 && !one.needsOwnWorld)
  expect(costing.length).toBeGreaterThan(20)
  expect(costing.every(({ isBeyondBudget }) => isBeyondBudget)).toBe(true)
  const chosen = plan(50).filter(({ isBeyondBudget, one }) => !isBeyondBudget && !one.needsOwnWorld)
  const sum = chosen.reduce((total, { runs }) => total + runs, 0)
  expect(sum).toBeLessThanOrEqual(50)
  expect(sum).toBeGreaterThan(40)
  expect(plan(Infinity).filter(({ isBeyondBudget }) => isBeyondBudget)).toEqual([])
})

test('check/plan-usual Without a budget all stated rules are judged that may be, and what --only chooses.', async () => {
  const { cases } = await import('../../house/cases.ts')
  const local = { place: 'local' } as const
  const careful = { ...able, allow: [] }
  const usual = usualRuns(cases, local, careful)
  expect(usual).toBeGreaterThan(80)
  expect(usual).toBeLessThan(120)
  const planned = planCases(cases, local, { ...careful, maxRuns: usual }).map(asPlanned)
  const { judged, of, rest } = shareOf(planned, 500)
  expect(rest.every(({ by }) => by.startsWith('with --allow'))).toBe(true)
  expect(judged + rest.reduce((sum, { rules }) => sum + rules, 0)).toBe(of)
  const queue = { ...able, select: ['queue'] }
  const whole = planCases(cases, local, { ...queue, maxRuns: usualRuns(cases, local, queue) })
  expect(whole.some(({ isBeyondBudget }) => isBeyondBudget)).toBe(false)
})

test('check/plan-known What is known not to be judged is not tried and costs nothing.', async () => {
  const { cases } = await import('../../house/cases.ts')
  const plan = (options: Partial<PlanOptions>) =>
    planCases(cases, { place: 'local' }, { ...able, ...options, maxRuns: Infinity })
  const skipped = (options: Partial<PlanOptions>) =>
    plan(options).filter(({ skip }) => skip?.reason === 'not-allowed')
  expect(skipped({})).toEqual([])
  expect(skipped({ allow: ['slow'] }).map(({ tags }) => tags)).toContainEqual(['global'])
  const reading = plan({ isReadOnly: true })
  expect(reading.filter(({ runs, skip }) => runs > 0 && skip === undefined)).toEqual([])
})

test('check/plan-shared Cases that share what the first of them makes are paid for once.', async () => {
  const { cases } = await import('../../house/cases.ts')
  const select = cases
    .filter(({ isShared, place }) => isShared && place === 'local')
    .map(({ title }) => title)
  const plan = (maxRuns: number) =>
    planCases(cases, { place: 'local' }, { ...able, select, maxRuns }).filter(
      ({ one }) => one.isShared,
    )
  const runs = plan(0).reduce((total, one) => total + one.runs, 0)
  expect(runs).toBeGreaterThan(50)
  expect(plan(runs - 1).every(({ isBeyondBudget }) => isBeyondBudget)).toBe(true)
  expect(plan(1000).some(({ isBeyondBudget }) => isBeyondBudget)).toBe(false)
})

test.each(['local', 'hosted'] as const)(
  'check/plan-enough With everything allowed the usual budget is enough for every case of a %s server.',
  async (place) => {
    const { cases } = await import('../../house/cases.ts')
    const plan = planCases(
      cases,
      { place },
      { ...able, maxRuns: usualRuns(cases, { place }, able) },
    )
    expect(plan.filter(({ isBeyondBudget }) => isBeyondBudget)).toEqual([])
  },
)
