// Replays a journal, given as lines or text, with the built-in catalogue by default and the node types of its scenario.

import { type ReplayResult, replayJournal } from '../../journal/replay.ts'
import { serverFormat } from '../../server/journal.ts'
import { type CatalogOptions, readCatalog } from '../catalog.ts'
import { typeTexts } from '../../server/nodes/type-texts.ts'
import type { TypeTexts } from '../../server/state/nodes.ts'
import { nodeTypeFiles } from './node-types.ts'

/**
 * Runs the inputs of a journal through a new server. Returns the number of entries, and the index of the first one whose
 * effects differ, or null. Ignores an incomplete last line, as after a crash.
 * @param journal the result of `journal()` of a server, or the text of a journal file.
 * @param catalogue the text of the server's catalogue, or the options that selected it; by default the built-in one. The
 * node types of a scenario are in the journal.
 * Throws SyntaxError if the text is not a journal of a server, or if its beginning is missing.
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
  catalogue: string | CatalogOptions = { objectInfo: [], nodes: [] },
): ReplayResult => {
  const catalogueWith = (types: object, like: string | null): (() => TypeTexts) => {
    if (typeof catalogue !== 'string')
      return readCatalog({ like, ...catalogue, scenario: { types } }, nodeTypeFiles)
    const read = typeTexts(catalogue)
    return () => read
  }
  return replayJournal(journal, serverFormat(catalogueWith))
}
