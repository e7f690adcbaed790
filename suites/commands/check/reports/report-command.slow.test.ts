// `check report`: one page, summary or JUnit file for several checks, and what it says of files that it cannot use.

import { describe, test } from 'vitest'
import type { ReportOptions } from '../../../../spec/check.ts'
import type { CheckEvent } from '../../../check/events.ts'
import { runReport } from '../../../check/reports/reports.ts'
import { htmlText } from '../../../check/reports/html.ts'
import { eventLine } from '../../../check/reports/ndjson.ts'
import { expect } from '../../../judge/expect.ts'
import { ciFormats } from '../../../support/ci-formats.ts'
import { type Files, newFiles } from '../../../support/files.ts'
import { commandRows, outputOf } from '../../../support/in-process.ts'
import { start } from '../../../support/spawned.ts'
import { elementsOf } from './elements.ts'
import { caseEvent, endEvent, failure, other, sample, startEvent } from './streams.ts'

const linesOf = (events: readonly CheckEvent[]): string => events.map(eventLine).join('')

const report = ({ dir }: Pick<Files, 'dir'>, options: ReportOptions) =>
  outputOf((_, io) => runReport(options, { ...io, ...ciFormats }), [], { cwd: dir })

test('check/report Two files become the columns of one page, and parts of the other reports.', async () => {
  const cwd = newFiles({ 'a.ndjson': linesOf(sample), 'b.ndjson': linesOf(other) })
  const files = ['a.ndjson', 'b.ndjson']
  const reports = { html: 'both.html', junit: 'both.xml', markdown: 'both.md' }
  const { code, stdout } = await report(cwd, { files, ...reports })
  expect(code).toBe(0)
  expect(stdout).toMatch(/gpu-7[\s\S]*Exit code 1[\s\S]*gpu-8[\s\S]*Exit code 0/)
  const { read } = cwd
  expect(read('both.html')).toBe(htmlText([sample, other]))
  const xml = elementsOf(read('both.xml'))
  const suites = xml.filter(({ name }) => name === 'testsuite')
  expect(suites.map(({ attributes }) => attributes['name'])).toEqual([
    '1. http://gpu-7.example:8188: history',
    '1. http://gpu-7.example:8188: queue',
    '1. http://gpu-7.example:8188: system',
    '1. http://gpu-7.example:8188: check',
    '2. http://gpu-8.example:8188: queue',
    '2. http://gpu-8.example:8188: check',
  ])
  const cases = xml.filter(({ name }) => name === 'testcase')
  const names = cases.map(({ attributes }) => `${attributes['classname']} ${attributes['name']}`)
  expect(new Set(names).size).toBe(names.length)
  expect(xml[0]?.attributes['tests']).toBe(String(cases.length))
  expect(read('both.md').match(/^## .*/gm)).toEqual([
    '## flowdouble check: a rule is broken',
    '## flowdouble check: as expected',
  ])
})

test('check/report-size Two long checks share the size of one summary.', async () => {
  const long = { ...failure, message: '€'.repeat(9000) }
  const cases = Array.from({ length: 200 }, (_, index) =>
    caseEvent(`queue/case-${index}`, { verdict: 'fail', failure: long }),
  )
  const counts = { ...endEvent.counts, pass: 0, fail: 200, note: 0, skip: 0, fault: 0 }
  const stream = [startEvent, ...cases, { ...endEvent, counts }]
  const cwd = newFiles({ a: linesOf(stream), b: linesOf(other) })
  await report(cwd, { files: ['a', 'b'], markdown: 'both.md' })
  const text = cwd.read('both.md')
  expect(Buffer.byteLength(text)).toBeLessThan(2 ** 20)
  expect(text).toMatch(/One case breaks a rule[\s\S]*\d+ parts did not fit into this summary\.\n/)
  expect(text).toMatch(/did not fit into this summary\.\n[\s\S]*as expected/)
})

test('check/report-results A page of results has a row for each server, with its quirks and broken rules.', async () => {
  const cwd = newFiles({ a: linesOf(sample), b: linesOf(other) })
  await report(cwd, { files: ['a', 'b'], results: 'servers.md' })
  const rows = cwd.read('servers.md').match(/^\|.*\|$/gm) ?? []
  expect(rows.slice(2)).toMatchInlineSnapshot(`
    [
      "| http\\://gpu-7.example\\:8188 | ComfyUI 0.3.64 | 2026-01-02 | 2 kept of 5 judged, 8 in all | 2 kept of 5 judged | local.video-under-images, queue/listing, queue/clear |",
      "| http\\://gpu-8.example\\:8188 | ComfyUI 0.3.64 | 2026-01-02 | 2 kept of 2 judged, 2 in all | 2 kept of 2 judged | none |",
    ]
  `)
})

describe('a file that cannot be used', () => {
  const whole = linesOf(other)
  const [first = '', second = '', third = '', last = ''] = whole.split('\n')
  const event = JSON.parse(second) as object
  test.each([
    ['an empty file', '', 'a does not begin with the event start.'],
    ['a list', '[3]\n', 'a:1 is not an event of flowdouble check: [3]'],
    ['a page', '<!doctype html>', 'a:1 is not an event of flowdouble check: <!doctype html>'],
    ['another version', whole.replace('"version":1', '"version":2'), 'a has version 2 of'],
    ['a later part', `${second}\n${third}\n${last}\n`, 'a does not begin with the event start.'],
    ['a line that is cut off', whole.slice(0, -20), 'a:4 is not an event of flowdouble check: {'],
    ['no end', `${first}\n${second}\n`, 'a is not complete: it has no event end.'],
    ['a lost line', `${first}\n${last}\n`, 'a is not complete: it has 0 cases, and its event end'],
    ['two checks', whole + whole, 'a has several checks: write each to a separate file.'],
    [
      'a case without its members',
      `${first}\n{"event":"case"}\n${last}\n`,
      "a:2 is not an event case: must have required property 'title'.",
    ],
    [
      'a verdict that does not exist',
      `${first}\n${JSON.stringify({ ...event, verdict: 'maybe' })}\n${last}\n`,
      'a:2 is not an event case: verdict must be equal to one of the allowed values.',
    ],
  ])('check/report-files It refuses %s.', async (_, text, says) => {
    const cwd = newFiles({ a: text })
    const error: unknown = await report(cwd, { files: ['a'], html: 'page.html' }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(says) })
    expect(cwd.names()).toEqual(['a'])
  })

  test('check/report-later A byte order mark, line ends of Windows and members of later versions are read.', async () => {
    const later = JSON.stringify({ ...event, mood: 'fine' })
    const text = `\uFEFF${[first, later, '{"event":"weather"}', third, last].join('\r\n')}`
    expect(await report(newFiles({ a: text }), { files: ['a'] })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('All is well.'),
    })
  })

  test('check/report-place A report that cannot be written is wrong usage.', async () => {
    const cwd = newFiles({ a: whole })
    await expect(report(cwd, { files: ['a'], junit: 'missing/x.xml' })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(/^Cannot write the report .*missing\/x\.xml: ENOENT/),
    })
  })
})

commandRows((...argv) => start('check', 'report', ...argv).ends, {
  'check/report-usage The command has a help text': [
    ['--help'],
    0,
    /^Usage: flowdouble check report FILE/,
    '',
  ],
  'check/report-usage It needs a file': [[], 2, '', /at least one file/],
  'check/report-usage It needs a file that is there': [
    ['nowhere.ndjson'],
    2,
    '',
    /^Cannot read nowhere\.ndjson: ENOENT/,
  ],
})
