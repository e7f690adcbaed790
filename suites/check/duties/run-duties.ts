// Judges the duties of a client, one after the other, and yields the events of that.

import type { DutyRule } from '../../../spec/server/duties.ts'
import { rules } from '../../../spec/server/duties.ts'
import type { Deployment, Rule } from '../../../spec/language.ts'
import type { CheckEvent, Verdict } from '../events.ts'
import { clientProcess, type ProcessOptions } from './client-process.ts'
import { duties } from './duties.ts'
import type { Duty } from './duty.ts'
import {
  type ClientJudge,
  clientJudge,
  type Judged,
  type RunClient,
  unable,
} from './judge-client.ts'
import type { Ordinary } from './observed.ts'
import { wireOf } from './wire.ts'

export type DutyOptions = {
  /** The command of the client, as its user wrote it. */
  readonly command: string
  readonly deployments: readonly Deployment[]
  /** Which duties: names or patterns such as `socket-*`, with or without `duties/`. All without any. */
  readonly only: readonly string[]
}

type CaseEvent = Extract<CheckEvent, { event: 'case' }>
type EndEvent = Extract<CheckEvent, { event: 'end' }>

const ruleOf = (id: DutyRule): Rule => rules[id]

/** The duties of clients of a deployment. */
export const dutiesOn = (deployment: Deployment): readonly Duty[] =>
  duties.filter(({ rule }) => ruleOf(rule).on.includes(deployment))

/** The duties on a deployment that one of the patterns chooses; all without any pattern. */
export function chosenDuties(deployment: Deployment, only: readonly string[]): readonly Duty[] {
  const patterns = only.map(patternOf)
  const isChosen = (name: string): boolean =>
    patterns.length === 0 || patterns.some((pattern) => pattern.test(name))
  return dutiesOn(deployment).filter(({ rule }) => isChosen(rule.replace('duties/', '')))
}

/** Patterns that choose no duty on any of the deployments. */
export const withoutDuty = ({ deployments, only }: DutyOptions): readonly string[] =>
  only.filter((one) => deployments.every((place) => chosenDuties(place, [one]).length === 0))

const patternOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replace(/^duties\//, '')
      .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')}$`,
  )

/** Runs the command on the worlds of the chosen duties. */
export const runDuties = (
  options: DutyOptions & ProcessOptions,
): AsyncGenerator<CheckEvent, EndEvent> => judgeDuties(options, clientProcess(options))

/** The same for any kind of client. */
export async function* judgeDuties(
  options: DutyOptions & Pick<ProcessOptions, 'signal'>,
  runClient: RunClient,
): AsyncGenerator<CheckEvent, EndEvent> {
  const { command, deployments, only, signal } = options
  const chosen = deployments.map((place) => ({ place, duties: chosenDuties(place, only) }))
  const counts = { pass: 0, fail: 0, note: 0, skip: 0, fault: 0 }
  const startedMs = Date.now()
  let runs = 0
  const counted: RunClient = (target) => {
    runs++
    return runClient(target)
  }
  yield {
    event: 'start',
    version: 1,
    target: {
      name: command,
      place: deployments[0] ?? 'local',
      generation: 'client',
      software: null,
    },
    cases: chosen.reduce((sum, one) => sum + one.duties.length, 0),
    startedAt: new Date(startedMs).toISOString(),
  }
  for (const { place, duties: ofPlace } of chosen) {
    const judge = clientJudge(place, counted)
    const ordinary = await judge.ordinary()
    const why = unable(ordinary)
    if (why !== undefined) yield { event: 'warning', text: `${place}: ${why}` }
    for (const duty of ofPlace) {
      if (signal?.aborted === true) break
      const event = await judgeOne(options, place, duty, judge, { ordinary, why })
      counts[event.verdict]++
      yield event
    }
  }
  const end = endOf(counts, runs, Date.now() - startedMs, signal?.aborted === true)
  yield end
  return end
}

/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

async function judgeOne(
  { command }: DutyOptions,
  place: Deployment,
  duty: Duty,
  judge: ClientJudge,
  { ordinary, why }: { readonly ordinary: Ordinary; readonly why: string | undefined },
): Promise<CaseEvent> {
  const { says, basis } = ruleOf(duty.rule)
  const startedMs = Date.now()
  const event = (
    verdict: Verdict,
    more: Pick<CaseEvent, 'reason' | 'detail' | 'failure'>,
  ): CaseEvent => ({
    event: 'case',
    title: `${duty.rule} [${place}] ${says}`,
    area: 'duties',
    place,
    rules: [{ id: duty.rule, says, basis }],
    verdict,
    durationMs: Date.now() - startedMs,
    ...more,
  })
  if (why !== undefined) return event('skip', { reason: 'missing', detail: why })
  let judged: Judged
  try {
    judged = await judge.judge(duty, ordinary)
  } catch (error) {
    return event('fault', { detail: String((error as Error).stack ?? error) })
  }
  const { judgement, seen } = judged
  if (judgement.is === 'kept') return event('pass', {})
  if (judgement.is === 'not judged')
    return event('skip', { reason: 'missing', detail: judgement.why })
  const again = `flowdouble check --client ${quoted(command)} --deployment ${place} --duty ${duty.rule.replace('duties/', '')}`
  const failure = { message: judgement.why, allowed: says, wire: wireOf(seen), command: again }
  return event(basis === 'chosen' ? 'note' : 'fail', { detail: judgement.why, failure })
}

function endOf(
  counts: EndEvent['counts'],
  runs: number,
  durationMs: number,
  isStopped: boolean,
): EndEvent {
  const { pass, fail, note, fault } = counts
  const judged = pass + fail + note
  const [exitCode, outcome] =
    fail > 0
      ? ([1, `The client breaks ${fail} of ${judged} duties.`] as const)
      : fault > 0
        ? ([4, `${fault} duties could not be judged because of a fault of flowdouble.`] as const)
        : isStopped || judged === 0
          ? ([5, 'The duties of the client were not judged.'] as const)
          : ([
              0,
              `The client keeps ${pass} of ${judged} duties${note > 0 ? '; the others are notes' : ''}.`,
            ] as const)
  return { event: 'end', counts, runs, durationMs, left: [], exitCode, outcome }
}
