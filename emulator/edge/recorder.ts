// Records the journal of a machine: the latest entries in memory, and optionally all of them in a file.

import type { Entry, Machine } from '../machine.ts'
import { createRing } from '../journal/ring.ts'
import type { JournalFormat, LineWriter } from '../journal/lines.ts'
import type { JournalFile } from './journal-file.ts'

export type Recorder<I, E> = {
  readonly record: (entry: Entry<I, E>) => void
  /** A line with the options of the machine, then one per entry, oldest first. */
  readonly lines: () => Promise<readonly string[]>
  /** Creates the file, if any; called once the server listens, so that a failed start does not replace another journal. */
  readonly open: () => void
  readonly close: () => void
}

/**
 * @param options the options of the machine.
 * @param loadFormat loads the formatter, which a machine without a journal file needs only on demand.
 * @param file every entry is appended to it; null for none.
 */
export async function createRecorder<O, I, E>(
  { entryBytes, newSecrets }: Machine<I, E>,
  options: O,
  loadFormat: () => Promise<JournalFormat<O, I, E>>,
  file: JournalFile | null,
): Promise<Recorder<I, E>> {
  const kept = createRing(entryBytes)
  /** All secrets that inputs ever contained, including those of discarded entries. */
  const brought = new Set<string>()
  const createWriter = async (): Promise<LineWriter<O, I, E>> => {
    const [format, { createLineWriter }, toPlaceholder] = await Promise.all([
      loadFormat(),
      import('../journal/lines.ts'),
      placeholdersOfProcess(),
    ])
    return createLineWriter(format, [...format.secretsOf(options), ...brought], toPlaceholder)
  }
  const fileWriter = file === null ? null : await createWriter()
  const record = (entry: Entry<I, E>): void => {
    kept.add(entry)
    for (const secret of newSecrets(entry.input)) brought.add(secret)
    if (fileWriter !== null) file?.write(() => fileWriter.entry(entry))
  }
  const lines = async (): Promise<readonly string[]> => {
    const writer = await createWriter()
    return [writer.header(options, kept.first()), ...kept.entries().map(writer.entry)]
  }
  const open = (): void => {
    if (fileWriter !== null) file?.open(fileWriter.header(options, 0))
  }
  return { record, lines, open, close: () => file?.close() }
}

let made: Promise<(secret: string) => string> | undefined

/** The key exists only in this process, so that nobody can test guesses against the placeholders of a journal. */
function placeholdersOfProcess(): Promise<(secret: string) => string> {
  made ??= import('../journal/placeholders.ts').then(({ placeholders }) =>
    placeholders(crypto.randomUUID()),
  )
  return made
}
