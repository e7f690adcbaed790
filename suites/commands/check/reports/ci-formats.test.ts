// Annotations of a workflow run, and SARIF: of a check with one case of each verdict, with a stale baseline, and of one whose
// target is hostile.

import type { Log, Result } from 'sarif'
import { describe, test } from 'vitest'
import { annotationsOf } from '../../../check/reports/annotations.ts'
import { sarifRuns } from '../../../check/reports/sarif.ts'
import type { CheckEvent } from '../../../check/events.ts'
import { expect } from '../../../judge/expect.ts'
import { ciFormats } from '../../../support/ci-formats.ts'
import { newFiles } from '../../../support/files.ts'
import { openKnown } from '../../../check/baseline/known.ts'
import { attacks, caseEvent, other, sample, startEvent, streamOf, url } from './streams.ts'

const { annotationText, sarifPlace, sarifText } = ciFormats
const linesOf = (events: readonly CheckEvent[]): readonly string[] =>
  annotationsOf(events).map(annotationText).join('').trimEnd().split('\n')
const logOf = (...streams: readonly (readonly CheckEvent[])[]): Log =>
  JSON.parse(sarifText(sarifRuns(streams, sarifPlace))) as Log
const resultsOf = (log: Log): readonly Result[] => log.runs.flatMap(({ results = [] }) => results)

const stale: readonly CheckEvent[] = [
  startEvent,
  caseEvent('queue/one', { baseline: 'stale' }),
  { event: 'warning', text: 'The baseline lists queue/one.', file: 'known, a.json', line: 12 },
]

describe('annotations', () => {
  test('check/annotations The outcome comes first, then each broken rule and each fault, then warnings.', () => {
    expect(linesOf(sample)).toEqual([
      '::error title=flowdouble check::One case breaks a rule. Exit code 1: a rule is broken.',
      expect.stringMatching(
        /^::error title=queue\/listing::Allowed: each pending run once%0ACame: expected: 2 runs received: 1 run%0A/,
      ),
      expect.stringMatching(
        /^::error title=system\/stats::Fault of: flowdouble.*%0ADetail: TypeError: x is undefined$/,
      ),
      '::warning title=flowdouble check::The target answered 429 twice.',
    ])
    expect(linesOf(other)).toEqual([
      '::notice title=flowdouble check::All is well. Exit code 0: as expected.',
    ])
  })

  test('check/annotations A stale entry is shown at its line, a check without an end as one that did not finish.', () => {
    expect(linesOf(stale)).toEqual([
      '::error title=flowdouble check::The check did not finish. Exit code 5: not measured.',
      '::error file=known%2C a.json,line=12,title=stale baseline::The baseline lists queue/one.',
    ])
  })

  test.each(attacks)('check/annotations No text of a target ends its line: %j', (attack) => {
    const lines = linesOf(streamOf(attack))
    expect(lines.length).toBe(annotationsOf(streamOf(attack)).length)
    for (const line of lines) {
      expect(line).toMatch(/^::(error|warning|notice) title=[^,:]*::/)
      expect(line).not.toMatch(/[\r\u001b\u009b\u0000\u202e]/)
    }
  })
})

describe('SARIF', () => {
  test('check/sarif Failures are new, known ones are suppressed with their reason, and notes are notes.', () => {
    expect(resultsOf(logOf(sample))).toMatchObject([
      { ruleId: 'history/outputs', level: 'note', baselineState: 'new' },
      { ruleId: 'queue/listing', level: 'error', baselineState: 'new' },
      {
        ruleId: 'queue/clear',
        baselineState: 'unchanged',
        suppressions: [{ kind: 'external', justification: 'Our proxy refuses it.' }],
      },
    ])
    const [run] = logOf(sample).runs
    expect(run?.invocations).toMatchObject([
      {
        executionSuccessful: true,
        exitCode: 1,
        toolExecutionNotifications: [
          { level: 'error', message: { text: expect.stringContaining('TypeError') } },
          { level: 'warning', message: { text: 'The target answered 429 twice.' } },
        ],
      },
    ])
  })

  test('check/sarif Each result refers to a rule with help, and has the target as its place.', () => {
    const [run] = logOf(sample).runs
    for (const { ruleId = '', ruleIndex = -1, locations } of run?.results ?? []) {
      const rule = run?.tool.driver.rules?.[ruleIndex]
      expect(rule).toMatchObject({
        id: ruleId,
        shortDescription: { text: `The sentence of ${ruleId}.` },
        help: { text: expect.stringContaining(`--only '${ruleId}'`) },
        helpUri: expect.stringMatching(new RegExp(`PROTOCOL.md#rule-${ruleId}$`)),
      })
      expect(locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe(url)
    }
  })

  test('check/sarif Fingerprints differ between cases, and not between runs and addresses.', () => {
    const printsOf = (events: readonly CheckEvent[]): readonly unknown[] =>
      resultsOf(logOf(events)).map(({ partialFingerprints }) => partialFingerprints)
    const elsewhere = sample.map((one): CheckEvent =>
      one.event === 'start'
        ? { ...one, target: { ...one.target, name: 'http://other.example' } }
        : one.event === 'case'
          ? { ...one, durationMs: 7, detail: 'another text' }
          : one,
    )
    expect(printsOf(elsewhere)).toEqual(printsOf(sample))
    expect(new Set(printsOf(sample).map((one) => JSON.stringify(one))).size).toBe(3)
  })

  test('check/sarif A stale entry of the baseline is absent, at its line; without a baseline nothing is compared.', () => {
    expect(resultsOf(logOf(stale))).toMatchObject([
      {
        ruleId: 'stale-baseline',
        baselineState: 'absent',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'known,%20a.json' },
              region: { startLine: 12 },
            },
          },
        ],
      },
    ])
    const unknown = sample.filter((one) => one.event !== 'case' || one.baseline === undefined)
    for (const result of resultsOf(logOf(unknown)))
      expect(result).not.toHaveProperty('baselineState')
  })

  test('check/sarif Each check is a run, and one without failures is an empty one.', () => {
    expect(logOf(sample, other).runs.map(({ results }) => results?.length)).toEqual([3, 0])
  })

  test.each(attacks)('check/sarif A hostile text stays a text: %j', (attack) => {
    const text = JSON.stringify(logOf(streamOf(attack)))
    expect(text).not.toMatch(/\\u001b|\\ud800|[\u202e\u009b]/)
  })
})

test('check/baseline-line A stale entry is named with its file and line.', () => {
  const failures = ['queue/a', 'queue/b'].map((title) => ({ title, place: 'local', reason: 'x' }))
  const text = `{\n  "version": 1,\n  "failures": [\n    ${failures.map((one) => JSON.stringify(one)).join(',\n    ')}\n  ]\n}\n`
  const files = newFiles({ 'known.json': text })
  const known = openKnown(
    { baseline: 'known.json', isBaselineUpdate: false },
    { cwd: files.dir, exists: () => true },
    [],
    [{ title: 'queue/a', place: 'local', ids: [] }],
  )
  expect(known.close()).toEqual({
    stale: 1,
    warnings: [
      {
        event: 'warning',
        text: 'The baseline lists queue/b on local, but it does not exist.',
        file: 'known.json',
        line: 5,
      },
      { event: 'warning', text: 'Not judged of the baseline: queue/a on local.' },
    ],
  })
})
