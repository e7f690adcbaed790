// What a server stores, as types: files of runs and uploads, the files of the user, installed models.

import type { Bounded } from '../../lib/bounded.ts'
import type { PictureFile } from '../../pictures/picture.ts'

/** Bytes, a sample, or a picture that becomes bytes when somebody asks for them. `run` is the one that saved it. */
export type FileContent =
  | { readonly bytes: Uint8Array }
  | { readonly sample: SampleFormat }
  | (Omit<PictureFile, 'text'> & { readonly run?: RunMetadata })

export type SampleFormat =
  | 'mp4'
  | 'webm'
  | 'flac'
  | 'mp3'
  | 'opus'
  | 'wav'
  | 'glb'
  | 'latent'
  | 'svg'
  | 'txt'

/** The metadata of its run in a saved picture: JSON texts, shared with the history. */
export type RunMetadata = {
  readonly graphText: string
  readonly extraDataText: string
  /** What the nodes of the graph say as `is_changed`, by their ids. */
  readonly fingerprints: Fingerprints
}

/** Fingerprints by node id, as the JSON texts that `is_changed` has. */
export type Fingerprints = ReadonlyMap<string, string>

export type StoredFile = {
  readonly content: FileContent
  /** In milliseconds of the world's time. */
  readonly modifiedMs: number
}

/** Uploaded bytes, with the number of files that refer to them, and how many there are. */
export type HeldBytes = { readonly files: Map<Uint8Array, number>; total: number }

/** A file, or a folder where `bytes` is null. Times are milliseconds since 1970. */
export type UserEntry = {
  readonly bytes: Uint8Array | null
  readonly modifiedMs: number
  /** The last write or move: what the file systems of real servers report as creation. */
  readonly changedMs: number
}

/** Entries by their path from the user folder, which itself has the empty path. */
export type UserFolder = { readonly entries: Map<string, UserEntry>; bytes: number }

/** A model file that an installation brings: its folder, and its name with the subfolder in it. */
export type Model = { readonly folder: string; readonly name: string }

export type Installs = {
  /** What waits, oldest first; null for a node pack, which brings nothing that is listed. */
  readonly waiting: (Model | null)[]
  done: number
  /** Installed models by `folder/name`. */
  readonly models: Bounded<Model>
}
