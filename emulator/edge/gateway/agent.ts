// Real agents: a command or a URL that answers each run.

import { type ChildProcess, spawn } from 'node:child_process'
import { agentVariables, idempotencyKey } from '../../../spec/gateway/deliveries.ts'
import { limits } from '../../../spec/limits.ts'
import type { AgentRun } from '../../gateway/state/run.ts'
import { isDone, objectIn, postJson } from './call.ts'
import type { Agent } from '../../options/gateway.ts'

/** How to start a command. */
export type CommandContext = {
  readonly cwd: string
  /** The environment of the command, apart from the variables that describe the run. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Receives the start of what a failed run wrote to standard error. */
  readonly onFailure: (run: AgentRun, stderr: string) => void
}

const maxBytes = limits.agentAnswer.value
const tooLong = `the answer is larger than ${maxBytes} bytes`
/** How much of standard error to keep, in bytes. */
const MAX_STDERR = 2000

/**
 * An agent that starts a command for each run, without a shell: standard input is the prompt, standard output the
 * answer, without trailing line ends. The run fails unless the command exits with 0.
 */
export function commandAgent(
  command: readonly string[],
  { cwd, env, onFailure }: CommandContext,
): Agent {
  const [file = '', ...args] = command
  return (run, signal, began) =>
    new Promise((resolve, reject) => {
      // A separate process group, so that child processes end with it.
      const child = spawn(file, args, { cwd, env: { ...env, ...variablesOf(run) }, detached: true })
      if (child.pid !== undefined) began?.(child.pid)
      const end = (): void => {
        kill(child)
        // A process that left the group can still hold the output open: do not wait for it.
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
        child.unref()
      }
      signal.addEventListener('abort', end, { once: true })
      const answer = collect(child.stdout, maxBytes)
      const said = collect(child.stderr, MAX_STDERR)
      child.stdout.on('data', () => answer.isFull() && end())
      // A command need not read its prompt.
      child.stdin.on('error', () => {})
      child.stdin.end(run.prompt)
      const fail = (reason: string): void => {
        if (said.text() !== '') onFailure(run, said.text())
        reject(new Error(reason))
      }
      child.on('error', (error: NodeJS.ErrnoException) =>
        fail(`cannot start the agent command: ${error.code}`),
      )
      child.on('close', (code, by) => {
        signal.removeEventListener('abort', end)
        if (answer.isFull()) fail(tooLong)
        else if (code === 0) resolve(answer.text().replace(/[\r\n]+$/, ''))
        else fail(`the agent command ended with ${by ?? `exit code ${code}`}`)
      })
    })
}

/** Collects output up to a limit. */
function collect(stream: NodeJS.ReadableStream, limit: number) {
  const chunks: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    if (bytes <= limit) chunks.push(chunk)
    bytes += chunk.length
  })
  return {
    isFull: () => bytes > limit,
    text: () => Buffer.concat(chunks).subarray(0, limit).toString(),
  }
}

/** Ends a command and everything it started. */
function kill(child: ChildProcess): void {
  try {
    process.kill(-(child.pid as number), 'SIGKILL')
  } catch {
    // Not started, already over, or without a process group on this system.
    child.kill('SIGKILL')
  }
}

/** Systems limit the length of a variable, and of all variables together. */
const MAX_VARIABLE = 8192

function variablesOf(run: AgentRun): Record<string, string> {
  const texts = Object.entries(agentVariables).map(([name, member]) => {
    const value = run[member]
    const text = typeof value === 'string' ? value : wordsOf(value, member === 'skills')
    // Values from senders can contain characters that a variable cannot.
    return [name, text.replaceAll('\0', '').slice(0, MAX_VARIABLE)]
  })
  return Object.fromEntries(texts) as Record<string, string>
}

const wordsOf = (value: unknown, isList: boolean): string =>
  isList ? (value as readonly string[]).join(',') : JSON.stringify(value)

/** An agent behind a URL: receives the run as JSON, and answers with text, or with JSON with an `answer`. */
export const urlAgent =
  (url: URL): Agent =>
  async ({ key, prompt, skills, route, event, delivery_id, session_key }, signal) => {
    const call = { prompt, skills, route, event, delivery_id, session_key }
    const { status, type, text } = await postJson(url, { [idempotencyKey.header]: key }, call, {
      signal,
      maxBytes,
      isAlone: true,
    })
    if (!isDone(status)) throw new Error(`the agent answered ${status}`)
    if (!/^application\/([\w.-]+\+)?json\b/i.test(type)) return text
    const answer = objectIn(text)?.['answer']
    if (typeof answer !== 'string')
      throw new Error('the JSON of the agent lacks the member "answer"')
    return answer
  }
