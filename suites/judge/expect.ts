// How cases say what has to hold: they take it from here, so that another host than the test runner can give its own.

export { expect } from 'vitest'
