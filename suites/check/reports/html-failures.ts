// The failures in the HTML report, each in full: what was sent, what is allowed, what came, the messages, and how to see it
// again.

import { partsOf, wireTitle } from './failure-parts.ts'
import { isInFull, markChip, nameOf, placed, type PlacedCase, section } from './html-parts.ts'
import { type Html, html, nothing } from './markup.ts'
import { type CaseEvent, markOf, rulesOf, type Summary } from './summary.ts'
import { clipped } from './text.ts'

/** The longest text of a part, and of a message. */
const MAX_TEXT = 20_000
const MAX_MESSAGE = 2000

export function failuresSection(checks: readonly Summary[]): Html {
  const items = placed(checks).filter(({ one }) => isInFull(one))
  if (items.length === 0) return nothing
  const articles = items.map((item) => failureArticle(item, checks))
  return section('failures', 'Each failure in full', html`${articles}`)
}

function failureArticle({ one, check, anchor }: PlacedCase, checks: readonly Summary[]): Html {
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
  return html`<article class="failure" id="${anchor}">
    <p>
      ${markChip(markOf(one))} <span class="chip">${nameOf(checks, check)}</span>
      <span class="chip">${one.place}</span>
    </p>
    ${rules}
    <dl>${list}</dl>
  </article> `
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
