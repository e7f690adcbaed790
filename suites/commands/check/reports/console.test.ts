// The console report: progress on a terminal alone, a line for each area, and at the end what is wrong, in full.

import { test } from 'vitest'
import { consoleReport } from '../../../check/reports/console.ts'
import { expect } from '../../../judge/expect.ts'
import { fakeTerminal } from '../../../support/fake-terminal.ts'
import { caseEvent, consoleText, endEvent, sample, startEvent } from './streams.ts'

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
