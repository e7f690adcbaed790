// Wrong usage of a command, and places that it cannot write to: its door prints the message and ends with the exit code for it.

import { oneLine } from './reports/text.ts'

/** An error with the code USAGE, whose message says what is wrong. */
export const wrongUse = (message: string): Error =>
  Object.assign(new Error(message), { code: 'USAGE' })

export const isWrongUse = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'USAGE'

/** What writing a file results in. Throws wrong usage that names the file if it cannot be written. */
export function writing<T>(what: string, file: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw wrongUse(`Cannot write ${what} ${oneLine(file)}: ${(error as Error).message}.`)
  }
}
