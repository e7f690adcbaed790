// Replays a journal: applies its inputs to a new machine, and compares the effects with those of the journal.

import { createLineWriter, type Header, type JournalFormat } from './lines.ts'
import { isPlaceholder, placeholders } from './placeholders.ts'

export type ReplayResult = {
  readonly entries: number
  /** The first entry whose effects differ, from 0; null if there are no differences. */
  readonly differs: number | null
}

/**
 * Runs the inputs of a journal through a new machine. Ignores an incomplete last line, as after a crash. Throws
 * SyntaxError if the journal has another format or its beginning is missing.
 */
export function replayJournal<O, I, E>(
  journal: string | readonly string[],
  format: JournalFormat<O, I, E>,
): ReplayResult {
  const text = typeof journal === 'string' ? journal.split('\n') : journal
  const [first = '', ...lines] = text.filter((line) => line !== '')
  const options = readHeader(first, format)
  const inputs = lines.flatMap((line, at) => {
    const value = parse(line)
    if (value === undefined && at < lines.length - 1)
      throw new SyntaxError(`Entry ${at} of the journal is not valid JSON.`)
    return value === undefined ? [] : [format.inputOf((value as { input: unknown }).input)]
  })
  const machine = format.start(options)
  // A journal contains only placeholders, which represent themselves.
  const toPlaceholder = placeholders('replay')
  const write = createLineWriter(format, secretsOf(options, inputs, format, machine), (secret) =>
    isPlaceholder(secret) ? secret : toPlaceholder(secret),
  )
  const differs = inputs.findIndex(
    (input, at) => write.entry({ input, effects: machine.step(input) }) !== lines[at],
  )
  return { entries: inputs.length, differs: differs < 0 ? null : differs }
}

function readHeader<O, I, E>(line: string, format: JournalFormat<O, I, E>): O {
  const header = parse(line) as Partial<Header<O>> | null | undefined
  if (header?.flowdouble !== format.version || header.options === undefined) {
    throw new SyntaxError(
      `This is not a journal of a ${format.machine}: its first line lacks the options.`,
    )
  }
  if (header.first !== 0) {
    throw new SyntaxError(
      'The journal has lost its beginning. Keep all of it in a file: serve --journal FILE.',
    )
  }
  return header.options
}

/** All secrets that the machine will know: a text that it sends early may become a secret later. */
const secretsOf = <O, I, E>(
  options: O,
  inputs: readonly I[],
  format: JournalFormat<O, I, E>,
  { newSecrets }: { readonly newSecrets: (input: I) => readonly string[] },
): ReadonlySet<string> => new Set([...format.secretsOf(options), ...inputs.flatMap(newSecrets)])

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
