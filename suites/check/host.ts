// What the suites take from a test runner when `check` runs them: `expect` alone. The bundle puts this file in the place
// of vitest.

import {
  ASYMMETRIC_MATCHERS_OBJECT,
  chai,
  customMatchers,
  type ExpectStatic,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect'

chai.use(JestExtend)
chai.use(JestChaiExpect)
chai.use(JestAsymmetricMatchers)

// Reports print whole values, and shorten them themselves.
chai.config.truncateThreshold = 400

const create = (): ExpectStatic => {
  const expect = ((value: unknown, message?: string) => chai.expect(value, message)) as ExpectStatic
  const asymmetric = (globalThis as Readonly<Record<symbol, object>>)[ASYMMETRIC_MATCHERS_OBJECT]
  Object.assign(expect, chai.expect, asymmetric)
  setState({ assertionCalls: 0 }, expect)
  chai.util.addMethod(expect, 'extend', (matchers: object) =>
    (chai.expect as unknown as { extend: (own: object, matchers: object) => void }).extend(
      expect,
      matchers,
    ),
  )
  expect.extend(customMatchers)
  return expect
}

export const expect = create()

/** Cases are collected here, and never registered as tests. */
const refuse = (): never => {
  throw new Error('A case was registered instead of collected.')
}
export const test = (): void => refuse()
export const afterAll = (): void => refuse()
