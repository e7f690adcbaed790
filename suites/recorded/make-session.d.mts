// What the sessions of worlds are, for the suites that play them.

import type { Session } from './sessions.mjs'

/** Plays a session on a new world, and returns its recording as text. */
export function make(session: Session): Promise<string>
