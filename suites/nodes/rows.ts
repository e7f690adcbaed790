// Rows of computed tables: recipes of inputs in the form of the recording, and what comes of them.

import type { RecordedMap } from './lines.ts'

export const node = (class_type: string, inputs: RecordedMap) => ({
  node: { class_type, slot: 0, inputs },
})
export const float = (value: number) => node('PrimitiveFloat', { value })
export const int = (value: number) => node('PrimitiveInt', { value })
export const latent = (...shape: readonly number[]) => ({ latent: { shape, pattern: 'wave' } })

/** A node, and its first output as text, or its exception. */
export type Row = readonly [class_type: string, inputs: RecordedMap, text: string]
