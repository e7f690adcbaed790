// Values as text, as previews of any value show them.

import { createRead, TooMuch, valueOf } from '../../compute/evaluate.ts'
import { printed } from '../../compute/print.ts'
import { Raised } from '../../compute/values/values.ts'
import { paint } from '../../pictures/paint.ts'
import { sourceOf } from './computed.ts'
import type { Call } from './node.ts'
import type { DeclaredInput, Value } from '../state/nodes.ts'

/** A text computes at most so many numbers. */
const MOST_NUMBERS = 2 ** 23

/** The input `source` as text. */
export const sourceText = ({ inputs }: Call): string =>
  valueText(inputs.get('source') ?? { kind: 'literal', value: null })

/** A value as text, of the type that an input declares. What comes from a model is only named. */
export function valueText(value: Value, type: DeclaredInput['type'] = 'IMAGE'): string {
  const source = sourceOf(value, type)
  if (source === undefined) return '<object>'
  try {
    return printed(valueOf(source), createRead(paint, { left: MOST_NUMBERS }))
  } catch (error) {
    if (error instanceof TooMuch || error instanceof Raised) return 'tensor(...)'
    throw error
  }
}
