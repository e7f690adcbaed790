// Records the journal of a machine: the latest entries in memory, and optionally all of them in a file.

import type { Entry, Machine } from '../machine.ts'
import type { JournalView } from '../journal/received.ts'
import { createLandmarks, type Landmarks, type SavedLandmarks } from '../journal/landmarks.ts'
import { createRequestLog, type SavedRequests } from '../journal/request-log.ts'
import { createRing, entriesOf, type Ring, type SavedRing } from '../journal/ring.ts'
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
  /** All that it keeps, as plain data that still changes. */
  readonly save: () => SavedJournal<I, E>
  /** Creates the file, if any; called once the server listens, so that a failed start does not replace another journal. */
  readonly open: () => void
  readonly close: () => void
}

/** All that a recorder keeps, as plain data. */
export type SavedJournal<I, E> = {
  readonly ring: SavedRing<I>
  readonly requests: SavedRequests
  /** Null as long as the journal has lost nothing. */
  readonly landmarks: SavedLandmarks<I, E> | null
  /** The key of its placeholders. */
  readonly key: string
}

/** A journal that has lost all its entries: they contain what clients sent, their keys too. */
export function withoutEntries<I, E>({ ring }: SavedJournal<I, E>): SavedJournal<I, E> {
  const first = ring.first + ring.entries.length
  const lost = Math.min(first, 1)
  return {
    ring: { first, entries: [], texts: [] },
    requests: { log: [], first: lost, next: lost, heldBytes: 0, waiting: new Map() },
    landmarks: null,
    key: crypto.randomUUID(),
  }
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
  /** The key of its placeholders. */
  readonly key: string
}

/** Loads what writes a journal. */
type FormatLoader<O, I, E> = () => Promise<Pick<JournalFormat<O, I, E>, 'version' | 'redactor'>>

/**
 * @param options makes the options of the machine for the first line of a journal, which few worlds are asked for.
 * @param loadFormat loads the formatter.
 * @param file every entry is appended to it; null for none.
 * @param secrets those of the other machines at the address: a client of one may send its key to another one.
 * @param saved what the recorder of the same machine kept in an earlier process.
 */
export async function createRecorder<O, I, E>(
  { entryBytes, newSecrets, answerOf, ownSecrets }: Machine<I, E>,
  options: () => O,
  loadFormat: FormatLoader<O, I, E>,
  file: JournalFile | null,
  secrets: Set<string>,
  saved?: SavedJournal<I, E>,
): Promise<Recorder<I, E>> {
  for (const secret of ownSecrets()) secrets.add(secret)
  const key = saved?.key ?? keyOfProcess()
  const recorded = { entryBytes, newSecrets, answerOf, options, secrets, loadFormat, key }
  const fileWriter = file === null ? null : await createWriter(recorded)
  const ring = createRing<I, E>(saved?.ring.first)
  if (saved !== undefined)
    for (const entry of entriesOf<I, E>(saved.ring)) ring.add(entry, entryBytes(entry))
  return recorderOf(recorded, ring, file, fileWriter, saved)
}

async function createWriter<O, I, E>({
  secrets,
  loadFormat,
  key,
}: Recorded<O, I, E>): Promise<LineWriter<O, I, E>> {
  const [format, { createLineWriter }, toPlaceholder] = await Promise.all([
    loadFormat(),
    import('../journal/lines.ts'),
    placeholdersOf(key),
  ])
  return createLineWriter(format, secrets, toPlaceholder)
}

function recorderOf<O, I, E>(
  recorded: Recorded<O, I, E>,
  kept: Ring<I, E>,
  file: JournalFile | null,
  fileWriter: LineWriter<O, I, E> | null,
  saved?: SavedJournal<I, E>,
): Recorder<I, E> {
  const { options, entryBytes, newSecrets, answerOf, secrets, key } = recorded
  const requests = createRequestLog<I, E>(answerOf, saved?.requests)
  /** What the journal loses first is noted when it begins to: most machines never come so far. */
  let landmarks: Landmarks<I, E> | undefined = saved?.landmarks
    ? createLandmarks(answerOf, saved.landmarks)
    : undefined
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
    if (fileWriter === null) return
    const first = kept.next()
    const earlier = first === 0 ? undefined : (landmarks ??= noteKept()).between(0, first)
    file?.open(fileWriter.header(options(), first, earlier))
  }
  const redaction = async (): Promise<Redaction> => ({
    known: [...secrets],
    toPlaceholder: await placeholdersOf(key),
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
    save: () => ({
      ring: kept.save(),
      requests: requests.save(),
      landmarks: landmarks?.save() ?? null,
      key,
    }),
    open,
    close: () => file?.close(),
  }
}

/** The oldest part that a journal loses by an input, since memory is short [shared/memory-said]. */
const partLost = (input: unknown): number => {
  const { kind, part } = input as { readonly kind: string; readonly part?: number }
  return kind === 'trim' ? (part ?? 0) : 0
}

let ownKey: string | undefined

/** The key of new machines exists in this process alone, so that nobody can test guesses against the placeholders of a journal. */
const keyOfProcess = (): string => (ownKey ??= crypto.randomUUID())

const placeholdersOf = async (key: string): Promise<(secret: string) => string> =>
  (await import('../journal/placeholders.ts')).placeholders(key)
