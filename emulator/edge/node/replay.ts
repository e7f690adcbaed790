// Replays a journal as a caller has it: its lines or its text, with the catalogue that comes with the package.

import { type Replayed, replayJournal } from '../../journal/replay.ts'
import type { ServerOptions } from '../../options/server-options.ts'
import { serverFormat } from '../../server/journal.ts'
import { readCatalog } from './catalog.ts'

/**
 * Runs the inputs of a journal through a new server. Returns the number of entries, and the first one whose effects differ
 * (from 0) or null. A last line that was cut off, as by a crash, is left out.
 * @param journal what the `journal()` of a server returned, or the text of a journal file.
 * @param catalogue the text of the catalogue that the server had, or the options by which it was chosen; the built-in one
 * by default.
 * Throws SyntaxError for what is not a journal of a server, or one that has lost its beginning.
 * @example
 * import assert from 'node:assert'
 * import { replay, startEmulator } from 'flowdouble'
 *
 * const server = await startEmulator({ clock: 'manual' })
 * await fetch(`${server.url}/system_stats`)
 * const journal = await server.journal()
 * await server.close()
 * assert.deepEqual(replay(journal), { entries: 1, differs: null })
 */
export const replay = (
  journal: string | readonly string[],
  catalogue: string | Pick<ServerOptions, 'objectInfo' | 'nodes'> = readCatalog(),
): Replayed =>
  replayJournal(
    journal,
    serverFormat(typeof catalogue === 'string' ? catalogue : readCatalog(catalogue)),
  )
