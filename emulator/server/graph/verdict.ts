// The types of what validation says of a graph.

import type { Json, JsonObject } from '../../lib/json.ts'
import type { NodeError } from './node-errors.ts'

export type NodeErrors = ReadonlyMap<
  string,
  {
    readonly errors: readonly NodeError[]
    readonly dependent_outputs: string[]
    readonly class_type: Json
  }
>
/** Ids of the output nodes that a submit requests; `crash` if Python cannot look them up in the value. */
export type Targets = { readonly has: (id: string) => boolean } | 'crash'
export type PromptError = {
  readonly type: string
  readonly message: string
  readonly details: string
  /** Empty without one. */
  readonly extra_info?: JsonObject
}

/** `crash`: the form of the graph crashes the real server. Otherwise the valid outputs, of which there may be none. */
export type Verdict =
  | { readonly kind: 'crash' }
  | { readonly kind: 'refused'; readonly error: PromptError; readonly nodeErrors: NodeErrors }
  | {
      readonly kind: 'valid'
      readonly outputs: readonly string[]
      readonly nodeErrors: NodeErrors
      readonly coerced: ConvertedLiterals
    }

/**
 * The names of the literals that were converted to their declared types, by the inputs of a node: there the graph
 * differs from its text.
 */
export type ConvertedLiterals = ReadonlyMap<JsonObject, readonly string[]>
