// The broken rules on the first screen of the HTML report: how badly each is broken, what was sent, what came instead, and
// the command that shows it again.

import type { RuleInfo } from '../events.ts'
import { lastExchange } from './failure-parts.ts'
import {
  isInFull,
  isUnexpected,
  markChip,
  nameOf,
  placed,
  type PlacedCase,
  section,
} from './html-parts.ts'
import { type Html, html, nothing } from './markup.ts'
import {
  type CaseEvent,
  groupsOf,
  markOf,
  noticeOf,
  rulesOf,
  type Summary,
  withMark,
} from './summary.ts'
import { clipped, counted } from '../output/text.ts'

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
