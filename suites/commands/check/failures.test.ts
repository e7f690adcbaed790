// What a failure shows: where values differ, the end of the wire, and lines that repeat it without any secret; and what
// failures have in common.

import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import type { CheckOptions } from '../../../spec/check.ts'
import { commandFor, curlOf, failureOf } from '../../check/failures/failures.ts'
import type { CheckEvent, WireLine } from '../../check/events.ts'
import { causeOf, type Seen } from '../../check/failures/cause.ts'
import { endOf, ofServer, shareOf, shareText } from '../../check/reports/outcome.ts'
import { withCauses } from '../../check/reports/summary.ts'
import { differencesOf, wordsOf } from '../../check/failures/words.ts'
import { awaitedBy, TimedOut } from '../../judge/client.ts'
import { caseEvent } from './reports/streams.ts'

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
  expect(shown.message).toBe('What came is not valid JSON.')
})

type CaseEvent = Extract<CheckEvent, { readonly event: 'case' }>

const id = '0b0f1d5e-7e3e-4a63-b5f5-6d0c2f2b7a11'
const failed = new Error('It failed.')
const seen = (more: Partial<Seen>): Seen => ({ wire: [], replies: [], ...more })
const got = (path: string, value: unknown, status = 200) => ({
  method: 'GET',
  path,
  status,
  type: 'application/json; charset=utf-8',
  bytes: Buffer.from(JSON.stringify(value)),
})
const said = (...texts: readonly string[]) =>
  texts.map((text) => ({ atMs: 0, direction: 'received' as const, text }))
const message = (type: string, data: object) =>
  JSON.stringify({ type, data: { prompt_id: id, ...data } })

test('a reply that lacks a member, of another form or status, names the endpoint and what is wrong', () => {
  const causeIn = (reply: ReturnType<typeof got>) =>
    causeOf('local', failed, seen({ replies: [got('/queue', {}), reply] }))
  expect(causeIn(got('/queue', { running: [], queue_pending: [] }))).toMatchObject({
    says: 'GET /queue returned no member queue_running.',
    word: 'queue_running',
  })
  expect(causeIn(got(`/history/${id}`, { [id]: { prompt: [], outputs: {} } }))?.says).toMatch(
    /^GET \/history\/\{prompt_id\} returned no member \w+ in \/\{id\}\.$/,
  )
  expect(causeIn(got('/queue', {}, 422))?.says).toMatch(/^GET \/queue returned 422; its replies/)
  const fine = got('/queue', { queue_running: [], queue_pending: [] })
  expect(causeOf('local', failed, seen({ replies: [fine] }))).toBe(undefined)
})

test('a frame, a message and their order name themselves', () => {
  const causeIn = (...texts: readonly string[]) =>
    causeOf('local', failed, seen({ wire: said(...texts) }))
  expect(causeIn('frame of type 7, 900 bytes')).toEqual({
    says: 'There is no frame of type 7.',
    rules: ['frames/type-code'],
  })
  expect(causeIn('frame of type 1, 900 bytes')).toBe(undefined)
  expect(causeIn(message('executing', { node: 7 }))?.rules).toEqual(['messages/executing'])
  const start = message('execution_start', { timestamp: 1 })
  const last = message('executing', { node: null })
  expect(causeIn(start, last)?.rules).toContain('messages/order')
})

test('a message that does not come is named by what was awaited', () => {
  const awaited = awaitedBy(
    ({ type, data }) => type === 'executing' && data['node'] === null && data['prompt_id'] === id,
    [id],
  )
  const error = new TimedOut('It did not arrive within 15 s.', awaited)
  expect(error.message).toBe('The message executing with node null: It did not arrive within 15 s.')
  expect(causeOf('local', error, seen({}))).toEqual({
    says: 'The message executing with node null did not come.',
    rules: ['messages/executing-null'],
  })
  expect(awaitedBy(() => true, [id])).toBe(undefined)
})

const cause = {
  says: 'GET /queue returned no member queue_running.',
  rules: ['queue/listing'],
  word: 'queue_running',
}
const failing = (rule: string, more: Partial<CaseEvent> = {}): CaseEvent =>
  caseEvent(rule, { verdict: 'fail', cause, ...more })

test('failures of one cause count once, under the rule about it; the others follow', () => {
  const cases = [failing('runs/order'), failing('queue/listing'), failing('messages/status')]
  const marked = withCauses([...cases, caseEvent('files/view')])
  expect(marked.map(({ follows, followers }) => follows ?? followers)).toEqual([
    'queue/listing',
    ['runs/order', 'messages/status'],
    'queue/listing',
    undefined,
  ])
  const end = endOf([...cases, caseEvent('files/view')], { isStopped: false, stale: 0 }, ofServer)
  expect(end).toMatchObject({ exitCode: 1, counts: { fail: 1, follow: 2, pass: 1 } })
  expect(end.outcome).toMatch(/^1 of 4 judged cases/)
})

test('a rule that several cases break counts once, and what follows from a known failure is known', () => {
  const twice = [1, 2].map(() => caseEvent('queue/clear', { verdict: 'fail' }))
  expect(withCauses(twice).map(({ follows }) => follows)).toEqual([undefined, 'queue/clear'])
  const known = [failing('runs/order', { baseline: 'known' }), failing('queue/listing')]
  const { exitCode, counts } = endOf(known, { isStopped: false, stale: 0 }, ofServer)
  expect({ exitCode, counts }).toMatchObject({
    exitCode: 0,
    counts: { fail: 0, known: 1, follow: 1 },
  })
})

test('no text of an exception of JavaScript is a verdict, and values stand in full', () => {
  const texts = [
    new TypeError("Cannot read properties of undefined (reading 'find')"),
    new TypeError('r is not iterable'),
    new TypeError('.toMatch() expects to receive a string, but got undefined'),
    new SyntaxError('Unexpected end of JSON input'),
  ].map((error) => wordsOf(error))
  expect(texts).toEqual([
    'What came lacks the part that has find.',
    'What came lacks a part that the rule is about.',
    'Expected a text, received nothing.',
    'What came is not valid JSON.',
  ])
  expect(wordsOf(new TypeError('r is not iterable'), cause)).toBe(cause.says)
  const thrownBy = (run: () => void): string => {
    try {
      run()
    } catch (error) {
      return wordsOf(error)
    }
    return ''
  }
  expect([
    thrownBy(() => expect([{ a: 1 }, 2]).toEqual([])),
    thrownBy(() => expect({ a: 1 }, 'of it').toMatchObject({ a: 2 })),
    thrownBy(() => expect(56).toBeLessThan(20)),
    thrownBy(() => expect([1, 2]).not.toEqual([1, 2])),
  ]).toEqual([
    '0: expected nothing, received {"a":1}\n1: expected nothing, received 2',
    'of it\na: expected 2, received 1',
    'expected it to be less than 20, received 56',
    'expected it not to be [1,2], received [1,2]',
  ])
})

test('the share of the stated rules names what would judge the others', () => {
  const rules = (...ids: readonly string[]) =>
    ids.map((one) => ({ id: one, says: '', basis: 'stated' as const }))
  const share = shareOf(
    [
      { rules: rules('a', 'b') },
      { rules: rules('b', 'c'), reason: 'budget' },
      { rules: rules('d'), reason: 'not-allowed', needs: ['global'] },
      { rules: rules('e'), reason: 'not-allowed' },
      { rules: rules('f'), reason: 'missing' },
      { rules: rules('g'), reason: 'own-world' },
      { rules: rules('h'), reason: 'unseen' },
    ],
    240,
  )
  expect(shareText(share)).toBe(
    '2 of 7 stated rules judged; the rest: 1 with --max-runs 240, 1 with --allow global, ' +
      '1 without --read-only, 1 that the server lacks, 1 about what a gateway shows to no sender',
  )
})
