// The files of a recording: the part file that grows while it goes on, and the HAR file that replaces it at the end.

import {
  closeSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { refused } from '../../lib/refused.ts'
import { usageError } from '../../options/usage.ts'
import { partLines } from '../../recording/part.ts'
import {
  createRecordingRedactor,
  type RedactOptions,
  redactRecording,
} from '../../recording/redact.ts'
import type { Recording } from '../../session/recording.ts'
import { findingText, scanRecording } from '../../recording/scan.ts'
import { addToHar, writeHar } from '../../recording/write-har.ts'
import type { RecordingInfo } from '../../../spec/recording.ts'
import type { Sink } from './sink.ts'

/** The largest part file: what comes after passes without being recorded. A text in memory cannot be much larger. */
const MAX_PART_BYTES = 384 * 2 ** 20

const OWNER_ONLY = 0o600

export const partPath = (file: string): string => `${file}.part`

/**
 * Throws a usage error if one of the files of a recording exists and may not be replaced.
 * @param needsPart whether there will be a part file.
 */
export function requireFree(file: string, overwrites: boolean, needsPart: boolean): void {
  if (overwrites) return
  if (existsSync(file))
    throw usageError(`${file} already exists. Choose another file, or replace it with --overwrite.`)
  const part = partPath(file)
  if (needsPart && existsSync(part))
    throw usageError(
      `${part} is left from a recording that did not end. Finish it with --from ${part}, or replace it with --overwrite.`,
    )
}

/** A part file that is being written. */
export type PartFile = { readonly sink: Sink; readonly close: () => void }

/**
 * Creates a part file, which only its owner can read. It contains no secret that is known when a line is written.
 * @param path that of the part file.
 * @param warn receives one line when nothing more can be recorded.
 */
export function createPartFile(
  path: string,
  info: RecordingInfo,
  options: RedactOptions,
  warn: (line: string) => void,
): PartFile {
  rmSync(path, { force: true })
  const redact = createRecordingRedactor(options)
  let handle: number | undefined = open(path)
  let bytes = 0
  const close = (): void => {
    if (handle !== undefined) closeSync(handle)
    handle = undefined
  }
  const write = (line: string): void => {
    if (handle === undefined) return
    try {
      const chunk = Buffer.from(line)
      bytes += chunk.length
      if (bytes > MAX_PART_BYTES) throw new Error(`it has ${MAX_PART_BYTES / 2 ** 20} MiB`)
      for (let at = 0; at < chunk.length;) at += writeSync(handle, chunk, at)
    } catch (error) {
      close()
      warn(
        `Recording stops: ${(error as Error).message}. What follows passes without being recorded.`,
      )
    }
  }
  write(partLines.head(info))
  const sink: Sink = {
    exchange: (exchange) => write(partLines.exchange(redact.exchange(exchange))),
    open: (socket, opened) => write(partLines.open(socket, redact.socket(opened))),
    message: (socket, message) => write(partLines.message(socket, redact.message(message))),
    close: (socket, end) => write(partLines.close(socket, redact.close(end))),
  }
  return { sink, close }
}

function open(path: string): number {
  try {
    return openSync(path, 'wx', OWNER_ONLY)
  } catch (error) {
    throw usageError(`Cannot write the recording: ${(error as Error).message}`)
  }
}

const MAX_LISTED = 10

/**
 * Writes a recording without its secrets, whole or not at all. Throws a refusal if something in it still looks like a
 * secret; it says where, and not what.
 * @param kept where the session is if this fails, for the message.
 */
export function writeRecording(
  file: string,
  recording: Recording,
  options: RedactOptions,
  kept: string,
): void {
  const again = `flowdouble record --from ${kept} --out ${file} ...`
  writeWhole(file, writeHar(redactedOrRefused(file, recording, options, again)), kept)
}

/** What a replay has added to a recording, until it is in the file. */
export const addedPath = (file: string): string => `${file}.added`

/**
 * Adds a session to a recording, without its secrets, whole or not at all. What is in the file stays as it is. Throws a refusal
 * as `writeRecording` does.
 * @param text the text of the file.
 */
export function addToRecording(
  file: string,
  text: string,
  added: Recording,
  options: RedactOptions,
): void {
  const kept = addedPath(file)
  const again = `flowdouble replay ${file} --upstream URL ...`
  writeWhole(file, addToHar(text, redactedOrRefused(file, added, options, again)), kept)
}

/** @param again the command that tries again with other options. */
function redactedOrRefused(
  file: string,
  recording: Recording,
  options: RedactOptions,
  again: string,
): Recording {
  const redacted = redactRecording(recording, options)
  const findings = scanRecording(redacted, options.names).map(findingText)
  if (findings.length === 0) return redacted
  const listed = findings.slice(0, MAX_LISTED).map((one) => `  ${one}\n`)
  const more = findings.length > MAX_LISTED ? `  and ${findings.length - MAX_LISTED} more\n` : ''
  throw refused(
    `${file} is not written: it would contain what looks like a secret.\n${listed.join('')}${more}` +
      `Replace the value of a name with --redact NAME, or keep one that only looks secret with --keep NAME:\n` +
      `  ${again}`,
  )
}

/** Writes a file that only its owner can read. */
function writeWhole(file: string, text: string, kept: string): void {
  const draft = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(draft, text, { mode: OWNER_ONLY })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw refused(`Cannot write ${file}: ${(error as Error).message}. The session is in ${kept}.`)
  }
}
