// The types of stored files: files of runs and uploads, user data, installed models.

import type { SampleFormat } from '../../../spec/scenario/samples.ts'
import type { Bounded } from '../../lib/bounded.ts'
import type { PictureFile, SoundFile } from '../../pictures/picture.ts'

/** Bytes, a sample, or pictures or a sound that are encoded on request. `run` is the run that saved it. */
export type FileContent =
  | { readonly bytes: Uint8Array }
  | { readonly sample: SampleFormat }
  | (Omit<PictureFile, 'text'> & { readonly run?: RunMetadata })
  | (Omit<SoundFile, 'text'> & { readonly run?: RunMetadata })

/** The metadata in a saved picture about its run: JSON texts, shared with the history. */
export type RunMetadata = {
  readonly graphText: string
  readonly extraDataText: string
  /** The `is_changed` values of the nodes in the graph, by their ids. */
  readonly fingerprints: Fingerprints
}

/** Fingerprints by node id, as the JSON texts of `is_changed`. */
export type Fingerprints = ReadonlyMap<string, string>

export type StoredFile = {
  readonly content: FileContent
  /** In milliseconds of the world's time. */
  readonly modifiedMs: number
}

/** Uploaded bytes, with the number of files that refer to them, and their total size. */
export type HeldBytes = { readonly files: Map<Uint8Array, number>; total: number }

/** A file, or a folder where `bytes` is null. Times are milliseconds since 1970. */
export type UserEntry = {
  readonly bytes: Uint8Array | null
  readonly modifiedMs: number
  /** The last write or move: real file systems report it as the creation. */
  readonly changedMs: number
}

/** Entries by their path from the user folder, whose path is empty. */
export type UserFolder = { readonly entries: Map<string, UserEntry>; bytes: number }

/** A model file that an installation adds: its folder, and its name including the subfolder. */
export type Model = { readonly folder: string; readonly name: string }

export type Installs = {
  /** The waiting installations, oldest first; null for a node pack, which adds nothing to the listings. */
  readonly waiting: (Model | null)[]
  done: number
  /** Installed models by `folder/name`. */
  readonly models: Bounded<Model>
}
