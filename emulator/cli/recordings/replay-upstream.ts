// The flag `--upstream` of `replay`: what was not recorded comes from a server, and is added to the recording at the end.

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import type { Place } from '../../../spec/language.ts'
import { printable } from '../../client/terminal-text.ts'
import { withLock } from '../../config/lock.ts'
import { addedPath, addToRecording, createPartFile } from '../../edge/proxy/recording-file.ts'
import type { UpstreamOptions } from '../../edge/replay/upstream.ts'
import { usageError } from '../../options/usage.ts'
import { isPart, readPart } from '../../recording/part.ts'
import { textOfFile } from '../../recording/read-recording.ts'
import { writeHar } from '../../recording/write-har.ts'
import type { Recording } from '../../session/recording.ts'
import { aboutRecording } from '../../session/server-of.ts'
import type { CommandIo } from '../lib/io.ts'
import { counted } from './record-counts.ts'
import { proxyFlags, type ProxySettings, proxySettings, targetOf } from './proxy-flags.ts'

type Values = Readonly<Record<string, unknown>>

export const upstreamFlags = {
  upstream: { type: 'string' },
  deployment: { type: 'string' },
  ...proxyFlags,
} as const

/** What the flags say of the server behind a replay. */
export type UpstreamSettings = ProxySettings & {
  readonly target: URL
  readonly place: Place | undefined
}

/** Reads the flags; null without an upstream. */
export function upstreamSettings(values: Values, io: CommandIo): UpstreamSettings | null {
  const { upstream, deployment } = values
  if (upstream === undefined) {
    const alone = Object.keys(upstreamFlags).find((name) => values[name] !== undefined)
    if (alone !== undefined) throw usageError(`--${alone} needs --upstream.`)
    return null
  }
  if (deployment !== undefined && !['local', 'hosted', 'gateway'].includes(deployment as string))
    throw usageError('--deployment is local, hosted or gateway.')
  return {
    ...proxySettings(values, io),
    target: targetOf(upstream as string, '--upstream'),
    place: deployment as Place | undefined,
  }
}

/** What is replayed, and the server behind it. */
export type InFront = {
  /** The recording; a file that does not exist yet is an empty one. */
  readonly recording: string | object
  readonly upstream: UpstreamOptions
}

/** What was added to the file; undefined if nothing was. */
export type Added = {
  readonly exchanges: number
  readonly sockets: number
  readonly messages: number
}

/**
 * Calls with a recording and a server behind it, and adds to the file what that server has answered, when the call ends. No
 * other command changes the file meanwhile.
 */
export async function withUpstream(
  file: string,
  settings: UpstreamSettings,
  { stderr }: CommandIo,
  replay: (inFront: InFront) => Promise<void>,
): Promise<Added | undefined> {
  const { target, ca, headers, place, redact } = settings
  const log = (line: string): void => void stderr.write(`flowdouble: ${printable(line)}\n`)
  const run = async (): Promise<Added | undefined> => {
    const left = add(file, settings)
    if (left !== undefined) log(`added what an earlier replay has left: ${addedText(left)}.`)
    const empty = { info: null, exchanges: [], sockets: [] }
    const info = aboutRecording(empty, place === undefined ? {} : { place })
    const part = createPartFile(addedPath(file), info, redact, log)
    const upstream = { target, ca, headers, sink: part.sink, log }
    const recording = existsSync(file) ? file : (JSON.parse(writeHar({ ...empty, info })) as object)
    try {
      await replay({ recording, upstream })
    } finally {
      part.close()
    }
    return add(file, settings)
  }
  return withLock(file, run).catch((error: unknown) => {
    const { code, path } = error as NodeJS.ErrnoException
    const isOfFolder = path !== undefined && ['EACCES', 'EROFS', 'ENOENT'].includes(`${code}`)
    if (!isOfFolder) throw error
    throw usageError(`Cannot write beside ${basename(file)}: ${(error as Error).message}`)
  })
}

/** Adds to a recording what a replay has left beside it; undefined if that is nothing. */
function add(file: string, { redact, place }: UpstreamSettings): Added | undefined {
  const kept = addedPath(file)
  const text = existsSync(file) ? textOfFile(readFileSync(file)) : undefined
  if (text !== undefined && isPart(text))
    throw usageError(
      `${file} is a recording that did not end. Finish it with: flowdouble record --from ${file} --out FILE.har`,
    )
  if (!existsSync(kept)) return undefined
  const added = readPart(readFileSync(kept, 'utf8'), kept)
  const { exchanges, sockets } = added
  const isNew = exchanges.length + sockets.length > 0
  if (isNew) addToRecording(file, text ?? newText(added, place), added, redact)
  rmSync(kept)
  const messages = sockets.reduce((sum, one) => sum + one.messages.length, 0)
  return isNew ? { exchanges: exchanges.length, sockets: sockets.length, messages } : undefined
}

/** The text of a recording without entries, of the server of these. */
const newText = (added: Recording, place: Place | undefined): string => {
  const info = aboutRecording(added, place === undefined ? {} : { place })
  return writeHar({ info, exchanges: [], sockets: [] })
}

export const addedText = ({ exchanges, sockets, messages }: Added): string =>
  [counted(exchanges, 'exchange'), counted(sockets, 'socket'), counted(messages, 'message')].join(
    ', ',
  )
