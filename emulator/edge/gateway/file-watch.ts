// Looks whether a file is another one than before, without reading it where it is not.

import { readFileSync, type Stats, statSync } from 'node:fs'

/** A file that has changed: its text, or null where there is none. */
export type Changed = { readonly text: string | null; readonly modifiedMs: number }

/**
 * A look at a file: what it is now where that differs from the last look, else undefined. Two writes within one tick of
 * the file system's clock are told apart by what else a file has. What cannot be read counts as unchanged: the next
 * look tries again.
 */
export function watchFile(path: string): () => Changed | undefined {
  let known: string | undefined
  return () => {
    const found = look(path)
    // Reading what is no file, such as a pipe, could take for ever.
    if (found === null || found?.isFile() === false) return undefined
    const mark = found === undefined ? 'gone' : `${found.mtimeMs} ${found.ino} ${found.size}`
    if (mark === known) return undefined
    // A gateway that starts without a file has no routes to drop.
    const isNothing = found === undefined && known === undefined
    const changed = isNothing ? undefined : read(path, found?.mtimeMs)
    if (changed !== null) known = mark
    return changed ?? undefined
  }
}

/** What the file system says of the file: null where it does not say, undefined where there is none. */
function look(path: string): Stats | undefined | null {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return null
  }
}

/** The text of bytes. What is no UTF-8 is no JSON either, and neither is the empty text that stands for it. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return ''
  }
}

function read(path: string, modifiedMs: number | undefined): Changed | null {
  if (modifiedMs === undefined) return { text: null, modifiedMs: 0 }
  try {
    return { text: decode(readFileSync(path)), modifiedMs }
  } catch {
    return null
  }
}
