// Determines the outcome and outputs of a run, from its history entry and messages. Pure.

import type { RunError } from './failure.ts'
import { fieldsOf } from './json.ts'
import type { Fields } from './json.ts'
import type { Message } from './socket.ts'

/** A file that a node made, as the server names it. */
export type OutputFile = {
  readonly node: string
  readonly filename: string
  readonly subfolder: string
  readonly type: string
}
export type OutputText = { readonly node: string; readonly text: string }

/** `error` is present for every outcome but success. */
export type Verdict = {
  readonly outcome: 'success' | 'failed' | 'interrupted'
  readonly files: readonly OutputFile[]
  readonly texts: readonly OutputText[]
  readonly error?: RunError
}

/**
 * Whether a history entry belongs to a finished run. An error counts whatever `completed` says.
 */
export function isFinal(entry: Fields): boolean {
  const status = fieldsOf(entry['status']) ?? {}
  return status['status_str'] === 'error' || status['completed'] !== false
}

/**
 * Judges a finished run. `entry` is undefined if the history never had it: then the messages
 * decide. Undefined if nothing says how the run ended.
 */
export function judge(
  entry: Fields | undefined,
  messages: readonly Message[],
): Verdict | undefined {
  const recorded = recordedMessages(entry)
  const ending = endingOf(entry, recorded, messages)
  if (ending === undefined) return undefined
  const outputs = outputsOf(entry, messages)
  const made = { files: outputs.flatMap(outputFiles), texts: outputs.flatMap(outputTexts) }
  if (ending === 'success') return { outcome: ending, ...made }
  const all = [...recorded, ...messages]
  const error = ending === 'failed' ? executionError(all) : interruption(all)
  return { outcome: ending, ...made, error }
}

function endingOf(
  entry: Fields | undefined,
  recorded: readonly Message[],
  messages: readonly Message[],
): Verdict['outcome'] | undefined {
  const all = [...recorded, ...messages]
  const status = fieldsOf(entry?.['status']) ?? {}
  if (status['status_str'] === 'error') {
    return all.some(({ type }) => type === 'execution_interrupted') ? 'interrupted' : 'failed'
  }
  // A status of success with a recorded error: the server could not finish, and wrote the wrong
  // word.
  const decisive = status['status_str'] === 'success' ? recorded : all
  const last = decisive.map(endingOfMessage).findLast((ending) => ending !== undefined)
  return last ?? (entry === undefined ? undefined : 'success')
}

function endingOfMessage({ type, data }: Message): Verdict['outcome'] | undefined {
  if (type === 'execution_success') return 'success'
  if (type === 'execution_interrupted') return 'interrupted'
  const isError = type === 'execution_error' && data['exception_type'] !== 'ExecutionBlocked'
  return isError ? 'failed' : undefined
}

function recordedMessages(entry: Fields | undefined): Message[] {
  const recorded = fieldsOf(entry?.['status'])?.['messages']
  if (!Array.isArray(recorded)) return []
  return recorded.flatMap((pair: unknown) => {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string') return []
    return [{ type: pair[0], data: fieldsOf(pair[1]) ?? {} }]
  })
}

/** Outputs by node: those of the history, then those that only `executed` messages contain. */
function outputsOf(entry: Fields | undefined, messages: readonly Message[]): [string, Fields][] {
  const outputs = new Map<string, Fields>()
  const note = (node: unknown, output: unknown) => {
    const fields = fieldsOf(output)
    if (typeof node !== 'string' || fields === undefined || outputs.has(node)) return
    outputs.set(node, fields)
  }
  for (const [node, output] of Object.entries(fieldsOf(entry?.['outputs']) ?? {}))
    note(node, output)
  for (const { type, data } of messages) if (type === 'executed') note(data['node'], data['output'])
  return [...outputs]
}

/**
 * Files are under `images`, `gifs`, `video`, `videos`, `audio`, `3d`, ...: anything with a
 * `filename` is one.
 */
function outputFiles([node, output]: [string, Fields]): OutputFile[] {
  const files = new Map<string, OutputFile>()
  for (const item of Object.values(output).flat<unknown[]>()) {
    const { filename, subfolder, type } = fieldsOf(item) ?? {}
    if (typeof filename !== 'string' || filename === '') continue
    const file = {
      node,
      filename,
      subfolder: typeof subfolder === 'string' ? subfolder : '',
      type: typeof type === 'string' ? type : 'output',
    }
    files.set(JSON.stringify(file), file)
  }
  return [...files.values()]
}

function outputTexts([node, output]: [string, Fields]): OutputText[] {
  const texts: unknown[] = [output['text']].flat()
  return texts.flatMap((text) => (typeof text === 'string' ? [{ node, text }] : []))
}

function executionError(messages: readonly Message[]): RunError {
  const found = messages.findLast((message) => endingOfMessage(message) === 'failed')
  if (found === undefined) {
    return { type: 'failed', message: 'The run failed; the server does not say why.' }
  }
  const { exception_type: type, exception_message: message, traceback } = found.data
  return {
    type: typeof type === 'string' ? type : 'failed',
    message: typeof message === 'string' ? message.trimEnd() : '',
    ...nodeOf(found),
    ...(Array.isArray(traceback) ? { traceback: traceback.map(String) } : {}),
  }
}

function interruption(messages: readonly Message[]): RunError {
  const found = messages.findLast(({ type }) => type === 'execution_interrupted')
  const where = found === undefined ? {} : nodeOf(found)
  return { type: 'interrupted', message: 'The run was interrupted.', ...where }
}

function nodeOf({ data }: Message): Pick<RunError, 'node' | 'class_type'> {
  const { node_id: node, node_type: classType } = data
  return {
    ...(typeof node === 'string' ? { node } : {}),
    ...(typeof classType === 'string' ? { class_type: classType } : {}),
  }
}
