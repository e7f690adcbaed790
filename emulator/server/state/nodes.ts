// The types of nodes and their work: declarations, values on links, the work of a call, its results.

import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import type { Output, Picture, PictureType } from '../../pictures/picture.ts'
import type { FileContent } from './files.ts'

/** The JSON text of each node type by its class_type, in the order of `GET /object_info`. */
export type TypeTexts = ReadonlyMap<string, string>

/** One declared input of a node type. */
export type DeclaredInput = {
  readonly name: string
  readonly required: boolean
  /** A type name, or the list of options of an old-style combo. */
  readonly type: string | Json[]
  /** Options of the declaration: `default`, `min`, `max` and so on. */
  readonly options: JsonObject
}

/** A node type, in the form that validation and execution use. */
export type NodeType = {
  readonly class_type: string
  readonly inputs: readonly DeclaredInput[]
  readonly outputs: readonly (string | Json[])[]
  /** For each output, whether it is a list. */
  readonly outputIsList: readonly boolean[]
  /** Required inputs whose values choose no known option: the node is called without them. */
  readonly missing?: readonly string[]
  /** Whether one call takes the whole lists of all inputs, instead of one call for each item. */
  readonly takesLists: boolean
  readonly outputNode: boolean
  readonly apiNode: boolean
  /** New-style types print other exception texts, and their combos are not checked. */
  readonly newStyle: boolean
  /** Whether the cache signature of the node includes its id, as old-style types can request. */
  readonly readsOwnId: boolean
  /** The names of the hidden inputs that the node is called with, and their content; for old-style types only. */
  readonly hidden: ReadonlyMap<string, string>
  /** The entry of object_info as JSON text; empty for a type that is not listed. */
  readonly text: string
}

/** A batch of pictures. Those after the first are derived from it, or are `rest`; `count` is their number. */
export type Batch = {
  readonly kind: 'picture'
  readonly picture: Picture
  readonly rest?: readonly Picture[]
  readonly count: number
  /** The output that it is, if a node computes it: pictures are cut to 8 bits, that is not. */
  readonly of?: Output
  /** What it represents, if no node computes it. */
  readonly as?: PictureType
  /** The batches that it joins, for a node that takes whole lists. */
  readonly items?: readonly Batch[]
}

/** An item of a list on a link. Pictures represent IMAGE, LATENT and MASK alike. */
export type Value =
  | Batch
  | { readonly kind: 'literal'; readonly value: Json }
  /**
   * Models, conditioning and other opaque values. `count` is the number of sampling steps of SIGMAS; `of` the output
   * that it is, if a node computes it.
   */
  | { readonly kind: 'opaque'; readonly id: number; readonly count: number; readonly of?: Output }
  /** Blocks the nodes behind it. The first of them sends the message, if there is one. */
  | { readonly kind: 'blocked'; readonly message: string | null }

/** A failure in the form of `execution_error`. */
export type Failure = { readonly exception_type: string; readonly exception_message: string }

/** Files that a node writes when it finishes, and the key under which its output lists them. */
export type Save = {
  readonly type: 'output' | 'temp'
  readonly prefix: string
  readonly ending: string
  /** Whether the prefix is the whole name, so that no counter follows it. */
  readonly isWholeName?: boolean
  /** Whether `%batch_num%` in the prefix is replaced by the position of a file in its batch. */
  readonly numbersBatch?: boolean
  /** What follows the number in the names of the files, by default `_`. */
  readonly numberEnd?: '_' | ''
  readonly key: string
  readonly contents: readonly FileContent[]
  /** The value of `animated` in the output; absent if the output has none. */
  readonly animated?: boolean
  /** Whether pictures are saved without metadata about the run. */
  readonly isBare?: boolean
  /** Further files with the number of the first, by what follows it in their names. */
  readonly beside?: readonly { readonly end: string; readonly content: FileContent }[]
  /** The end of the name that the output lists, if it is not that of the first file. */
  readonly listed?: string
  /** What the entry in the output says besides its name, as JSON texts by member. */
  readonly members?: ReadonlyMap<string, string>
}

/** A file that a rule of the scenario sets as output. */
export type OwnFile = {
  readonly content: FileContent
  readonly type: 'output' | 'temp'
  /** Its folder and name; null for a name that the node would choose, with this prefix and ending. */
  readonly path: string | null
  readonly prefix: string
  readonly ending: string
  /** What its entry contains besides what names the file. */
  readonly members: object
}

/** The output for the user that a rule of the scenario sets: lists of files and of JSON texts by key. */
export type OwnOutputs = ReadonlyMap<string, readonly (OwnFile | string)[]>

/** The work of one call of a node. */
export type Work = {
  /** One value for each output, or its items if the node lists them. */
  readonly outputs: readonly (Value | readonly Value[])[]
  /** Progress messages, one per step. None when 0. */
  readonly steps: number
  /** The maximum that progress messages report, if it is not the number of steps. */
  readonly max?: number
  /** The duration of one step, or of the node without steps; the default pace if absent. */
  readonly stepMs?: number
  /** The time after the last step, if steps have a duration; by default none. */
  readonly restMs?: number
  /** The number of steps after which it fails; all of them if absent. */
  readonly stopsAt?: number
  /** The content of the previews. */
  readonly preview?: Picture
  /** The format of the previews, if it is not that of the server. */
  readonly previewFormat?: 'jpeg' | 'png' | 'none'
  /** How long each preview is at least, in bytes. */
  readonly previewBytes?: number
  readonly save?: Save
  /** The output for the user that the scenario sets, instead of the one below and of saved files. */
  readonly own?: OwnOutputs
  /** The output for the user as JSON text, if no files are saved. */
  readonly ui?: string
  /** A text frame that is sent when the node starts. */
  readonly text?: string
  readonly notification?: string
  /** The pictures are also sent as frames, at full size. */
  readonly socketPictures?: readonly Picture[]
  readonly failure?: Failure
  /** The small graph that it turns into, instead of its outputs. */
  readonly expands?: NonNullable<NodeRule['expands']>
}

/** A result that is kept for later runs. `ui` is the output for the user as JSON text, or null. */
export type NodeResult = {
  /** The items of each output: one, unless it is a list or the node was called several times. */
  readonly outputs: readonly (readonly Value[])[]
  readonly ui: string | null
  /** Id of the node that produced it, which the history contains for cached outputs too. */
  readonly producer: string
}
