// How cases state expectations: they import `expect` from here, so that a host other than the test runner can supply
// its own.

export { expect } from 'vitest'
