// The recorded results of a real server: what a node was called with, and what it returned [recordings/nodes].

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A recorded value: JSON. */
export type Recorded = any
export type RecordedMap = { readonly [key: string]: any }

export type Line = {
  readonly class_type: string
  readonly inputs: RecordedMap
  readonly outputs?: readonly RecordedMap[]
  readonly ui?: RecordedMap | null
  readonly error?: RecordedMap
  readonly save_error?: RecordedMap
  /** What else one must know, such as the uploads before. */
  readonly note?: string
  readonly shape?: readonly number[]
}

const file = join(import.meta.dirname, '../../recordings/nodes/results.jsonl.gz')

export const readLines = (from = file): readonly Line[] =>
  (from.endsWith('.gz') ? gunzipSync(readFileSync(from)) : readFileSync(from))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line.replace(special, spelled).replace(whole, '"whole:$&"')) as Line)

/** Numbers of Python that JSON does not have. */
const special = /(?<=[[,:])(?:-?Infinity|NaN)(?=[,\]}])/g
/** Whole numbers that are not exact as numbers of JavaScript. */
const whole = /(?<=[[,:])-?\d{16,}(?=[,\]}])/g
export const withWholeNumbers = (json: string): string => json.replace(/"whole:(-?\d+)"/g, '$1')
const spelled = (text: string): string =>
  text === 'NaN' ? '"NaN"' : text.replace('Infinity', '1e999')

export const isRecordedMap = (value: Recorded): value is RecordedMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
