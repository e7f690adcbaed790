// Whether a part of a recording still breaks a rule as the whole does: at the same exchange or message, for the same reason.

import type { Recording } from '../../../dist/emulator/internal.js'
import type { Place } from '../../../spec/language.ts'
import {
  type Trace,
  type TracedExchange,
  type TracedSocket,
  traceOf,
} from '../../../dist/emulator/session/index.js'
import type { Finding, Law, Spot } from '../../laws/law.ts'
import { laws } from '../../laws/index.ts'
import type { Shows } from './shrink.ts'

/** What a finding is about, as the recording holds it: leaving others out keeps it. */
function subjectOf(at: Spot): unknown {
  if ('exchange' in at) return (at as { exchange: TracedExchange }).exchange.recorded
  if (!('socket' in at)) return undefined
  const { socket, item } = at as Extract<Spot, { readonly socket: TracedSocket }>
  return item === undefined ? socket.recorded.url : socket.recorded.messages[item.index]
}

/** A reason without what changes when others are left out: positions and counts. */
const reasonOf = ({ says }: Finding): string => says.replaceAll(/\d+/g, '#')

type Broken = { readonly law: Law; readonly finding: Finding }

function brokenIn(trace: Trace | undefined, own: readonly Law[]): readonly Broken[] {
  if (trace === undefined) return []
  return own
    .filter(({ on }) => on.includes(trace.place))
    .flatMap((law) => law.judge(trace).findings.map((finding) => ({ law, finding })))
}

/** The laws that name a rule. */
export const lawsOf = (rule: string): readonly Law[] =>
  laws.filter(({ rules }) => rules.some((id) => id === rule))

/** A test for parts of a recording; undefined if the whole does not break the rule. */
export function breaking(recording: Recording, rule: string): Shows | undefined {
  const whole = traceOf(recording, '')
  const [first] = brokenIn(whole, lawsOf(rule))
  if (whole === undefined || first === undefined) return undefined
  const { place }: { place: Place } = whole
  const [subject, reason] = [subjectOf(first.finding.at), reasonOf(first.finding)]
  return (part) =>
    brokenIn(traceOf(part, '', place), [first.law]).some(
      ({ finding }) => subjectOf(finding.at) === subject && reasonOf(finding) === reason,
    )
}
