// The types of what only the proxy to partners keeps: tasks, stored files and charges.

import type { Bounded } from '../../lib/bounded.ts'

/** Something that a partner makes. Times are in milliseconds of the world's time. */
export type PartnerTask = {
  readonly id: string
  /** The path with which it was asked for: it names the partner. */
  readonly path: string
  readonly createdMs: number
  /** The name of the file that it makes. */
  readonly file: string
  readonly isCancelled: boolean
}

/** A file that a customer may upload. */
export type Upload = {
  readonly contentType: string
  /** SHA-256 of its bytes, as the customer gave it; null if it was not given. */
  readonly hash: string | null
}

export type Charge = {
  readonly id: string
  readonly path: string
  readonly credits: number
  readonly atMs: number
}

export type PartnerState = {
  readonly tasks: Bounded<PartnerTask>
  /** Uploads that have not come yet, by the name of their file. */
  readonly uploads: Bounded<Upload>
  /** Names of stored files by their hash. */
  readonly stored: Bounded<string>
  /** By id, oldest first. */
  readonly charges: Bounded<Charge>
}
