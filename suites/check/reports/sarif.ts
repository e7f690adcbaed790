// The report as SARIF, for code scanning and other tools for static analysis: a run for each check, a result for each broken
// rule, known failure and note. What has no file has the address of its target as its place.

import { createHash } from 'node:crypto'
import type { Invocation, Location, Notification, ReportingDescriptor, Result, Run } from 'sarif'
import type { CaseEvent, CheckEvent, EventOf, RuleInfo } from '../events.ts'
import { clipped, visible } from '../output/text.ts'
import { briefOf } from './failure-parts.ts'
import { markOf, outcomeOf, rulesOf, type Summary, summaryOf, withMark } from './summary.ts'

/** What writes the places in files. */
type PlaceIn = (file: string, line?: number) => Location

/** The longest message. */
const MAX_TEXT = 8000

const documentation = 'https://github.com/flowdouble/flowdouble/blob/main/spec/PROTOCOL.md'

export const sarifRuns = (streams: readonly (readonly CheckEvent[])[], placeIn: PlaceIn): Run[] =>
  streams.map((events) => withVisibleTexts(runOf(events, summaryOf(events), placeIn)))

const withVisibleTexts = (run: Run): Run =>
  JSON.parse(JSON.stringify(run), (_, value: unknown) =>
    typeof value === 'string' ? visible(value) : value,
  ) as Run

function runOf(events: readonly CheckEvent[], summary: Summary, placeIn: PlaceIn): Run {
  const { start, cases } = summary
  const shown = cases.filter((one) => levels[markOf(one)] !== undefined)
  const target = placeIn(visible(start?.target.name ?? 'unknown'))
  const warnings = events.filter((one) => one.event === 'warning')
  const stale = warnings.filter(({ file }) => file !== undefined)
  const rules = [...new Map(shown.flatMap(rulesOf).map((one) => [one.id, one])).values()]
  // Either all results have a state or none has one: without a baseline nothing is compared.
  const isCompared = stale.length > 0 || shown.some(({ baseline }) => baseline !== undefined)
  const results = [
    ...shown.map((one) => resultOf(one, rules, target)),
    ...stale.map((one) => staleResult(one, rules.length, placeIn)),
  ]
  return {
    tool: {
      driver: {
        name: 'flowdouble check',
        informationUri: 'https://github.com/flowdouble/flowdouble',
        rules: [...rules.map(descriptorOf), ...(stale.length > 0 ? [staleRule] : [])],
      },
    },
    invocations: [invocationOf(summary, warnings)],
    results: isCompared ? results : results.map(({ baselineState: _, ...rest }) => rest),
  }
}

/** The level of a result by its mark. Cases with other marks are not shown: what follows from a failure is named there. */
const levels: Readonly<Partial<Record<ReturnType<typeof markOf>, 'error' | 'note'>>> = {
  fail: 'error',
  known: 'error',
  note: 'note',
}

const descriptorOf = ({ id, says, basis }: RuleInfo): ReportingDescriptor => ({
  id,
  shortDescription: { text: says || id },
  help: {
    text: `${says}\n\nIts basis: ${basis}. Its cases alone: flowdouble check URL --only '${id}'.`,
  },
  helpUri: `${documentation}#rule-${encodeURI(visible(id))}`,
  properties: { basis },
})

const staleRule: ReportingDescriptor = {
  id: 'stale-baseline',
  shortDescription: { text: 'The baseline lists only failures that still happen.' },
  help: { text: 'Remove the entry, or run the same check with --update-baseline.' },
}

function resultOf(one: CaseEvent, rules: readonly RuleInfo[], target: Location): Result {
  const [rule] = rulesOf(one)
  const isKnown = markOf(one) === 'known'
  return {
    ruleId: rule?.id ?? one.title,
    ruleIndex: rules.findIndex(({ id }) => id === rule?.id),
    level: levels[markOf(one)] ?? 'none',
    message: { text: clipped(briefOf(one), MAX_TEXT) },
    locations: [target],
    partialFingerprints: fingerprintOf(`${one.place} ${one.title}`),
    baselineState: isKnown ? 'unchanged' : 'new',
    ...(isKnown && { suppressions: [{ kind: 'external', justification: one.detail ?? '' }] }),
    properties: { case: one.title, place: one.place, rules: rulesOf(one).map(({ id }) => id) },
  }
}

const staleResult = (
  { text, file = '', line }: EventOf<'warning'>,
  ruleIndex: number,
  placeIn: PlaceIn,
): Result => ({
  ruleId: staleRule.id,
  ruleIndex,
  level: 'warning',
  message: { text },
  locations: [placeIn(visible(file), line)],
  partialFingerprints: fingerprintOf(text),
  baselineState: 'absent',
})

/** Equal from run to run, under the name that code scanning on GitHub reads. */
const fingerprintOf = (text: string): Result['partialFingerprints'] => ({
  primaryLocationLineHash: createHash('sha256').update(text).digest('hex').slice(0, 32),
})

/** How the check ended, with the faults of flowdouble and what else there is to say. */
function invocationOf(summary: Summary, warnings: readonly EventOf<'warning'>[]): Invocation {
  const { exitCode, words } = outcomeOf(summary)
  return {
    executionSuccessful: [0, 1, 3].includes(exitCode),
    exitCode,
    exitCodeDescription: words,
    ...(summary.start && { startTimeUtc: summary.start.startedAt }),
    toolExecutionNotifications: [
      ...withMark(summary.cases, 'fault').map((one) =>
        notification('error', `${one.title}: ${briefOf(one)}`),
      ),
      ...warnings
        .filter(({ file }) => file === undefined)
        .map(({ text }) => notification('warning', text)),
    ],
  }
}

const notification = (level: Notification['level'], text: string): Notification => ({
  level,
  message: { text: clipped(text, MAX_TEXT) },
})
