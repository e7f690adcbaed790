// The verdict on a broken rule: it depends on where the rule comes from, and on what this server is known to do otherwise.

import { quirks, rules } from '../../spec/index.ts'
import type { Basis, Place, Quirks, Rule, Where } from '../../spec/language.ts'
import type { Case } from '../judge/proves.ts'
import type { RuleInfo, Verdict } from './events.ts'
import held from './held.json' with { type: 'json' }
import {
  isContradicted,
  optionsBehind,
  quirksBehind,
  quirksOf,
  type SeenCase,
} from './shown-quirks.ts'

/** What judging needs to know about a server, and which of its differences the operator accepts. */
export type Judged = Where & {
  /** As {@link releaseOf} names it. */
  readonly release: string
  /** How its libraries, or a proxy before it, name themselves, where they do. */
  readonly library?: string | null
  /** Ids of quirks, */
  readonly accept?: readonly string[]
  /** and the named server whose quirks are accepted. */
  readonly like?: string
}

export type Judgement = {
  readonly verdict: Verdict
  readonly quirk?: string
  readonly detail?: string
}

/** The rules of a case, as reports name them. */
export const ruleInfosOf = ({ ids }: Pick<Case, 'ids'>): readonly RuleInfo[] =>
  ids.map((id) => {
    const rule = (rules as Readonly<Record<string, Rule>>)[id]
    if (rule !== undefined) return { id, says: rule.says, basis: rule.basis }
    return {
      id,
      says: (quirks as Quirks)[id.replace('quirks/', '') as keyof Quirks]?.quirk ?? id,
      basis: 'observed',
    }
  })

/** The release of a server, in the words of the sources of rules. */
export function releaseOf(place: Place, software: string | null): string {
  if (place === 'hosted') return 'published hosted API, 2026'
  if (place === 'gateway') return 'reference gateway'
  return software === null ? 'an unknown version' : `ComfyUI ${software.replace(/^v/, '')}`
}

/** Codes of errors in `check` itself: nothing that a server sends causes them. */
const ownCodes: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'EMFILE', 'ENOSPC'])

/** Whether an error is a fault of `check` itself. Other errors come from replies that a case does not expect. */
export const isOwnFault = (error: unknown): boolean =>
  error instanceof ReferenceError ||
  (error instanceof Error &&
    (error.message.startsWith('Invalid Chai property') ||
      ownCodes.has(String((error as { readonly code?: unknown }).code))))

/**
 * The verdict on a case that an error has ended.
 * @param seen the cases before it: which quirk explains it best depends on what else is broken.
 * @param absent quirks that the server does not have, as their own cases have shown.
 */
export function judgementOf(
  one: Pick<Case, 'ids'>,
  error: unknown,
  judged: Judged,
  seen: readonly SeenCase[] = [],
  absent: ReadonlySet<string> = new Set(),
): Judgement {
  if (isOwnFault(error)) return { verdict: 'fault', detail: 'An error in check itself.' }
  const accepted = acceptedQuirks(judged)
  // This case belongs to the evidence: one of its rules is broken, or several.
  const all: readonly SeenCase[] = [
    ...seen,
    { rules: one.ids.map((id) => ({ id })), verdict: 'fail' },
  ]
  const candidates = quirksBehind(one.ids, judged.place, all).filter((id) => !absent.has(id))
  const quirk =
    candidates.find((id) => accepted.has(id)) ?? candidates.find((id) => !isContradicted(id, all))
  const basis = strictestOf(one.ids, judged)
  if (quirk === undefined) return withoutQuirk(one.ids, basis, judged)
  const detail = `The quirk ${quirk} would explain it: ${(quirks as Quirks)[quirk as keyof Quirks]?.quirk}`
  if (basis !== 'stated' || accepted.has(quirk)) return { verdict: 'note', quirk, detail }
  return { verdict: 'fail', quirk, detail: `${detail} --accept ${quirk} makes it a note.` }
}

function withoutQuirk(
  ids: readonly string[],
  basis: Basis | 'elsewhere',
  judged: Judged,
): Judgement {
  if (basis === 'stated' || basis === 'observed') return { verdict: 'fail' }
  if (basis === 'chosen') {
    const unsettled = 'Neither the description nor real servers settle it'
    return { verdict: 'note', detail: `${[unsettled, ...optionsBehind(ids, judged)].join('; ')}.` }
  }
  return { verdict: 'note', detail: elsewhereText(ids.map(ruleOf), judged) }
}

/** Where some rules were observed, and what this server is instead. */
function elsewhereText(
  broken: readonly (Rule | undefined)[],
  { release, library: own }: Judged,
): string {
  const libraries = [...new Set(broken.flatMap((rule) => rule?.library ?? []))]
  if (libraries.length > 0) {
    const names = (own ?? null) === null ? 'does not name its own' : `says ${JSON.stringify(own)}`
    return `A library decides it: it was observed with ${libraries.join(', ')}; this server ${names}.`
  }
  const sources = [...new Set(broken.flatMap((rule) => rule?.source ?? []))]
  return `It was observed at ${sources.join('; ')}; this server is ${release}.`
}

const ruleOf = (id: string): Rule | undefined => (rules as Readonly<Record<string, Rule>>)[id]

/** The strictest basis of some rules; `elsewhere` if they were observed at other servers only. */
function strictestOf(ids: readonly string[], judged: Judged): Basis | 'elsewhere' {
  const found = new Set(ids.map((id) => basisAt(id, judged)))
  return (['stated', 'observed', 'elsewhere'] as const).find((one) => found.has(one)) ?? 'chosen'
}

function basisAt(id: string, { release, library }: Judged): Basis | 'elsewhere' {
  const rule = ruleOf(id)
  if (rule?.basis !== 'observed') return rule?.basis ?? 'elsewhere'
  if (rule.library !== undefined && !namesLibrary(library ?? '', rule.library)) return 'elsewhere'
  const isHere = (rule.source ?? '').split('; ').some((source) => names(source, release))
  return isHere || isHeldAt(release, id) ? 'observed' : 'elsewhere'
}

/** Whether a header `Server` names a library, of any version if it has none: not `aiohttp/3.13` in `aiohttp/3.130`. */
const namesLibrary = (header: string, library: string): boolean =>
  header
    .split(' ')
    .some((one) => one.startsWith(library) && /^(?:$|[./])/.test(one.slice(library.length)))

/** Whether a source names a release: not `ComfyUI 0.3.6` for `ComfyUI 0.3.64`. */
const names = (source: string, release: string): boolean =>
  source === release || /^[:,]/.test(source.startsWith(release) ? source.slice(release.length) : '')

const exceptions: Readonly<Record<string, readonly string[] | undefined>> = held

/**
 * Whether a release of a real server was held against the observed rules of its generation, and this one is not among those that
 * it breaks or does not show. suites/check/measure-held.mjs writes them down.
 */
const isHeldAt = (release: string, rule: string): boolean =>
  exceptions[release]?.includes(rule) === false

/** The quirks that the operator accepts. */
const acceptedQuirks = ({ accept = [], like }: Judged): ReadonlySet<string> =>
  new Set([...accept, ...(like === undefined ? [] : quirksOf(like))])
