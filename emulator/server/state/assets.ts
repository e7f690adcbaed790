// The types of assets: records on the stored files of a world, and on the model files of its catalogue.

import type { taskStates } from '../../../spec/assets/tasks.ts'
import type { Bounded } from '../../lib/bounded.ts'

/** A moment of the world's time; `tick` orders what happens within a millisecond. */
export type Moment = { readonly ms: number; readonly tick: number }

/** An asset. A change replaces it. */
export type Asset = {
  readonly id: string
  readonly name: string
  /** The key of its file among the stored ones, `type/subfolder/name`, or `models/folder/name`. */
  readonly key: string
  /** Whether it is the asset of that file itself, and not one of its content alone. */
  readonly isOfFile: boolean
  /** Whether a client has made it with a request for assets. */
  readonly isOfClient: boolean
  /** The hash of its content as `blake3:` and hexadecimal digits; null if it was not computed. */
  readonly hash: string | null
  /** In bytes; null for a picture, which is only encoded on request. */
  readonly size: number | null
  readonly mimeType: string | null
  /** Sorted, each once. */
  readonly tags: readonly string[]
  /** The asset that shows it, if it is not its own preview. */
  readonly previewId: string | null
  /** An object, as JSON text. */
  readonly userMetadata: string
  /** What the server knows of the content, as JSON text; null for nothing. */
  readonly metadata: string | null
  /** The run that produced it; null for none. */
  readonly jobId: string | null
  readonly createdAt: Moment
  readonly updatedAt: Moment
  readonly accessedAt: Moment
}

/** What a scan of the folders has done. */
export type Scan = {
  readonly scanned: number
  readonly total: number
  readonly created: number
  readonly skipped: number
}

/** A download or an export. A change replaces it. Times are in milliseconds of the world's time. */
export type Task = {
  readonly id: string
  readonly name: 'task:download' | 'task:export'
  /** Equal requests have equal ones. */
  readonly key: string
  /** The request, as JSON text. */
  readonly payload: string
  readonly status: (typeof taskStates)[number]
  /** How many of its steps it has done. */
  readonly step: number
  readonly createdMs: number
  readonly updatedMs: number
  readonly startedMs: number | null
  readonly completedMs: number | null
  /** As JSON text; null before its end. */
  readonly result: string | null
  readonly error: string | null
  /** The asset that it has made; null for none. */
  readonly assetId: string | null
}

/** Serials of what comes next: what has an earlier one was looked at. */
export type Seen = {
  readonly history: number
  readonly v2Assets: number
  readonly v2Deleted: number
}

export type Assets = {
  /** By id, oldest first. */
  readonly records: Bounded<Asset>
  /** The keys of hashed files by their hash. */
  readonly keysByHash: Bounded<string>
  /** Tags that assets have or had. */
  readonly tags: Bounded<true>
  /** The total length of names, tags and metadata. */
  textLength: number
  /** Whether files that were there before are assets. */
  isScanned: boolean
  /** What the last scan that somebody asked for has done; null before the first. */
  scan: Scan | null
  lastMoment: Moment
  /** The tasks of a hosted server by id, oldest first; absent before the first. */
  tasks?: Bounded<Task>
  /** How much of the state a hosted server has made assets of; absent before the first request for them. */
  seen?: Seen
}
