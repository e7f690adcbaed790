// The type of the traits in which deployments and generations of a server differ, apart from their endpoints.

/** The differences between deployments, generations and quirks. Code checks a trait, never the deployment or the generation. */
export type Traits = {
  /**
   * Whether every connection receives the messages of all runs, which then name their run; otherwise a run has one
   * client.
   */
  readonly sharesMessages: boolean
  /** Whether a run sends a notification when it starts. */
  readonly notifiesOfStart: boolean
  /** Whether a run ends with `executing` and no node [messages/executing-null-last]. */
  readonly endsWithNullNode: boolean
  /** Whether an interrupt after the last check point of a run still ends it [jobs/cancel-running]. */
  readonly seesLateInterrupts: boolean
  /** Whether the failure of a run is kept for its job. */
  readonly keepsFailures: boolean
  /** How messages name exceptions: like Python, or in the six words of hosted [runs/exception-words]. */
  readonly messageNames: 'python' | 'words'
  /** How jobs name exceptions. */
  readonly jobNames: 'python' | 'words'
  /** Whether `progress_state` contains the types of the nodes. */
  readonly progressHasTypes: boolean
  /** Whether the folders of files have subfolders; otherwise uploads are in one flat folder, and outputs in another. */
  readonly hasSubfolders: boolean
  /** The key under which an output lists videos. */
  readonly videoKey: 'videos' | 'video' | 'images'
  /** Whether a run fails if it lacks a model that validation accepted. */
  readonly needsModelsToRun: boolean
  /** Whether a web address is valid as a picture, and fails in the run. */
  readonly takesWebAddresses: boolean
  /** Whether infinite numbers and NaN are valid. */
  readonly takesInfinity: boolean
  /** Whether the server can have assets. */
  readonly knowsAssets: boolean
  /** Whether assets are those of later servers: with tags that clients cannot set, and hashes on request alone. */
  readonly hasNewerAssets: boolean
  /** Whether lists of assets can be filtered by all, any or none of several tags [assets/list-newer-tags]. */
  readonly filtersByTags: boolean
  /** Whether the address of a preview is that of the file, and not made of metadata and tags [assets/preview-url]. */
  readonly previewsContent: boolean
  /** Whether temporary files are among those that assets are of, so that a prune keeps theirs [assets/prune-temporary]. */
  readonly keepsTemporary: boolean
  /** Whether refusals of asset paths stand below `error` in their body. */
  readonly nestsAssetErrors: boolean
  /** The zone at the end of the times of assets. */
  readonly assetZone: '' | 'Z'
  /** Whether the models of the catalogue are assets that nobody can change; assets then have no paths to show. */
  readonly sharesModels: boolean
  /** Whether lists of assets can be filtered by metadata [assets/list-metadata]. */
  readonly filtersByMetadata: boolean
  /** Whether the list of tags has those that no asset has any more, unless it is asked for. */
  readonly countsUnused: boolean
  /** Whether all contents are hashed, whatever the options say. */
  readonly hashesContents: boolean
  /** Whether the metadata of a client repeats the name of the file [assets/filename]. */
  readonly repeatsFilename: boolean
  /** Whether uploads need the tag of a folder, and receive the tag `uploaded`. */
  readonly marksUploads: boolean
  /** Whether the content of an asset is removed with it, unless a run needs it. */
  readonly removesContent: boolean
  /** Whether clients choose ids and change types of assets, name previews that exist, and at most 64 tags. */
  readonly takesAssetIds: boolean
  /** Whether stored files that a browser would run as a page are downloads only. */
  readonly guardsFiles: boolean
  /** Whether an SVG image keeps its type where a page asks for an image. */
  readonly showsSafeImages: boolean
  /** Whether the style sheet of the user is shown as one, and not downloaded. */
  readonly showsUserStyle: boolean
  /** The unit of the times of user files: fractions of seconds, or whole milliseconds. */
  readonly userTimes: 'seconds' | 'milliseconds'
  /** Whether previews, moves and users that crash earlier servers are refused with the reason. */
  readonly namesErrors: boolean
  /** How long clients keep scripts and styles. */
  readonly scriptCache: 'no-cache' | 'no-store'
  /** Whether a script with the ending .mjs is none of these. */
  readonly cachesModules: boolean
  /** Whether the list of a folder leaves out names that begin with a dot. */
  readonly hidesDots: boolean
  /** Whether listed files end in the name of their folder, in brackets. */
  readonly annotatesFiles: boolean
  /** Whether model folders list the extensions of their files. */
  readonly listsExtensions: boolean
  /** Whether the server announces assets, node replacements and flags of its options. */
  readonly hasMoreFlags: boolean
  /** Whether a submit replaces node types that the server does not have by those that took their place. */
  readonly replacesNodes: boolean
  /** Model folders that the server does not have yet. */
  readonly missingFolders: readonly string[]
  /** Whether pages of other origins can send PATCH, where the server lets them in. */
  readonly allowsPatch: boolean
  /** What follows the number in the names of audio files. */
  readonly audioNameEnd: '_' | ''
  /** How many results the preview of a 3D model has: the file, the camera, and on later servers a background. */
  readonly modelResults: 2 | 3
  /** Whether nodes compute, print and save as on servers of 2026 [nodes/passed-on]. */
  readonly nodesOf2026: boolean
  /** Whether previews of lists and objects show characters, and not their escapes [nodes/printed-characters]. */
  readonly printsCharacters: boolean
  /** Whether a cached output is in the history only if the run has a client [history/cached-needs-client]. */
  readonly cachedNeedsClient: boolean
  /** Whether the history has cached outputs of nodes that the run did not reach [history/outputs-of-reached]. */
  readonly listsUnreached: boolean
  /** Whether results of earlier graphs stay until a node of the next run has ended [runs/cache-until-first-node]. */
  readonly keepsEarlierResults: boolean
  /** Whether node types list further members, such as search_aliases. */
  readonly describesTypes: boolean
  /** Whether extra_data can set the previews of a run, as preview_method. */
  readonly takesPreviewMethod: boolean
  /** Whether the entries of pictures and videos describe their content as metadata. */
  readonly describesFiles: boolean
  /** Whether a submitted prompt_id has to be a UUID in its canonical form [workflows/prompt-id-form]. */
  readonly refusesOddIds: boolean
  /** Whether extra_data has to be an object, and receives the time and the source of the submit. */
  readonly stampsSubmits: boolean
  /** Whether a missing or unknown class_type is reported by the title of its node, without an entry in node_errors. */
  readonly reportsMissingTypes: boolean
  /** Whether the value of a combo that is declared as COMBO has to be one of its options. */
  readonly checksNewCombos: boolean
  /** Whether steps that follow shortly after another one send no progress [messages/progress-throttled]. */
  readonly throttlesProgress: boolean
  /** Whether a request for a page of another site is rejected, whatever its origin [http/cross-site]. */
  readonly refusesCrossSite: boolean
  /** Whether jobs count the outputs that can be shown, and prefer media to texts as their preview. */
  readonly prefersMedia: boolean
  /** Whether jobs contain their workflow while they are open. */
  readonly showsOpenWorkflows: boolean
}
