// What nodes do when they run. This is most of the code of a server, and it loads with the first request that can lead to
// a run, so that a server starts fast: `provide-work.ts` provides it.

import type * as Work from './scripted-work.ts'

let loaded: typeof Work | undefined

/** Provides what nodes do. */
export const provide = (work: typeof Work): void => {
  loaded = work
}

/** The work of a call. Throws if what nodes do is not loaded. */
export const scriptedWork: typeof Work.scriptedWork = (call, script) => {
  if (loaded === undefined) throw new Error('Import provide-work.ts before a run starts.')
  return loaded.scriptedWork(call, script)
}
