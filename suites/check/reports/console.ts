// The report for people: a line of progress on a terminal, a line for each area, and at the end what is wrong, in full.
// It sets no timer: each event is a step of the progress. Texts of the target lose their control characters before they
// get colours.

import { skipReasons } from '../../../spec/check.ts'
import pc from 'picocolors'
import type { CaseEvent, CheckEvent } from '../events.ts'
import { partsOf } from './failure-parts.ts'
import {
  countsOf,
  isOfClient,
  isRecorded,
  type Mark,
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
  withCauses,
  withMark,
} from './summary.ts'
import { shareText } from './outcome.ts'
import type { Report, Sink } from './report.ts'
import { clipped, counted, durationText, oneLine, visible } from '../output/text.ts'

type Colors = ReturnType<typeof pc.createColors>

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
const countsText = (cases: readonly CaseEvent[], colors: Colors): string =>
  countsOf(cases)
    .map(([mark, count]) => colorOf(colors, mark)(`${count} ${mark}`))
    .join(', ')

/** The width of the names of areas. */
const AREA_WIDTH = 14

const areaLine = (area: string, cases: readonly CaseEvent[], colors: Colors): string =>
  `  ${oneLine(area).padEnd(AREA_WIDTH)}  ${countsText(cases, colors)}\n`

/** What a check cannot remove, before it begins. */
const filesText = (files: number): string =>
  files === 0
    ? ''
    : `The server has no way to delete files: up to ${counted(files, 'small one')} will stay in flowdouble-check/, among its inputs and outputs.\n`

/** The target, before the first case. */
function openingText(summary: Summary, colors: Colors): string {
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
function progressText(cases: readonly CaseEvent[], total: number): string {
  const cells = 16
  const filled = total === 0 ? 0 : Math.min(cells, Math.floor((cases.length / total) * cells))
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(cells - filled)}]`
  const broken = withMark(cases, 'fail').length
  const parts = [bar, `${cases.length}/${total}`, oneLine(cases.at(-1)?.area ?? '')]
  return [...parts, ...(broken > 0 ? [`${broken} fail`] : [])].join('  ')
}

/** A failure in full: the rule, what came, what is allowed, the messages around it, and how to see it again. */
function failureText(one: CaseEvent, colors: Colors): string {
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
function closingText(summary: Summary, colors: Colors): string {
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

const leftLines = (left: readonly string[]): readonly string[] =>
  left.length === 0
    ? ['Nothing is left on the target.']
    : ['Left on the target:', ...left.map((one) => `  ${oneLine(one)}`)]

/** The required part of `process.stdout`. */
export type Terminal = Sink & { readonly isTTY?: boolean; readonly columns?: number }

type Environment = Readonly<Record<string, string | undefined>>

const eraseLine = '\r\u001b[2K'

/** Prints to `output`. Progress and colours only on a terminal that supports them; no colours with NO_COLOR. */
export function consoleReport(output: Terminal, env: Environment): Report {
  const isTerminal = output.isTTY === true && env['TERM'] !== 'dumb'
  const colors = pc.createColors(isTerminal && !env['NO_COLOR'])
  const events: CheckEvent[] = []
  const cases: CaseEvent[] = []
  let ofArea: CaseEvent[] = []
  let total = 0
  const line = (text: string) => output.write(isTerminal ? eraseLine + text : text)
  const endArea = () => {
    const [first] = ofArea
    const own = withCauses(cases).slice(cases.length - ofArea.length)
    if (first !== undefined) line(areaLine(first.area, own, colors))
    ofArea = []
  }
  const takeCase = (one: CaseEvent) => {
    if (one.area !== ofArea[0]?.area) endArea()
    ofArea.push(one)
    cases.push(one)
    // Terminals without a viewer report a width of 0.
    const width = (output.columns ?? 0) > 0 ? (output.columns ?? 0) : 80
    if (isTerminal) line(colors.dim(progressText(cases, total).slice(0, width - 1)))
  }
  return {
    take: (event) => {
      events.push(event)
      if (event.event === 'case') takeCase(event)
      if (event.event !== 'start') return
      total = event.cases
      line(openingText(summaryOf([event]), colors))
    },
    end: async () => {
      endArea()
      line(closingText(summaryOf(events), colors))
    },
  }
}
