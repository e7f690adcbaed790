// Reads the log of a server from a terminal.

import type { Entry } from 'flowdouble'
import { type CommandIo, createRecordReader, openLog } from '../../dist/emulator/internal.js'
import type { Deployment } from '../../spec/language.ts'

/** What a log knows about a server: nothing of its secrets and node types. */
export const sourceOn = (
  server: Deployment | undefined,
  deployment: Deployment = server ?? 'local',
): Parameters<typeof createRecordReader>[0] => ({
  server,
  deployment,
  secrets: [],
  isKnownType: () => false,
})

/** A viewer of a server's log entries. `mark` names the server if there are two. */
export async function watchOn(
  io: CommandIo,
  mark?: Deployment,
): Promise<{ readonly show: (entry: Entry) => void }> {
  const log = await openLog({ json: false, quiet: false, logFormat: 'text' }, io)
  const read = createRecordReader(sourceOn(mark))
  return { show: (entry) => read(entry).forEach(log.write) }
}
