// The command line and the environment of a worker: those of its parent, at its own port, with secrets in the environment alone.

import { absoluteCommand } from '../../config/package-files.ts'
import { isOptionName } from '../../options/complete.ts'
import type { OptionEntry } from '../../options/read.ts'
import { optionTable } from '../../options/table.ts'
import type { CommandIo } from '../lib/io.ts'
import { variableOf } from '../lib/variables.ts'
import type { WorkerPlace } from './fit.ts'

/** The flags of `serve` that a worker has too. */
export type PassedFlags = {
  /** The options of the server as the command line has them. */
  readonly server: Readonly<Record<string, string | readonly string[]>>
  readonly config?: string
  readonly tokenEnv?: string
  readonly log?: string
  readonly mutant?: string
  readonly logFormat: string
  readonly quiet: boolean
}

/** How to start a process. */
export type Launch = {
  readonly words: readonly string[]
  readonly env: CommandIo['env']
  readonly cwd: string
}

/** What a worker decides otherwise than its parent. */
const replaced: ReadonlySet<string> = new Set([
  'port',
  'publicUrl',
  'signedBaseUrl',
  'unknownWorlds',
  'state',
])

/** How to start a worker that listens there. It ends when its standard input does. */
export function workerLaunch(
  flags: PassedFlags,
  { env: all, cwd }: Pick<CommandIo, 'env' | 'cwd'>,
  { port, publicUrl, signedBaseUrl, state }: WorkerPlace,
): Launch {
  // The flags have what variables said.
  const isKept = (name: string): boolean =>
    !name.startsWith(variableOf('')) || name === flags.tokenEnv
  const env = Object.fromEntries(Object.entries(all).filter(([name]) => isKept(name)))
  const words = [...absoluteCommand(), 'serve', '--json', '--stop-with-stdin', `--port=${port}`]
  // A world that another worker has is not that of the root.
  words.push('--unknown-worlds=refuse')
  if (publicUrl !== null) words.push(`--public-url=${publicUrl}`)
  if (signedBaseUrl !== null) words.push(`--signed-base-url=${signedBaseUrl}`)
  if (state !== null) words.push(`--state=${state}`)
  for (const [name, given] of Object.entries(flags.server)) {
    if (replaced.has(name) || !isOptionName(name)) continue
    const { flag, secret }: OptionEntry = optionTable[name]
    // Everybody on the machine can read command lines.
    if (secret === true) env[variableOf(flag)] = String(given)
    else words.push(...[given].flat().map((one) => `--${flag}=${one}`))
  }
  const { config, tokenEnv, log, mutant, logFormat } = flags
  const more = { config, 'token-env': tokenEnv, log, mutant, 'log-format': logFormat }
  for (const [flag, value] of Object.entries(more))
    if (value !== undefined) words.push(`--${flag}=${value}`)
  if (flags.quiet) words.push('--quiet')
  return { words, env, cwd }
}
