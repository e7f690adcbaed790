// The table of rules and targets in the HTML report: the worst verdict of each rule on each target, and a filter.

import type { RuleInfo } from '../events.ts'
import {
  html,
  type Html,
  isInFull,
  markChip,
  markText,
  nameOf,
  nothing,
  placed,
  type PlacedCase,
  section,
} from './html-parts.ts'
import { type Mark, marks, markOf, noticeOf, rulesOf, type Summary, worstOf } from './summary.ts'
import { clipped, oneLine } from '../output/text.ts'

/** A rule at one place, and its cases on all targets. */
type Row = { readonly rule: RuleInfo; readonly area: string; readonly cases: PlacedCase[] }

export function matrixSection(checks: readonly Summary[]): Html {
  const rows = rowsOf(checks)
  const areas = [...new Set(rows.map(({ area }) => area))]
  const heads = checks.map(
    (_, index) => html`<th scope="col" class="verdict">${nameOf(checks, index)}</th>`,
  )
  const body = areas.map((area) => {
    const own = rows.filter((row) => row.area === area)
    const head = html`<tr class="area" data-area="${area}">
      <th scope="rowgroup" colspan="${checks.length + 2}">
        <button type="button" data-toggle="${area}">${area}</button>
        <span class="dim">${own.length}</span> ${areaMarks(own)}
      </th>
    </tr>`
    return html`<tbody>
      ${head}${own.map((row) => matrixRow(row, checks))}
    </tbody>`
  })
  const table = html`<table class="matrix">
    <thead>
      <tr>
        <th scope="col">Rule</th>
        <th scope="col">What it says</th>
        ${heads}
      </tr>
    </thead>
    ${body}
  </table>`
  return section('rules', 'Every rule and its verdict', html`${filterBar(areas, checks)}${table}`)
}

/** How many rules of an area have which worst verdict: what is seen of a closed one. */
const areaMarks = (rows: readonly Row[]): readonly Html[] =>
  marks.flatMap((mark) => {
    const count = rows.filter(({ cases }) => worstOf(cases.map(({ one }) => one)) === mark).length
    return count === 0 ? [] : [html`${markChip(mark, `${count} ${mark}`)} `]
  })

function rowsOf(checks: readonly Summary[]): readonly Row[] {
  const rows = new Map<string, Row>()
  for (const found of placed(checks)) {
    for (const rule of rulesOf(found.one)) {
      const row = rows.get(rule.id) ?? { rule, area: areaOf(rule, found), cases: [] }
      row.cases.push(found)
      rows.set(rule.id, row)
    }
  }
  return [...rows.values()]
}

/** The area of a rule is the beginning of its id: a case can have rules of several areas. */
const areaOf = ({ id }: RuleInfo, { one }: PlacedCase): string =>
  /^([\w-]+)\/[\w-]+$/.exec(id)?.[1] ?? one.area

function matrixRow({ rule, area, cases }: Row, checks: readonly Summary[]): Html {
  const ofChecks = checks.map((_, index) => cases.filter(({ check }) => check === index))
  const worst = ofChecks.map((found) => worstOf(found.map(({ one }) => one)))
  const judged = worst.filter((mark) => mark !== undefined && mark !== 'skip')
  const differs = new Set(judged).size > 1 ? html` data-differs` : nothing
  const cells = ofChecks.map((found, index) => cell(found, worst[index]))
  const shown = marks.filter((mark) => worst.includes(mark)).join(' ')
  const basis = rule.says === '' ? nothing : html` <span class="chip">${rule.basis}</span>`
  return html`<tr data-area="${area}" data-marks="${shown}" ${differs}>
    <td class="id">${rule.id}</td>
    <td>${rule.says}${basis}</td>
    ${cells}
  </tr>`
}

/** The worst verdict of a rule on one target: with its messages, its quirk, or why it was skipped. */
function cell(cases: readonly PlacedCase[], worst: Mark | undefined): Html {
  const found = cases.find(({ one }) => markOf(one) === worst)
  if (worst === undefined || found === undefined)
    return html`<td class="dim">not in this check</td>`
  const { one, anchor } = found
  const count = cases.filter((other) => markOf(other.one) === worst).length
  const share = cases.length > count ? ` ${count} of ${cases.length}` : ''
  const chip = isInFull(one)
    ? html`<a class="mark ${worst}" href="#${anchor}">${markText(worst)}${share}</a>`
    : markChip(worst, `${markText(worst)}${share}`)
  const words = worst === 'skip' ? one.reason : one.quirk
  const why =
    worst === 'pass' || words === undefined ? nothing : html`<span class="why">${words}</span>`
  const said = worst === 'note' ? noticeOf(one) : worst === 'skip' ? oneLine(one.detail ?? '') : ''
  const notice = said === '' ? nothing : html`<span class="why">${clipped(said, 300)}</span>`
  return html`<td>${chip}${why}${notice}</td>`
}

function filterBar(areas: readonly string[], checks: readonly Summary[]): Html {
  const all = checks.flatMap(({ cases }) => cases)
  const used = marks.filter((mark) => all.some((one) => markOf(one) === mark))
  const option = (value: string) => html`<option value="${value}">${value}</option>`
  const differs =
    checks.length === 1
      ? nothing
      : html`<label
          ><input type="checkbox" data-filter="differs" /> only where targets differ</label
        >`
  return html`<div class="filter" role="search">
    <label
      >Text <input type="search" data-filter="text" placeholder="a word, a rule, a quirk"
    /></label>
    <label
      >Verdict
      <select data-filter="mark">
        <option value="">any</option>
        ${used.map(option)}
      </select></label
    >
    <label
      >Area
      <select data-filter="area">
        <option value="">any</option>
        ${areas.map(option)}
      </select></label
    >
    ${differs}<span class="dim" data-filter="count" aria-live="polite"></span>
  </div>`
}
