// The report as JUnit XML, which continuous integration shows: an area is a suite, a case a test case, and the outcome of the
// whole check a test case too, so that a target that could not be judged is not an empty success.

import { skipReasons } from '../../../spec/check.ts'

import { partsOf } from './failure-parts.ts'
import { escaped } from './html-parts.ts'
import { shareText } from './outcome.ts'
import {
  groupsOf,
  markOf,
  nearestText,
  noticeOf,
  outcomeOf,
  rulesOf,
  type Summary,
  summaryOf,
} from './summary.ts'
import type { CaseEvent, CheckEvent } from '../events.ts'
import { clipped, oneLine } from '../output/text.ts'

/** In an attribute, line ends and tabs would become spaces. */
const attribute = (name: string, value: string | number): string =>
  ` ${name}="${escaped(oneLine(String(value)))}"`

/** The longest text of an element. */
const MAX_TEXT = 64 * 1024

/** What stands inside a test case, and what it counts as. */
type Result = { readonly kind: 'failure' | 'error' | 'skipped' | 'passed'; readonly xml: string }

type TestCase = { readonly xml: string; readonly kind: Result['kind']; readonly ms: number }

/** An area of one check. */
type Suite = { readonly name: string; readonly cases: readonly TestCase[]; readonly of: Summary }

/** The whole report. Of several checks, names begin with the number and the target of theirs. */
export function junitText(streams: readonly (readonly CheckEvent[])[]): string {
  const checks = streams.map(summaryOf)
  const targets = checks.map(({ start }) => start?.target.name ?? 'no target')
  const suites = checks.flatMap((check, index) =>
    suitesOf(check, checks.length === 1 ? '' : `${index + 1}. ${targets[index]}: `),
  )
  const whole = attributesOf(
    `flowdouble check ${targets.join(', ')}`,
    suites.flatMap(({ cases }) => cases),
  )
  const body = suites.map(suiteText).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${whole}>\n${body}</testsuites>\n`
}

/** The suites of a check: one for each area, and the outcome. */
function suitesOf(check: Summary, prefix: string): readonly Suite[] {
  const names = new Map<string, number>()
  const areas = [...groupsOf(check.cases, ({ area }) => area)].map(([area, cases]) => ({
    name: prefix + area,
    cases: cases.map((one) => testCase(one, names, prefix)),
    of: check,
  }))
  return [...areas, { name: `${prefix}check`, cases: [outcomeCase(check, prefix)], of: check }]
}

function attributesOf(name: string, cases: readonly TestCase[]): string {
  const count = (kind: Result['kind']) => cases.filter((one) => one.kind === kind).length
  const ms = cases.reduce((sum, one) => sum + one.ms, 0)
  return [
    attribute('name', name),
    attribute('tests', cases.length),
    attribute('failures', count('failure')),
    attribute('errors', count('error')),
    attribute('skipped', count('skipped')),
    attribute('time', seconds(ms)),
  ].join('')
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

function suiteText({ name: suite, cases, of: { start } }: Suite): string {
  const timestamp = start === undefined ? '' : attribute('timestamp', start.startedAt)
  const { name, place, generation, software } = start?.target ?? {}
  const properties = Object.entries({ version: '1', target: name, place, generation, software })
    .filter(([, value]) => value !== undefined && value !== null)
    .map(
      ([key, value]) =>
        `      <property${attribute('name', key)}${attribute('value', value ?? '')}/>\n`,
    )
  const inside = `    <properties>\n${properties.join('')}    </properties>\n${cases.map(({ xml }) => xml).join('')}`
  return `  <testsuite${attributesOf(suite, cases)}${timestamp}>\n${inside}  </testsuite>\n`
}

/** @param names how often each name occurred: services join test cases of the same name. */
function testCase(one: CaseEvent, names: Map<string, number>, prefix: string): TestCase {
  const { title, place, area, durationMs } = one
  const count = (names.get(title) ?? 0) + 1
  names.set(title, count)
  const name = count === 1 ? title : `${title} (${count})`
  return caseElement(`${prefix}${place}.${area}`, name, durationMs, resultOf(one))
}

function caseElement(suite: string, name: string, ms: number, { kind, xml }: Result): TestCase {
  const attributes = [
    attribute('classname', suite),
    attribute('name', name),
    attribute('time', seconds(ms)),
  ].join('')
  const element = xml === '' ? '/>' : `>\n${xml}    </testcase>`
  return { kind, ms, xml: `    <testcase${attributes}${element}\n` }
}

const textElement = (name: string, attributes: string, text: string): string =>
  `      <${name}${attributes}>${escaped(clipped(text, MAX_TEXT))}</${name}>\n`

function resultOf(one: CaseEvent): Result {
  const { reason = 'missing', detail = '', quirk } = one
  const mark = markOf(one)
  const skipped = (message: string): Result => ({
    kind: 'skipped',
    xml: `      <skipped${attribute('message', message)}/>\n`,
  })
  if (mark === 'skip') return skipped(`${reason}: ${detail || skipReasons[reason]}`)
  if (mark === 'follow') return skipped(`follows from ${one.follows}`)
  if (mark === 'known') return skipped(`known failure: ${detail || failureLine(one)}`)
  if (mark === 'stale')
    return broken('failure', 'stale', 'The baseline lists this case, but it did not fail.', '')
  if (mark === 'fault') return broken('error', 'fault', failureLine(one), failureBody(one))
  if (mark === 'fail')
    return broken('failure', rulesOf(one)[0]?.basis ?? '', failureLine(one), failureBody(one))
  const note = quirk === undefined ? noticeOf(one) : `quirk ${quirk}: ${noticeOf(one)}`
  const xml = mark === 'note' ? textElement('system-out', '', `note: ${note}`) : ''
  return { kind: 'passed', xml }
}

const broken = (
  kind: 'failure' | 'error',
  type: string,
  message: string,
  body: string,
): Result => ({
  kind,
  xml: textElement(kind, attribute('message', message) + attribute('type', type), body),
})

const failureLine = (one: CaseEvent): string => clipped(noticeOf(one), 300)

const failureBody = (one: CaseEvent): string =>
  [
    ...rulesOf(one).map(({ id, says, basis }) => `${id} (${basis}) ${says}`),
    ...partsOf(one).map(([name, text]) =>
      text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`,
    ),
  ].join('\n')

/** The outcome of the whole check. Each broken rule fails another test case. */
function outcomeCase(summary: Summary, prefix: string): TestCase {
  const { exitCode, words, sentence } = outcomeOf(summary)
  const isFine = exitCode === 0 || exitCode === 1
  const kind = isFine ? 'passed' : exitCode === 3 ? 'failure' : 'error'
  const { end, warnings } = summary
  const log = [
    ...warnings.map((text) => `warning: ${text}`),
    ...(end?.stated === undefined ? [] : [shareText(end.stated)]),
    ...(end?.nearest === undefined ? [] : [`nearest named server: ${nearestText(end.nearest)}`]),
    ...(end?.left ?? []).map((one) => `left on the target: ${one}`),
    `exit code ${exitCode}: ${words}`,
    sentence,
  ].join('\n')
  const result = kind === 'passed' ? '' : broken(kind, words, sentence, '').xml
  const xml = result + textElement('system-out', '', log)
  return caseElement(`${prefix}check`, 'outcome', 0, { kind, xml })
}
