// The command `shrink`: reads its flags and a recording, and opens the door to the suites, which reduce it.

import { checkExitCodes, type ShrinkOptions } from '../../../spec/check.ts'
import { printable } from '../../client/terminal-text.ts'
import { packageBundle } from '../../config/package-files.ts'
import { isUsageError, usageError } from '../../options/usage.ts'
import type { Recording } from '../../session/recording.ts'
import { writeHar } from '../../recording/write-har.ts'
import { parseFlags } from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'
import { type NamedRecording, readRecordings } from './trace.ts'

const help = `Usage: flowdouble shrink FILE.har (--rule ID | --command CMD) [options]

Reduces a recording to the few exchanges and messages that still show something: it leaves out whole runs first, then
sockets and exchanges, then messages.

Options:
  --rule ID        what is left breaks this rule at the same place (flowdouble check --trace FILE.har names it)
  --command CMD    what is left makes this command end as the whole recording does, not with 0; a shell runs it, with
                   the file as "$1"
  --out FILE       the file to write (default: FILE.small.har)
  -h, --help       print this help

Exit codes: 0 done, 2 wrong usage, or a recording that does not show it, 5 stopped: nothing is written.

Examples:
  flowdouble shrink session.har --rule messages/order
  flowdouble shrink session.har --command 'node my-client.test.mjs "$1"' --out smallest.har
`

const text = { type: 'string' } as const
const flags = {
  rule: text,
  command: text,
  out: text,
  help: { type: 'boolean', short: 'h' },
} as const

/** What the bundle of the suites exports. */
type ShrinkBundle = {
  readonly runShrink: (
    options: ShrinkOptions,
    recording: NamedRecording,
    io: CommandIo & { readonly writeHar: (recording: Recording) => string },
  ) => Promise<number>
}

/** Runs the command with the arguments after `shrink`; resolves to its exit code. */
export async function shrinkCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    const { values, positionals } = parseFlags(argv, flags)
    if (values['help'] === true) {
      io.stdout.write(help)
      return checkExitCodes.asExpected
    }
    const options = optionsOf(values, positionals)
    const [recording] = readRecordings(positionals, io)
    const { runShrink } = packageBundle('judge') as ShrinkBundle
    return await runShrink(options, recording as NamedRecording, { ...io, writeHar })
  } catch (error) {
    if (io.signal?.aborted === true) {
      io.stderr.write('Stopped. Nothing has been written.\n')
      return checkExitCodes.notMeasured
    }
    if (!isUsageError(error)) throw error
    io.stderr.write(`${printable(error.message)}\nSee: flowdouble shrink --help\n`)
    return checkExitCodes.wrongUsage
  }
}

function optionsOf(
  values: Readonly<Record<string, unknown>>,
  files: readonly string[],
): ShrinkOptions {
  const textOf = (name: string): string | undefined => values[name] as string | undefined
  const [file, ...more] = files
  if (file === undefined || more.length > 0) throw usageError('shrink needs one recording.')
  const [rule, command] = [textOf('rule'), textOf('command')]
  if ((rule === undefined) === (command === undefined))
    throw usageError('shrink needs --rule or --command.')
  return {
    ...(rule !== undefined && { rule }),
    ...(command !== undefined && { command }),
    out: textOf('out') ?? `${file.replace(/\.har$/, '')}.small.har`,
  }
}
