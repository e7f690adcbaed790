// The types of what a hosted account keeps beside its runs and files.

import type { Bounded } from '../../lib/bounded.ts'

/** A version of a saved workflow. Its number is its place among them, from 1. */
export type WorkflowVersion = {
  readonly id: string
  /** The workflow, as JSON text. */
  readonly text: string
  /** The length of the text in bytes. */
  readonly size: number
  readonly createdMs: number
}

/** A saved workflow. A change replaces it. */
export type SavedWorkflow = {
  readonly id: string
  readonly name: string | null
  readonly description: string | null
  readonly view: string | null
  /** What a client named as its source; null for nothing. */
  readonly forkedFrom: { readonly workflow: string | null; readonly version: string | null } | null
  readonly updatedMs: number
  /** At least one. */
  readonly versions: readonly WorkflowVersion[]
}

/** A workflow of the user data as it was when the account published it. */
export type PublishedWorkflow = {
  readonly shareId: string
  readonly workflowId: string
  readonly name: string
  readonly text: string
  readonly size: number
  readonly publishedMs: number
  readonly assetIds: readonly string[]
}

/** A secret for another service, without its value. A change replaces it. */
export type StoredSecret = {
  readonly id: string
  readonly name: string
  readonly provider: string | null
  readonly type: string | null
  readonly createdMs: number
  readonly updatedMs: number
}

/** A token or a session that the server has issued to the account. */
export type IssuedToken = {
  readonly kind: 'access' | 'refresh' | 'session'
  /** The sign-in that it belongs to: reuse of a refresh token ends all of the same one. */
  readonly grant: string
  readonly clientId: string
  readonly scope: string
  readonly untilMs: number
  /** Whether a refresh token was used. */
  readonly isSpent: boolean
}

/** A code that a client can exchange for tokens. */
export type OauthCode = {
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge: string
  readonly scope: string
  readonly untilMs: number
}

export type AccountState = {
  /** By id, oldest first. */
  readonly workflows: Map<string, SavedWorkflow>
  /** By the path of the file. */
  readonly published: Map<string, PublishedWorkflow>
  /** The size of all versions and published workflows, in bytes. */
  workflowBytes: number
  /** By id, oldest first. */
  readonly secrets: Map<string, StoredSecret>
  /** By themselves. */
  readonly tokens: Bounded<IssuedToken>
  readonly codes: Bounded<OauthCode>
  /** The addresses of registered clients by their ids: at the first account of a server alone. */
  readonly clients: Bounded<readonly string[]>
}
