// The report as Markdown, for the summary of a step in continuous integration, which holds at most 1 MiB.

import { skipReasons } from '../../../spec/check.ts'
import type { CaseEvent, CheckEvent } from '../events.ts'

import { partsOf } from './failure-parts.ts'
import { shareText } from './outcome.ts'
import {
  countsOf,
  isOfClient,
  namesOf,
  nearestText,
  noticeOf,
  notesOf,
  outcomeOf,
  rulesOf,
  skipsOf,
  type Summary,
  summaryOf,
  targetText,
  withMark,
} from './summary.ts'
import { clipped, counted, durationText, oneLine, visible } from '../output/text.ts'

/** The most bytes of the whole text, with room for the sentence about what is left out. */
const MAX_BYTES = 1_000_000
/** The longest text in a cell, and in a block. */
const MAX_CELL = 400
const MAX_BLOCK = 8000

/** Text that Markdown shows as it is, in one line: also in the cell of a table, and without links. */
export const plain = (text: string): string =>
  clipped(oneLine(text), MAX_CELL)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[\\`*_[\]|~$@#:!]/g, (one) => `\\${one}`)

/** Text as code in a line. Pipes would end a cell even there. */
const code = (text: string): string => {
  const inside = clipped(oneLine(text), MAX_CELL)
  return `<code>${inside.replace(/[^\w ./-]/gu, (one) => `&#${one.codePointAt(0)};`)}</code>`
}

/** A block of code: its fence is longer than each run of backticks in it. */
function fenced(text: string): string {
  const inside = clipped(visible(text), MAX_BLOCK)
  const runs = (inside.match(/`+/g) ?? []).map(({ length }) => length)
  const fence = '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)))
  return `${fence}text\n${inside}\n${fence}\n`
}

/** The whole report, one check after the other. Each has an equal share of the size; what does not fit is counted. */
export const markdownText = (streams: readonly (readonly CheckEvent[])[]): string =>
  streams
    .map((events) => fitting(partsOfReport(summaryOf(events)), MAX_BYTES / streams.length))
    .join('\n')

function partsOfReport(summary: Summary): readonly string[] {
  const { cases } = summary
  const failures = withMark(cases, 'fail')
  const faults = withMark(cases, 'fault')
  return [
    headText(summary),
    ...listed('Broken rules', failures.map(failureText)),
    ...listed('Faults of flowdouble', faults.map(failureText)),
    ...table('Baseline', ['Case', 'State'], baselineRows(cases)),
    ...table('Notes, which do not fail', ['Quirk', 'Rule', 'What came'], noteRows(cases)),
    ...table('Not judged', ['Cases', 'Why'], skipRows(cases)),
    ...table(
      'Left on the target',
      ['What'],
      (summary.end?.left ?? []).map((one) => [plain(one)]),
    ),
    ...table(
      'Warnings',
      ['Warning'],
      summary.warnings.map((one) => [plain(one)]),
    ),
  ]
}

/** The texts in order, as long as they fit into so many bytes. */
function fitting(texts: readonly string[], maxBytes: number): string {
  let size = 0
  const fits = texts.filter((text) => {
    const bytes = Buffer.byteLength(text)
    if (size + bytes > maxBytes) return false
    size += bytes
    return true
  })
  const missing = texts.length - fits.length
  const note = `\n${counted(missing, 'part')} did not fit into this summary.\n`
  return fits.join('') + (missing === 0 ? '' : note)
}

function headText(summary: Summary): string {
  const { start, cases, end } = summary
  const { exitCode, words, sentence } = outcomeOf(summary)
  const { what, by } = targetText(summary)
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Target', start?.target.name],
    [isOfClient(summary) ? 'Kind' : 'Server', what],
    ['Protocol', by],
    ['Stated rules', end?.stated && shareText(end.stated)],
    ['Started', start?.startedAt],
    ['Took', end && `${durationText(end.durationMs)}, ${counted(end.runs, 'run')}`],
    [
      'Cases',
      countsOf(cases)
        .map(([mark, count]) => `${count} ${mark}`)
        .join(', '),
    ],
    ['Nearest', end?.nearest && nearestText(end.nearest)],
  ]
  const lines = rows.flatMap(([key, value]) => (value ? [`| ${key} | ${plain(value)} |\n`] : []))
  const head = `<!-- flowdouble check, version 1 -->\n## flowdouble check: ${plain(words)}\n`
  return `${head}\n${plain(sentence)} Exit code ${exitCode}.\n\n| | |\n|---|---|\n${lines.join('')}`
}

const listed = (title: string, texts: readonly string[]): readonly string[] =>
  texts.length === 0 ? [] : [`\n### ${title}\n`, ...texts]

function failureText(one: CaseEvent): string {
  const heads = rulesOf(one).map(
    ({ id, says, basis }) => `\n**${plain(id)}** ${plain(says)} _${basis}, ${one.place}_\n`,
  )
  const text = partsOf(one)
    .map(([name, value]) => `${name}:\n${value}`)
    .join('\n\n')
  const again = one.failure === undefined ? '' : `\n${code(one.failure.command)}\n`
  return `${heads.join('')}${again}\n<details><summary>What came</summary>\n\n${fenced(text)}\n</details>\n`
}

/** Each row of a table is one part, so that a long table is cut between two of them. */
const table = (
  title: string,
  names: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] =>
  rows.length === 0
    ? []
    : [
        `\n### ${title}\n\n| ${names.join(' | ')} |\n|${'---|'.repeat(names.length)}\n`,
        ...rows.map((cells) => `| ${cells.join(' | ')} |\n`),
      ]

const baselineRows = (cases: readonly CaseEvent[]): readonly (readonly string[])[] => [
  ...withMark(cases, 'stale').map((one) => [plain(namesOf(one)), 'stale: it did not fail']),
  ...withMark(cases, 'known').map((one) => [plain(namesOf(one)), 'known failure']),
]

const noteRows = (cases: readonly CaseEvent[]): readonly (readonly string[])[] =>
  notesOf(cases).flatMap(([quirk, notes]) =>
    notes.map((one) => [plain(quirk), plain(namesOf(one)), plain(noticeOf(one))]),
  )

const skipRows = (cases: readonly CaseEvent[]): readonly (readonly string[])[] =>
  skipsOf(cases).map(([reason, count]) => [`${count}`, `${reason}: ${plain(skipReasons[reason])}`])
