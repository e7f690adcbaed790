// A log that loads its code with the first line, so that the first response of a server does not wait for it.

import type { Entry } from '../machine.ts'
import type { CommandIo } from './lib/io.ts'
import { type LogFlags, openLogFile } from './lib/log-file.ts'
import type * as Records from './serve-log.ts'

export type LateLog = {
  /** Takes the entries of one server, or of a world of it. */
  readonly reader: (source: () => Records.RecordSource) => (entry: Entry) => void
  /** Takes a record that no entry makes. */
  readonly note: (record: Records.LogRecord) => void
  /** Resolves when everything received so far is written. */
  readonly close: () => Promise<void>
}

type LogModule = { readonly log: Records.Log; readonly records: typeof Records }

/** Opens the log file immediately: an unusable path is an error before anything starts. */
export function createLateLog(flags: LogFlags, io: CommandIo): LateLog {
  const file = flags.log === undefined ? undefined : openLogFile(flags.log, io)
  const isQuiet = flags.quiet && file === undefined
  let loaded: LogModule | undefined
  let loading: Promise<void> | undefined
  const waiting: (() => void)[] = []
  const load = async (): Promise<void> => {
    const records = await import('./serve-log.ts')
    loaded = { log: await records.openLog(flags, io, file), records }
    for (const write of waiting.splice(0)) write()
  }
  const reader: LateLog['reader'] = (source) => {
    let read: ReturnType<typeof Records.createRecordReader> | undefined
    const write = (entry: Entry): void => {
      if (loaded === undefined) return
      read ??= loaded.records.createRecordReader(source())
      for (const record of read(entry)) loaded.log.write(record)
    }
    return (entry) => {
      // With --quiet and without a file, the log consists of warnings.
      if (isQuiet && !entry.effects.some(({ kind }) => kind === 'leak')) return
      if (loaded !== undefined) return write(entry)
      waiting.push(() => write(entry))
      loading ??= load()
    }
  }
  const note: LateLog['note'] = (record) => {
    if (loaded !== undefined) return loaded.log.write(record)
    waiting.push(() => note(record))
    loading ??= load()
  }
  const close = async (): Promise<void> => {
    await loading
    file?.close()
  }
  return { reader, note, close }
}
