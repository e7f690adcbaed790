// In what the deployments of a server differ below their endpoints, as a type.

/** Answers for a deployment with its quirks. Each is asked in few places, and none of them asks which deployment it is. */
export type Traits = {
  /** Whether every connection receives the messages of all runs, which then name their run; else a run has one client. */
  readonly sharesMessages: boolean
  /** Whether a run sends a notification when it starts. */
  readonly notifiesOfStart: boolean
  /** Whether a run ends with `executing` and no node [messages/executing-null-last]. */
  readonly endsWithNullNode: boolean
  /** Whether an interrupt that comes behind the last check point of a run still ends it [jobs/cancel-running]. */
  readonly seesLateInterrupts: boolean
  /** Whether the failure of a run is kept for its job. */
  readonly keepsFailures: boolean
  /** How messages name exceptions: as Python does, or in the six words of hosted [runs/exception-words]. */
  readonly messageNames: 'python' | 'words'
  /** How jobs name exceptions. */
  readonly jobNames: 'python' | 'words'
  /** Whether `progress_state` has the types of the nodes. */
  readonly progressHasTypes: boolean
  /** Whether the folders of files have subfolders; else all uploads stand in one, and all outputs in another. */
  readonly hasSubfolders: boolean
  /** The key under which an output lists videos. */
  readonly videoKey: 'videos' | 'video' | 'images'
  /** Whether a run fails where a model is missing that validation has let through. */
  readonly needsModelsToRun: boolean
  /** Whether an address of the web is valid as a picture, and fails in the run. */
  readonly takesWebAddresses: boolean
  /** Whether numbers that are not finite are valid. */
  readonly takesInfinity: boolean
}
