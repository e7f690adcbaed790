// The failures in the HTML report, each in full: what was sent, what is allowed, what came, the messages, and how to see it
// again.

import { partsOf, wireTitle } from './failure-parts.ts'
import { isInFull, markChip, nameOf, placed, type PlacedCase, section } from './html-parts.ts'
import { type Html, html, nothing } from './markup.ts'
import { type CaseEvent, markOf, rulesOf, type Summary } from './summary.ts'
import { clipped, oneLine } from '../output/text.ts'

/** The longest text of a part, and of a message. */
const MAX_TEXT = 20_000
const MAX_MESSAGE = 2000
/** The longest message in the line of a closed failure, */
const MAX_SUMMARY = 160
/** and how many failures are open without a click. */
const MAX_OPEN = 2

export function failuresSection(checks: readonly Summary[]): Html {
  const items = placed(checks).filter(({ one }) => isInFull(one))
  if (items.length === 0) return nothing
  const isOpen = items.length <= MAX_OPEN
  const all = items.map((item) => failureDetails(item, checks, isOpen))
  return section('failures', 'Each failure in full', html`${all}`)
}

function failureDetails(
  { one, check, anchor }: PlacedCase,
  checks: readonly Summary[],
  isOpen: boolean,
): Html {
  const rules = rulesOf(one).map(
    ({ id, says, basis }) =>
      html`<div>
        <h3 class="id">${id}</h3>
        <span class="chip">${basis}</span> ${says}
      </div>`,
  )
  const list = partsOf(one).map(
    ([title, text]) =>
      html`<dt>${title}</dt>
        <dd>
          ${title === wireTitle ? wireLog(one) : html`<pre>${clipped(text, MAX_TEXT)}</pre>`}
        </dd>`,
  )
  const ids = rulesOf(one).map(({ id }) => id)
  const message = clipped(oneLine(one.failure?.message ?? ''), MAX_SUMMARY)
  return html`<details class="failure" id="${anchor}" ${isOpen ? html` open` : nothing}>
    <summary>
      ${markChip(markOf(one))} <span class="id">${ids.join(', ')}</span>
      <span class="dim">${message}</span>
    </summary>
    <p><span class="chip">${nameOf(checks, check)}</span> <span class="chip">${one.place}</span></p>
    ${rules}
    <dl>${list}</dl>
  </details> `
}

function wireLog({ failure }: CaseEvent): Html {
  const rows = (failure?.wire ?? []).map(
    ({ atMs, direction, text }) =>
      html`<tr class="${direction}">
        <td class="number">${Math.round(atMs)} ms</td>
        <td>${direction}</td>
        <td>${clipped(text, MAX_MESSAGE)}</td>
      </tr>`,
  )
  return html`<div class="wire" tabindex="0">
    <table>
      ${rows}
    </table>
  </div>`
}
