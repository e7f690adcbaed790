// Derives the type of a schema's values with a types-only library, of which nothing remains at run time.

import type { XStatic } from 'typebox/schema'

/** The type of the values that a schema allows. */
export type Static<S> = XStatic<S>
