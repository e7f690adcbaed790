// Keeps the journal of a machine: the latest entries in memory, and all of them in a file where one is asked for.

import type { Entry, Machine } from '../machine.ts'
import { createRing } from '../journal/ring.ts'
import type { JournalFormat, LineWriter } from '../journal/lines.ts'
import type { JournalFile } from './journal-file.ts'

export type Recorder<I, E> = {
  readonly record: (entry: Entry<I, E>) => void
  /** A line with the options of the machine, then one per entry that is kept, oldest first. */
  readonly lines: () => Promise<readonly string[]>
  /** Begins the file, if there is to be one; called when the server listens, so that no other journal is lost in vain. */
  readonly open: () => void
  readonly close: () => void
}

/**
 * @param options what the machine was made from.
 * @param loadFormat loads a module that a machine without a journal file needs only when its lines are asked for.
 * @param file appended to by each entry; null for none.
 */
export async function createRecorder<O, I, E>(
  { entryBytes, newSecrets }: Machine<I, E>,
  options: O,
  loadFormat: () => Promise<JournalFormat<O, I, E>>,
  file: JournalFile | null,
): Promise<Recorder<I, E>> {
  const kept = createRing(entryBytes)
  /** All secrets that inputs ever brought, with those of entries that are kept no longer. */
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

/** Their key is known to this process alone, so that nobody can try guesses on the placeholders of a journal. */
function placeholdersOfProcess(): Promise<(secret: string) => string> {
  made ??= import('../journal/placeholders.ts').then(({ placeholders }) =>
    placeholders(crypto.randomUUID()),
  )
  return made
}
