// Judges recorded sessions: runs each law over each trace of a place, and says which are broken, and where.

import { described, type Generation, generationOfVersion } from '../../../spec/generations.ts'
import { rules } from '../../../spec/index.ts'
import type { Place, Rule } from '../../../spec/language.ts'
import { releaseOf } from '../judgement.ts'
import { type Finding, holdsAt, judged, type Law } from '../../laws/law.ts'
import type { Trace } from '../../../dist/emulator/session/index.js'
import { servers } from '../../../spec/truth/servers.ts'

/** A finding with its recording. */
export type Found = Finding & { readonly trace: Trace }

/** What came of a law at a place. */
export type LawResult = {
  readonly title: string
  readonly ids: readonly string[]
  readonly area: string
  readonly place: Place
  readonly release: string
  readonly generation: Generation
  /** How many things it has looked at. With none, the recordings do not show whether it is kept. */
  readonly seen: number
  readonly found: readonly Found[]
}

/** The version that a named server has, for a recording that does not state one. */
const versionOfLike = (like: string | undefined): string | null =>
  like !== undefined && like in servers ? (/^comfyui-([\d.]+)$/.exec(like)?.[1] ?? null) : null

const saysOf = (id: string): string => (rules as Readonly<Record<string, Rule>>)[id]?.says ?? ''

/** The title of a law at a place, as the cases of `check` have it. */
export const titleOf = ({ rules: ids }: Pick<Law, 'rules'>, place: Place): string =>
  ids.map((id) => `${id} [${place}] ${saysOf(id)}`).join(' + ')

/** The software of the server of a trace. */
const softwareIn = ({ software }: Trace, like: string | undefined): string | null =>
  software ?? versionOfLike(like)

const releaseIn = (trace: Trace, like: string | undefined): string =>
  releaseOf(trace.place, softwareIn(trace, like))

/** Judges traces: those of one place and one release together. */
export function judgeTraces(
  traces: readonly Trace[],
  laws: readonly Law[],
  like?: string,
): readonly LawResult[] {
  const groups = new Map<string, Trace[]>()
  for (const trace of traces) {
    const key = `${trace.place} ${releaseIn(trace, like)}`
    groups.set(key, [...(groups.get(key) ?? []), trace])
  }
  return [...groups.values()].flatMap((group) => judgeGroup(group, laws, like))
}

const areaOf = ({ rules: [first] }: Law): string => first?.split('/')[0] ?? ''

function judgeGroup(
  traces: readonly Trace[],
  laws: readonly Law[],
  like: string | undefined,
): readonly LawResult[] {
  const [first] = traces
  if (first === undefined) return []
  const { place } = first
  const generation =
    place === 'local' ? generationOfVersion(softwareIn(first, like) ?? '') : described
  const own = laws.filter((law) => holdsAt(law, place, generation))
  const areas = [...new Set(own.map(areaOf))]
  return own
    .toSorted((a, b) => areas.indexOf(areaOf(a)) - areas.indexOf(areaOf(b)))
    .map((law) => {
      let seen = 0
      const found: Found[] = []
      for (const trace of traces) {
        const one = judged(law, trace)
        seen += one.seen
        for (const finding of one.findings)
          found.push({ at: finding.at, says: finding.says, trace })
      }
      return {
        title: titleOf(law, place),
        ids: law.rules,
        area: areaOf(law),
        place,
        release: releaseIn(first, like),
        generation,
        seen,
        found,
      }
    })
}
