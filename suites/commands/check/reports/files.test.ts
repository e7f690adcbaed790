// The reports in files: NDJSON and JUnit.

import { describe, test } from 'vitest'
import type { CheckEvent } from '../../../check/events.ts'
import { junitText } from '../../../check/reports/junit.ts'
import { ndjsonReport, readEvents } from '../../../check/reports/ndjson.ts'
import { wholeReport } from '../../../check/reports/report.ts'
import { expect } from '../../../judge/expect.ts'
import { elementsOf } from './elements.ts'
import { caseEvent, endEvent, sample, startEvent } from './streams.ts'

test('check/json Each event is one line, written when it comes.', async () => {
  const lines: string[] = []
  const report = ndjsonReport({ write: (line) => lines.push(line) })
  for (const event of sample) report.take(event)
  expect(lines.map((line) => JSON.parse(line))).toEqual(sample)
  await report.end()
  expect(readEvents(lines.join(''), 'a.ndjson')).toEqual(sample)
})

describe('JUnit', () => {
  const elements = (events: readonly CheckEvent[]) => elementsOf(junitText([events]))

  test('check/junit Failures, faults, skips and known failures have their elements, notes a text.', () => {
    const all = elements(sample)
    const [suites] = all
    expect(suites?.attributes).toMatchObject({
      tests: '9',
      failures: '1',
      errors: '1',
      skipped: '3',
    })
    const named = (name: string) => all.filter((one) => one.name === name)
    expect(named('failure').map(({ attributes }) => attributes)).toEqual([
      { message: 'expected: 2 runs received: 1 run', type: 'stated' },
    ])
    expect(named('failure')[0]?.text).toContain('GET /queue')
    expect(named('error').map(({ attributes }) => attributes['message'])).toEqual([
      'TypeError: x is undefined',
    ])
    expect(named('skipped').map(({ attributes }) => attributes['message'])).toEqual([
      'known failure: Our proxy refuses it.',
      expect.stringMatching(/^own-world: /),
      'not-allowed: global',
    ])
    expect(named('system-out')[0]?.text).toBe('note: quirk local.video-under-images: received 404')
  })

  test('check/junit-suites Each area is a suite; its counts are those of its cases.', () => {
    const suites = elements(sample).filter(({ name }) => name === 'testsuite')
    const counts = suites.map(({ attributes: { name, tests, failures } }) => [
      name,
      tests,
      failures,
    ])
    expect(counts).toEqual([
      ['history', '2', '0'],
      ['queue', '5', '1'],
      ['system', '1', '0'],
      ['check', '1', '0'],
    ])
  })

  test('check/junit-names Two cases with one title have different names.', () => {
    const events = [startEvent, caseEvent('queue/one'), caseEvent('queue/one'), endEvent]
    const cases = elements(events).filter(({ name }) => name === 'testcase')
    const names = cases.map(({ attributes }) => attributes['name'])
    expect(new Set(names).size).toBe(3)
  })

  test.each([
    [[], 'error', 'The check did not finish.'],
    [[startEvent, { ...endEvent, exitCode: 5, outcome: 'No answer.' }], 'error', 'No answer.'],
    [[startEvent, { ...endEvent, exitCode: 3, outcome: 'Stale.' }], 'failure', 'Stale.'],
  ] as const)(
    'check/junit-outcome A check without a verdict is not an empty success (%#).',
    (events, kind, message) => {
      const found = elements(events).filter(({ name }) => name === kind)
      expect(found.map(({ attributes }) => attributes['message'])).toEqual([message])
    },
  )
})

test('check/whole-report A report in a file is written once, when the events end.', async () => {
  const texts: string[] = []
  const sink = { write: (text: string) => texts.push(text) }
  const report = wholeReport(([events = []]) => `${events.length} events`, sink)
  for (const event of sample) report.take(event)
  expect(texts).toEqual([])
  await report.end()
  expect(texts).toEqual([`${sample.length} events`])
})
