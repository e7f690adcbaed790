// Keeps the journal of a world: the latest entries in memory, and all of them in a file where one is asked for.

import { closeSync, openSync, writeSync } from 'node:fs'
import type { Entry } from '../journal.ts'
import { usageError } from '../options.ts'
import type { WorldOptions } from '../server/world.ts'

export type Recorder = {
  readonly record: (entry: Entry) => void
  /** A line with the options of the world, then one per entry that is kept, oldest first. */
  readonly lines: () => Promise<readonly string[]>
  readonly close: () => void
}

/** So many of the latest entries are kept in memory, */
const MAX_ENTRIES = 1000
/** as long as their request bodies together are no larger than this, in bytes. */
const MAX_BODIES_BYTES = 8 * 2 ** 20

/**
 * @param file appended to by each entry, readable by its owner only; null for none.
 * Throws a usage error when the file cannot be written.
 */
export async function createRecorder(
  options: WorldOptions,
  file: string | null,
): Promise<Recorder> {
  const kept = createRing()
  // Writing lines needs hashing, which a server without a journal file never loads.
  const writer = file === null ? undefined : await openWriter(options, file)
  const record = (entry: Entry): void => {
    kept.add(entry)
    writer?.write(entry)
  }
  const lines = async (): Promise<readonly string[]> => {
    const { entryLine, headerLine } = await import('../journal.ts')
    return [headerLine(options), ...kept.entries().map((entry) => entryLine(entry, options.seed))]
  }
  return { record, lines, close: () => writer?.close() }
}

function createRing(): { add: (entry: Entry) => void; entries: () => readonly Entry[] } {
  const ring: (Entry | undefined)[] = Array.from({ length: MAX_ENTRIES })
  let first = 0
  let next = 0
  let bodiesBytes = 0
  const dropFirst = (): void => {
    const slot = first++ % MAX_ENTRIES
    bodiesBytes -= bodyBytes(ring[slot])
    ring[slot] = undefined
  }
  const isTooLarge = (): boolean => bodiesBytes > MAX_BODIES_BYTES
  const add = (entry: Entry): void => {
    if (next - first === MAX_ENTRIES) dropFirst()
    ring[next++ % MAX_ENTRIES] = entry
    bodiesBytes += bodyBytes(entry)
    while (isTooLarge()) dropFirst()
  }
  const entries = (): readonly Entry[] => {
    const found: Entry[] = []
    for (let at = first; at < next; at++) {
      const entry = ring[at % MAX_ENTRIES]
      if (entry !== undefined) found.push(entry)
    }
    return found
  }
  return { add, entries }
}

const bodyBytes = (entry: Entry | undefined): number =>
  entry?.input.kind === 'request' ? entry.input.body.length : 0

async function openWriter(
  options: WorldOptions,
  file: string,
): Promise<{ write: (entry: Entry) => void; close: () => void }> {
  const { entryLine, headerLine } = await import('../journal.ts')
  let handle: number
  try {
    handle = openSync(file, 'w', 0o600)
  } catch (error) {
    throw usageError(`Cannot write the journal: ${(error as Error).message}`)
  }
  // Each line is on its way to the disk before the next input: a journal is most wanted after a crash.
  writeSync(handle, `${headerLine(options)}\n`)
  return {
    write: (entry) => writeSync(handle, `${entryLine(entry, options.seed)}\n`),
    close: () => closeSync(handle),
  }
}
