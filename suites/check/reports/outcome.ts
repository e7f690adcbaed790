// How a check ends: its counts, the exit code, and one sentence about what was judged.

import { checkExitCodes, verdicts } from '../../../spec/check.ts'
import type { CheckEvent } from '../events.ts'
import { withCauses } from './causes.ts'
import { type Mark, markOf } from './summary.ts'

type CaseEvent = Extract<CheckEvent, { readonly event: 'case' }>
type EndEvent = Extract<CheckEvent, { readonly event: 'end' }>

/** The sentences about one kind of target. */
export type Sentences = {
  readonly broken: (broken: number, judged: number) => string
  readonly kept: (judged: number) => string
  readonly nothing: string
}

export const ofServer: Sentences = {
  broken: (broken, judged) => `${broken} of ${judged} judged cases show a broken rule.`,
  kept: (judged) => `The server keeps the rules of ${judged} judged cases.`,
  nothing: 'No case could be judged.',
}

export const ofClient: Sentences = {
  broken: (broken, judged) => `The client breaks ${broken} of ${judged} judged duties.`,
  kept: (judged) =>
    `The client keeps ${judged} judged duties, apart from notes and known failures.`,
  nothing: 'The duties of the client were not judged.',
}

export const ofTrace: Sentences = {
  broken: (broken, judged) => `The recording breaks ${broken} of ${judged} judged laws.`,
  kept: (judged) =>
    `The recording keeps ${judged} judged laws, apart from notes and known failures.`,
  nothing: 'The recording contains nothing that can be judged.',
}

export const ofDrift: Sentences = {
  broken: (broken, judged) => `${broken} of ${judged} recorded exchanges and runs have changed.`,
  kept: (judged) => `${judged} recorded exchanges and runs are as they were, apart from notes.`,
  nothing: 'Nothing of the recording could be sent.',
}

/** The areas of a server in which something could be judged, and nothing was. */
export function unjudgedAreas(done: readonly CaseEvent[]): readonly string[] {
  const possible = done.filter(({ reason }) => reason !== 'own-world')
  const judged = new Set(possible.filter(isJudged).map(({ area }) => area))
  return [...new Set(possible.map(({ area }) => area))].filter((area) => !judged.has(area))
}

const isJudged = ({ verdict }: CaseEvent): boolean => verdict !== 'skip'

/** A sentence about a server, with the areas that it says nothing about. */
const withAreas = (sentence: string, areas: readonly string[]): string =>
  areas.length === 0 ? sentence : `${sentence} Not judged at all: ${areas.join(', ')}.`

/** @param ended whether the user has stopped the check, and how many entries of the baseline are stale. */
export function endOf(
  done: readonly CaseEvent[],
  { isStopped, stale }: { readonly isStopped: boolean; readonly stale: number },
  sentences: Sentences,
): Pick<EndEvent, 'event' | 'counts' | 'exitCode' | 'outcome'> {
  const marks = withCauses(done).map(markOf)
  const countOf = (mark: Mark): number => marks.filter((one) => one === mark).length
  const further = (['follow', 'known', 'stale'] as const).filter((mark) => countOf(mark) > 0)
  const counts = Object.fromEntries(
    [...verdicts, ...further].map((mark) => [mark, countOf(mark)]),
  ) as EndEvent['counts']
  const broken = counts.fail
  const judged = done.length - counts.skip
  const areas = sentences === ofServer ? unjudgedAreas(done) : []
  const end = (exitCode: EndEvent['exitCode'], outcome: string) =>
    ({ event: 'end', counts, exitCode, outcome }) as const
  if (isStopped) return end(checkExitCodes.notMeasured, 'The check was stopped before its end.')
  if (broken > 0)
    return end(checkExitCodes.ruleBroken, withAreas(sentences.broken(broken, judged), areas))
  if (counts.fault > 0)
    return end(checkExitCodes.ownFault, 'Check itself has a fault: please report it.')
  if (stale > 0)
    return end(checkExitCodes.staleBaseline, 'The baseline lists failures that no longer happen.')
  return judged === 0
    ? end(checkExitCodes.notMeasured, sentences.nothing)
    : end(checkExitCodes.asExpected, withAreas(sentences.kept(judged), areas))
}
