// The environment of a command: streams, variables, working directory, and the signal to stop.

import type { Readable } from 'node:stream'
import type { Output } from '../../client/display.ts'

/** What a command needs from its process. `cwd` is an absolute path. */
export type CommandIo = {
  readonly stdout: Output
  readonly stderr: Output
  /** Standard input, opened on demand. */
  readonly stdin?: () => Readable & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Aborted when the user stops the command. */
  readonly signal?: AbortSignal
}
