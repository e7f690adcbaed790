// Failures of one cause: reports show one of them, under the rule about the very thing, and the others follow from it.

import type { CheckEvent } from '../events.ts'

type CaseEvent = Extract<CheckEvent, { readonly event: 'case' }>

const namesOf = ({ rules, title }: CaseEvent): string =>
  rules.length > 0 ? rules.map(({ id }) => id).join(' + ') : title

/** What failures have in common: what is wrong with the traffic, or the first rule that is broken. */
const causeOf = ({ cause, rules, place, title }: CaseEvent): string =>
  `${place} ${cause?.says ?? rules[0]?.id ?? title}`

/** Signs that a case is about its cause, the strongest first. A case of few rules is more about each of them. */
function closeness({ cause, rules, area }: CaseEvent): readonly number[] {
  if (cause === undefined) return []
  const { word, rules: about } = cause
  const isAbout = rules.some(({ id }) => about.includes(id))
  const isOfArea = about.some((id) => id.startsWith(`${area}/`))
  const isNamed = word !== undefined && rules.some(({ says }) => hasWord(says, word))
  const isStated = rules.some(({ basis }) => basis === 'stated')
  return [isOfArea && isNamed, isAbout, isOfArea, isNamed, isStated, -rules.length].map(Number)
}

/** Puts the case that is closest to the cause first. */
function byCloseness(a: CaseEvent, b: CaseEvent): number {
  const others = closeness(b)
  const differences = closeness(a).map((own, at) => (others[at] ?? 0) - own)
  return differences.find((one) => one !== 0) ?? 0
}

const hasWord = (text: string, word: string): boolean => text.split(/\W+/).includes(word)

/** The cases with what follows from what. A failure that is known takes those of its cause along. */
export function withCauses(cases: readonly CaseEvent[]): readonly CaseEvent[] {
  const groups = new Map<string, CaseEvent[]>()
  for (const one of cases) {
    if (one.verdict !== 'fail') continue
    const key = causeOf(one)
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  const changed = new Map<CaseEvent, CaseEvent>()
  for (const group of groups.values()) {
    const known = group.filter(({ baseline }) => baseline === 'known')
    const [lead] = (known.length > 0 ? known : group).toSorted(byCloseness)
    const following = group.filter((one) => one !== lead && one.baseline !== 'known')
    if (lead === undefined || following.length === 0) continue
    changed.set(lead, { ...lead, followers: [...new Set(following.map(namesOf))] })
    for (const one of following) changed.set(one, { ...one, follows: namesOf(lead) })
  }
  return cases.map((one) => changed.get(one) ?? one)
}
