// Failed jobs for rejected workflows whose submit returns 200 [quirk workflows.invalid-is-200].

import { isObject, type Json, copyText, writeJson } from '../../lib/json.ts'
import { nodeErrorsJson } from '../graph/node-errors-json.ts'
import type { Verdict } from '../graph/verdict.ts'
import { pythonNameOf } from '../nodes/exception-types.ts'
import { addEntry } from '../world/history.ts'
import { timestamp } from '../world/derived.ts'
import type { Run } from '../state/runs.ts'
import type { HostedWorld } from '../state/world.ts'

type Rejection = Extract<Verdict, { kind: 'refused' }>

/** Stores a rejected workflow as a job that failed with a ValidationError, at the invalid node. */
export function rememberRefused(
  world: HostedWorld,
  prompt: Json,
  { error, nodeErrors }: Rejection,
  known: Pick<
    Run,
    'prompt_id' | 'number' | 'numberText' | 'workflow_id' | 'extraDataText' | 'shownExtraDataText'
  >,
): void {
  const run: Run = {
    ...known,
    serial: world.state.nextSerial++,
    graphText: copyText(writeJson(prompt)),
    graph: null,
    client_id: null,
    hasPartnerKey: false,
    outputs: [],
    submittedAtMs: world.state.nowMs,
    poison: null,
    script: null,
    deleted: false,
  }
  const [id = ''] = nodeErrors.keys()
  const node = isObject(prompt) ? prompt.get(id) : undefined
  const class_type = isObject(node) ? node.get('class_type') : undefined
  const details = [error.message, error.details].filter((text) => text !== '').join('\n')
  const word = 'ValidationError'
  const failure = new Map<string, Json>([
    ['node_id', id],
    ['node_type', typeof class_type === 'string' ? class_type : ''],
    ['exception_message', `${details}\n`],
    ['exception_type', world.setup.traits.jobNames === 'python' ? pythonNameOf(word) : word],
    ['traceback', []],
    ['current_inputs', new Map()],
    ['current_outputs', new Map()],
    ['node_errors', nodeErrorsJson(nodeErrors)],
  ])
  const executionError = new Map<string, Json>([
    ['prompt_id', run.prompt_id],
    ...failure,
    ['timestamp', timestamp(world)],
  ])
  addEntry(world, run, {
    state: 'error',
    messages: [`["execution_error", ${writeJson(executionError)}]`],
    outputs: [],
    meta: [],
    failure: writeJson(failure),
    startedMs: world.state.nowMs,
  })
}
