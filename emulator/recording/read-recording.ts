// Reads a recording in either form: a HAR file, or the part file of a recording that did not end.

import { isPart, readPart } from './part.ts'
import { readHar } from './read-har.ts'
import type { Recording } from './recording.ts'

/**
 * Reads the text of a recording.
 * @param name the name of the file, for messages.
 * Throws a refusal that names the place in the file.
 */
export const readRecording = (text: string, name: string): Recording =>
  isPart(text) ? readPart(text, name) : readHar(text, name)
