// Recordings: `record` in this process, with files in a temporary folder, and exchanges made by hand.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  readRecording,
  recordCommand,
  type RecordedExchange,
  type Recording,
} from '../../../dist/emulator/internal.js'
import { folder } from '../folder.ts'
import { type Output, outputOf } from '../in-process.ts'

export type RecordResult = Output & {
  readonly file: string
  /** The text of the file; empty if it was not written. */
  readonly text: () => string
  readonly recording: () => Recording
  /** Whether there is a part file. */
  readonly hasPart: () => boolean
}

export type RunningRecord = {
  /** The address of the proxy. */
  readonly url: string
  readonly file: string
  /** Ends the session, as Ctrl+C does. */
  readonly stop: () => Promise<RecordResult>
}

function resultOf(code: number, stdout: string, stderr: string, file: string): RecordResult {
  const text = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  return {
    code,
    stdout,
    stderr,
    file,
    text,
    recording: () => readRecording(text(), file),
    hasPart: () => existsSync(`${file}.part`),
  }
}

/** Runs `record` with flags with which it ends by itself. */
export async function runRecord(...argv: readonly string[]): Promise<RecordResult> {
  const file = join(folder(), 'session.har')
  const { code, stdout, stderr } = await outputOf(recordCommand, ['--out', file, ...argv])
  return resultOf(code, stdout, stderr, file)
}

/** Starts a recording of a server; resolves when the proxy listens. */
export async function startRecord(
  target: string,
  flags: readonly string[] = [],
  isTerminal = false,
): Promise<RunningRecord> {
  const stop = new AbortController()
  let listen = (): void => undefined
  const listening = new Promise<void>((resolve) => (listen = resolve))
  const said = { stdout: '', stderr: '' }
  const output = (name: keyof typeof said) => ({
    isTTY: isTerminal,
    write: (text: string) => {
      said[name] += text
      if (said.stdout.includes('http://')) listen()
    },
  })
  const cwd = folder()
  const file = join(cwd, 'session.har')
  const argv = [target, '--out', file, '--port', '0', ...flags]
  const [stdout, stderr] = [output('stdout'), output('stderr')]
  const ended = recordCommand(argv, { stdout, stderr, env: {}, cwd, signal: stop.signal })
  await Promise.race([
    listening,
    ended.then((code) => {
      throw new Error(`It ended with ${code}: ${said.stderr}`)
    }),
  ])
  return {
    url: /http:\/\/[\d.]+:\d+/.exec(said.stdout.split('client:').at(-1) ?? '')![0],
    file,
    stop: async () => {
      stop.abort()
      return resultOf(await ended, said.stdout, said.stderr, file)
    },
  }
}

/** Calls with a recording of a server, and returns what it has become. */
export async function recorded(
  target: string,
  session: (url: string) => Promise<void>,
  ...flags: readonly string[]
): Promise<RecordResult> {
  const running = await startRecord(target, flags)
  try {
    await session(running.url)
  } catch (error) {
    await running.stop()
    throw error
  }
  return running.stop()
}

/** A text as the bytes of a body. */
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A recorded submit without a response, with these parts. */
export const exchangeWith = (more: Partial<RecordedExchange>): RecordedExchange => ({
  entry: 0,
  startMs: 1e12,
  endMs: 1e12,
  method: 'POST',
  url: 'http://server/prompt',
  headers: [],
  body: new Uint8Array(),
  response: null,
  ...more,
})
