// A duty of a client as data: the world that puts it to the test, and the judgement of what that world has seen.

import type { EmulatorOptions, Fault, ReceivedRequest } from 'flowdouble'
import type { DutyRule } from '../../../spec/server/duties.ts'
import type { Observed, Ordinary } from './observed.ts'

/** The result of a duty: kept, broken with what was seen, or not judged because the client never does such a thing. */
export type Judgement =
  | { readonly is: 'kept' }
  | { readonly is: 'broken' | 'not judged'; readonly why: string }

/** A scenario without its version. */
export type Script = Omit<
  Exclude<NonNullable<EmulatorOptions['scenario']>, string | readonly unknown[]>,
  'version'
>

/** The options of a world, and the members of its scenario. */
export type WorldOf = {
  readonly options?: EmulatorOptions
  readonly scenario?: Script
}

export type Duty = {
  readonly rule: DutyRule
  /** Why the ordinary run leaves nothing to judge; undefined if the duty applies to this client. */
  readonly unless?: (ordinary: Ordinary) => string | undefined
  /** The world for this duty. Without one, the ordinary run is judged. */
  readonly world?: (ordinary: Ordinary) => WorldOf
  /** Whether the client runs twice on this world: the second time, its results are in the cache. */
  readonly isRepeated?: true
  /** A second world whose difference from the first the client has to notice. */
  readonly counterpart?: WorldOf
  readonly judge: (seen: Observed, ordinary: Ordinary, counterpart: Observed) => Judgement
}

export const kept: Judgement = { is: 'kept' }
export const broken = (why: string): Judgement => ({ is: 'broken', why })
export const notJudged = (why: string): Judgement => ({ is: 'not judged', why })

/** Kept, unless there is something to say against it. */
export const unlessWrong = (why: string | undefined): Judgement =>
  why === undefined ? kept : broken(why)

/** The command ends by itself, however. */
export const ends = ({ end }: Observed): Judgement =>
  end.exitCode === null ? broken('The command was still running when its time was over.') : kept

/** The command ends with success. */
export const succeeds = (seen: Observed): Judgement =>
  all(
    ends(seen),
    seen.end.exitCode === 0 ? kept : broken(`The command failed: ${exitText(seen.end)}`),
  )

/** The command ends by itself, and not with success. */
export const fails = (seen: Observed): Judgement =>
  all(ends(seen), seen.end.exitCode === 0 ? broken('The command ended with exit code 0.') : kept)

/** The first judgement that is not `kept`. */
export const all = (...judgements: readonly Judgement[]): Judgement =>
  judgements.find(({ is }) => is !== 'kept') ?? kept

/** How a command ended, with the end of its output. */
export function exitText({ exitCode, output }: Observed['end']): string {
  const last = output.trim().split('\n').slice(-5).join('\n')
  return `exit code ${exitCode}${last === '' ? '' : `, output: ${last}`}`
}

/** A world in which these faults apply. */
export const faulty = (...faults: readonly Fault[]): Pick<Duty, 'world'> => ({
  world: () => ({ scenario: { faults } }),
})

/** A duty of clients with a socket to succeed all the same where these faults apply. */
export const survives = (rule: DutyRule, ...faults: readonly Fault[]): Duty => ({
  rule,
  unless: withoutSocket,
  ...faulty(...faults),
  judge: succeeds,
})

/** The requests of a method whose local path matches. */
export const asked = (
  { requests }: Observed,
  method: string,
  path: RegExp,
): readonly ReceivedRequest[] =>
  requests.filter((one) => one.method === method && path.test(one.path))

export const submitsOf = (seen: Observed): readonly ReceivedRequest[] =>
  asked(seen, 'POST', /^\/prompt$/)

/** The requests with which clients ask for the state of a run. */
export const pollsOf = (seen: Observed): readonly ReceivedRequest[] =>
  asked(seen, 'GET', /^\/(history|history_v2|job|jobs|queue|prompt)(\/|$)/)

export const viewsOf = (seen: Observed): readonly ReceivedRequest[] =>
  asked(seen, 'GET', /^\/view$/)

/** Skips clients that open no socket. */
export const withoutSocket = ({ sockets }: Observed): string | undefined =>
  sockets.length === 0 ? 'The client opens no socket.' : undefined

/** Skips clients that download nothing. */
export const withoutView = (seen: Observed): string | undefined =>
  viewsOf(seen).length === 0 ? 'The client downloads no output.' : undefined

/** Skips clients that ask for no state. */
export const withoutPoll = (seen: Observed): string | undefined =>
  pollsOf(seen).length === 0 ? 'The client asks for no state of a run.' : undefined

/** The most of these requests in any second of the world's time. */
export function mostInASecond(
  requests: readonly { readonly [name: string]: unknown }[],
  time: string,
): number {
  const times = requests.map((one) => one[time] as number)
  return Math.max(
    0,
    ...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length),
  )
}

/** Skips clients whose workflow has no output, as far as the world has seen. */
export const withoutOutputs = (seen: Ordinary): string | undefined =>
  seen.outputNodes.length === 0 ? 'The workflow of the client has no output.' : undefined
