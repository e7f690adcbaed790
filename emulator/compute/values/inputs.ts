// What a computing node is called with, and how it reads its inputs.

import { type Json, numberOf } from '../../lib/json.ts'
import { isTruthy, pythonText } from '../../lib/python.ts'
import { Tensor } from './tensor.ts'
import { raise } from '../../lib/raised.ts'
import { isMap, misused, type Use, type Value, type ValueMap } from './values.ts'

/** What a node type does: a function from its inputs to one value for each output. It can `raise` an exception. */
export type Compute = (inputs: Inputs) => readonly Value[]

/** Node types by name. */
export type Family = Readonly<Record<string, Compute>>

/**
 * The inputs of a call, by name. Literals are checked before the run, values of links are not: they are converted, or
 * raise the exception that the node raises on a real server.
 */
export type Inputs = {
  /** Whether it is given, and not null. */
  readonly has: (name: string) => boolean
  /** Any value; null if it is not given. */
  readonly value: (name: string) => Value
  /** An INT or a FLOAT. From a link, it can be outside the declared bounds: negative, huge, NaN. */
  readonly number: (name: string, fallback?: number) => number
  /** A STRING or an option; another value as `str` returns it. */
  readonly text: (name: string, fallback?: string) => string
  /** A BOOLEAN. */
  readonly flag: (name: string, fallback?: boolean) => boolean
  /** An IMAGE, a MASK or SIGMAS. `use` is what Python does first with it, and decides what a wrong value raises. */
  readonly tensor: (name: string, use: Use) => Tensor
  /** The members of a LATENT or an AUDIO, one of which has to be `key`. */
  readonly members: (name: string, use?: Use, key?: string) => ValueMap
  /** A list of values, such as CONDITIONING. */
  readonly list: (name: string, use?: Use) => readonly Value[]
}

/** Longer texts exceed the simulated memory. */
const MOST_CHARACTERS = 2 ** 21

/** The exception for a text that would be too long. */
export function checkTextLength(length: number): void {
  if (length > MOST_CHARACTERS) raise('MemoryError', '')
}

/** The text, unless it is too long. */
export function checkText(text: string): string {
  checkTextLength(text.length)
  return text
}

const isPlain = (value: Value): value is Json => !(value instanceof Tensor)

export function inputsOf(values: ReadonlyMap<string, Value>): Inputs {
  const value = (name: string): Value => values.get(name) ?? null
  return {
    has: (name) => (values.get(name) ?? null) !== null,
    value,
    number: (name, fallback = 0) => {
      const given = values.get(name)
      if (given === undefined) return fallback
      if (typeof given === 'boolean') return given ? 1 : 0
      return (isPlain(given) ? numberOf(given) : undefined) ?? fallback
    },
    text: (name, fallback = '') => {
      const given = values.get(name)
      return given === undefined ? fallback : checkText(pythonText(given as Json))
    },
    flag: (name, fallback = false) => {
      const given = values.get(name)
      return given === undefined ? fallback : isTruthy(given as Json)
    },
    tensor: (name, use) => {
      const given = value(name)
      return given instanceof Tensor ? given : misused(given, use)
    },
    members: (name, use = 'key', key = 'samples') => {
      const given = value(name)
      if (!isMap(given)) return misused(given, use, key)
      return given.has(key) ? given : raise('KeyError', `'${key}'`)
    },
    list: (name, use = 'iterate') => {
      const given = value(name)
      return Array.isArray(given) ? given : misused(given, use)
    },
  }
}

/** The tensor in a LATENT or an AUDIO. */
export const memberTensor = (members: ValueMap, key = 'samples', use: Use = '.shape'): Tensor => {
  const given = members.get(key) ?? null
  return given instanceof Tensor ? given : misused(given, use)
}

/** A copy of a LATENT or an AUDIO with another member. */
export const withMember = (members: ValueMap, value: Value, key = 'samples'): ValueMap =>
  new Map(members).set(key, value)
