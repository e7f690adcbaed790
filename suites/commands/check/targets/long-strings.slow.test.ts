// Answers of targets with NaN, as servers in Python write it, and strings of any length.

import { test } from 'vitest'
import { expect } from '../../../judge/expect.ts'
import { pythonJson } from '../../../judge/connection/python-json.ts'

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
