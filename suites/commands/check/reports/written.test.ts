// The reports on the console and in files.

import { test, describe } from 'vitest'
import { consoleReport } from '../../../check/reports/console.ts'
import { expect } from '../../../judge/expect.ts'
import { fakeTerminal } from '../../../support/fake-terminal.ts'
import { caseEvent, consoleText, endEvent, sample, startEvent } from './streams.ts'
import type { CheckEvent } from '../../../check/events.ts'
import { junitText } from '../../../check/reports/junit.ts'
import { ndjsonReport, readEvents } from '../../../check/reports/ndjson.ts'
import { wholeReport } from '../../../check/reports/report.ts'
import { elementsOf } from './elements.ts'

test('check/console-progress On a terminal one line shows the progress, and is erased by the next.', () => {
  const { lines, write } = fakeTerminal()
  const report = consoleReport({ write, isTTY: true, columns: 60 }, { NO_COLOR: '1' })
  const shown = sample.slice(0, 6).map((event) => {
    report.take(event)
    return lines()
  })
  expect(shown.map((_, index) => index)).toHaveLength(6)
  expect(lines().slice(1)).toEqual([
    '  history         1 pass, 1 note',
    '[##########......]  5/8  queue  1 fail',
  ])
})

test('check/console-narrow The line of progress is never wider than the terminal.', () => {
  const { lines, write } = fakeTerminal()
  const report = consoleReport({ write, isTTY: true, columns: 20 }, {})
  for (const event of [startEvent, caseEvent('queue/one')]) report.take(event)
  expect(
    lines()
      .at(-1)
      ?.replace(/\u001b\[\d+m/g, '').length,
  ).toBeLessThan(20)
})

test.each([
  ['without a terminal', {}, {}],
  ['on a dumb terminal', { isTTY: true }, { TERM: 'dumb' }],
])('check/console-plain It writes plain lines %s.', async (_, terminal, env) => {
  const text = await consoleText(sample, terminal, env)
  expect(text).not.toMatch(/[\u001b\r]/)
})

test('check/console-colours On a terminal it uses colours, except with NO_COLOR.', async () => {
  const colour = /\u001b\[\d+m/
  expect(await consoleText(sample, { isTTY: true })).toMatch(colour)
  expect(await consoleText(sample, { isTTY: true }, { NO_COLOR: '1' })).not.toMatch(colour)
})

test('check/console-stopped A check that the user stops still prints what it found, and that it did not finish.', async () => {
  const text = await consoleText(sample.slice(0, 5))
  expect(text).toContain('FAIL  queue/listing')
  expect(text).toMatch(/\nThe check did not finish\. Exit code 5: not measured\.\n$/)
})

test('check/console-outcome The last line is the outcome, with the meaning of the exit code.', async () => {
  const end = { ...endEvent, exitCode: 0, outcome: 'All is well.', left: [] } as const
  const text = await consoleText([startEvent, caseEvent('queue/one'), end])
  expect(text).toMatch(/\nAll is well\. Exit code 0: as expected\.\n$/)
  expect(text).toContain('Nothing is left on the target.')
})

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
