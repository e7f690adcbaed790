// Finds what differs between two transcripts.

import { isExtra } from './may-differ.ts'
import type { Transcript } from './transcript.ts'

/** A place at which two servers differ. */
export type Difference = { readonly at: string; readonly a: unknown; readonly b: unknown }

/** The first difference of each fact. */
export const differencesOf = (a: Transcript, b: Transcript): readonly Difference[] =>
  [...new Set([...a.keys(), ...b.keys()])].flatMap((fact) => {
    const found = differenceIn(fact, a.get(fact), b.get(fact))
    return found === undefined ? [] : [found]
  })

/** The first place at which two values differ. */
function differenceIn(at: string, a: unknown, b: unknown): Difference | undefined {
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b))
    return a === b ? undefined : { at, a, b }
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  for (const key of keys) {
    if (key in a && key in b) {
      const found = differenceIn(`${at}, ${key}`, a[key], b[key])
      if (found !== undefined) return found
    } else if (Array.isArray(a) || !isExtra(key))
      return { at: `${at}, ${key}`, a: a[key], b: b[key] }
  }
  return undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Differences that are alike: at the same place of a run of the same work. */
export const signatureOf = ({ at }: Difference): string => at.replace(/\d+/g, '')
