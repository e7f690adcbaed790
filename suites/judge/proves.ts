// Registers a case for one or more rules: they form its title, and it runs on a separate subject.

import type { EmulatorOptions, GatewayOptions } from 'flowdouble'
import { afterAll, test as register } from 'vitest'
import { described, type Generation, generations, generationsOf } from '../../spec/generations.ts'
import { generationLike, serverOfGeneration } from '../../spec/truth/servers.ts'
import { both, type Deployment, type Place, type Rule } from '../../spec/language.ts'
import { quirks, type RuleId, rules } from '../../spec/index.ts'
import { anyGateway, type GatewaySubject, startGatewaySubject } from './gateway-subject.ts'
import type { Edge } from './edges.ts'
import { account } from './hosted/jobs.ts'
import { isLawful, judgeTraffic } from '../laws/judge-traffic.ts'
import { startSubject, type Subject } from './subject.ts'

/** Further options with which a case starts: each kind of subject has its own. */
export type CaseOptions = {
  readonly server?: EmulatorOptions
  readonly gateway?: GatewayOptions
  /** The edge on which a server runs. */
  readonly edge?: Edge
}

/** A case at one place, as data. `ids` are rules, or `quirks/` and the id of a quirk. */
export type Case = {
  readonly title: string
  readonly ids: readonly string[]
  readonly place: Place
  /** The generations of local servers in which all of its rules hold. The suites run it on the first of them. */
  readonly generations: readonly Generation[]
  /** Whether it needs a world with special options, which only a server that the suites start has. */
  readonly needsOwnWorld: boolean
  /** Whether it is about the bearer token of its server, so that it sends the token itself. */
  readonly isAboutToken: boolean
  /** Whether it looks only at what the first of such cases has made on a server. */
  readonly isShared: boolean
  /** Runs the case on a subject, which stays open. */
  readonly body: (subject: any) => Promise<void>
  /** Starts a subject for this case alone, and returns a function that runs the case on it and closes it. */
  readonly start: (more?: CaseOptions) => Promise<() => Promise<void>>
}

type OnGateway<T> = {
  [Id in keyof T]: T[Id] extends { readonly on: readonly ['gateway'] } ? Id : never
}[keyof T]
/** Rules and quirks of the gateway; their cases run on a gateway. */
export type GatewayRuleId = OnGateway<typeof rules>
type GatewayQuirkId = OnGateway<typeof quirks>
/** Rules of servers. */
export type ServerRuleId = Exclude<RuleId, GatewayRuleId>
type ServerQuirkId = Exclude<keyof typeof quirks, GatewayQuirkId>

type Body = (subject: Subject) => Promise<void>
type GatewayBody = (subject: GatewaySubject) => Promise<void>

/**
 * The options of a case that requires an unshared world: one in which nothing has happened before, or whose time stands
 * still between two requests. It cannot run on a server elsewhere.
 */
export const ownWorld = { clock: 'manual' } as const

/**
 * The options of cases that look only at what one of them has made with `once`: those of a file share a world, as they share
 * a server elsewhere.
 */
export const sharedWorld: EmulatorOptions = {}

/** The options of cases that mostly wait, each for worlds that it starts itself: those of a file run at the same time. */
export const sideBySide: EmulatorOptions = { ...ownWorld }

/**
 * The options of a case that needs two accounts that may run workflows, `test-key` and `other-key`. It can run on a server
 * elsewhere for which the operator has a second key.
 */
export const twoAccounts: EmulatorOptions = {
  accounts: [account('test-key'), account('other-key')],
}

/** The bearer token of the worlds that have one. A case with this option alone can run on a server elsewhere. */
export const testToken = 'tok+n/of=mine&only'

let collected: Case[] | undefined

/**
 * The cases that are declared while `load` runs, for code that runs them on other servers: they are not registered as
 * tests.
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

/** Runs a case on a new subject. */
export const runCase = async ({ start }: Case, more: CaseOptions = {}): Promise<void> =>
  (await start(more))()

/** The places where a case runs: those at which all of its rules hold, unless its options name a deployment. */
function placesOf(
  held: readonly (readonly Place[])[],
  named: Deployment | undefined,
): readonly Place[] {
  const found = [...both, 'gateway' as const].filter(
    (one) => (named ?? one) === one && held.every((on) => on.includes(one)),
  )
  if (found.length === 0) throw new Error('What this case proves holds together nowhere.')
  return found
}

/** The deployment that options name; those of a gateway name none. */
const namedBy = (options: EmulatorOptions | GatewayOptions): Deployment | undefined =>
  'deployment' in options ? options.deployment : undefined

/**
 * A case that proves rules: it has to fail on a server that breaks them. It runs at each place at which they hold, or on
 * the deployment that its options name.
 * @param options of its subject; with any but the deployment and the token it cannot run on a server elsewhere, and with
 * any at all not on a gateway elsewhere.
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
  given?: EmulatorOptions | GatewayOptions,
): void {
  const ids: readonly RuleId[] = typeof ruleIds === 'string' ? [ruleIds] : ruleIds
  const held = ids.map((id) => rules[id] as Rule)
  const on = held.map((rule) => rule.on)
  for (const place of placesOf(on, namedBy(given ?? {}))) {
    const options = given ?? usualOptions(place)
    const title = ids.map((id) => `${id} [${place}] ${(rules[id] as Rule).says}`).join(' + ')
    add(place, { title, ids, generations: generationsOf(held) }, body, options)
  }
}

/** The options of cases that name none: those of a gateway run on any. */
const usualOptions = (place: Place): EmulatorOptions | GatewayOptions =>
  place === 'gateway' ? anyGateway : {}

/** Declares cases that all start with these options, and some with more. */
export const casesWith =
  (options: EmulatorOptions) =>
  (ruleIds: ServerRuleId | readonly ServerRuleId[], body: Body, more?: EmulatorOptions): void =>
    proves(ruleIds, body, more === undefined ? options : { ...options, ...more })

/** Declares cases of rules of both deployments that are about one of them. */
export const provesLocal = casesWith({ deployment: 'local' })
export const provesHosted = casesWith({ deployment: 'hosted' })

/** A case for the behaviour that a quirk turns on; `options` are further ones of its subject. */
export function provesQuirk(id: GatewayQuirkId, body: GatewayBody, options?: GatewayOptions): void
export function provesQuirk(id: ServerQuirkId, body: Body, options?: EmulatorOptions): void
export function provesQuirk(
  id: keyof typeof quirks,
  body: Body | GatewayBody,
  given?: EmulatorOptions | GatewayOptions,
): void {
  for (const place of placesOf([quirks[id].on], namedBy(given ?? {}))) {
    const options = given ?? usualOptions(place)
    const own = { ...options, quirk: [id, ...(options.quirk ?? [])] }
    const title = `quirks/${id} [${place}] ${quirks[id].quirk}`
    add(place, { title, ids: [`quirks/${id}`], generations }, body, own, options)
  }
}

/** Options that a server elsewhere may have too: cases with them look whether it does. Previews are JPEG by default. */
const found: EmulatorOptions = { preview: 'jpeg', manager: true, cors: '*', assets: true }

/** The names of the options that a server elsewhere cannot be asked for. */
const unusual = (options: EmulatorOptions): readonly string[] =>
  Object.entries(options).flatMap(([name, value]) =>
    value === found[name as keyof EmulatorOptions] ? [] : name,
  )

/**
 * Declares a case. The overloads above ensure that body and options fit the place.
 * @param elsewhere what a server elsewhere has to be asked for: not the quirk of a case that looks whether it has it.
 */
function add(
  place: Place,
  what: Pick<Case, 'title' | 'ids' | 'generations'>,
  body: Body | GatewayBody,
  options: EmulatorOptions | GatewayOptions,
  elsewhere = options,
): void {
  const { deployment: _named, ...own } = options as EmulatorOptions
  const { deployment: _other, ...asked } = elsewhere as EmulatorOptions
  const start =
    place === 'gateway'
      ? onGateway(isLawful(what.ids), body as GatewayBody, options as GatewayOptions)
      : onServer(place, isLawful(what.ids), body as Body, { ...worldOf(what.generations), ...own })
  const isAboutToken = own.token === testToken
  const needsOwnWorld =
    place === 'gateway'
      ? options !== anyGateway
      : unusual(asked).length > (isAboutToken ? 1 : 0) && own.accounts !== twoAccounts.accounts
  const isShared = options === sharedWorld
  const one: Case = { ...what, place, needsOwnWorld, isAboutToken, isShared, body, start }
  if (collected !== undefined) collected.push(one)
  else if (isShared) registerShared(one, place as Deployment, body as Body)
  else register(one.title, { concurrent: options === sideBySide }, () => runCase(one))
}

/** What makes a world one of the first of these generations, unless that is the usual one. */
function worldOf([first]: readonly Generation[]): EmulatorOptions {
  if (first === undefined) throw new Error('What this case proves holds together in no generation.')
  const like = first === described ? undefined : serverOfGeneration(first)
  return like === undefined ? {} : { like }
}

/** The shared worlds of the file that runs, by deployment and generation. */
const shared = new Map<string, Promise<Subject>>()

/** Registers a case that runs on the shared world of its file. The first of them starts it, the end of the file closes it. */
function registerShared(
  { title, generations: held }: Case,
  deployment: Deployment,
  body: Body,
): void {
  const world = worldOf(held)
  const key = `${deployment} ${world.like}`
  register(title, async () => {
    const subject = shared.get(key) ?? startSubject({ ...world, deployment })
    shared.set(key, subject)
    await body(await subject)
    judgeTraffic(await subject, generationLike(world.like ?? null))
  })
  // Each case asks for it: nothing is left for the later ones to close.
  afterAll(async () => {
    const subjects = [...shared.values()]
    shared.clear()
    for (const subject of subjects) await (await subject).close()
  })
}

/** Runs a case on its subject, judges its traffic if the laws are for it, and closes the subject in any case. */
async function runOn<T extends Subject | GatewaySubject>(
  subject: T,
  body: (subject: T) => Promise<void>,
  isJudged: boolean,
  generation: Generation,
  quirks?: readonly string[],
): Promise<void> {
  try {
    await body(subject)
    if (isJudged) judgeTraffic(subject, generation, quirks)
  } finally {
    await subject.close()
  }
}

const onGateway =
  (isJudged: boolean, body: GatewayBody, options: GatewayOptions): Case['start'] =>
  async ({ gateway = {} } = {}) => {
    const subject = await startGatewaySubject({ ...options, ...gateway })
    return () => runOn(subject, body, isJudged, described, options.quirk)
  }

const onServer =
  (
    deployment: Deployment,
    isJudged: boolean,
    body: Body,
    options: EmulatorOptions,
  ): Case['start'] =>
  async ({ server = {}, edge } = {}) => {
    const subject = await startSubject({ ...options, ...server, deployment }, edge)
    return () => runOn(subject, body, isJudged, generationLike(options.like ?? null), options.quirk)
  }

/**
 * A test that is not about a rule, in a file of cases, with servers that it starts itself. It is skipped when cases are
 * collected.
 */
export function test(title: string, body: () => Promise<void> | void): void {
  if (collected === undefined) register(title, body)
}
