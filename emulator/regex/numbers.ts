// Names and numbers of groups, and numbers of repetitions.

import { pythonRepr, toInt } from '../lib/python.ts'
import { raise } from '../lib/raised.ts'
import { isName, lengthOfText, type Reader } from './reader.ts'

/** Python's greatest number of repetitions, and of groups. */
const MOST_REPEATS = 2 ** 32 - 1
const MOST_GROUPS = 2 ** 30 - 1
const MOST_DIGITS = 4300

export function repetitions(digits: string): number {
  if (digits.length > MOST_DIGITS)
    raise(
      'ValueError',
      `Exceeds the limit (${MOST_DIGITS} digits) for integer string conversion: value has ${digits.length} digits; use sys.set_int_max_str_digits() to increase the limit`,
    )
  const count = Number(digits)
  return count < MOST_REPEATS ? count : raise('OverflowError', 'the repetition number is too large')
}

export function checkName(reader: Reader, name: string): void {
  if (!isName(name))
    reader.fail(`bad character in group name ${pythonRepr(name)}`, lengthOfText(name) + 1)
}

/** A group by its number, which may be any text that `int` reads. */
export function groupNumber(reader: Reader, name: string, back: number): number {
  const read = toInt(name)
  const index = 'value' in read ? Number(read.value) : -1
  if (index < 0) reader.fail(`bad character in group name ${pythonRepr(name)}`, back)
  if (index >= MOST_GROUPS) reader.fail(`invalid group reference ${index}`, back)
  return index
}
