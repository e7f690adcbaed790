// The types of what only the hosted API v2 keeps: assets, idempotency keys, labels, streams.

import type { Bounded } from '../../lib/bounded.ts'
import type { Timer } from '../../lib/timers.ts'
import type { TimerTarget } from './runs.ts'

/** Labels of a job, as it was submitted. */
export type Labels = Readonly<Record<string, string>>

/** A file of an account under an id. Times are in milliseconds of the world's time. */
export type Asset = {
  readonly id: string
  /** The name of its file. */
  readonly name: string
  /** Null for a picture that is too large to be encoded for it. */
  readonly hash: string | null
  readonly sizeBytes: number
  readonly contentType: string
  readonly filePath: string | null
  readonly createdMs: number
  /** Null if it is kept. */
  readonly expiresMs: number | null
  /** The job of an output; null for uploads. */
  readonly jobId: string | null
}

export type V2State = {
  /** When each idempotency key was used, in milliseconds of the world's time. */
  readonly keys: Bounded<number>
  /** By the id of the job. */
  readonly labels: Bounded<Labels>
  /** Jobs that have waited too long, by id. */
  readonly expired: Bounded<true>
  /** Uploads, and the outputs that a reply or a stream has named, by id. */
  readonly assets: Bounded<Asset>
  readonly deletedAssets: Bounded<true>
}

/** An open stream of the events of a job. */
export type Stream = {
  readonly request: number
  /** The index of its world. */
  readonly world: number
  /** The id of the job. */
  readonly job: string
  /** Where its client reaches the server. */
  readonly host: string | undefined
  readonly prefix: string
  /** The data of the latest event of each kind: an equal one is not sent again. */
  status: string
  progress: string
  preview: string
  /** When the latest were sent, in milliseconds of the server's time. */
  progressMs: number
  previewMs: number
  /** Whether there is progress or a preview that it has not sent yet. */
  isWithholding: boolean
  /** The ids of the outputs that were sent. */
  readonly outputs: Set<string>
  /** When the last chunk was sent, in milliseconds of the server's time. */
  sentMs: number
  /** When the next comment is due, or what is withheld for now. */
  timer: Timer<TimerTarget> | null
  /** What waits for a head that a fault delays; null once that was sent. */
  held: { text: string; isLast: boolean } | null
  /** After how many bytes a fault ends it, and how; null without one. */
  cut: { leftBytes: number; readonly then: 'cut' | 'reset' } | null
}
