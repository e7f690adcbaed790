// Values as text, as previews of any value show them and errors list them.

import { createRead, printed, type PrintStyle, str, TooMuch, valueOf } from '../../compute/index.ts'
import { Raised } from '../../lib/raised.ts'
import { paint } from '../../pictures/paint.ts'
import { sourceOf } from '../nodes/computed.ts'
import type { Call } from '../nodes/node.ts'
import type { DeclaredInput, Value } from '../state/nodes.ts'
import type { Traits } from '../state/traits.ts'

/** A text computes at most so many numbers. */
const MOST_NUMBERS = 2 ** 23

/** The input `source` as text. */
export const sourceText = ({ inputs, world }: Call): string =>
  textBy(printed, world.setup.traits, inputs.get('source') ?? { kind: 'literal', value: null })

/** How a server prints values [nodes/printed-lines, nodes/printed-edges, nodes/printed-characters]. */
const styleOf = ({ nodesOf2026, printsCharacters }: Traits): PrintStyle => ({
  edge: nodesOf2026 ? 6 : 3,
  isIndented: nodesOf2026,
  hasCharacters: printsCharacters,
})

/** A value as `str` of Python writes it, of the type that an input declares. What comes from a model is only named. */
export const valueText = (traits: Traits, value: Value, type?: DeclaredInput['type']): string =>
  textBy(str, traits, value, type)

function textBy(
  print: typeof str,
  traits: Traits,
  value: Value,
  type?: DeclaredInput['type'],
): string {
  const source = sourceOf(value, type)
  if (source === undefined) return '<object>'
  try {
    return print(valueOf(source), createRead(paint, { left: MOST_NUMBERS }), styleOf(traits))
  } catch (error) {
    if (error instanceof TooMuch || error instanceof Raised) return 'tensor(...)'
    throw error
  }
}
