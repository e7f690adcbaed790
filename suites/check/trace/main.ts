// The command `check --trace` behind its door: judges recorded sessions without a server, and reports like a check of one.

import type { Recording } from '../../../dist/emulator/internal.js'
import type { TraceOptions } from '../../../spec/check.ts'
import { quirks } from '../../../spec/index.ts'
import type { Place, Quirks } from '../../../spec/language.ts'
import { brokenBy } from '../../../spec/truth/broken-by.ts'
import { openKnown } from '../baseline/known.ts'
import type { CheckEvent } from '../events.ts'
import { judgementOf, ruleInfosOf } from '../judgement.ts'
import { asPattern } from '../plan.ts'
import { endOf, ofTrace } from '../reports/outcome.ts'
import { type CheckIo, reportsFor } from '../reports/reports.ts'
import { nearestOf, type SeenCase } from '../shown-quirks.ts'
import { wrongUse } from '../usage.ts'
import {
  lacksMessages,
  playedFaults,
  type Trace,
  traceOf,
} from '../../../dist/emulator/session/index.js'
import { judgeTraces, type LawResult } from './judge-traces.ts'
import type { Law } from '../../laws/law.ts'
import { laws as allLaws } from '../../laws/index.ts'
import { placeText, wireOf } from './spots.ts'

type CaseEvent = Extract<CheckEvent, { readonly event: 'case' }>

/** A recording, and the name of its file. */
export type NamedRecording = { readonly name: string; readonly recording: Recording }

/** Judges recordings; resolves to the exit code. Throws an error with the code USAGE for wrong usage. */
export async function runTrace(
  options: TraceOptions,
  recordings: readonly NamedRecording[],
  io: CheckIo,
): Promise<number> {
  const startMs = performance.now()
  const found = recordings.map(({ name, recording }) => ({
    name,
    trace: traceOf(recording, name, options.deployment),
  }))
  const traces = found.flatMap(({ trace }) => trace ?? [])
  const results = judgeTraces(traces, selected(options.select), options.like)
  const [first] = results
  const reports = reportsFor(options, io)
  const every = knownCases(traces, allLaws)
  const known = openKnown(options, io, results.map(knownCase), every)
  const names = recordings.map(({ name }) => name)
  reports.take({
    event: 'start',
    version: 1,
    target: {
      name: options.name ?? names.join(' '),
      place: first?.place ?? 'local',
      generation: first?.release ?? 'an unknown version',
      recorded: true,
      software: traces.find(({ software }) => software !== null)?.software ?? null,
    },
    cases: results.length,
    startedAt: io.now(),
  })
  for (const { name, trace } of found)
    if (trace === undefined)
      reports.take({ event: 'warning', text: `${name} contains no request that the spec knows.` })
  for (const { name, recording } of recordings)
    if (lacksMessages(recording))
      reports.take({
        event: 'warning',
        text: `${name} has runs, but no messages of sockets: laws about messages are not judged.`,
      })
  for (const { name, recording } of recordings) {
    const text = faultsText(name, playedFaults(recording))
    if (text !== undefined) reports.take({ event: 'warning', text })
  }
  for (const result of results) reports.take(known.mark(eventOf(result, results, options, names)))
  const { stale, warnings } = known.close()
  for (const one of warnings) reports.take(one)
  const end = endOf(known.done, { isStopped: false, stale }, ofTrace)
  const nearest = first && nearestOf(first, known.done)
  reports.take({
    ...end,
    ...(nearest && { nearest }),
    runs: 0,
    durationMs: Math.round(performance.now() - startMs),
    left: [],
  })
  await reports.end()
  return end.exitCode
}

/** What is not judged of a session in which faults were played; undefined without any. */
function faultsText(
  name: string,
  { answers, others }: ReturnType<typeof playedFaults>,
): string | undefined {
  if (answers + others === 0) return undefined
  const count = (one: number, noun: string): string => `${one} ${noun}${one === 1 ? '' : 's'}`
  return `${name} has ${count(answers + others, 'played fault')}: ${count(answers, 'answer')} of faults not judged, everything else as the server sent it.`
}

const knownCase = ({ title, place, ids }: LawResult) => ({ title, place, ids })

/** Every law that could judge one of these traces. */
const knownCases = (traces: readonly Trace[], laws: readonly Law[]) =>
  judgeTraces(
    traces.map((trace) => Object.assign({}, trace, emptyTrace)),
    laws,
  ).map(knownCase)

/** The parts of a trace, without anything that a law could look at. */
const emptyTrace = { exchanges: [], links: [], sockets: [], runs: [], byType: new Map() }

/** The laws that selectors choose: globs of rule ids, or areas. */
function selected(select: readonly string[]): readonly Law[] {
  const chosenBy = (selector: string): readonly Law[] =>
    allLaws.filter(({ rules }) =>
      rules.some((id) => asPattern(selector).test(id) || id.split('/')[0] === selector),
    )
  const unknown = select.find((selector) => chosenBy(selector).length === 0)
  if (unknown !== undefined)
    throw wrongUse(`--only ${JSON.stringify(unknown)} matches no law about recorded traffic.`)
  if (select.length === 0) return allLaws
  const chosen = new Set(select.flatMap(chosenBy))
  return allLaws.filter((law) => chosen.has(law))
}

/** How many findings of a law a report shows. */
const MAX_FINDINGS = 5

/** A result as the event of a case. */
function eventOf(
  result: LawResult,
  all: readonly LawResult[],
  options: TraceOptions,
  names: readonly string[],
): CaseEvent {
  const { title, area, place, ids, seen, found, release, generation } = result
  const described = {
    event: 'case',
    title,
    area,
    place,
    rules: ruleInfosOf({ ids }),
    durationMs: 0,
  } as const
  if (seen === 0) return { ...described, verdict: 'skip', reason: 'not-recorded' }
  const [first] = found
  if (first === undefined) return { ...described, verdict: 'pass' }
  const sentences = found
    .slice(0, MAX_FINDINGS)
    .map(({ trace, at, says }) => `${placeText(trace, at)}: ${says}`)
  const more = found.length > MAX_FINDINGS ? [`and ${found.length - MAX_FINDINGS} more`] : []
  const { accept, like } = options
  const judged = { place, generation, release, accept, ...(like !== undefined && { like }) }
  return {
    ...described,
    ...judgementOf({ ids }, new Error(first.says), judged, others(result, all)),
    failure: {
      message: [...sentences, ...more].join('\n'),
      allowed: described.rules.map(({ says }) => says).join('\n'),
      wire: wireOf(first.trace, first.at),
      command: `flowdouble check --trace ${names.join(' ')} ${ids.map((id) => `--only ${id}`).join(' ')}`,
    },
  }
}

/**
 * What came of the other laws: which quirk explains a broken one best depends on them. A law judges a part of its rules, so
 * that one that is kept does not speak against a quirk that alone explains a broken one.
 */
function others(own: LawResult, all: readonly LawResult[]): readonly SeenCase[] {
  const here = all.filter(({ place, seen }) => place === own.place && seen > 0)
  const broken = here.filter(({ found }) => found.length > 0)
  const isCertain = broken.some(({ ids, place }) => ids.some((id) => isOfOneQuirk(id, place)))
  return (isCertain ? broken : here)
    .filter((one) => one !== own)
    .map(({ ids, found }) => ({
      rules: ids.map((id) => ({ id })),
      verdict: found.length === 0 ? 'pass' : 'fail',
    }))
}

/** Whether exactly one quirk of a place breaks a rule. */
const isOfOneQuirk = (rule: string, place: Place): boolean =>
  Object.entries<readonly string[]>(brokenBy).filter(
    ([id, ids]) => ids.includes(rule) && (quirks as Quirks)[id as keyof Quirks]?.on.includes(place),
  ).length === 1
