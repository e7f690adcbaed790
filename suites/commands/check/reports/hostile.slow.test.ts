// What a target sends stays text in each report: a hostile server runs no script, moves no cursor, and breaks no form.

import * as fc from 'fast-check'
import { test } from 'vitest'
import type { CheckEvent } from '../../../check/events.ts'
import { htmlText } from '../../../check/reports/html.ts'
import { junitText } from '../../../check/reports/junit.ts'
import { markdownText } from '../../../check/reports/markdown.ts'
import { eventLine, readEvents } from '../../../check/reports/ndjson.ts'
import { resultsText } from '../../../check/reports/results.ts'
import { expect } from '../../../judge/expect.ts'
import { elementsOf } from './elements.ts'
import { attacks, consoleText, sample, streamOf } from './streams.ts'

/** Control characters, reordering and invisible ones, and lone surrogates. */
const dangerous = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffe\uffff]/u

/** The elements of a document and their attributes, without the texts: what a browser acts on. */
const skeletonOf = (document: string): readonly string[] =>
  elementsOf(document).map(({ name, attributes }) => [name, ...Object.keys(attributes)].join(' '))

const harmless = streamOf('text')

/** All reports of a stream for people. */
const reportsOf = async (events: readonly CheckEvent[]): Promise<readonly string[]> => [
  htmlText([events]),
  junitText([events]),
  markdownText([events]),
  resultsText([events]),
  await consoleText(events),
]

/** A text of the target brings no control character, and no element, attribute, row, cell or heading. */
async function staysText(text: string): Promise<void> {
  const events = streamOf(text)
  for (const report of await reportsOf(events)) expect(report).not.toMatch(dangerous)
  expect(skeletonOf(htmlText([events]))).toEqual(skeletonOf(htmlText([harmless])))
  expect(skeletonOf(junitText([events]))).toEqual(skeletonOf(junitText([harmless])))
}

test.each(attacks)('check/hostile %j stays text in each report.', async (text) => {
  await staysText(text)
  const events = streamOf(text)
  const lines = events.map(eventLine)
  expect(lines.filter((line) => dangerous.test(line))).toEqual([])
  expect(readEvents(lines.join(''), 'file')).toEqual(events)
  expect(shapeOf(events)).toEqual(shapeOf(harmless))
  const outside = outsideOfFences(markdownText([events]))
    .join('\n')
    .replace(/\\./g, '')
  expect(outside).not.toMatch(/\]\(|<(?!\/?(details|summary|code)>|!-- flow)|:\/\//)
})

/** The number of cells in each line of a Markdown report, and of its headings. */
function shapeOf(events: readonly CheckEvent[]): unknown {
  const lines = outsideOfFences(markdownText([events]))
  const cells = lines.map((line) => line.replace(/\\./g, '').split('|').length)
  return { cells, headings: lines.filter((line) => line.startsWith('#')).length }
}

/** The lines of a Markdown text outside of its blocks of code: a block ends with the fence with which it begins. */
function outsideOfFences(text: string): readonly string[] {
  let fence = ''
  return text.split('\n').filter((line) => {
    const [found = ''] = /^`{3,}/.exec(line) ?? []
    const isEdge = fence === '' ? found !== '' : line === fence
    if (isEdge) fence = fence === '' ? found : ''
    return !isEdge && fence === ''
  })
}

test('check/hostile-any Any text keeps the form of the page and of JUnit.', async () => {
  const texts = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })
  await fc.assert(fc.asyncProperty(texts, staysText), { numRuns: 20 })
})

test('check/escape-visible Control characters of the target stay readable as escapes.', async () => {
  for (const report of await reportsOf(streamOf('a\u001b[2Jb'))) expect(report).toContain('u{1b}')
  expect(await consoleText(sample)).not.toContain('\\u{')
})
