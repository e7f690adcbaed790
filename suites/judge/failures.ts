// Shared by the cases about failing runs.

import { type ExceptionType, exceptionTypes } from '../../spec/server/errors.ts'
import type { Graph } from '../generate/graphs.ts'
import { account as accountWith } from './hosted/jobs.ts'
import { judgeOrder } from './judge.ts'
import type { Run, Subject } from './subject.ts'
import { expect } from './expect.ts'

/** The words of hosted for failures. */
export const words = Object.keys(exceptionTypes) as ExceptionType[]
/** An account with everything that it needs; others differ in some members. */
export const account = { ...accountWith('test-key'), partnerKey: 'partner' }

/** The data of its execution_error; undefined when it has none. */
export const errorOf = ({ messages }: Pick<Run, 'messages'>): any =>
  messages.find(({ type }) => type === 'execution_error')?.data

/**
 * Runs a graph, which the server accepts, to its error. Its messages are in order, and its start precedes its error.
 */
export async function failed(
  { connect, run }: Subject,
  graph: Graph,
  extra_data = {},
): Promise<any> {
  const outcome = await run(await connect(), graph, { extra_data })
  const own = outcome.messages.filter(({ data }) => data['prompt_id'] === outcome.prompt_id)
  expect(judgeOrder('hosted', own)).toEqual([])
  expect(own[0]?.type).toBe('execution_start')
  expect(own.at(-1)?.type).toBe('execution_error')
  expect(outcome.entry.status).toMatchObject({ status_str: 'error', completed: false })
  return errorOf(outcome)
}
