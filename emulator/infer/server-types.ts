// The node types of a server that runs elsewhere, which know more than any guess.

import { writeJson } from '../lib/json.ts'
import { parseLenient } from '../lib/json-text.ts'
import { catalogueOf, isCombo } from '../server/nodes/catalog.ts'
import type { DeclaredInput, NodeType, TypeTexts } from '../server/state/nodes.ts'
import type { Catalogue } from './nodes.ts'

/** The reply of a server to GET /object_info, and what to call the server. */
export type ServerTypes = { readonly shown: string; readonly texts: TypeTexts }

/** The same as a catalogue. */
export type AskedServer = {
  readonly shown: string
  readonly typeOf: Catalogue
  readonly names: () => Iterable<string>
  /** The entry of a type as a scenario has it. */
  readonly entryOf: (class_type: string) => object
}

export function askedServer({ shown, texts }: ServerTypes): AskedServer {
  const typeOf = catalogueOf(texts)
  return {
    shown,
    // Types that only flowdouble has are not types of that server.
    typeOf: (class_type) => (texts.has(class_type) ? typeOf(class_type) : undefined),
    names: () => texts.keys(),
    entryOf: (class_type) => parseLenient(texts.get(class_type) ?? '{}') as object,
  }
}

/** Whether two declarations accept the same workflows, apart from the options of their combos. */
export const declaresTheSame = (a: NodeType, b: NodeType): boolean =>
  JSON.stringify(comparable(a)) === JSON.stringify(comparable(b))

const comparable = ({ inputs, outputs, outputNode }: NodeType): unknown => [
  inputs.map(comparableInput).sort(),
  outputs.map((type) => (Array.isArray(type) ? 'COMBO' : type)),
  outputNode,
]

const comparableInput = (input: DeclaredInput): string => {
  const { name, required, type, options } = input
  const bounds = ['min', 'max'].map((bound) => writeJson(options.get(bound) ?? null))
  return JSON.stringify([name, required, isCombo(input) ? 'COMBO' : type, bounds])
}
