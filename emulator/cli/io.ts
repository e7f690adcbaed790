// What a command has of its process: where it writes, what it was given, and when it is to stop.

import type { Output } from '../client/display.ts'

/** What a command needs of its process. `cwd` is an absolute folder. */
export type CommandIo = {
  readonly stdout: Output
  readonly stderr: Output
  /** Standard input, asked for when it is needed only. */
  readonly stdin?: () => NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Aborted when the user wants the command to stop. */
  readonly signal?: AbortSignal
}
