// Writes HTML and XML in which each inserted text is escaped: what a target sends stays text. And small parts of the HTML
// report: marks, bars of counts, and the anchors of failures.

import type { CaseEvent } from '../events.ts'
import { visible } from '../output/text.ts'
import { countsOf, type Mark, markOf, type Summary } from './summary.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text for elements and quoted attributes. Control characters, which XML forbids, are written as visible escapes. */
export const escaped = (text: string): string =>
  visible(text).replace(/[&<>"']/g, (one) => entities[one] ?? one)

/** Markup, as opposed to text. */
export type Html = { readonly html: string }

type Insert = string | number | Html | readonly Html[]

/** A template for markup: inserted texts are escaped, inserted markup stays as it is. */
export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  const texts = parts.map((part, index) => part + insertText(inserts[index] ?? ''))
  return { html: texts.join('') }
}

function insertText(insert: Insert): string {
  if (typeof insert === 'object')
    return 'html' in insert ? insert.html : insert.map((one) => one.html).join('')
  return escaped(String(insert))
}

export const nothing: Html = { html: '' }

/** A symbol for each mark, so that colour is not all that distinguishes them. */
const symbols: Readonly<Record<Mark, string>> = {
  pass: '✓',
  fail: '✗',
  follow: '↳',
  known: '✗',
  stale: '↺',
  fault: '!',
  note: '≈',
  skip: '–',
}

export const markText = (mark: Mark): string => `${symbols[mark]} ${mark}`

export const markChip = (mark: Mark, text = markText(mark)): Html =>
  html`<span class="mark ${mark}">${text}</span>`

/** The name of the target of a check, numbered if there are several: two checks can have the same target. */
export function nameOf(checks: readonly Summary[], check: number): string {
  const name = checks[check]?.start?.target.name ?? 'no target'
  return checks.length === 1 ? name : `${check + 1}. ${name}`
}

/** A case of one of the checks, and where the page shows it in full. */
export type PlacedCase = {
  readonly one: CaseEvent
  /** The position of its check. */
  readonly check: number
  readonly anchor: string
}

/** The cases of all checks with their places in the page. */
export const placed = (checks: readonly Summary[]): readonly PlacedCase[] =>
  checks.flatMap(({ cases }, check) =>
    cases.map((one, index) => ({ one, check, anchor: `case-${check}-${index}` })),
  )

const inFull: ReadonlySet<Mark> = new Set<Mark>(['fail', 'fault', 'known'])

/** Whether the page shows the messages of a case. */
export const isInFull = (one: CaseEvent): boolean => inFull.has(markOf(one))

const unexpected: ReadonlySet<Mark> = new Set<Mark>(['fail', 'stale', 'fault'])

/** Whether a case makes a check end with another exit code than 0. */
export const isUnexpected = (one: CaseEvent): boolean => unexpected.has(markOf(one))

/** The section that says more about the cases with a mark. */
const sectionOf = (mark: Mark): string =>
  unexpected.has(mark) ? 'broken' : mark === 'skip' ? 'skipped' : 'rules'

/** The shares of the marks as one bar, and their counts. */
export function countsBar(cases: readonly CaseEvent[]): Html {
  const counts = countsOf(cases)
  if (cases.length === 0) return html`<span class="dim">no cases</span>`
  let start = 0
  const parts = counts.map(([mark, count]) => {
    const width = (count / cases.length) * 100
    const part = html`<rect
      class="${mark}"
      x="${start.toFixed(2)}"
      y="0"
      width="${width.toFixed(2)}"
      height="1"
    />`
    start += width
    return part
  })
  const legend = counts.map(
    ([mark, count]) =>
      html`<a class="mark ${mark}" href="#${sectionOf(mark)}">${count} ${mark}</a>`,
  )
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      ${parts}
    </svg>
    <div class="legend">${legend}</div>`
}

/** A section with a heading. */
export const section = (id: string, title: string, inside: Html): Html =>
  html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${inside}
  </section>`
