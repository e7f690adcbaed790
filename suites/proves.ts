// Registers a case for one or more rules: its title is made of them, and it gets a subject of its own.

import type { EmulatorOptions } from 'flowdouble'
import { test as register } from 'vitest'
import type { Deployment, Place, Rule } from '../spec/language.ts'
import { quirks, type RuleId, rules } from '../spec/index.ts'
import { isForeign, startSubject, type Subject } from './subject.ts'

/** A case as data. `ids` are rules, or `quirks/` and the id of a quirk. */
export type Case = {
  readonly title: string
  readonly ids: readonly string[]
  readonly options: EmulatorOptions
  readonly body: (subject: Subject) => Promise<void>
}

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

/** Runs a case on a subject of its own; `options` are further ones of its world. */
export async function runCase({ body, options }: Case, more: EmulatorOptions = {}): Promise<void> {
  const subject = await startSubject({ ...options, ...more })
  try {
    await body(subject)
  } finally {
    await subject.close()
  }
}

/** The place that a case is about: the first one at which all of its rules hold, or what its options say. */
function placeOf(held: readonly (readonly Place[])[], options: EmulatorOptions): Place {
  if (options.deployment !== undefined) return options.deployment
  if (held.every((on) => on.includes('gateway'))) return 'gateway'
  return held.some((on) => !on.includes('local')) ? 'hosted' : 'local'
}

/** What a world needs to be of that place. */
const optionsAt = (place: Place): { readonly deployment?: Deployment } =>
  place === 'hosted' ? { deployment: place } : {}

/**
 * A case that proves rules: it has to fail on a server that breaks them.
 * @param options of the world that it needs; a foreign server cannot have them, and the case is skipped there.
 */
export function proves(
  ruleIds: RuleId | readonly RuleId[],
  body: (subject: Subject) => Promise<void>,
  options: EmulatorOptions = {},
): void {
  const ids: readonly RuleId[] = typeof ruleIds === 'string' ? [ruleIds] : ruleIds
  const held = ids.map((id) => (rules[id] as Rule).on)
  const place = placeOf(held, options)
  const title = ids.map((id) => `${id} [${place}] ${(rules[id] as Rule).says}`).join(' + ')
  add({ title, ids, options: { ...options, ...optionsAt(place) }, body })
}

/** A case for the behaviour that a quirk switches on; `options` are further ones of its world. */
export function switched(
  id: keyof typeof quirks,
  body: (subject: Subject) => Promise<void>,
  options: EmulatorOptions = {},
): void {
  const place = placeOf([quirks[id].on], options)
  const own = { ...options, quirk: [id, ...(options.quirk ?? [])] }
  const title = `quirks/${id} [${place}] ${quirks[id].quirk}`
  add({
    title,
    ids: [`quirks/${id}`],
    options: { ...own, ...optionsAt(place) },
    body,
  })
}

function add(one: Case): void {
  if (collected !== undefined) {
    collected.push(one)
    return
  }
  const needsOptions = Object.keys(one.options).length > 0
  register.skipIf(isForeign && needsOptions)(one.title, () => runCase(one))
}

/** A test of something that is no rule, in a file of cases. Where cases are collected it is left out. */
export function test(title: string, body: () => Promise<void> | void): void {
  if (collected === undefined) register(title, body)
}
