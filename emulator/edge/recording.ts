// Writes the journal of a running machine as a recording. Loaded when somebody asks for one.

import { entriesSinceStart, type JournalView } from '../journal/received.ts'
import type { Effect, Entry, FrameContent, Input } from '../machine.ts'
import { type JournalSource, recordingOfJournal } from '../session/from-journal.ts'
import { redactRecording } from '../recording/redact.ts'
import { writeHar } from '../recording/write-har.ts'
import type * as Pictures from '../pictures/encode.ts'
import { encodeFrame } from '../server/world/frames.ts'
import type { Recorder, Redaction } from './recorder.ts'

/** What is known about a machine beside its journal. */
export type RecordedMachine = Pick<JournalSource, 'info' | 'scheme' | 'epochMs' | 'serverName'>

/**
 * The session since the last reset as the text of a HAR file, with the placeholders of the journal for its secrets.
 * @param encodeFrame encodes a frame; `encodeImage` encodes its picture.
 */
export async function recordingText(
  entries: readonly Entry[],
  machine: RecordedMachine,
  redaction: Redaction,
  encodeFrame: (content: FrameContent, encodeImage: (typeof Pictures)['encodeImage']) => Uint8Array,
): Promise<string> {
  // A replay loads the rest of this file, and encodes nothing.
  const { encodeFile, encodeImage } = await import('../pictures/encode.ts')
  const recording = recordingOfJournal(entries, {
    ...machine,
    encodeFile,
    encodeFrame: (content) => encodeFrame(content, encodeImage),
  })
  return writeHar(redactRecording(recording, redaction))
}

/** The entries of a journal since the last change of the whole state. */
export const recordedEntries = <I, E>(view: JournalView<I, E>): readonly Entry<I, E>[] =>
  entriesSinceStart(view).entries.map(([, entry]) => entry)

/** The session since the last reset of a machine that sends frames. */
export const sessionText = async (
  recorder: Recorder<Input, Effect>,
  machine: RecordedMachine,
): Promise<string> =>
  recordingText(
    recordedEntries(await recorder.view()),
    machine,
    await recorder.redaction(),
    encodeFrame,
  )
