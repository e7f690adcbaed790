// Recordings: `record` in this process, with files in a temporary folder, and exchanges made by hand.

import { existsSync, readFileSync } from 'node:fs'
import {
  readRecording,
  recordCommand,
  type RecordedExchange,
  type Recording,
} from '../../../dist/emulator/internal.js'
import { newFiles } from '../files.ts'
import { type Output, outputOf, running } from '../in-process.ts'

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

function resultOf(output: Output, file: string): RecordResult {
  const text = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  return {
    ...output,
    file,
    text,
    recording: () => readRecording(text(), file),
    hasPart: () => existsSync(`${file}.part`),
  }
}

/** Runs `record` with flags with which it ends by itself. */
export async function runRecord(...argv: readonly string[]): Promise<RecordResult> {
  const file = newFiles().path('session.har')
  return resultOf(await outputOf(recordCommand, ['--out', file, ...argv]), file)
}

/** Starts a recording of a server; resolves when the proxy listens. */
export async function startRecord(
  target: string,
  flags: readonly string[] = [],
  terminal?: number,
): Promise<RunningRecord> {
  const file = newFiles().path('session.har')
  const argv = [target, '--out', file, '--port', '0', ...flags]
  const { said, stop } = await running(recordCommand, argv, { terminal })
  return {
    url: /http:\/\/[\d.]+:\d+/.exec(said().split('client:').at(-1) ?? '')![0],
    file,
    stop: async () => resultOf(await stop(), file),
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
