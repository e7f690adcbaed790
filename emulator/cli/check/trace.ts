// `check --trace`: reads its flags and the recordings, and opens the door to the suites, which judge them.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TraceOptions } from '../../../spec/check.ts'
import { isRefused } from '../../lib/refused.ts'
import { usageError } from '../../options/usage.ts'
import { readRecording } from '../../recording/read-recording.ts'
import type { Recording } from '../../session/recording.ts'
import type { CommandIo } from '../lib/io.ts'

/** A recording, and the name of its file. */
export type NamedRecording = { readonly name: string; readonly recording: Recording }

export const traceHelp = `Recorded traffic, without a server (also with --deployment, --only, what counts, and reports):
  --trace FILE...     judge recordings: HAR files, with the messages of sockets as browsers export them

A recorded session, sent again to the server at URL, or to the gateway of --gateway (also with what counts, and reports):
  --recording FILE    compare what comes now with what came then: the same, cosmetic, breaking or vanished. A poll is
                      compared at the same point of a run; what a run is ahead of it, and what is cached, is cosmetic
  --update            write the date into the recording if nothing has broken since
`

/** Flags of `check` that are also about recordings. */
const allowed: ReadonlySet<string> = new Set([
  'trace',
  'deployment',
  'only',
  'accept',
  'like',
  'name',
  'junit',
  'html',
  'markdown',
  'sarif',
  'annotations',
  'baseline',
  'update-baseline',
  'json',
])

type Values = Readonly<Record<string, unknown>>

/** What the flags say about the judging of recordings. */
export function traceOptionsOf(values: Values): TraceOptions {
  const other = Object.keys(values).find((name) => !allowed.has(name))
  if (other !== undefined)
    throw usageError(`--${other} needs a server: it does not go with --trace.`)
  const { deployment } = values
  if (deployment !== undefined && deployment !== 'local' && deployment !== 'hosted')
    throw usageError('--deployment is local or hosted.')
  const textIn = (name: string): Readonly<Record<string, string>> =>
    typeof values[name] === 'string' ? { [name]: values[name] } : {}
  return {
    ...(deployment && { deployment }),
    select: (values['only'] ?? []) as readonly string[],
    accept: (values['accept'] ?? []) as readonly string[],
    isJson: values['json'] === true,
    isBaselineUpdate: values['update-baseline'] === true,
    ...textIn('like'),
    ...textIn('name'),
    ...textIn('junit'),
    ...textIn('html'),
    ...textIn('markdown'),
    ...textIn('sarif'),
    hasAnnotations: values['annotations'] === true,
    ...textIn('baseline'),
  }
}

/** Reads recordings. Throws an error with the code USAGE that names the place in a file that cannot be used. */
export function readRecordings(
  files: readonly string[],
  { cwd }: Pick<CommandIo, 'cwd'>,
): readonly NamedRecording[] {
  if (files.length === 0) throw usageError('It needs the file of a recording.')
  return files.map((name) => ({ name, recording: recordingIn(resolve(cwd, name), name) }))
}

function recordingIn(file: string, name: string): Recording {
  try {
    return readRecording(readFileSync(file), name)
  } catch (error) {
    const { message } = error as Error
    throw usageError(isRefused(error) ? message : `Cannot read ${name}: ${message}.`)
  }
}
