// Shared by the cases about scenarios.

import type { EmulatorOptions } from 'flowdouble'
import { nodesOf } from './transcript.ts'
import type { Message } from '../judge/judge.ts'
import type { Run, Subject } from '../judge/subject.ts'

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
