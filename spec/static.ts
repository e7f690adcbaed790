// From a schema to the type of its values, by a library for types alone: nothing of it is there at run time.

import type { XStatic } from 'typebox/schema'

/** The type of the values that a schema allows. */
export type Static<S> = XStatic<S>
