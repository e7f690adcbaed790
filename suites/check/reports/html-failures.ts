// The failures in the HTML report. On the first screen the broken rules: how badly each is broken, what was sent, what came
// instead, and the command that shows it again; below each failure in full.

import type { CaseEvent, RuleInfo } from '../events.ts'
import { lastExchange, partsOf, wireTitle } from './failure-parts.ts'
import {
  type Html,
  html,
  nothing,
  isInFull,
  isUnexpected,
  markChip,
  nameOf,
  placed,
  type PlacedCase,
  section,
} from './html-parts.ts'
import { groupsOf, markOf, noticeOf, rulesOf, type Summary, withMark } from './summary.ts'
import { clipped, counted, oneLine } from '../output/text.ts'

/** The longest text of a request or its answer, and of what is wrong. */
const MAX_SENT = 200
const MAX_CAME = 400
/** So many broken rules are shown without a click. */
const MAX_ITEMS = 5

/** How much a broken rule weighs, the heaviest first. */
const weights: Readonly<Record<RuleInfo['basis'], string>> = {
  stated: 'the description of the API says so',
  observed: 'real servers do so',
  chosen: 'neither settles it',
}
const bases = Object.keys(weights) as readonly RuleInfo['basis'][]

/** The heaviest basis of the rules of a case. */
const basisOf = (one: CaseEvent): RuleInfo['basis'] =>
  bases.find((basis) => rulesOf(one).some((rule) => rule.basis === basis)) ?? 'chosen'

/** 2. Which rules are broken, how badly, and how do I see each of them again? */
export function brokenSection(checks: readonly Summary[]): Html {
  const shown = placed(checks).filter(({ one }) => isUnexpected(one))
  const groups = [...groupsOf(shown, ({ one }) => `${one.place} ${one.title}`).values()]
  const sorted = bases.flatMap((basis) =>
    groups.filter(([first]) => first !== undefined && basisOf(first.one) === basis),
  )
  const items = sorted.map((group) => brokenItem(group, checks))
  const known = checks.reduce((sum, { cases }) => sum + withMark(cases, 'known').length, 0)
  const more =
    known === 0
      ? nothing
      : html`<p class="dim">
          ${counted(known, 'more failure')} known: the baseline lists
          ${known === 1 ? 'it' : 'them'}.
        </p>`
  const list =
    items.length === 0
      ? html`<p>${markChip('pass', 'none')} No rule is broken beyond what was expected.</p>`
      : html`<p class="dim">${weightText(sorted)}</p>
          <ul class="broken">
            ${items.slice(0, MAX_ITEMS)}
          </ul>
          ${furtherItems(items.slice(MAX_ITEMS))}`
  return section(
    'broken',
    'Which rules are broken, how badly, and how do I see each of them again?',
    html`${list}${more}`,
  )
}

const furtherItems = (items: readonly Html[]): Html =>
  items.length === 0
    ? nothing
    : html`<details>
        <summary>${items.length} more</summary>
        <ul class="broken">
          ${items}
        </ul>
      </details>`

/** How many of the broken cases have which weight: `2 stated (the description of the API says so)`. */
function weightText(groups: readonly (readonly PlacedCase[])[]): string {
  const parts = bases.flatMap((basis) => {
    const count = groups.filter(([first]) => first && basisOf(first.one) === basis).length
    return count === 0 ? [] : [`${count} ${basis} (${weights[basis]})`]
  })
  return `${parts.join(', ')}.`
}

function brokenItem(group: readonly PlacedCase[], checks: readonly Summary[]): Html {
  const [first] = group
  if (first === undefined) return nothing
  const { one, check } = first
  const rules = rulesOf(one).map(
    ({ id, says, basis }) =>
      html`<div>
          <span class="id">${id}</span> <span class="chip">${basis}</span>
          <span class="chip">${one.place}</span>
          <span class="dim">${shareText(id, checks[check])}</span>
        </div>
        <p>${says}</p>`,
  )
  const links = group.map(({ one: other, check: index, anchor }) => {
    const name = checks.length === 1 ? '' : ` on ${nameOf(checks, index)}`
    const mark = markOf(other)
    return isInFull(other)
      ? html` <a class="mark ${mark}" href="#${anchor}">all messages${name}</a>`
      : html` ${markChip(mark, `stale${name}`)}`
  })
  const { sent, answer } = lastExchange(one.failure?.wire ?? [])
  const asked = [['Sent', sent] as const, ['Answer', answer] as const].flatMap(([name, text]) =>
    text === undefined
      ? []
      : [html`<p class="dim">${name} <code>${clipped(text, MAX_SENT)}</code></p>`],
  )
  const came = clipped(one.failure?.message.trim() ?? noticeOf(one), MAX_CAME)
  const again =
    one.failure === undefined ? nothing : html`<code class="command">${one.failure.command}</code>`
  return html`<li>
    ${rules} ${asked}
    <p class="dim">Came <span class="came">${came}</span>${links}</p>
    ${again}
  </li>`
}

/** How many of the judged cases of a rule break it. */
function shareText(id: string, check: Summary | undefined): string {
  const judged = (check?.cases ?? []).filter(
    (one) => one.verdict !== 'skip' && rulesOf(one).some((rule) => rule.id === id),
  )
  const broken = judged.filter(isUnexpected)
  return `in ${broken.length} of ${counted(judged.length, 'judged case')}`
}

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
