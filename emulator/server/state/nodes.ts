// Node types and what their nodes work on, as types: declarations, values on links, the work of a call, its results.

import type { Json, JsonObject } from '../../lib/json.ts'
import type { Picture } from '../../pictures/picture.ts'
import type { FileContent } from './files.ts'

/** One declared input of a node type. */
export type DeclaredInput = {
  readonly name: string
  readonly required: boolean
  /** A type name, or the list of options of an old-style combo. */
  readonly type: string | Json[]
  /** Options of the declaration: `default`, `min`, `max` and the like. */
  readonly options: JsonObject
}

/** A node type, in the form that validation and execution need. */
export type NodeType = {
  readonly class_type: string
  readonly inputs: readonly DeclaredInput[]
  readonly outputs: readonly (string | Json[])[]
  /** For each output, whether it is a list. */
  readonly outputIsList: readonly boolean[]
  /** Whether one call takes the lists of all inputs whole, instead of one call for each item. */
  readonly takesLists: boolean
  readonly outputNode: boolean
  readonly apiNode: boolean
  /** New-style types print other exception texts and do not have their combos checked. */
  readonly newStyle: boolean
  /** Whether the id of the node is part of its cache signature, as for old-style types that ask for it. */
  readonly readsOwnId: boolean
  /** Names of the hidden inputs that the node is called with, each with what it holds; of old-style types only. */
  readonly hidden: ReadonlyMap<string, string>
  /** The entry of object_info as JSON text; empty for a type that is not listed. */
  readonly text: string
}

/** A batch of pictures. Those after the first follow from it, or are `rest`; `count` is how many there are. */
export type Batch = {
  readonly kind: 'picture'
  readonly picture: Picture
  readonly rest?: readonly Picture[]
  readonly count: number
}

/** An item of a list on a link. Pictures represent IMAGE, LATENT and MASK alike. */
export type Value =
  | Batch
  | { readonly kind: 'literal'; readonly value: Json }
  /** Models, conditioning and whatever else cannot be looked into. `count` is the number of sampling steps of SIGMAS. */
  | { readonly kind: 'opaque'; readonly id: number; readonly count: number }

/** A failure in the form of `execution_error`. */
export type Failure = { readonly exception_type: string; readonly exception_message: string }

/** Files that a node writes when it is done, and the key under which its output lists them. */
export type Save = {
  readonly type: 'output' | 'temp'
  readonly prefix: string
  readonly ending: string
  /** Whether the prefix is the whole name, so that no counter follows it. */
  readonly isWholeName?: boolean
  /** Whether `%batch_num%` in the prefix is replaced by the position of a file in its batch. */
  readonly numbersBatch?: boolean
  readonly key: string
  readonly contents: readonly FileContent[]
  /** What the output says as `animated` beside the files; absent where it says nothing. */
  readonly animated?: boolean
}

/** The work of one call of a node. */
export type Work = {
  /** One value for each output, or its items where a list output says itself what they are. */
  readonly outputs: readonly (Value | readonly Value[])[]
  /** Progress messages, one per step. None when 0. */
  readonly steps: number
  /** The number that their values count up to, where it is another than that of the steps. */
  readonly max?: number
  /** Time of one step, or of the node when it has no steps; the world's pace when absent. */
  readonly stepMs?: number
  /** What the previews of the steps show. */
  readonly preview?: Picture
  readonly save?: Save
  /** The output for the user as JSON text, where no files are saved. */
  readonly ui?: string
  /** A text frame that is sent when the node has started. */
  readonly text?: string
  readonly notification?: string
  /** The pictures are also sent as frames, at full size. */
  readonly socketPictures?: readonly Picture[]
  readonly failure?: Failure
}

/** A result that is kept for later runs. `ui` is the output for the user as JSON text, or null. */
export type NodeResult = {
  /** The items of each output: one, unless it is a list or the node was called for several. */
  readonly outputs: readonly (readonly Value[])[]
  readonly ui: string | null
  /** Id of the node that produced it, which the history contains for cached outputs too. */
  readonly producer: string
}
