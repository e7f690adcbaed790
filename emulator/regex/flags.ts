// Flags in a regular expression: `(?i)` for all of it, `(?i-s:...)` for a part.

import type { Reader } from './reader.ts'

/** The flags that are switched on and off, and whether that holds for the whole expression. */
export type FlagChange = {
  readonly added: ReadonlySet<string>
  readonly removed: ReadonlySet<string>
  readonly isGlobal: boolean
}

const FLAGS = 'iLmsxatu'
/** How characters are classed: one of them at most. */
const KINDS = 'aLu'
/** Only for the whole expression. */
const GLOBAL = 't'

const isFlag = (one: string): boolean => one.length === 1 && FLAGS.includes(one)

function unknown(reader: Reader, one: string, what: string): never {
  if (one === '') return reader.fail(what)
  return reader.fail(/^\p{L}$/u.test(one) ? 'unknown flag' : what, one.startsWith('\\') ? 2 : 1)
}

/** Parses flags after the first one, up to what ends them. */
export function parseFlags(reader: Reader, first: string): FlagChange {
  const added = new Set<string>()
  const removed = new Set<string>()
  let one = first
  while (one !== ')' && one !== '-' && one !== ':') {
    if (one === 'L') reader.fail("bad inline flags: cannot use 'L' flag with a str pattern")
    added.add(one)
    if (added.has('a') && added.has('u'))
      reader.fail("bad inline flags: flags 'a', 'u' and 'L' are incompatible")
    one = reader.take()
    if (!isFlag(one) && one !== ')' && one !== '-' && one !== ':')
      unknown(reader, one, 'missing -, : or )')
  }
  if (one === ')') return { added, removed, isGlobal: true }
  if (added.has(GLOBAL)) reader.fail('bad inline flags: cannot turn on global flag', 1)
  if (one === '-') takeRemoved(reader, removed)
  if (removed.has(GLOBAL)) reader.fail('bad inline flags: cannot turn off global flag', 1)
  if ([...added].some((flag) => removed.has(flag)))
    reader.fail('bad inline flags: flag turned on and off', 1)
  return { added, removed, isGlobal: false }
}

function takeRemoved(reader: Reader, removed: Set<string>): void {
  let one = reader.take()
  if (!isFlag(one)) unknown(reader, one, 'missing flag')
  while (one !== ':') {
    if (KINDS.includes(one)) reader.fail("bad inline flags: cannot turn off flags 'a', 'u' and 'L'")
    removed.add(one)
    one = reader.take()
    if (!isFlag(one) && one !== ':') unknown(reader, one, 'missing :')
  }
}
