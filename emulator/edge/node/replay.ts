// Replays a journal as a caller has it: its lines or its text, with the catalogue that comes with the package.

import { replayLines } from '../../server/journal.ts'
import type { ServerOptions } from '../../options/server-options.ts'
import { readCatalog } from './catalog.ts'

/**
 * Runs the inputs of a journal through a new server. Gives the number of entries, and the first one whose effects differ
 * (from 0) or null.
 * @param journal what the `journal()` of a server gave, or the text of a journal file.
 * @param catalogue the text of the catalogue that the server had, or the options by which it was chosen; the built-in one
 * by default.
 * Throws SyntaxError for what is no journal, or one that has lost its beginning.
 */
export const replay = (
  journal: string | readonly string[],
  catalogue: string | Pick<ServerOptions, 'objectInfo' | 'nodes'> = readCatalog(),
): { entries: number; differs: number | null } =>
  replayLines(
    typeof journal === 'string' ? journal.split('\n') : journal,
    typeof catalogue === 'string' ? catalogue : readCatalog(catalogue),
  )
