// Provides `expect` to the cases, so that a host other than the test runner can supply another implementation.

export { expect } from 'vitest'
