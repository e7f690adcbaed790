// Registers a case for one or more rules: its title is made of them, and it gets a subject of its own.

import type { EmulatorOptions, GatewayOptions } from 'flowdouble'
import { test as register } from 'vitest'
import type { Deployment, Place, Rule } from '../spec/language.ts'
import { quirks, type RuleId, rules } from '../spec/index.ts'
import { type GatewaySubject, startGatewaySubject } from './gateway-subject.ts'
import { isForeign, startSubject, type Subject } from './subject.ts'

/** What a case is run with beyond its own options: each kind of subject has its own. */
export type More = { readonly server?: EmulatorOptions; readonly gateway?: GatewayOptions }

/** A case as data. `ids` are rules, or `quirks/` and the id of a quirk. */
export type Case = {
  readonly title: string
  readonly ids: readonly string[]
  /** Whether its subject needs options, which no foreign server can be given. */
  readonly needsOptions: boolean
  /** Runs it on a subject of its own. */
  readonly run: (more?: More) => Promise<void>
}

type OnGateway<T> = {
  [Id in keyof T]: T[Id] extends { readonly on: readonly ['gateway'] } ? Id : never
}[keyof T]
/** Rules and quirks of the gateway, whose cases get one. */
export type GatewayRuleId = OnGateway<typeof rules>
type GatewayQuirkId = OnGateway<typeof quirks>
type ServerRuleId = Exclude<RuleId, GatewayRuleId>
type ServerQuirkId = Exclude<keyof typeof quirks, GatewayQuirkId>

type Body = (subject: Subject) => Promise<void>
type GatewayBody = (subject: GatewaySubject) => Promise<void>

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

/** The place that a case is about: the first one at which all of its rules hold, or what its options say. */
function placeOf(
  held: readonly (readonly Place[])[],
  options: EmulatorOptions | GatewayOptions,
): Place {
  if ('deployment' in options && options.deployment !== undefined) return options.deployment
  if (held.every((on) => on.includes('gateway'))) return 'gateway'
  return held.every((on) => !on.includes('local')) ? 'hosted' : 'local'
}

/** What a world needs to be of that place. */
const optionsAt = (place: Place): { readonly deployment?: Deployment } =>
  place === 'hosted' ? { deployment: place } : {}

/**
 * A case that proves rules: it has to fail on a server that breaks them.
 * @param options of the subject that it needs; a foreign server cannot have them, and the case is skipped there.
 */
export function proves(
  ruleIds: GatewayRuleId | readonly GatewayRuleId[],
  body: GatewayBody,
  options?: GatewayOptions,
): void
export function proves(
  ruleIds: ServerRuleId | readonly ServerRuleId[],
  body: Body,
  options?: EmulatorOptions,
): void
export function proves(
  ruleIds: RuleId | readonly RuleId[],
  body: Body | GatewayBody,
  options: EmulatorOptions | GatewayOptions = {},
): void {
  const ids: readonly RuleId[] = typeof ruleIds === 'string' ? [ruleIds] : ruleIds
  const held = ids.map((id) => (rules[id] as Rule).on)
  const place = placeOf(held, options)
  const title = ids.map((id) => `${id} [${place}] ${(rules[id] as Rule).says}`).join(' + ')
  add(place, { title, ids }, body, options)
}

/** A case for the behaviour that a quirk switches on; `options` are further ones of its subject. */
export function switched(id: GatewayQuirkId, body: GatewayBody, options?: GatewayOptions): void
export function switched(id: ServerQuirkId, body: Body, options?: EmulatorOptions): void
export function switched(
  id: keyof typeof quirks,
  body: Body | GatewayBody,
  options: EmulatorOptions | GatewayOptions = {},
): void {
  const place = placeOf([quirks[id].on], options)
  const own = { ...options, quirk: [id, ...(options.quirk ?? [])] }
  const title = `quirks/${id} [${place}] ${quirks[id].quirk}`
  add(place, { title, ids: [`quirks/${id}`] }, body, own)
}

/** Declares a case. The overloads above see to it that body and options are those of the place. */
function add(
  place: Place,
  told: Pick<Case, 'title' | 'ids'>,
  body: Body | GatewayBody,
  options: EmulatorOptions | GatewayOptions,
): void {
  const whole = place === 'gateway' ? options : { ...options, ...optionsAt(place) }
  const run: Case['run'] = (more = {}) =>
    place === 'gateway'
      ? onSubject(
          startGatewaySubject({ ...(whole as GatewayOptions), ...more.gateway }),
          body as GatewayBody,
        )
      : onSubject(startSubject({ ...(whole as EmulatorOptions), ...more.server }), body as Body)
  const needsOptions = place === 'gateway' || Object.keys(whole).length > 0
  const one = { ...told, needsOptions, run }
  if (collected === undefined) register.skipIf(isForeign && needsOptions)(one.title, () => run())
  else collected.push(one)
}

async function onSubject<T extends { readonly close: () => Promise<void> }>(
  started: Promise<T>,
  body: (subject: T) => Promise<void>,
): Promise<void> {
  const subject = await started
  try {
    await body(subject)
  } finally {
    await subject.close()
  }
}

/** A test of something that is no rule, in a file of cases. Where cases are collected it is left out. */
export function test(title: string, body: () => Promise<void> | void): void {
  if (collected === undefined) register(title, body)
}
