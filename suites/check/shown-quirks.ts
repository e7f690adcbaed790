// Which quirks a server shows, by the rules that it breaks and keeps, and which named server it resembles.

import { quirks } from '../../spec/index.ts'
import { described } from '../../spec/generations.ts'
import type { Place, Quirk, Where } from '../../spec/language.ts'
import {
  brokenAmongRuns,
  brokenBy,
  brokenByOption,
  shownByChance,
} from '../../spec/truth/broken-by.ts'
import { generationLike, type NamedServer, servers } from '../../spec/truth/servers.ts'
import type { Verdict } from './events.ts'

/** What is needed of a case to find the quirks of a server. */
export type SeenCase = {
  readonly rules: readonly { readonly id: string }[]
  readonly verdict: Verdict
}

const known: Readonly<Record<string, Quirk>> = quirks
const named: Readonly<Record<string, NamedServer>> = servers
const alone: Readonly<Record<string, readonly string[]>> = brokenBy
const amongRuns: Readonly<Record<string, readonly string[]>> = brokenAmongRuns
const breaks: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.keys(known).map((id) => [id, [...(alone[id] ?? []), ...(amongRuns[id] ?? [])]]),
)

/** The quirks of a named server; none for an unknown name. */
export const quirksOf = (like: string): readonly string[] => named[like]?.quirks ?? []

/** The options of a named server there that change defaults which these rules are about, in words. */
export const optionsBehind = (
  rules: readonly string[],
  { place, generation = described }: Where,
): readonly string[] =>
  Object.entries(named)
    .filter(([like, { on }]) => on === place && generationLike(like) === generation)
    .flatMap(([like, { options }]) =>
      Object.entries(options)
        .filter(([option]) => brokenByOption[option]?.some((rule) => rules.includes(rule)))
        .map(([option, value]) => `${like} has the option ${option} at ${JSON.stringify(value)}`),
    )

/** How many of the rules that a quirk breaks are broken, and how many are kept. */
type Evidence = { readonly broken: number; readonly kept: number }

function evidenceOf(id: string, seen: readonly SeenCase[]): Evidence {
  const verdictsOf = (rule: string): readonly Verdict[] =>
    seen.filter(({ rules }) => rules.some((one) => one.id === rule)).map(({ verdict }) => verdict)
  const isBroken = (verdict: Verdict): boolean => verdict === 'fail' || verdict === 'note'
  const all = (breaks[id] ?? []).map(verdictsOf)
  const broken = all.filter((verdicts) => verdicts.some(isBroken)).length
  const kept = all.filter(
    (verdicts) => verdicts.includes('pass') && !verdicts.some(isBroken),
  ).length
  return { broken, kept }
}

/** The quirks of a place that break one of these rules: first what fits best to the other cases, then the narrowest. */
export function quirksBehind(
  rules: readonly string[],
  place: Place,
  seen: readonly SeenCase[],
): readonly string[] {
  const fit = (id: string): number => {
    const { broken, kept } = evidenceOf(id, seen)
    return broken - kept
  }
  return quirksAt(place)
    .filter((id) => breaks[id]?.some((rule) => rules.includes(rule)))
    .map((id) => ({ id, fit: fit(id), width: breaks[id]?.length ?? 0 }))
    .toSorted((a, b) => b.fit - a.fit || a.width - b.width)
    .map(({ id }) => id)
}

/** Whether more of the rules that a quirk breaks are kept than broken. */
export function isContradicted(id: string, seen: readonly SeenCase[]): boolean {
  const { broken, kept } = evidenceOf(id, seen)
  return kept > broken
}

const quirksAt = (place: Place): readonly string[] =>
  Object.keys(known).filter((id) => known[id]?.on.includes(place))

/**
 * The named server of its generation that a server resembles most, and the quirks in which they differ; undefined if it resembles none.
 * Quirks that no case has judged count neither way.
 * @param missed quirks that the server does not have, as their own cases have shown, though their rules are broken.
 */
export function nearestOf(
  { place, generation = described }: Where,
  seen: readonly SeenCase[],
  missed: ReadonlySet<string> = new Set(),
): { readonly like: string; readonly differs: readonly string[] } | undefined {
  const evidence = new Map(quirksAt(place).map((id) => [id, evidenceOf(id, seen)] as const))
  const having = (test: (one: Evidence) => boolean): readonly string[] =>
    [...evidence].filter(([, one]) => test(one)).map(([id]) => id)
  const shown = new Set(having(({ broken, kept }) => broken > kept).filter((id) => !missed.has(id)))
  const chance: ReadonlySet<string> = new Set(shownByChance)
  const lacking = having(({ broken, kept }) => kept > 0 && broken <= kept)
  const absent = new Set(lacking.filter((id) => !chance.has(id)))
  const [best] = Object.entries(named)
    .filter(([like, { on }]) => on === place && generationLike(like) === generation)
    .map(([like, { quirks: own }]) => {
      const all: readonly string[] = own
      const differs = [
        ...all.filter((id) => absent.has(id)),
        ...[...shown].filter((id) => !all.includes(id)),
      ]
      // That it is of a later generation is something in common too.
      const common = all.filter((id) => shown.has(id)).length + (generation === described ? 0 : 1)
      return { like, differs, common }
    })
    .filter(({ common, differs }) => common > differs.length)
    .toSorted((a, b) => b.common - b.differs.length - (a.common - a.differs.length))
  return best && { like: best.like, differs: best.differs }
}
