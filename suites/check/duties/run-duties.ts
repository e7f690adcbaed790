// Judges the duties of a client, one after the other, and yields the events of that. The command of the client is a process: what
// it gets to know, its output, and its end.

import { spawn } from 'node:child_process'
import { type DutyRule, rules } from '../../../spec/server/duties.ts'
import type { Deployment, Rule } from '../../../spec/language.ts'
import type { Known, KnownCase } from '../baseline/known.ts'
import type { CaseEvent, CheckEvent, Verdict } from '../events.ts'
import { quoted } from '../failures/failures.ts'
import { asPattern } from '../plan.ts'
import { endGroup } from '../end-group.ts'
import { endOf, ofClient } from '../reports/outcome.ts'
import type { Duty } from './duty.ts'
import { fileDuties } from './files.ts'
import {
  type ClientJudge,
  clientJudge,
  type ClientTarget,
  type Judged,
  type RunClient,
  unable,
} from './judge-client.ts'
import { messageDuties } from './messages.ts'
import { type ClientEnd, type Ordinary, wireOf } from './observed.ts'
import { ordinaryDuties } from './ordinary.ts'
import { outcomeDuties } from './outcomes.ts'
import { replyDuties } from './replies.ts'
import { socketDuties } from './sockets.ts'

export type DutyOptions = {
  /** The command of the client, as its user wrote it. */
  readonly command: string
  readonly deployments: readonly Deployment[]
  /** Which duties: names or patterns such as `socket-*`, with or without `duties/`. All without any. */
  readonly only: readonly string[]
  /** What the reports call the client; by default its command. */
  readonly name?: string
}

const ruleOf = (id: DutyRule): Rule => rules[id]

/** All duties, in the order of their rules. */
export const duties: readonly Duty[] = [
  ...ordinaryDuties,
  ...messageDuties,
  ...socketDuties,
  ...outcomeDuties,
  ...replyDuties,
  ...fileDuties,
].toSorted((a, b) => Object.keys(rules).indexOf(a.rule) - Object.keys(rules).indexOf(b.rule))

/** The duties of clients of a deployment. */
export const dutiesOn = (deployment: Deployment): readonly Duty[] =>
  duties.filter(({ rule }) => ruleOf(rule).on.includes(deployment))

/** The duties on a deployment that one of the patterns chooses; all without any pattern. */
export function chosenDuties(deployment: Deployment, only: readonly string[]): readonly Duty[] {
  const patterns = only.map((glob) => asPattern(glob.replace(/^duties\//, '')))
  const isChosen = (name: string): boolean =>
    patterns.length === 0 || patterns.some((pattern) => pattern.test(name))
  return dutiesOn(deployment).filter(({ rule }) => isChosen(rule.replace('duties/', '')))
}

/** Patterns that choose no duty on any of the deployments. */
export const withoutDuty = ({
  deployments,
  only,
}: Pick<DutyOptions, 'deployments' | 'only'>): readonly string[] =>
  only.filter((one) => deployments.every((place) => chosenDuties(place, [one]).length === 0))

/** The title of a duty in reports. */
const titleOf = (rule: DutyRule, place: Deployment): string =>
  `${rule} [${place}] ${ruleOf(rule).says}`

/** The chosen duties, as a baseline names them. */
export const dutyCases = ({
  deployments,
  only,
}: Pick<DutyOptions, 'deployments' | 'only'>): readonly KnownCase[] =>
  deployments.flatMap((place) =>
    chosenDuties(place, only).map(({ rule }) => ({
      title: titleOf(rule, place),
      place,
      ids: [rule],
    })),
  )

/** Runs the command on the worlds of the chosen duties, and yields the events of that. */
export async function* runDuties(
  options: DutyOptions & ProcessOptions,
  known: Known,
): AsyncGenerator<CheckEvent> {
  const { command, deployments, only, name = command, signal } = options
  const runClient = clientProcess(options)
  const chosen = deployments.map((place) => ({ place, duties: chosenDuties(place, only) }))
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
      name,
      place: deployments[0] ?? 'local',
      deployments,
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
      yield known.mark(await judgeOne(options, place, duty, judge, { ordinary, why }))
    }
  }
  const { stale, warnings } = known.close()
  yield* warnings
  const ended = { isStopped: signal?.aborted === true, stale }
  const end = endOf(known.done, ended, ofClient)
  yield { ...end, runs, durationMs: Date.now() - startedMs, left: [] }
}

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
    title: titleOf(duty.rule, place),
    area: 'duties',
    place,
    rules: [{ id: duty.rule, says, basis }],
    verdict,
    durationMs: Date.now() - startedMs,
    ...more,
  })
  if (why !== undefined) return event('skip', { reason: 'no-run', detail: why })
  let judged: Judged
  try {
    judged = await judge.judge(duty, ordinary)
  } catch (error) {
    return event('fault', { detail: String((error as Error).stack ?? error) })
  }
  const { judgement, seen } = judged
  if (judgement.is === 'kept') return event('pass', {})
  if (judgement.is === 'not judged')
    return event('skip', { reason: 'not-done', detail: judgement.why })
  const again = `flowdouble check --client ${quoted(command)} --deployment ${place} --duty ${duty.rule.replace('duties/', '')}`
  const failure = { message: judgement.why, allowed: says, wire: wireOf(seen), command: again }
  return event(basis === 'chosen' ? 'note' : 'fail', { failure })
}

/** How much of the output is kept. */
const MOST_OUTPUT = 64 * 1024

export type ProcessOptions = {
  /** A line for the shell, in which {url}, {host} and {key} are replaced. */
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** How long one run may take, in seconds. */
  readonly seconds: number
  readonly signal?: AbortSignal | undefined
}

/** The environment variables that a client reads. */
const variablesOf = ({ url, deployment, apiKey, partnerKey, duty }: ClientTarget) => ({
  FLOWDOUBLE_URL: url,
  FLOWDOUBLE_DEPLOYMENT: deployment,
  FLOWDOUBLE_API_KEY: apiKey,
  FLOWDOUBLE_PARTNER_KEY: partnerKey,
  FLOWDOUBLE_DUTY: duty ?? '',
})

/** Runs the command for each target. One that does not end in time is ended, with the processes that it started. */
const clientProcess =
  ({ command, cwd, env, seconds, signal }: ProcessOptions): RunClient =>
  async (target) => {
    const { url, apiKey } = target
    const line = command
      .replaceAll('{url}', url)
      .replaceAll('{host}', new URL(url).host)
      .replaceAll('{key}', apiKey)
    const child = spawn(line, {
      cwd,
      env: { ...env, ...variablesOf(target) },
      shell: true,
      // A group of processes, which can be ended as a whole.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const add = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-MOST_OUTPUT)
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    let isLate = false
    const end = (): void => {
      isLate = true
      endGroup(child)
    }
    const limit = setTimeout(end, seconds * 1000)
    signal?.addEventListener('abort', end)
    try {
      return await new Promise<ClientEnd>((resolve, reject) => {
        child.on('error', reject)
        child.on('close', (code) => resolve({ exitCode: isLate ? null : (code ?? 1), output }))
      })
    } finally {
      clearTimeout(limit)
      signal?.removeEventListener('abort', end)
    }
  }
