// The first screen of the HTML report: the answers to an operator's five questions.

import type { CaseEvent } from '../events.ts'
import { shareText } from './outcome.ts'
import { skipReasons } from '../../../spec/check.ts'
import { countsBar, html, type Html, markChip, nameOf, nothing, section } from './html-parts.ts'
import {
  groupsOf,
  isOfClient,
  type Mark,
  namesOf,
  outcomeOf,
  skipsOf,
  type Summary,
  summaryOf,
  targetText,
} from './summary.ts'
import { clipped, counted, durationText, oneLine } from '../output/text.ts'

/** The longest text of why a case was not judged. */
const MAX_DETAIL = 300
/** So many things that are left are shown without a click. */
const MAX_LEFT = 5

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
      ${end?.stated === undefined || checks.length === 1 ? nothing : html`<span class="why">${shareText(end.stated)}</span>`}
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

/** 3. What was not judged, and why? */
export function skippedSection(checks: readonly Summary[]): Html {
  const counts = checks.map(({ cases }) => new Map(skipsOf(cases)))
  const reasons = skipsOf(checks.flatMap(({ cases }) => cases)).map(([reason]) => reason)
  const rows = reasons.map((reason) => {
    const cells = counts.map((one) => html`<td class="number">${one.get(reason) ?? 0}</td>`)
    const cases = checks.flatMap((check) =>
      check.cases.filter((one) => one.verdict === 'skip' && (one.reason ?? 'missing') === reason),
    )
    return html`<tr>
      ${cells}
      <td>
        ${reason}<span class="why">${skipReasons[reason]}</span>
        ${skippedCases(cases)}
      </td>
    </tr>`
  })
  const head =
    checks.length === 1
      ? nothing
      : html`<thead>
          <tr>
            ${checks.map((_, index) => html`<th scope="col" class="number">${index + 1}.</th>`)}
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

/** The cases that one reason has kept from being judged: what each lacks, and its rules. */
function skippedCases(cases: readonly CaseEvent[]): Html {
  const groups = [...groupsOf(cases, ({ detail = '' }) => oneLine(detail))]
  const parts = groups.map(([detail, ofDetail]) => {
    const rules = [...new Set(ofDetail.map(namesOf))]
    return html`<p class="why">${ofDetail.length}: ${clipped(detail, MAX_DETAIL)}</p>
      <p class="names">${rules.join(', ')}</p>`
  })
  return html`<details>
    <summary>which</summary>
    <div class="scroll">${parts}</div>
  </details>`
}

/** A section with a part for each check of a server: a client has no nearest server, and nothing can be left on it. */
function serverSection(
  checks: readonly Summary[],
  id: string,
  title: string,
  partOf: (end: Summary['end'], name: Html) => Html,
): Html {
  if (checks.every(isOfClient)) return nothing
  const parts = checks.map((check, index) => {
    if (isOfClient(check)) return nothing
    const name =
      checks.length === 1 ? nothing : html`<span class="why">${nameOf(checks, index)}</span>`
    return partOf(check.end, name)
  })
  return section(id, title, html`${parts}`)
}

const codeItems = (texts: readonly string[]): readonly Html[] =>
  texts.map((one) => html`<li><code>${one}</code></li>`)

/** 4. Which known server is it most like, and where does it differ? */
export const nearestSection = (checks: readonly Summary[]): Html =>
  serverSection(
    checks,
    'nearest',
    'Which known server is it most like, and where does it differ?',
    (end, name) => {
      if (end?.nearest === undefined) return html`<p>${name}No named server was compared.</p>`
      const { like, differs } = end.nearest
      const rest =
        differs.length === 0
          ? html`<p class="dim">without a difference</p>`
          : html`<p class="dim">It differs in ${counted(differs.length, 'quirk')}:</p>
              <ul>
                ${codeItems(differs)}
              </ul>`
      return html`<p>${name}<strong>${like}</strong></p>
        ${rest}`
    },
  )

/** 5. Did the check leave anything behind on my server? */
export const leftSection = (checks: readonly Summary[]): Html =>
  serverSection(
    checks,
    'left',
    'Did the check leave anything behind on my server?',
    (end, name) => {
      if (end === undefined)
        return html`<p>${name}Unknown: the check did not finish. Its ledger lists what it made.</p>`
      const { left } = end
      return left.length === 0
        ? html`<p>${name}No. All that it made is removed.</p>`
        : html`<p>${name}${counted(left.length, 'thing')} could not be removed.</p>
            <details ${left.length <= MAX_LEFT ? html` open` : nothing}>
              <summary>which</summary>
              <ul class="scroll">
                ${codeItems(left)}
              </ul>
            </details>`
    },
  )
