// The command `learn`: reads recordings, or asks a server, and writes the scenario that is learned from them.

import { existsSync } from 'node:fs'
import { basename, isAbsolute, resolve } from 'node:path'
import { type Failure, isFailure } from '../../client/failure.ts'
import { printable } from '../../client/terminal-text.ts'
import { readNamedFile } from '../../config/named-files.ts'
import { startProblemText } from '../../config/scenario-files.ts'
import { nodeTypeFiles } from '../../edge/node/node-types.ts'
import { tryScenario } from '../../edge/node/try-scenario.ts'
import { isRefused, refused } from '../../lib/refused.ts'
import { serverLike } from '../../options/like.ts'
import { isUsageError, usageError } from '../../options/usage.ts'
import { type KnownTypes, learn, type Learned } from '../../recording/learn/learn.ts'
import { readRecording } from '../../recording/read-recording.ts'
import type { Recording } from '../../session/recording.ts'
import { modelFolders } from '../../server/nodes/catalog.ts'
import { testNodes } from '../../server/nodes/test-nodes.ts'
import { askServer } from './learn-from.ts'
import { folderOf, writeScenario } from './learn-files.ts'
import { parseFlags } from '../lib/command.ts'
import { askFrom, fromFlags, fromHelp } from '../lib/from-server.ts'
import type { CommandIo } from '../lib/io.ts'

const help = `Usage: flowdouble learn FILE.har... --out SCENARIO.yaml [options]
       flowdouble learn --from URL --out SCENARIO.yaml [options]

Writes a scenario that makes a world answer as a recorded server did: its node types, models, versions, options and
quirks, how long each node takes, the files that were downloaded, the nodes that failed. Several recordings are read as
if their sessions followed each other. What cannot be learned stands in comments at the top of the scenario.
Contents of files go into the folder SCENARIO.files beside it.

Of hosted accounts it learns the tier, from max_concurrent_jobs of /features and refusals of the free tier. Their keys are
not in a recording: the first account has the key test-key, the next test-key-2. Not learned are balances, settings and
user data (a scenario has none), and sessions of a gateway: its routes are in its configuration, which needs secrets.

With --from it asks a running server for its node types, models, statistics and features, with GET requests alone.

Options:
  --out FILE             the scenario to write
  --overwrite            replace it, if it exists
  --like NAME            the named server that was recorded, if the recording does not show it
${fromHelp('ask this server instead of reading recordings')}
  --json                 print one JSON object: {out, files, learned, notLearned}
  -h, --help             print this help

Exit codes: 0 written, 1 nothing to learn, or the server or a file cannot be read or written, 2 wrong
usage.

Examples:
  flowdouble learn session.har --out server.yaml
  flowdouble learn monday.har tuesday.har --out server.yaml --like comfyui-0.3.64 --overwrite
  flowdouble learn --from http://127.0.0.1:8188 --out server.yaml
  flowdouble serve --scenario ./server.yaml
`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const flags = {
  out: text,
  overwrite: flag,
  like: text,
  ...fromFlags,
  json: flag,
  help: { type: 'boolean', short: 'h' },
} as const

type Values = Readonly<Record<string, string | boolean | undefined>>

/** Runs the command with the arguments after `learn`; resolves to its exit code. */
export async function learnCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    const parsed = parseFlags(argv, flags)
    const values = parsed.values as Values
    if (values['help'] === true) {
      io.stdout.write(help)
      return 0
    }
    const out = outOf(values, io.cwd)
    const recordings = await recordingsOf(parsed.positionals, values, io)
    const learned = learnFrom(recordings, parsed.positionals, values)
    const [problem] = await tryScenario(learned.scenario)
    if (problem !== undefined)
      throw refused(`No world could start with what was learned: ${startProblemText(problem)}`)
    const files = writeScenario(out, learned)
    io.stdout.write(
      values['json'] === true
        ? jsonText(out, files, learned)
        : table(values['out'] as string, files, learned),
    )
    return 0
  } catch (error) {
    if (!isUsageError(error) && !isRefused(error) && !isFailure(error)) throw error
    const isUsage = isUsageError(error) || (error as Partial<Failure>).outcome === 'usage'
    const hint = isUsage ? 'See: flowdouble learn --help\n' : ''
    io.stderr.write(`${printable(error.message)}\n${hint}`)
    return isUsage ? 2 : 1
  }
}

/** The file to write. Throws a usage error without one, and for one that exists and may not be replaced. */
function outOf(values: Values, cwd: string): string {
  const out = values['out']
  if (typeof out !== 'string' || out === '')
    throw usageError('learn needs --out: the scenario file to write, such as server.yaml.')
  if (!/\.ya?ml$/i.test(out)) throw usageError('--out needs the ending .yaml or .yml.')
  const path = resolve(cwd, out)
  if (existsSync(path) && values['overwrite'] !== true)
    throw usageError(`${out} exists already. Replace it with --overwrite, or choose another --out.`)
  return path
}

async function recordingsOf(
  files: readonly string[],
  values: Values,
  io: CommandIo,
): Promise<readonly Recording[]> {
  const hasFrom = values['from'] !== undefined
  if (hasFrom && files.length > 0) throw usageError('Give recordings or --from, not both.')
  const asked = await askFrom(values, io, askServer)
  if (asked !== undefined) return [asked]
  if (files.length === 0)
    throw usageError('learn needs recordings, such as session.har, or --from URL.')
  return files.map((file) => readRecording(bytesOf(resolve(io.cwd, file)), file))
}

function bytesOf(path: string): Uint8Array {
  try {
    return readNamedFile(path)
  } catch (error) {
    throw refused(`Cannot read a recording: ${(error as Error).message}.`)
  }
}

function learnFrom(
  recordings: readonly Recording[],
  files: readonly string[],
  { like }: Values,
): Learned {
  const [place] = recordings.flatMap(({ info }) => info?.place ?? [])
  if (typeof like === 'string') serverLike(like, place ?? 'local', '--like')
  const from =
    files.length > 0
      ? files.map((file) => basename(file)).join(' and ')
      : String(recordings[0]?.info?.origin)
  const named = typeof like === 'string' ? { like } : {}
  return learn(recordings, typesOfWorlds(), { ...named, from })
}

/** The types that every world has. */
export function typesOfWorlds(): KnownTypes {
  const types = [nodeTypeFiles.builtIn(), testNodes].map(
    (text) => JSON.parse(text) as Readonly<Record<string, unknown>>,
  )
  return { types: Object.assign({}, ...types) as KnownTypes['types'], folders: modelFolders }
}

const jsonText = (out: string, files: number, { summary, notLearned }: Learned): string =>
  `${JSON.stringify({ out, files, learned: Object.fromEntries(summary), notLearned })}\n`

function table(out: string, files: number, { summary, notLearned }: Learned): string {
  const width = Math.max(...summary.map(([part]) => part.length))
  const rows = summary.map(([part, what]) => `${part.padEnd(width)}  ${what}\n`)
  const missing = notLearned.map((what) => `${'not learned'.padEnd(width)}  ${what}\n`)
  const beside =
    files === 0 ? '' : ` and ${files} file${files === 1 ? '' : 's'} in ${folderOf(out)}`
  return printable(
    `${[...rows, ...missing].join('')}Wrote ${out}${beside}. Play it with: flowdouble serve --scenario ${isAbsolute(out) ? out : `./${out}`}\n`,
  )
}
