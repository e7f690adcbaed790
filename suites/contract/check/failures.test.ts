// What a failure shows: where values differ, the end of the wire, and lines that repeat it without any secret.

import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import type { CheckOptions } from '../../../spec/check.ts'
import { differencesOf } from '../../check/differences.ts'
import { commandFor, curlOf, failureOf } from '../../check/failures.ts'
import type { WireLine } from '../../check/events.ts'

const one = { ids: ['queue/item'] }
const request = {
  url: 'http://me:pass@gpu:8188',
  method: 'POST',
  path: '/prompt?token=$FLOWDOUBLE_KEY',
  headers: { 'X-API-Key': 'secret', Accept: "it's" },
  body: '{"a":1}',
}

test('values that differ are named by their place, a few of them', () => {
  expect(
    differencesOf({ a: 1, b: [1, { c: 'x' }], d: expect.any(Number) }, { a: 1, b: [1, {}], d: 2 }),
  ).toEqual(['b.1.c: expected "x", received nothing'])
  const numbers = Array.from({ length: 20 }, (_, index) => index)
  expect(differencesOf(numbers, []).slice(7)).toEqual([
    '7: expected 7, received nothing',
    'and 12 more places',
  ])
})

test('a curl line repeats the request with a variable for the key', () => {
  expect(curlOf(request)).toBe(
    `curl -i -X POST -H "X-API-Key: $FLOWDOUBLE_KEY" -H 'Accept: it'\\''s' --data-raw '{"a":1}' ` +
      `"http://gpu:8188/prompt?token=$FLOWDOUBLE_KEY"`,
  )
  expect(curlOf({ ...request, body: Uint8Array.of(255, 0) })).toContain('--data-binary @body')
})

test('a command runs the case again with the same flags, without secrets', () => {
  const options: CheckOptions = {
    url: 'https://me:pass@gpu:8188',
    key: 'secret',
    secondKey: 'secret',
    headers: { Cookie: 'secret' },
    allow: ['global'],
    isReadOnly: false,
    maxRuns: 50,
    maxSeconds: 300,
    sessions: 3,
    seed: 1,
    select: [],
    isJson: false,
    isList: false,
    accept: [],
    isBaselineUpdate: false,
    ledger: 'unused',
  }
  expect(commandFor(options, one)).toBe(
    'flowdouble check https://gpu:8188 --key "$FLOWDOUBLE_KEY" --second-key "$FLOWDOUBLE_SECOND_KEY" ' +
      '--header "Cookie: $FLOWDOUBLE_KEY" --allow global --only queue/item',
  )
  const gateway = { route: 'a b', secret: 'secret' }
  expect(commandFor({ ...options, url: 'http://gw', headers: {}, gateway }, one)).toMatch(
    /^flowdouble check --gateway http:\/\/gw --route 'a b' --secret "\$FLOWDOUBLE_SECRET" /,
  )
  expect(commandFor(options, one, 7)).toMatch(/ --sessions 1 --seed 7 --only queue\/item$/)
})

test('a failure shows the last lines of the wire and the request before them', () => {
  const wire = Array.from({ length: 50 }, (_, atMs): WireLine => {
    const direction = atMs < 2 ? 'sent' : 'received'
    return { atMs, direction, text: `${atMs}` }
  })
  const shown = failureOf(one, new SyntaxError('no JSON'), { wire }, 'again')
  expect(shown.wire.map(({ atMs }) => atMs)).toEqual([1, ...wire.slice(31).map(({ atMs }) => atMs)])
  expect(shown.message).toBe('The reply does not have the expected form: no JSON')
})
