// Reads options by their table, for servers and gateways: a value comes as text from the command line, or as data from
// a program or a file. The schema of the entry defines valid values.

import type { Place } from '../../spec/language.ts'
import { didYouMean, nearest } from '../lib/nearest.ts'
import { fits, requirement, type Schema } from './json-schema.ts'
import { usageError } from './usage.ts'

/** One option: its flag, its help, and its valid values. */
export type OptionEntry = {
  readonly flag: string
  /** The placeholder for the value in the help. */
  readonly value: string
  readonly help: string
  /** The only deployment that uses it; absent for both. */
  readonly on?: Exclude<Place, 'gateway'>
  /** Whether the flag can be repeated: the value is then a list. */
  readonly many?: boolean
  /** The value of a flag that stands alone. */
  readonly bare?: string
  /** Whether the value is a secret, which no message repeats. */
  readonly secret?: true
  /** Whether it names files. Paths in a config file are relative to it. */
  readonly isPath?: true
  readonly schema: Schema
  /** Describes a valid value, where the schema is not clear enough. */
  readonly takes?: string
  /** Converts a valid value into the form that the code uses. */
  readonly form?: (value: unknown) => unknown
  /** Reads a structured value, or returns why it is invalid. The flag then names a file. */
  readonly readWhole?: (value: unknown) => object | string
}

export type OptionTable<Name extends string> = Readonly<Record<Name, OptionEntry>>
export type OptionValues = Readonly<Record<string, unknown>>
/** How an error message names an option. */
export type OptionLabel = (name: string) => string

/** Reads each option. Throws a usage error for an unknown name or an invalid value. */
export function readOptions(
  table: Readonly<Record<string, OptionEntry>>,
  given: OptionValues,
  where: OptionLabel,
): OptionValues {
  const options: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const entry = Object.hasOwn(table, name) ? table[name] : undefined
    if (entry === undefined) throw unknownOption(Object.keys(table), name, where(name))
    options[name] = readValue(entry, value, where(name))
  }
  return options
}

/** An error for an unknown option, with the closest name and all names. */
export const unknownOption = (names: readonly string[], name: string, where: string): Error =>
  usageError(`Unknown ${where}.${didYouMean(name, names)} Options: ${names.join(', ')}.`)

/** The value of an option. Throws a usage error for an invalid value. */
export function readValue(entry: OptionEntry, value: unknown, where: string): unknown {
  const { schema, many = false, readWhole } = entry
  if (readWhole !== undefined) {
    const read = readWhole(value)
    if (typeof read === 'string') throw usageError(unusableText(where, read))
    return read
  }
  if (value === null && fits(schema, null)) return null
  if (!many) return readOne(entry, schema, value, where)
  const items: readonly unknown[] = Array.isArray(value) ? value : [value]
  return items.map((item) => readOne(entry, schema.items ?? {}, item, where))
}

/** The sentence that something cannot be used, and why. */
export const unusableText = (what: string, why: string): string =>
  `${what} cannot be used: ${why}${why.endsWith('?') ? '' : '.'}`

function readOne(entry: OptionEntry, schema: Schema, value: unknown, where: string): unknown {
  const { form = (same: unknown) => same } = entry
  const fitting = [value, ...otherSpellings(value)].find((one) => fits(schema, one))
  if (fitting !== undefined) return form(fitting)
  throw usageError(`${where} cannot be ${valueText(entry, value)}: ${reason(entry, schema, value)}`)
}

/** Other readings of a value: a text as a number or switch, and the other way round. */
function otherSpellings(value: unknown): readonly unknown[] {
  if (typeof value === 'number' || typeof value === 'boolean') return [`${value}`]
  if (typeof value !== 'string') return []
  if (value === 'true' || value === 'false') return [value === 'true']
  return /^\d{1,16}(\.\d{1,6})?$/.test(value) ? [Number(value)] : []
}

function valueText({ secret }: OptionEntry, value: unknown): string {
  if (secret) return 'that'
  const isScalar = ['string', 'number', 'boolean'].includes(typeof value)
  return isScalar ? `"${value as string}"` : fullValueText(value)
}

/** Longer values are named by what they are. */
const MAX_SHOWN = 200

function fullValueText(value: unknown): string {
  try {
    const text = JSON.stringify(value)
    if (text === undefined || text.length <= MAX_SHOWN) return text
  } catch {
    // It is nested too deeply to be written, or holds itself.
  }
  return Array.isArray(value) ? 'this list' : 'this object'
}

function reason({ help, many, takes }: OptionEntry, schema: Schema, value: unknown): string {
  const { enum: words } = schema
  if (many && words !== undefined && typeof value === 'string') {
    const meant = nearest(value, words.map(String))
    return `${meant === undefined ? 'use' : `did you mean ${meant}? Use`} one of\n  ${words.join('\n  ')}`
  }
  const use = takes ?? requirement(schema)
  if (use === undefined) return `${help}.`
  return words === undefined ? `use ${use}: ${help}.` : `use ${use}.`
}
