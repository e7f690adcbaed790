// What an error of a case says, in the words of the protocol: what was expected and what came, never the text of an exception
// of JavaScript or a placeholder of an assertion. Where two values differ, it has a line for each place, few of them, so that a
// failure can be read at a glance.

import type { Cause } from '../events.ts'

type Compared = { readonly expected?: unknown; readonly actual?: unknown }
export const isCompared = (error: unknown): error is Error & Compared =>
  error instanceof Error && ('expected' in error || 'actual' in error)

/** What was expected and what came. @param cause what is wrong with the traffic, if it shows anything. */
export function wordsOf(error: unknown, cause?: Cause): string {
  if (!(error instanceof Error)) return String(error)
  // Data of another form ends a case where it reads it: what its traffic lacks says more.
  if (error instanceof SyntaxError) return cause?.says ?? 'What came is not valid JSON.'
  if (error instanceof TypeError) return cause?.says ?? lackText(error.message)
  if (!isCompared(error) || error.expected === undefined) return error.message
  return comparison(error)
}

/** The part that a case read in vain. */
function lackText(message: string): string {
  const isText = /expects to receive a string, but got (.*)/.exec(message)?.[1]
  if (isText !== undefined)
    return `Expected a text, received ${isText === 'undefined' ? 'nothing' : isText}.`
  const member = /\(reading '([^']+)'\)/.exec(message)?.[1]
  return member === undefined
    ? 'What came lacks a part that the rule is about.'
    : `What came lacks the part that has ${/^\d+$/.test(member) ? `the item ${member}` : member}.`
}

/** How an assertion compares, where it is not for equality. */
const relation =
  /\b(to not|not to|to) (be (?:less|greater) than(?: or equal to)?|(?:deep equally )?(?:include|contain)|match(?! object)|deeply equal|be|equal)\b/

function comparison({ message, expected, actual }: Error & Compared): string {
  const [, about] = /^(.+?): expected /s.exec(message) ?? []
  const head = about === undefined ? [] : [about]
  const [, to = 'to', how = 'be'] = relation.exec(message) ?? []
  const isEqual = to === 'to' && /^(be|equal|deeply equal)$/.test(how)
  const isObject = / to match object /.test(message)
  if (isEqual || isObject) return [...head, ...differencesOf(expected, actual)].join('\n')
  const verb = how.replace('deeply equal', 'be').replace('deep equally ', '')
  return [
    ...head,
    `expected it ${to === 'to' ? 'to' : 'not to'} ${verb} ${shortText(expected)}, received ${shortText(actual)}`,
  ].join('\n')
}

/** How many places are named. */
const MAX_LINES = 8
/** The longest text of a value, in characters. */
const MAX_VALUE = 300

/** Lines that say where a received value differs from the expected one. */
export function differencesOf(expected: unknown, received: unknown): readonly string[] {
  const lines: string[] = []
  collect('', expected, received, lines)
  const more = lines.length - MAX_LINES
  if (more <= 0) return lines
  return [...lines.slice(0, MAX_LINES), `and ${more} more ${more === 1 ? 'place' : 'places'}`]
}

function collect(path: string, expected: unknown, received: unknown, lines: string[]): void {
  if (isMatcher(expected) && expected.asymmetricMatch(received)) return
  if (Object.is(expected, received)) return
  if (!isTree(expected) || !isTree(received)) {
    lines.push(
      `${path === '' ? '' : `${path}: `}expected ${shortText(expected)}, received ${shortText(received)}`,
    )
    return
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(received)])
  for (const key of keys)
    collect(path === '' ? key : `${path}.${key}`, expected[key], received[key], lines)
}

type Matcher = {
  readonly asymmetricMatch: (value: unknown) => boolean
  readonly toString: () => string
}
const isMatcher = (value: unknown): value is Matcher =>
  typeof (value as Partial<Matcher> | null | undefined)?.asymmetricMatch === 'function'

/** Whether a value has members that can be compared one by one. */
const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !isMatcher(value) &&
  (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)

/** A value as text, of a bounded length. */
export function shortText(value: unknown): string {
  const text = textOf(value)
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

function textOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  return JSON.stringify(value, (_, inner: unknown) => plain(inner)) ?? typeof value
}

/** What JSON cannot write, as text; a set as a list. */
function plain(value: unknown): unknown {
  if (value instanceof RegExp) return `${value}`
  if (isMatcher(value)) return value.toString()
  return value instanceof Set ? [...value] : value
}
