// The texts of the console report: pure functions from cases and summaries to lines. Texts of the target lose their control
// characters before they get colours.

import { skipReasons } from '../../../spec/check.ts'
import type pc from 'picocolors'
import { partsOf } from './failure-parts.ts'
import {
  type CaseEvent,
  countsOf,
  isOfClient,
  isRecorded,
  type Mark,
  namesOf,
  noticeOf,
  notesOf,
  outcomeOf,
  rulesOf,
  skipsOf,
  type Summary,
  targetText,
  withMark,
} from './summary.ts'
import { shareText } from './share.ts'
import { clipped, counted, durationText, oneLine, visible } from '../output/text.ts'

export type Colors = ReturnType<typeof pc.createColors>

/** The longest text of one message, and of one block. */
const MAX_LINE = 600
const MAX_BLOCK = 4000

const colorOf = (colors: Colors, mark: Mark): ((text: string) => string) =>
  ({
    pass: colors.green,
    fail: colors.red,
    stale: colors.red,
    fault: colors.magenta,
    follow: colors.yellow,
    known: colors.yellow,
    note: colors.cyan,
    skip: colors.dim,
  })[mark]

/** `12 pass, 1 note, 3 skip` */
export const countsText = (cases: readonly CaseEvent[], colors: Colors): string =>
  countsOf(cases)
    .map(([mark, count]) => colorOf(colors, mark)(`${count} ${mark}`))
    .join(', ')

/** The width of the names of areas. */
const AREA_WIDTH = 14

export const areaLine = (area: string, cases: readonly CaseEvent[], colors: Colors): string =>
  `  ${oneLine(area).padEnd(AREA_WIDTH)}  ${countsText(cases, colors)}\n`

/** What a check cannot remove, before it begins. */
const filesText = (files: number): string =>
  files === 0
    ? ''
    : `The server has no way to delete files: up to ${counted(files, 'small one')} will stay in flowdouble-check/, among its inputs and outputs.\n`

/** The target, before the first case. */
export function openingText(summary: Summary, colors: Colors): string {
  const { start } = summary
  if (start === undefined) return ''
  const { name, place, software, generation } = start.target
  const words = isOfClient(summary)
    ? Object.values(targetText(summary))
    : [place, software ?? 'unknown software', generation]
  const what = words.map(oneLine).join(', ')
  const plan =
    start.plan === undefined
      ? ''
      : `${colors.dim(`At most ${counted(start.plan.maxRuns, 'run')}, ${shareText(start.plan.stated, 'planned')}`)}\n${filesText(start.plan.files ?? 0)}`
  return `${colors.bold(oneLine(name))}  ${colors.dim(`${what}, ${counted(start.cases, 'case')}`)}\n${plan}`
}

/** The line of progress: `[########........]  45/320  queue  1 fail`, without the counts of what is expected. */
export function progressText(cases: readonly CaseEvent[], total: number): string {
  const cells = 16
  const filled = total === 0 ? 0 : Math.min(cells, Math.floor((cases.length / total) * cells))
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(cells - filled)}]`
  const broken = withMark(cases, 'fail').length
  const parts = [bar, `${cases.length}/${total}`, oneLine(cases.at(-1)?.area ?? '')]
  return [...parts, ...(broken > 0 ? [`${broken} fail`] : [])].join('  ')
}

/** A failure in full: the rule, what came, what is allowed, the messages around it, and how to see it again. */
export function failureText(one: CaseEvent, colors: Colors): string {
  const mark = one.verdict === 'fault' ? 'FAULT' : 'FAIL'
  const heads = rulesOf(one).map(({ id, says, basis }, index) => {
    const label = colorOf(colors, one.verdict)(index === 0 ? mark : ' '.repeat(mark.length))
    const basisText = says === '' ? '' : colors.dim(`  (${basis}, ${one.place})`)
    return `${label}  ${colors.bold(oneLine(id))}  ${oneLine(says)}${basisText}\n`
  })
  const blocks = partsOf(one).map(([name, text]) => block(name, text, colors))
  return `${heads.join('')}${blocks.join('')}`
}

/** A named text: in the same line, or below it if it has several. */
function block(name: string, text: string, colors: Colors): string {
  const lines = clipped(visible(text).replace(/^\n+|\s+$/g, ''), MAX_BLOCK).split('\n')
  const title = colors.dim(`${name}:`)
  if (lines.length === 1) return `  ${title} ${lines[0]}\n`
  return `  ${title}\n${lines.map((line) => `    ${line}\n`).join('')}`
}

/** All that follows the areas: failures, known failures, notes, skips, and the end. */
export function closingText(summary: Summary, colors: Colors): string {
  const { cases, warnings } = summary
  const sections = [
    summary.end?.stated === undefined ? '' : `${shareText(summary.end.stated)}.\n`,
    ...['fail', 'fault'].flatMap((mark) =>
      withMark(cases, mark as Mark).map((one) => failureText(one, colors)),
    ),
    baselineText(cases, colors),
    notesText(cases, colors),
    skipsText(cases, colors),
    warnings.map((text) => colors.yellow(`warning: ${oneLine(text)}\n`)).join(''),
    endText(summary, colors),
  ]
  return sections
    .filter((text) => text !== '')
    .map((text) => `\n${text}`)
    .join('')
}

function baselineText(cases: readonly CaseEvent[], colors: Colors): string {
  const line = (words: string) => (one: CaseEvent) =>
    `  ${oneLine(namesOf(one))}  ${oneLine(one.detail ?? '')}`
      .trimEnd()
      .concat(`  ${colors.dim(words)}\n`)
  const known = withMark(cases, 'known').map(line('known failure'))
  const stale = withMark(cases, 'stale').map(line('is in the baseline, but did not fail'))
  return known.length + stale.length === 0 ? '' : `Baseline:\n${[...stale, ...known].join('')}`
}

/** A line for each note, under the quirk that it shows. */
function notesText(cases: readonly CaseEvent[], colors: Colors): string {
  const groups = notesOf(cases).map(([quirk, notes]) => {
    const title = quirk === '' ? 'without a known quirk' : `quirk ${oneLine(quirk)}`
    const lines = notes.map((one) => `    ${noteText(one)}\n`)
    return `  ${colors.cyan(title)}\n${lines.join('')}`
  })
  return groups.length === 0 ? '' : `Notes, which do not fail:\n${groups.join('')}`
}

const noteText = (one: CaseEvent): string => {
  const bases = [...new Set(rulesOf(one).map(({ basis }) => basis))].join(', ')
  return clipped(oneLine(`${namesOf(one)} (${bases})  ${noticeOf(one)}`), MAX_LINE)
}

function skipsText(cases: readonly CaseEvent[], colors: Colors): string {
  const skips = skipsOf(cases)
  const total = skips.reduce((sum, [, count]) => sum + count, 0)
  const lines = skips.map(
    ([reason, count]) =>
      `  ${String(count).padStart(4)}  ${reason}  ${colors.dim(skipReasons[reason])}\n`,
  )
  return total === 0 ? '' : `Not judged, ${counted(total, 'case')}:\n${lines.join('')}`
}

/** The last lines: the nearest named server, what is left on the target, and the outcome. */
function endText(summary: Summary, colors: Colors): string {
  const { cases, end } = summary
  const { exitCode, words, sentence } = outcomeOf(summary)
  const color = exitCode === 0 ? colors.green : colors.red
  const took =
    end === undefined
      ? ''
      : `${isRecorded(summary) ? '' : `, ${counted(end.runs, 'run')}`}, ${durationText(end.durationMs)}`
  return [
    ...(end?.nearest === undefined ? [] : [`Nearest named server: ${nearestText(end.nearest)}`]),
    ...(end === undefined || isOfClient(summary) || isRecorded(summary) ? [] : leftLines(end.left)),
    `${countsText(cases, colors) || 'no cases'}${took}`,
    `${colors.bold(color(oneLine(sentence)))} ${colors.dim(`Exit code ${exitCode}: ${words}.`)}`,
    '',
  ].join('\n')
}

/** The named server that the target resembles most, and where it differs. */
export const nearestText = ({
  like,
  differs,
}: {
  like: string
  differs: readonly string[]
}): string =>
  `${oneLine(like)}${differs.length === 0 ? ', without a difference' : `; differs in ${differs.map(oneLine).join(', ')}`}`

const leftLines = (left: readonly string[]): readonly string[] =>
  left.length === 0
    ? ['Nothing is left on the target.']
    : ['Left on the target:', ...left.map((one) => `  ${oneLine(one)}`)]
