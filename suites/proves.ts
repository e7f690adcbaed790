// Registers a case for one or more rules: its title is made of them, and it gets a subject of its own.

import type { EmulatorOptions } from 'flowdouble'
import { test as register } from 'vitest'
import { both, type Deployment, type Place, type Rule } from '../spec/language.ts'
import { quirks, type RuleId, rules } from '../spec/index.ts'
import { isForeign, isOutOfReach, startSubject, type Subject } from './subject.ts'

/** A case on one deployment, as data. `ids` are rules, or `quirks/` and the id of a quirk. */
export type Case = {
  readonly title: string
  readonly ids: readonly string[]
  readonly deployment: Deployment
  /** The options of its world, without the deployment. */
  readonly options: EmulatorOptions
  readonly body: (subject: Subject) => Promise<void>
}

/**
 * The options of a case that has to have its world to itself: one in which nothing has happened before, or whose time
 * stands still between two requests. On a server elsewhere it cannot run.
 */
export const ownWorld = { clock: 'manual' } as const

let collected: Case[] | undefined

/**
 * The cases that are declared while `load` runs, for somebody who runs them on servers of his own: they become no tests.
 */
export async function collectCases(load: () => Promise<unknown>): Promise<readonly Case[]> {
  const cases: Case[] = []
  collected = cases
  try {
    await load()
  } finally {
    collected = undefined
  }
  return cases
}

/** Starts the subject of a case; `more` are further options of its world. */
export const startFor = ({ options, deployment }: Case, more: EmulatorOptions = {}) =>
  startSubject({ ...options, ...more, deployment })

/** Runs a case on a subject of its own, which is closed at the end. */
export async function runCase(one: Case, more: EmulatorOptions = {}): Promise<void> {
  return runOn(await startFor(one, more), one)
}

/** Runs a case on this subject, and closes it. */
export async function runOn(subject: Subject, { body }: Case): Promise<void> {
  try {
    await body(subject)
  } finally {
    await subject.close()
  }
}

/** The deployments that a case runs on: those on which all of its rules hold, unless its options name one. */
function deploymentsOf(
  held: readonly (readonly Place[])[],
  named: Deployment | undefined,
): readonly Deployment[] {
  const found = both.filter((one) => (named ?? one) === one && held.every((on) => on.includes(one)))
  if (found.length === 0) throw new Error('What this case proves holds together on no deployment.')
  return found
}

/**
 * A case that proves rules: it has to fail on a server that breaks them. It runs on each deployment on which they hold,
 * or on the one that its options name.
 * @param options of its world; with any but the deployment it cannot run on a foreign server.
 */
export function proves(
  ruleIds: RuleId | readonly RuleId[],
  body: (subject: Subject) => Promise<void>,
  { deployment: named, ...options }: EmulatorOptions = {},
): void {
  const ids: readonly RuleId[] = typeof ruleIds === 'string' ? [ruleIds] : ruleIds
  const held = ids.map((id) => (rules[id] as Rule).on)
  for (const deployment of deploymentsOf(held, named)) {
    const title = ids.map((id) => `${id} [${deployment}] ${(rules[id] as Rule).says}`).join(' + ')
    add({ title, ids, deployment, options, body })
  }
}

/** A case for the behaviour that a quirk switches on; `options` are further ones of its world. */
export function switched(
  id: keyof typeof quirks,
  body: (subject: Subject) => Promise<void>,
  { deployment: named, ...options }: EmulatorOptions = {},
): void {
  const own = { ...options, quirk: [id, ...(options.quirk ?? [])] }
  for (const deployment of deploymentsOf([quirks[id].on], named)) {
    const title = `quirks/${id} [${deployment}] ${quirks[id].quirk}`
    add({ title, ids: [`quirks/${id}`], deployment, options: own, body })
  }
}

function add(one: Case): void {
  if (collected !== undefined) {
    collected.push(one)
    return
  }
  register.skipIf(isOutOfReach(one.deployment, one.options))(one.title, () => runCase(one))
}

/**
 * A test of something that is no rule, in a file of cases, with servers of its own. Where cases are collected it is left
 * out.
 */
export function test(title: string, body: () => Promise<void> | void): void {
  if (collected === undefined) register.skipIf(isForeign)(title, body)
}
