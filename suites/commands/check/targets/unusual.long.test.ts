// Unusual targets that break no rule: with explained replies, with NaN and long strings.

import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { pythonJson } from '../../../../dist/emulator/session/index.js'
import { expect } from '../../../judge/expect.ts'
import { newFiles } from '../../../support/files.ts'
import { smallBodies } from '../counted/counted.ts'

test.each(['local', 'hosted'] as const)(
  'check/explained A check of a %s server that explains its replies finds no broken rule of HTTP.',
  async (deployment) => {
    const server = await startEmulator({
      ...smallBodies,
      deployment,
      clock: 'instant',
      explain: true,
    })
    const key = deployment === 'hosted' ? ['--key', 'test-key'] : []
    const { code, stdout } = await newFiles().check(server.url, ...key, '--only', 'http')
    await server.close()
    expect(code, stdout).toBe(0)
  },
)

for (const [name, part] of [
  ['without escapes', 'NaN '],
  ['of escapes', '"\\"NaN" \\ '],
] as const)
  test(`check/long-strings A string of 20 MB ${name} beside NaN and infinities is read as any other.`, () => {
    const value = part.repeat(20_000_000 / part.length)
    const text = `{"a": NaN, "b": [-Infinity, Infinity, "NaN"], "c": ${JSON.stringify(value)}}`
    const { c, ...rest } = pythonJson(text) as { readonly c: string }
    expect(rest).toEqual({ a: null, b: [null, null, 'NaN'] })
    expect(c === value).toBe(true)
  })
