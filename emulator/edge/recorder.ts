// Records the journal of a machine: the latest entries in memory, and optionally all of them in a file.

import type { Entry, Machine } from '../machine.ts'
import type { JournalView } from '../journal/received.ts'
import { createLandmarks, type Landmarks } from '../journal/landmarks.ts'
import { createRequestLog } from '../journal/request-log.ts'
import { createRing, type Ring } from '../journal/ring.ts'
import type { JournalFormat, LineWriter } from '../journal/lines.ts'
import type { OwnNames } from '../journal/secret-names.ts'
import type { JournalFile } from './journal-file.ts'

export type Recorder<I, E> = {
  readonly record: (entry: Entry<I, E>) => void
  /** Records the entries of some work together. */
  readonly batch: (work: () => void) => void
  /**
   * A line with the options of the machine, then one per entry, oldest first; only those from this number on. Where some of
   * them are no longer kept, the first line has what is known of them.
   */
  readonly lines: (from?: number) => Promise<readonly string[]>
  /** The number of the next entry. */
  readonly next: () => number
  /** The kept entries for a reader, with functions that hide secrets. */
  readonly view: () => Promise<JournalView<I, E>>
  /** What hides the secrets of the journal elsewhere, with the same placeholders. */
  readonly redaction: () => Promise<Redaction>
  /** A recorder that begins with the entries of this one, without a file. The requests of a fork begin with it. */
  readonly fork: () => Recorder<I, E>
  /** The approximate size of what it keeps in memory, in bytes. */
  readonly bytes: () => number
  /** Creates the file, if any; called once the server listens, so that a failed start does not replace another journal. */
  readonly open: () => void
  readonly close: () => void
}

/** The secrets that a journal hides, and how. */
export type Redaction = {
  readonly known: readonly string[]
  readonly toPlaceholder: (secret: string) => string
  /** Names that count as those of secrets, or do not, beyond the usual ones. */
  readonly names?: OwnNames
}

/** What a recorder needs to know about its machine. `options` makes those of the machine. */
type Recorded<O, I, E> = Pick<Machine<I, E>, 'entryBytes' | 'newSecrets' | 'answerOf'> & {
  readonly options: () => O
  /** The secrets of all machines at its address, also those that inputs of discarded entries contained. */
  readonly secrets: Set<string>
  /** Loads the formatter, which a machine without a journal file needs only on demand. */
  readonly loadFormat: FormatLoader<O, I, E>
}

/** Loads what writes a journal. */
type FormatLoader<O, I, E> = () => Promise<Pick<JournalFormat<O, I, E>, 'version' | 'redactor'>>

/**
 * @param options makes the options of the machine for the first line of a journal, which few worlds are asked for.
 * @param loadFormat loads the formatter.
 * @param file every entry is appended to it; null for none.
 * @param secrets those of the other machines at the address: a client of one may send its key to another one.
 */
export async function createRecorder<O, I, E>(
  { entryBytes, newSecrets, answerOf, ownSecrets }: Machine<I, E>,
  options: () => O,
  loadFormat: FormatLoader<O, I, E>,
  file: JournalFile | null,
  secrets: Set<string>,
): Promise<Recorder<I, E>> {
  for (const secret of ownSecrets()) secrets.add(secret)
  const recorded = { entryBytes, newSecrets, answerOf, options, secrets, loadFormat }
  const fileWriter = file === null ? null : await createWriter(recorded)
  return recorderOf(recorded, createRing(), file, fileWriter)
}

async function createWriter<O, I, E>({
  secrets,
  loadFormat,
}: Recorded<O, I, E>): Promise<LineWriter<O, I, E>> {
  const [format, { createLineWriter }, toPlaceholder] = await Promise.all([
    loadFormat(),
    import('../journal/lines.ts'),
    placeholdersOfProcess(),
  ])
  return createLineWriter(format, secrets, toPlaceholder)
}

function recorderOf<O, I, E>(
  recorded: Recorded<O, I, E>,
  kept: Ring<I, E>,
  file: JournalFile | null,
  fileWriter: LineWriter<O, I, E> | null,
): Recorder<I, E> {
  const { options, entryBytes, newSecrets, answerOf, secrets } = recorded
  const requests = createRequestLog<I, E>(answerOf)
  /** What the journal loses first is noted when it begins to: most machines never come so far. */
  let landmarks: Landmarks<I, E> | undefined
  const noteKept = (): Landmarks<I, E> => {
    const noted = createLandmarks<I, E>(answerOf)
    const first = kept.first()
    for (const [at, entry] of kept.entries().entries())
      noted.add(first + at, entry, entryBytes(entry), first)
    return noted
  }
  /** Drops the oldest part of what it keeps. */
  const trim = (part: number): void => {
    landmarks ??= noteKept()
    kept.trim(part)
    landmarks.trim(part)
    requests.trim(part)
  }
  const record = (entry: Entry<I, E>): void => {
    const lost = partLost(entry.input)
    if (lost > 0) trim(lost)
    const bytes = entryBytes(entry)
    if (!kept.hasRoom(bytes)) landmarks ??= noteKept()
    const n = kept.add(entry, bytes)
    requests.add(n, entry)
    landmarks?.add(n, entry, bytes, kept.first())
    for (const secret of newSecrets(entry.input)) secrets.add(secret)
    if (fileWriter === null) return
    file?.write(
      () => fileWriter.entry(entry),
      entry.effects.some((one) => answerOf(one) !== undefined),
    )
  }
  const lines: Recorder<I, E>['lines'] = async (from = 0) => {
    const writer = await createWriter(recorded)
    const first = Math.max(from, kept.first())
    const entries = kept.entries().slice(first - kept.first())
    const earlier = from < first ? (landmarks ??= noteKept()).between(from, first) : undefined
    return [writer.header(options(), first, earlier), ...entries.map(writer.entry)]
  }
  const view: Recorder<I, E>['view'] = async () => {
    const { redactInput, redactEffect } = await createWriter(recorded)
    return {
      first: kept.first(),
      entries: kept.entries(),
      requests: requests.kept(),
      redactInput,
      redactEffect,
    }
  }
  const fork = (): Recorder<I, E> => {
    const copy = createRing<I, E>(kept.first())
    for (const entry of kept.entries()) copy.add(entry, entryBytes(entry))
    return recorderOf(recorded, copy, null, null)
  }
  const open = (): void => {
    if (fileWriter !== null) file?.open(fileWriter.header(options(), 0))
  }
  const redaction = async (): Promise<Redaction> => ({
    known: [...secrets],
    toPlaceholder: await placeholdersOfProcess(),
  })
  const batch = (work: () => void): void => (file === null ? work() : file.batch(work))
  return {
    record,
    batch,
    lines,
    next: kept.next,
    view,
    redaction,
    fork,
    bytes: () => kept.bytes() + requests.bytes() + (landmarks?.bytes() ?? 0),
    open,
    close: () => file?.close(),
  }
}

/** The oldest part that a journal loses by an input, since memory is short [shared/memory-said]. */
const partLost = (input: unknown): number => {
  const { kind, part } = input as { readonly kind: string; readonly part?: number }
  return kind === 'trim' ? (part ?? 0) : 0
}

let made: Promise<(secret: string) => string> | undefined

/** The key exists only in this process, so that nobody can test guesses against the placeholders of a journal. */
function placeholdersOfProcess(): Promise<(secret: string) => string> {
  made ??= import('../journal/placeholders.ts').then(({ placeholders }) =>
    placeholders(crypto.randomUUID()),
  )
  return made
}
