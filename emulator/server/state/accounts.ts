// The types of what a hosted account keeps beside its runs and files.

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

export type AccountState = {
  /** By id, oldest first. */
  readonly workflows: Map<string, SavedWorkflow>
  /** By the path of the file. */
  readonly published: Map<string, PublishedWorkflow>
  /** The size of all versions and published workflows, in bytes. */
  workflowBytes: number
}
