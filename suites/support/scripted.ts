// Shared by the cases about scenarios.

import type { EmulatorOptions } from 'flowdouble'
import type { Deployment } from '../../spec/language.ts'
import type { Graph } from '../generate/graphs.ts'
import { expect } from '../judge/expect.ts'
import { errorOf } from '../judge/failures.ts'
import type { Message } from '../judge/judge.ts'
import { proves, type ServerRuleId } from '../judge/proves.ts'
import type { Run, Subject } from '../judge/subject.ts'
import { nodesOf } from './transcript.ts'

type Scenario = Exclude<NonNullable<EmulatorOptions['scenario']>, string | readonly unknown[]>

/** The options of a subject with this scenario. */
export const scripted = (
  scenario: Omit<Scenario, 'version'>,
  options: EmulatorOptions = {},
): EmulatorOptions => ({ ...options, scenario: { version: 1, ...scenario } })

/** The time between the start of a run and its end, in milliseconds of its messages. */
export function lastedMs({ entry }: Run): number {
  const { messages } = entry.status
  const timeOf = (index: number): number => messages.at(index)?.[1].timestamp
  return timeOf(-1) - timeOf(0)
}

/** How a run ended: the type of its last message in the history, and the node and exception of an error. */
export function endOf({ entry }: Run): string {
  const [type, data] = entry.status.messages.at(-1) ?? ['', {}]
  const { node_id = '', exception_type = '' } = data
  return [type, node_id, exception_type].filter((part) => part !== '').join(' ')
}

/** The progress messages of a node, as values. */
export const stepsOf = (messages: readonly Message[], node: string): unknown[] =>
  messages
    .filter(({ type, data }) => type === 'progress' && data['node'] === node)
    .map(({ data }) => data['value'])

/** Runs a graph on its own session. */
export const runAlone = async (
  { connect, run }: Subject,
  graph: Parameters<Subject['run']>[1],
): Promise<Run> => run(await connect('me'), graph)

/** A node type as a scenario declares it: its required inputs and its outputs. */
export const typeWith = (
  required: Readonly<Record<string, readonly unknown[]>>,
  output: readonly string[],
  more: object = {},
): object => ({ input: { required }, output, ...more })

/** The ids of the nodes that started, in order; a node that starts twice occurs twice. */
export const startedIn = ({ messages }: Run): string[] => nodesOf('executing', messages).map(String)

/** What a run shows to its client, which gets so many frames of it. */
const shownBy = (run: Run, frames: number) => ({
  frames,
  started: startedIn(run),
  executed: nodesOf('executed', run.messages),
  outputs: run.entry.outputs as unknown,
  end: endOf(run),
  status: run.entry.status.status_str as unknown,
  error: errorOf(run) as unknown,
  lastedMs: lastedMs(run),
  steps: stepsByNode(run.messages),
})

/** The progress of each node that has some, as in `1/2 2/2`. */
function stepsByNode(messages: readonly Message[]): Readonly<Record<string, string>> {
  const steps: Record<string, string[]> = {}
  for (const { type, data } of messages)
    if (type === 'progress')
      (steps[String(data['node'])] ??= []).push(`${String(data['value'])}/${String(data['max'])}`)
  return Object.fromEntries(Object.entries(steps).map(([id, own]) => [id, own.join(' ')]))
}

/** A workflow, and what its run shows: just these values, these members of its error, and an end that matches. */
export type RunRow = readonly [
  graph: Graph,
  shown: Partial<Record<keyof ReturnType<typeof shownBy>, unknown>> & { readonly error?: object },
]

/** Runs workflows one after the other, each on its own session. */
export async function expectRuns(subject: Subject, ...rows: readonly RunRow[]): Promise<void> {
  for (const [at, [graph, { error, ...shown }]] of rows.entries()) {
    const session = await subject.connect('me')
    const all = shownBy(await subject.run(session, graph), session.frames().length)
    const found = Object.entries(all).filter(([name]) => Object.hasOwn(shown, name))
    if (shown.end instanceof RegExp) shown.end = expect.stringMatching(shown.end)
    expect({ run: at + 1, ...Object.fromEntries(found) }).toEqual({ run: at + 1, ...shown })
    if (error !== undefined) expect(all.error).toMatchObject(error)
  }
}

/** A case whose runs on a server with these options show what their rows say, which may depend on the deployment. */
export function provesRuns(
  rule: Extract<ServerRuleId, `scenario/${string}`>,
  options: EmulatorOptions,
  ...rows: readonly RunRow[] | readonly [(deployment: Deployment) => readonly RunRow[]]
): void {
  const [first] = rows
  const body = (subject: Subject): Promise<void> =>
    expectRuns(
      subject,
      ...(typeof first === 'function' ? first(subject.deployment) : (rows as readonly RunRow[])),
    )
  proves(rule, body, options)
}
