// Reads a recording in either form: a HAR file, or the part file of a recording that did not end.

import { isPart, readPart } from './part.ts'
import { readHar } from './read-har.ts'
import type { Recording } from '../session/recording.ts'

/**
 * Reads the content of a recording.
 * @param name the name of the file, for messages.
 * Throws a refusal that names the place in the file.
 */
export function readRecording(content: Uint8Array | string, name: string): Recording {
  const text = typeof content === 'string' ? content : textOfFile(content)
  return isPart(text) ? readPart(text, name) : readHar(text, name)
}

/** The text of a file in the encoding that its first bytes name, without them: tools on Windows write UTF-16. */
export function textOfFile(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}
