// The baseline: known failures do not fail a check, and an entry that no longer fails is stale.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import type { Baseline, KnownFailure } from '../../../spec/baseline.ts'
import {
  emptyBaseline,
  loadBaseline,
  parseBaseline,
  saveBaseline,
} from '../../check/baseline/file.ts'
import { judgeByBaseline, type KnownCase, updatedBaseline } from '../../check/baseline/known.ts'
import { expect } from '../../judge/expect.ts'
import { caseEvent, failure } from './reports/streams.ts'
import { folder } from '../../support/folder.ts'

const known = (id: string): KnownCase => ({ title: caseEvent(id).title, place: 'local', ids: [id] })
const all = ['queue/a', 'queue/b', 'queue/c'].map(known)
const byTitle = (id: string): KnownFailure => ({
  title: caseEvent(id).title,
  place: 'local',
  reason: `of ${id}`,
})
const baselineOf = (...failures: readonly KnownFailure[]): Baseline => ({ version: 1, failures })
const fails = (id: string) => caseEvent(id, { verdict: 'fail', failure })

describe('judging', () => {
  test('check/baseline-known A listed failure is known, and carries its reason; others are not.', () => {
    const judge = judgeByBaseline(baselineOf(byTitle('queue/a')), all, all)
    expect(judge.mark(fails('queue/a'))).toMatchObject({ baseline: 'known', detail: 'of queue/a' })
    expect(judge.mark(fails('queue/b')).baseline).toBeUndefined()
    expect(judge.stale()).toEqual([])
  })

  test('check/baseline-place An entry of another place does not count.', () => {
    const entry: KnownFailure = { ...byTitle('queue/a'), place: 'hosted' }
    const judge = judgeByBaseline(baselineOf(entry), all, all)
    expect(judge.mark(fails('queue/a')).baseline).toBeUndefined()
  })

  test('check/baseline-stale A listed case that passes is stale.', () => {
    const judge = judgeByBaseline(baselineOf(byTitle('queue/a')), all, all)
    expect(judge.mark(caseEvent('queue/a')).baseline).toBe('stale')
    expect(judge.stale().map(({ says }) => says)).toEqual([
      'The baseline lists queue/a [local] The sentence of queue/a. on local, but it does not fail.',
    ])
  })

  test('check/baseline-gone A listed case that does not exist is stale; one that is not selected is not.', () => {
    const judge = judgeByBaseline(baselineOf(byTitle('queue/gone'), byTitle('queue/c')), [], all)
    expect(judge.stale().map(({ says }) => says)).toEqual([
      expect.stringContaining('but it does not exist.'),
    ])
  })

  test('check/baseline-rule An entry for a rule is stale when all of its cases are over and none failed.', () => {
    const entry: KnownFailure = { rule: 'queue/a', place: 'local', reason: 'r' }
    const planned = [known('queue/a'), known('queue/a')]
    const judge = judgeByBaseline(baselineOf(entry), planned, all)
    expect(judge.mark(caseEvent('queue/a')).baseline).toBeUndefined()
    expect(judge.stale()).toEqual([])
    expect(judge.mark(caseEvent('queue/a')).baseline).toBe('stale')
    expect(judge.stale()).toHaveLength(1)
    const failing = judgeByBaseline(baselineOf(entry), planned, all)
    expect(failing.mark(fails('queue/a')).baseline).toBe('known')
    expect(failing.mark(caseEvent('queue/a')).baseline).toBeUndefined()
    expect(failing.stale()).toEqual([])
  })

  test('check/baseline-undecided A case that was skipped because time was used up is not stale.', () => {
    const judge = judgeByBaseline(baselineOf(byTitle('queue/a')), all, all)
    judge.mark(caseEvent('queue/a', { verdict: 'skip', reason: 'budget' }))
    expect(judge.stale()).toEqual([])
  })
})

test('check/baseline-update It keeps reasons and what was not judged, removes what is stale, and adds what failed.', () => {
  const before = baselineOf(...['queue/a', 'queue/b', 'queue/c', 'queue/gone'].map(byTitle))
  const cases = [fails('queue/a'), caseEvent('queue/b'), fails('queue/d'), fails('queue/d')]
  const { failures } = updatedBaseline(before, cases, [...all, known('queue/d')])
  expect(failures).toEqual([
    byTitle('queue/a'),
    byTitle('queue/c'),
    { ...byTitle('queue/d'), reason: expect.stringContaining('--update-baseline') },
  ])
})

test('check/baseline-first From an empty baseline an update lists what failed.', () => {
  const { failures } = updatedBaseline(emptyBaseline, [fails('queue/a')], all)
  expect(failures.map(({ title }) => title)).toEqual([caseEvent('queue/a').title])
})

describe('files', () => {
  test.each([
    ['{\n  "version": 1,\n  "failures": [}\n', /^b\.json:3:16: not valid JSON: /],
    ['', /^b\.json:1:1: the baseline must be object/],
    ['{"failures": []}', /^b\.json:1:1: the baseline must have required property 'version'/],
    ['{"version": 2, "failures": []}', /^b\.json:1:13: version must be 1$/],
    [
      '{"version": 1,\n"failures": [{"rule": "queue/a", "place": "local"}]}',
      /^b\.json:2:14: failures\[0\] must have required property 'reason'/,
    ],
    [
      '{"version": 1, "failures": [{"place": "local", "reason": "r"}]}',
      /^b\.json:1:29: failures\[0\] must have a title or a rule$/,
    ],
    [
      '{"version": 1, "failures": [{"rule": "a/b", "place": "moon", "reason": "r"}]}',
      /^b\.json:1:54: failures\[0\]\.place must be one of local, hosted, gateway$/,
    ],
    [
      '{"version": 1, "failures": [], "notes": 3}',
      /^b\.json:1:41: notes is not a member of a baseline$/,
    ],
  ])('check/baseline-errors It names line, column and member: %j', (text, message) => {
    expect(() => parseBaseline(text, 'b.json')).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(message) }),
    )
  })

  test('check/baseline-file It is replaced as a whole, and read back as it was.', () => {
    const place = folder()
    const file = join(place, 'baseline.json')
    expect(() => loadBaseline(file)).toThrow(/Create it with: --update-baseline/)
    writeFileSync(file, 'old')
    const baseline = baselineOf(byTitle('queue/a'))
    saveBaseline(file, baseline)
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(baseline, null, 2)}\n`)
    expect(loadBaseline(file)).toEqual(baseline)
    expect(readdirSync(place)).toEqual(['baseline.json'])
    expect(() => saveBaseline(place, baseline)).toThrow(/^Cannot write the baseline/)
    expect(readdirSync(place)).toEqual(['baseline.json'])
  })
})
