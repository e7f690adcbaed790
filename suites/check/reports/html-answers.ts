// The first screen of the HTML report: the answers to an operator's five questions.

import { skipReasons } from '../../../spec/check.ts'
import {
  countsBar,
  isInFull,
  markChip,
  nameOf,
  placed,
  type PlacedCase,
  section,
} from './html-parts.ts'
import { type Html, html, nothing } from './markup.ts'
import {
  groupsOf,
  isOfClient,
  type Mark,
  markOf,
  noticeOf,
  outcomeOf,
  rulesOf,
  skipsOf,
  type Summary,
  summaryOf,
  targetText,
  withMark,
} from './summary.ts'
import { clipped, counted, durationText, oneLine } from './text.ts'

/** 1. Which server was judged, when, and with what outcome? */
export function targetsSection(checks: readonly Summary[]): Html {
  const head = html`<thead>
    <tr>
      <th scope="col">Outcome</th>
      <th scope="col">Target</th>
      <th scope="col">${kindOf(checks) === 'server' ? 'Server' : 'Kind'}</th>
      <th scope="col">When</th>
      <th scope="col" class="cases">Cases</th>
    </tr>
  </thead>`
  return section(
    'targets',
    `Which ${kindOf(checks)} was judged, when, and with what outcome?`,
    html`<table>
      ${head}
      <tbody>
        ${checks.map((_, index) => targetRow(checks, index))}
      </tbody>
    </table>`,
  )
}

/** What the checks have judged. */
function kindOf(checks: readonly Summary[]): string {
  const clients = checks.filter(isOfClient).length
  if (clients === 0) return 'server'
  return clients === checks.length ? 'client' : 'server or client'
}

function targetRow(checks: readonly Summary[], index: number): Html {
  const check = checks[index] ?? summaryOf([])
  const { start, end, cases, warnings } = check
  const { what, by } = targetText(check)
  const { exitCode, words, sentence } = outcomeOf(check)
  const mark: Mark = exitCode === 0 ? 'pass' : exitCode === 4 ? 'fault' : 'fail'
  const took =
    end === undefined
      ? ''
      : `${durationText(end.durationMs)}, ${counted(end.runs, 'run')} submitted`
  return html`<tr>
    <td>${markChip(mark, words)}<span class="why">exit code ${exitCode}</span></td>
    <th scope="row">
      <code>${nameOf(checks, index)}</code>
      ${checks.length === 1 ? nothing : html`<span class="why">${oneLine(sentence)}</span>`}
    </th>
    <td>
      ${what}
      <span class="why">${by}</span>
    </td>
    <td>
      ${start?.startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC') ?? ''}
      <span class="why">${took}</span>
    </td>
    <td>
      ${countsBar(cases)}${warnings.map((text) => html`<span class="why">warning: ${oneLine(text)}</span>`)}
    </td>
  </tr>`
}

/** 2. Which rules are broken, and how do I see each of them again? */
export function brokenSection(checks: readonly Summary[]): Html {
  const shown = placed(checks).filter(({ one }) => isUnexpected.has(markOf(one)))
  const groups = [...groupsOf(shown, ({ one }) => `${one.place} ${one.title}`).values()]
  const items = groups.map((group) => brokenItem(group, checks))
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
      : html`<div class="scroll" tabindex="0">
          <ul class="broken">
            ${items}
          </ul>
        </div>`
  return section(
    'broken',
    'Which rules are broken, and how do I see each of them again?',
    html`${list}${more}`,
  )
}

/** What makes a check end with another exit code than 0. */
const isUnexpected: ReadonlySet<Mark> = new Set<Mark>(['fail', 'stale', 'fault'])

function brokenItem(group: readonly PlacedCase[], checks: readonly Summary[]): Html {
  const [first] = group
  if (first === undefined) return nothing
  const { one } = first
  const rules = rulesOf(one).map(
    ({ id, says, basis }) =>
      html`<div>
          <span class="id">${id}</span> <span class="chip">${basis}</span>
          <span class="chip">${one.place}</span>
        </div>
        <p>${says}</p>`,
  )
  const links = group.map(({ one: other, check, anchor }) => {
    const name = checks.length === 1 ? '' : ` on ${nameOf(checks, check)}`
    const mark = markOf(other)
    return isInFull(other)
      ? html` <a class="mark ${mark}" href="#${anchor}">messages${name}</a>`
      : html` ${markChip(mark, `stale${name}`)}`
  })
  const again =
    one.failure === undefined ? nothing : html`<code class="command">${one.failure.command}</code>`
  return html`<li>
    ${rules}
    <p class="dim">${clipped(noticeOf(one), 200)}${links}</p>
    ${again}
  </li>`
}

/** 3. What was not judged, and why? */
export function skippedSection(checks: readonly Summary[]): Html {
  const counts = checks.map(({ cases }) => new Map(skipsOf(cases)))
  const reasons = skipsOf(checks.flatMap(({ cases }) => cases)).map(([reason]) => reason)
  const rows = reasons.map((reason) => {
    const cells = counts.map((one) => html`<td class="number">${one.get(reason) ?? 0}</td>`)
    return html`<tr>
      ${cells}
      <td>${reason}<span class="why">${skipReasons[reason]}</span></td>
    </tr>`
  })
  const heads =
    checks.length === 1
      ? []
      : checks.map((_, index) => html`<th scope="col" class="number">${index + 1}.</th>`)
  const head =
    heads.length === 0
      ? nothing
      : html`<thead>
          <tr>
            ${heads}
            <th scope="col">Reason</th>
          </tr>
        </thead>`
  return section(
    'skipped',
    'What was not judged, and why?',
    rows.length === 0
      ? html`<p>Every selected case was run.</p>`
      : html`<table>
          ${head}
          <tbody>
            ${rows}
          </tbody>
        </table>`,
  )
}

/** 4. Which known server is it most like, and where does it differ? */
export function nearestSection(checks: readonly Summary[]): Html {
  if (checks.every(isOfClient)) return nothing
  const items = checks.map((check, index) => {
    if (isOfClient(check)) return nothing
    const { nearest } = check.end ?? {}
    const name =
      checks.length === 1 ? nothing : html`<span class="why">${nameOf(checks, index)}</span>`
    if (nearest === undefined) return html`<p>${name}No named server was compared.</p>`
    const { like, differs } = nearest
    const list = differs.map((one) => html`<li><code>${one}</code></li>`)
    const rest =
      differs.length === 0
        ? html`<p class="dim">without a difference</p>`
        : html`<p class="dim">It differs in ${counted(differs.length, 'quirk')}:</p>
            <ul>
              ${list}
            </ul>`
    return html`<p>${name}<strong>${like}</strong></p>
      ${rest}`
  })
  return section(
    'nearest',
    'Which known server is it most like, and where does it differ?',
    html`${items}`,
  )
}

/** 5. Did the check leave anything behind on my server? */
export function leftSection(checks: readonly Summary[]): Html {
  if (checks.every(isOfClient)) return nothing
  const items = checks.map((check, index) => {
    if (isOfClient(check)) return nothing
    const { left } = check.end ?? {}
    const name =
      checks.length === 1 ? nothing : html`<span class="why">${nameOf(checks, index)}</span>`
    if (left === undefined)
      return html`<p>${name}Unknown: the check did not finish. Its ledger lists what it made.</p>`
    const list = left.map((one) => html`<li><code>${one}</code></li>`)
    return left.length === 0
      ? html`<p>${name}No. All that it made is removed.</p>`
      : html`<p>${name}${counted(left.length, 'thing')} could not be removed:</p>
          <ul>
            ${list}
          </ul>`
  })
  return section('left', 'Did the check leave anything behind on my server?', html`${items}`)
}
