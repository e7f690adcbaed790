// Detects whether a file has changed, and reads it only then.

import { isUtf8 } from 'node:buffer'
import { readFileSync, type Stats, statSync } from 'node:fs'

/** A changed file: its text, or null if it no longer exists. */
export type FileChange = { readonly text: string | null; readonly modifiedMs: number }

/**
 * Checks a file: returns its state if it differs from the last check, otherwise undefined. Distinguishes two writes within
 * one tick of the file system's clock by other attributes. A file that cannot be read counts as unchanged; the next
 * check tries again.
 */
export function watchFile(path: string): () => FileChange | undefined {
  let known: string | undefined
  return () => {
    const found = stateOf(path)
    if (found === undefined || found.mark === known) return undefined
    const { mark, modifiedMs } = found
    // A gateway that starts without a file has no routes to drop.
    const isNothing = mark === GONE && known === undefined
    const changed = isNothing ? undefined : readChange(path, modifiedMs)
    if (changed !== null) known = mark
    return changed ?? undefined
  }
}

/** What says that a file is the same as before: its attributes, or that it does not exist; undefined if nothing does. */
export const fileMark = (path: string): string | undefined => stateOf(path)?.mark

/** The mark of a file that does not exist. */
const GONE = 'gone'

function stateOf(
  path: string,
): { readonly mark: string; readonly modifiedMs: number | undefined } | undefined {
  const found = statFile(path)
  // Reading anything but a regular file, such as a pipe, could block forever.
  if (found === null || found?.isFile() === false) return undefined
  if (found === undefined) return { mark: GONE, modifiedMs: undefined }
  const { mtimeMs, ino, size } = found
  return { mark: `${mtimeMs} ${ino} ${size}`, modifiedMs: mtimeMs }
}

/** The attributes of the file: null if they cannot be read, undefined if it does not exist. */
function statFile(path: string): Stats | undefined | null {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return null
  }
}

/** Decodes UTF-8. Returns an empty text for invalid bytes; neither is valid JSON. */
const decode = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString() : '')

function readChange(path: string, modifiedMs: number | undefined): FileChange | null {
  if (modifiedMs === undefined) return { text: null, modifiedMs: 0 }
  try {
    return { text: decode(readFileSync(path)), modifiedMs }
  } catch {
    return null
  }
}
