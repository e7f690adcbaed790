// The command `check report` behind its door: reads the events of checks that are over, and writes reports on them.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { checkExitCodes, type ReportOptions } from '../../../spec/check.ts'
import type { CheckEvent } from '../events.ts'
import { wrongUse } from '../usage.ts'
import { readCheck } from './ndjson.ts'
import { type CheckIo, writeReports } from './reports.ts'
import { oneLine } from '../output/text.ts'

/** Writes reports; resolves to the exit code. Throws an error with the code USAGE for a file that cannot be used. */
export async function runReport(
  { files, ...reports }: ReportOptions,
  io: Pick<CheckIo, 'stdout' | 'env' | 'cwd'>,
): Promise<number> {
  await writeReports(
    files.map((file) => checkIn(io.cwd, file)),
    reports,
    io,
  )
  return checkExitCodes.asExpected
}

/** The events in a file. */
function checkIn(cwd: string, file: string): readonly CheckEvent[] {
  const text = textOf(cwd, file)
  try {
    return readCheck(text, oneLine(file))
  } catch (error) {
    throw wrongUse((error as Error).message)
  }
}

function textOf(cwd: string, file: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw wrongUse(`Cannot read ${oneLine(file)}: ${(error as Error).message}.`)
  }
}
