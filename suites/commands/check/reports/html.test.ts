// The HTML report: one file that loads nothing, and answers an operator's questions on its first screen.

import { createHash } from 'node:crypto'
import { test } from 'vitest'
import { htmlText } from '../../../check/reports/html.ts'
import { expect } from '../../../judge/expect.ts'
import { elementsOf } from './elements.ts'
import { caseEvent, endEvent, other, sample, startEvent, url } from './streams.ts'

const elements = elementsOf(htmlText([sample]))
const named = (name: string) => elements.filter((one) => one.name === name)
const section = (id: string) =>
  elements.find(({ attributes }) => attributes['id'] === id)?.text ?? ''

test('check/html-questions The five questions are the first headings, in order.', () => {
  expect(named('h2').map(({ text }) => text)).toEqual([
    'Which server was judged, when, and with what outcome?',
    'Which rules are broken, how badly, and how do I see each of them again?',
    'What was not judged, and why?',
    'Which known server is it most like, and where does it differ?',
    'Did the check leave anything behind on my server?',
    'Every rule and its verdict',
    'Each failure in full',
  ])
})

test('check/html-answers Each question has its answer.', () => {
  expect(section('targets')).toMatch(
    /a rule is broken[\s\S]*gpu-7[\s\S]*ComfyUI 0\.3\.64[\s\S]*2026-01-02 03:04:05 UTC/,
  )
  expect(section('broken')).toContain('The sentence of queue/listing.')
  expect(section('broken')).toMatch(
    /2 stated \(the description of the API says so\)[\s\S]*in 1 of 1 judged case[\s\S]*Sent GET \/queue[\s\S]*Answer 200 \{"queue_running":\[\][\s\S]*Came expected: 2 runs/,
  )
  expect(section('broken')).toContain(`flowdouble check ${url} --rule queue/listing`)
  expect(section('broken')).not.toContain('queue/clear')
  expect(section('broken')).toContain('1 more failure')
  expect(section('skipped')).toMatch(/1\s*own-world[\s\S]*queue\/fork[\s\S]*1\s*not-allowed/)
  expect(section('nearest')).toMatch(/comfyui-0\.3\.64[\s\S]*queue\.heap-order/)
  expect(section('left')).toContain('flowdouble-check/red.png')
})

test('check/html-clicks Each question is answered on the first screen, or one click away from it.', () => {
  const ids = ['broken', 'skipped', 'nearest', 'left', 'rules', 'failures']
  const links = named('a').map(({ attributes }) => attributes['href'])
  expect(links.slice(0, ids.length)).toEqual(ids.map((id) => `#${id}`))
  expect(elements.find(({ name }) => name === 'nav')?.text).toMatch(
    /Broken rules: 2[\s\S]*Not judged: 2[\s\S]*Left: 1/,
  )
})

test('check/html-many A long list of what is left is closed, a short one open.', () => {
  const left = Array.from({ length: 9 }, (_, index) => `upload ${index}`)
  const ended = (more: readonly string[]) => {
    const page = elementsOf(htmlText([[startEvent, { ...endEvent, left: more }]]))
    return page.find(({ name }) => name === 'details')?.attributes
  }
  expect(ended(left)).not.toHaveProperty('open')
  expect(ended(left.slice(5))).toHaveProperty('open')
})

test('check/html-short What is long is closed: all failures beyond two, broken rules beyond five, and areas.', () => {
  const failed = (count: number) => {
    const cases = Array.from({ length: count }, (_, index) => ({
      ...caseEvent(`queue/rule-${index}`),
      verdict: 'fail' as const,
    }))
    return elementsOf(htmlText([[startEvent, ...cases, endEvent]]))
  }
  const failuresOf = (count: number) =>
    failed(count).filter(({ attributes }) => attributes['class'] === 'failure')
  expect(failuresOf(2).map(({ attributes }) => 'open' in attributes)).toEqual([true, true])
  expect(failuresOf(7).map(({ attributes }) => 'open' in attributes)).not.toContain(true)
  const lists = failed(7).filter(({ attributes }) => attributes['class'] === 'broken')
  const countOf = (text = '') => new Set(text.match(/queue\/rule-\d/g)).size
  expect(lists.map(({ text }) => countOf(text))).toEqual([5, 2])
  // A closed area says how many of its rules have which verdict.
  const heads = elements.filter(({ attributes }) => attributes['class'] === 'area')
  expect(heads.map(({ text }) => text.replaceAll(/\s+/g, ' ').trim())).toContain(
    'queue 5 1 fail 1 known 1 pass 2 skip',
  )
  const toggles = named('button').map(({ attributes }) => attributes['data-toggle'])
  expect(toggles).toEqual(['history', 'queue', 'system'])
})

test('check/html-links Each link leads to a place in the page, where the messages stand.', () => {
  const targets = named('a').map(({ attributes }) => attributes['href'] ?? '')
  expect(targets.length).toBeGreaterThan(2)
  const ids = new Set(elements.map(({ attributes }) => `#${attributes['id'] ?? ''}`))
  expect(targets.filter((target) => !ids.has(target))).toEqual([])
  expect(section('case-0-3')).toMatch(/120 ms[\s\S]*sent[\s\S]*GET \/queue/)
})

test('check/html-alone The page loads nothing, and allows its own style and script alone.', () => {
  const [, policy] = named('meta').map(({ attributes }) => attributes['content'])
  const hashes = [...named('style'), ...named('script')].map(
    ({ text }) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
  expect(policy).toBe(
    `default-src 'none'; style-src ${hashes[0]}; script-src ${hashes[1]}; base-uri 'none'; form-action 'none'`,
  )
  const attributes = new Set(elements.flatMap((one) => Object.keys(one.attributes)))
  expect([...attributes].filter((name) => /^(src|style|action|on.*)$/.test(name))).toEqual([])
  expect(named('link')).toEqual([])
})

test('check/html-matrix Each rule has a row, with its verdicts as data for the filter.', () => {
  const rows = elements.filter(({ attributes }) => 'data-marks' in attributes)
  expect(rows.map(({ attributes }) => [attributes['data-area'], attributes['data-marks']])).toEqual(
    [
      ['history', 'pass'],
      ['history', 'note'],
      ['queue', 'pass'],
      ['queue', 'fail'],
      ['queue', 'known'],
      ['queue', 'skip'],
      ['queue', 'skip'],
      ['system', 'fault'],
    ],
  )
})

test('check/html-areas A rule stands in its area, also where its case has rules of several areas.', () => {
  const [one, two] = [caseEvent('queue/one'), caseEvent('history/two')]
  const both = { ...one, rules: [...one.rules, ...two.rules] }
  const page = elementsOf(htmlText([[startEvent, both, endEvent]]))
  const rows = page.filter(({ attributes }) => 'data-marks' in attributes)
  expect(rows.map(({ attributes }) => attributes['data-area'])).toEqual(['queue', 'history'])
})

test('check/html-targets Several targets are columns of one table, and rows where they differ are marked.', () => {
  const merged = elementsOf(htmlText([sample, other]))
  expect(merged.find(({ name }) => name === 'h1')?.text).toBe('1 of 2 targets behaves as expected')
  const rows = merged.filter(({ attributes }) => 'data-marks' in attributes)
  const row = rows.find(({ text }) => text.includes('queue/listing'))
  expect(row?.text).toMatch(/✗ fail[\s\S]*✓ pass/)
  expect(row?.attributes).toHaveProperty('data-differs')
  const same = rows.find(({ text }) => text.includes('queue/one'))
  expect(same?.attributes).not.toHaveProperty('data-differs')
})

test('check/html-unfinished A check that did not finish is not shown as a success.', () => {
  const page = elementsOf(htmlText([[startEvent]]))
  expect(page.find(({ name }) => name === 'h1')?.text).toBe(`${url}: not measured`)
})
