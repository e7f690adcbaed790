// Data that a program passes and the machine keeps: copied, so that nobody else can change it, and only what JSON can
// express, so that a journal can contain it.

import type { Violation } from './json-schema.ts'

/** A copy of a value that JSON can express. */
export const copyPlain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** The first place where a value is not JSON; undefined for a JSON value. */
export const notPlain = (value: unknown): Violation | undefined => find(value, [], [])

/** @param outer the objects and lists around the value. */
function find(
  value: unknown,
  path: Violation['path'],
  outer: readonly object[],
): Violation | undefined {
  if (typeof value !== 'object' || value === null)
    return isPlain(value) ? undefined : { path, problem: problemOf(value) }
  if (outer.includes(value)) return { path, problem: 'contains itself' }
  if (!isPlainGroup(value)) return { path, problem: notJson }
  const inner = [...outer, value]
  for (const [name, member] of Object.entries(value)) {
    // JSON omits such a member.
    if (member === undefined && !Array.isArray(value)) continue
    const found = find(member, [...path, Array.isArray(value) ? Number(name) : name], inner)
    if (found !== undefined) return found
  }
  return undefined
}

const notJson = 'must be a JSON value'

const problemOf = (value: unknown): string =>
  typeof value === 'number' ? 'must be a finite number' : notJson

const isPlain = (value: unknown): boolean =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value))

/** Lists and objects, of any window; not dates, maps or bytes. */
const isPlainGroup = (value: object): boolean =>
  Array.isArray(value) ||
  (Object.prototype.toString.call(value) === '[object Object]' && !('toJSON' in value))
