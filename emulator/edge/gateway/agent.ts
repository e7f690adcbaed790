// Agents that are real: a command of the operator, or an address of his, that answers each run.

import { type ChildProcess, spawn } from 'node:child_process'
import { agentVariables } from '../../../spec/gateway/deliveries.ts'
import { limits } from '../../../spec/limits.ts'
import type { AgentRun } from '../../gateway/machine.ts'
import { isDone, objectIn, postJson } from './call.ts'
import type { Agent } from '../../options/gateway.ts'

/** How a command is started. */
export type Around = {
  readonly cwd: string
  /** The whole environment of the command, but for what tells it of the run. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Is told what a run that failed has written to its standard error, as far as it is not too much. */
  readonly onFailure: (run: AgentRun, stderr: string) => void
}

const maxBytes = limits.agentAnswer.value
const tooLong = `the answer has more than ${maxBytes} bytes`
/** So much of standard error is kept, in bytes. */
const MAX_STDERR = 2000

/**
 * An agent that starts a command for each run, without a shell: the prompt is its standard input, its standard output
 * is the answer, without the line ends after it. The run fails where the command does not exit with 0.
 */
export function commandAgent(command: readonly string[], { cwd, env, onFailure }: Around): Agent {
  const [file = '', ...args] = command
  return (run, signal) =>
    new Promise((resolve, reject) => {
      // A group of its own, so that whatever it starts ends with it.
      const child = spawn(file, args, { cwd, env: { ...env, ...variablesOf(run) }, detached: true })
      const end = (): void => {
        kill(child)
        // What has left its group can still hold its output: nobody waits for that.
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
        fail(`the agent command cannot be started: ${error.code}`),
      )
      child.on('close', (code, by) => {
        signal.removeEventListener('abort', end)
        if (answer.isFull()) fail(tooLong)
        else if (code === 0) resolve(answer.text().replace(/[\r\n]+$/, ''))
        else fail(`the agent command ended with ${by ?? `exit code ${code}`}`)
      })
    })
}

/** Gathers what comes until it is too much. */
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

/** Ends a command and all that it has started. */
function kill(child: ChildProcess): void {
  try {
    process.kill(-(child.pid as number), 'SIGKILL')
  } catch {
    // It has not started, or is over, or has no group on this system.
    child.kill('SIGKILL')
  }
}

/** No system takes longer ones, and all of them together have a limit, too. */
const MAX_VARIABLE = 8192

function variablesOf(run: AgentRun): Record<string, string> {
  const texts = Object.entries(agentVariables).map(([name, member]) => {
    const value = run[member]
    const text = typeof value === 'string' ? value : wordsOf(value, member === 'skills')
    // What senders write may hold what no variable can.
    return [name, text.replaceAll('\0', '').slice(0, MAX_VARIABLE)]
  })
  return Object.fromEntries(texts) as Record<string, string>
}

const wordsOf = (value: unknown, isList: boolean): string =>
  isList ? (value as readonly string[]).join(',') : JSON.stringify(value)

/** An agent behind an address: it gets the run as JSON, and answers with text, or with JSON that has an `answer`. */
export const urlAgent =
  (url: URL): Agent =>
  async ({ prompt, skills, route, event, delivery_id, session_key }, signal) => {
    const call = { prompt, skills, route, event, delivery_id, session_key }
    const { status, type, text } = await postJson(url, {}, call, { signal, maxBytes })
    if (!isDone(status)) throw new Error(`the agent answered ${status}`)
    if (!/^application\/([\w.-]+\+)?json\b/i.test(type)) return text
    const answer = objectIn(text)?.['answer']
    if (typeof answer !== 'string') throw new Error('the JSON of the agent has no answer')
    return answer
  }
