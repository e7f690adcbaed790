// What nodes do when they run. This is most of the code of a server, and it loads with the first request that can lead to
// a run, so that a server starts fast: `provide-work.ts` provides it.

import type * as Printed from './printed.ts'
import type * as Scripted from './scripted-work.ts'

type Work = Pick<typeof Scripted, 'scriptedWork'> & Pick<typeof Printed, 'valueText'>

let loaded: Work | undefined

/** Provides what nodes do. */
export const provide = (work: Work): void => {
  loaded = work
}

function work(): Work {
  if (loaded === undefined) throw new Error('Call provideWork before a run starts.')
  return loaded
}

/** The work of a call. Throws if what nodes do is not loaded. */
export const scriptedWork: Work['scriptedWork'] = (call, script) =>
  work().scriptedWork(call, script)

/** A value as text. Throws if what nodes do is not loaded. */
export const valueText: Work['valueText'] = (value) => work().valueText(value)
