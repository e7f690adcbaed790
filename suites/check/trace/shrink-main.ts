// The command `shrink` behind its door: reduces a recording, and writes what is left.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Recording } from '../../../dist/emulator/internal.js'
import { checkExitCodes, type ShrinkOptions } from '../../../spec/check.ts'
import { endGroup } from '../end-group.ts'
import { replaceFile, writing } from '../output/replace-file.ts'
import type { CheckIo } from '../reports/reports.ts'
import { wrongUse } from '../usage.ts'
import type { NamedRecording } from './main.ts'
import { breaking, lawsOf, type Shows, shrinkRecording, sizeOf } from './shrink.ts'

/** Writes a recording as text. */
type Write = (recording: Recording) => string

/** Reduces a recording; resolves to the exit code. Throws an error with the code USAGE for wrong usage. */
export async function runShrink(
  { rule, command, out }: ShrinkOptions,
  { name, recording }: NamedRecording,
  { stdout, cwd, signal, writeHar: write }: Pick<CheckIo, 'stdout' | 'cwd' | 'signal' | 'writeHar'>,
): Promise<number> {
  const shows =
    command === undefined
      ? showing(recording, rule ?? '', name)
      : await failing(recording, { command, signal }, name, write)
  const smallest = await shrinkRecording(recording, async (part) => {
    // A signal of the process arrives between two parts only.
    await setImmediate()
    signal?.throwIfAborted()
    return shows(part)
  })
  replaceFile('the recording', resolve(cwd, out), write(smallest))
  const [before, after] = [sizeOf(recording), sizeOf(smallest)]
  stdout.write(
    `${out} has ${after.exchanges} of ${before.exchanges} exchanges, ${after.sockets} of ${before.sockets} sockets and ${after.messages} of ${before.messages} messages.\n`,
  )
  return checkExitCodes.asExpected
}

function showing(recording: Recording, rule: string, name: string): Shows {
  if (lawsOf(rule).length === 0)
    throw wrongUse(`--rule ${JSON.stringify(rule)} matches no law about recorded traffic.`)
  const shows = breaking(recording, rule)
  if (shows === undefined) throw wrongUse(`${name} does not break ${rule}.`)
  return shows
}

/** A command, which ends with the signal of the user. */
type Test = { readonly command: string; readonly signal: AbortSignal | undefined }

/** A test that a command decides: on a part it must end with the exit code that it has on the whole. */
async function failing(
  recording: Recording,
  test: Test,
  name: string,
  write: Write,
): Promise<Shows> {
  const codeOn = async (one: Recording): Promise<number | null> => {
    const folder = writing('in', tmpdir(), () => mkdtempSync(join(tmpdir(), 'flowdouble-shrink-')))
    const file = join(folder, 'part.har')
    try {
      writing('a part to', file, () => writeFileSync(file, write(one), { mode: 0o600 }))
      return await exitCodeOf(test, file)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const whole = await codeOn(recording)
  if (whole === 0) throw wrongUse(`The command ends with 0 on ${name}: there is nothing to shrink.`)
  return async (part) => (await codeOn(part)) === whole
}

const exitCodeOf = ({ command, signal }: Test, file: string): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', command, 'sh', file], { stdio: 'ignore', detached: true })
    const end = (): void => endGroup(child)
    signal?.addEventListener('abort', end)
    child.on('error', reject)
    child.on('close', (code) => {
      signal?.removeEventListener('abort', end)
      if (signal?.aborted === true) reject(signal.reason as Error)
      else resolve(code)
    })
  })
