// Keeps the journal of a server: the latest entries in memory, and all of them in a file where one is asked for.

import { closeSync, fchmodSync, openSync, writeSync } from 'node:fs'
import type { Entry } from '../server/journal.ts'
import type { Body } from '../machine.ts'
import { usageError } from '../options/usage.ts'
import { createRing } from '../journal/ring.ts'
import type { WorldOptions } from '../server/state/options.ts'

export type Recorder = {
  readonly record: (entry: Entry) => void
  /** A line with the options of the world, then one per entry that is kept, oldest first. */
  readonly lines: () => Promise<readonly string[]>
  /** Begins the file, if there is to be one; called when the server listens, so that no other journal is lost in vain. */
  readonly open: () => void
  readonly close: () => void
}

/**
 * @param file appended to by each entry, readable by its owner only; null for none.
 * Opening it throws a usage error when it cannot be written.
 */
export async function createRecorder(
  options: WorldOptions,
  file: string | null,
): Promise<Recorder> {
  const kept = createRing(entryBytes)
  // Writing lines needs a module of its own, which a server without a journal file loads only when they are asked for.
  const writer = file === null ? undefined : await createWriter(options, file)
  const record = (entry: Entry): void => {
    kept.add(entry)
    writer?.write(entry)
  }
  const lines = async (): Promise<readonly string[]> => {
    const { headerLine, lineWriter } = await import('../server/journal.ts')
    const hide = await placeholdersOfProcess()
    const entries = kept.entries().map(lineWriter(options, hide))
    return [headerLine(options, hide, kept.first()), ...entries]
  }
  return { record, lines, open: () => writer?.open(), close: () => writer?.close() }
}

let made: Promise<(secret: string) => string> | undefined

/** Their key is known to this process alone, so that nobody can try guesses on the placeholders of a journal. */
export function placeholdersOfProcess(): Promise<(secret: string) => string> {
  made ??= Promise.all([import('node:crypto'), import('../journal/placeholders.ts')]).then(
    ([{ randomUUID }, { placeholders }]) => placeholders(randomUUID()),
  )
  return made
}

const lengthOf = (body: Body): number =>
  typeof body === 'string' || body instanceof Uint8Array ? body.length : 0

/** About what an entry holds: bodies and messages. Texts count by their letters. */
function entryBytes({ input, effects }: Entry): number {
  let bytes = input.kind === 'request' ? input.body.length : 0
  if (input.kind === 'message') bytes += input.text.length
  for (const effect of effects) {
    if (effect.kind === 'send') bytes += effect.text.length
    else if (effect.kind === 'reply') bytes += lengthOf(effect.body)
  }
  return bytes
}

async function createWriter(
  options: WorldOptions,
  file: string,
): Promise<{ open: () => void; write: (entry: Entry) => void; close: () => void }> {
  const { headerLine, lineWriter } = await import('../server/journal.ts')
  const hide = await placeholdersOfProcess()
  const lineOf = lineWriter(options, hide)
  let handle: number | undefined
  // Each line is on its way to the disk before the next input: a journal is most wanted after a crash.
  const writeLine = (line: string): void => {
    if (handle !== undefined) writeSync(handle, `${line}\n`)
  }
  const open = (): void => {
    try {
      handle = openSync(file, 'w', 0o600)
      fchmodSync(handle, 0o600)
    } catch (error) {
      throw usageError(`Cannot write the journal: ${(error as Error).message}`)
    }
    writeLine(headerLine(options, hide))
  }
  const close = (): void => {
    if (handle !== undefined) closeSync(handle)
    handle = undefined
  }
  return { open, write: (entry) => writeLine(lineOf(entry)), close }
}
