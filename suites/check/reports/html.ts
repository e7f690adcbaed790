// The report as one HTML file that loads nothing: for one target, or for several side by side.
//
// An operator has five questions, and the first screen answers them in this order:
// 1. Which server was judged, when, and with what outcome?
// 2. Which rules are broken, how badly, and how do I see each of them again?
// 3. What was not judged, and why?
// 4. Which known server is it most like, and where does it differ?
// 5. Did the check leave anything behind on my server?
// Below stand every rule with its verdict on each target, and the messages of each failure.

import type { CheckEvent } from '../events.ts'
import { brokenSection } from './html-failures.ts'
import { failuresSection } from './html-failures.ts'
import { matrixSection } from './html-matrix.ts'
import { leftSection, nearestSection, skippedSection, targetsSection } from './html-answers.ts'
import { type Html, html, isInFull, isUnexpected } from './html-parts.ts'
import { policy, scriptElement, styleElement } from './html-page.ts'
import { shareText } from './outcome.ts'
import { isOfClient, outcomeOf, type Summary, summaryOf, withMark } from './summary.ts'
import { counted } from '../output/text.ts'

/** The page for the events of one check or of several. */
export function htmlText(streams: readonly (readonly CheckEvent[])[]): string {
  const checks = streams.map(summaryOf)
  const title = titleOf(checks)
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="generator" content="flowdouble check, report version 1" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        <main>
          <header>
            <p class="brand">flowdouble check</p>
            <h1>${title}</h1>
            <p class="lead">${leadOf(checks)}</p>
            ${navigation(checks)}
          </header>
          ${targetsSection(checks)} ${brokenSection(checks)}
          <div class="grid">
            ${skippedSection(checks)} ${nearestSection(checks)} ${leftSection(checks)}
          </div>
          ${matrixSection(checks)} ${failuresSection(checks)}
        </main>
        ${scriptElement}
      </body>
    </html> `
  return page.html
}

function titleOf(checks: readonly Summary[]): string {
  const [only] = checks
  if (checks.length !== 1 || only === undefined) {
    const fine = checks.filter((one) => outcomeOf(one).exitCode === 0).length
    return `${fine} of ${counted(checks.length, 'target')} ${fine === 1 ? 'behaves' : 'behave'} as expected`
  }
  const name = only.start?.target.name ?? 'the target'
  const broken = withMark(only.cases, 'fail').length
  const { exitCode, words } = outcomeOf(only)
  if (exitCode === 0) return `${name} behaves as expected`
  if (exitCode !== 1 || broken === 0) return `${name}: ${words}`
  return `${counted(broken, 'case')} ${broken === 1 ? 'fails' : 'fail'} on ${name}`
}

/** The answers that are one click away. */
function navigation(checks: readonly Summary[]): Html {
  const all = checks.flatMap(({ cases }) => cases)
  const left = checks.reduce((sum, { end }) => sum + (end?.left.length ?? 0), 0)
  const isOfServers = !checks.every(isOfClient)
  const hasFailures = all.some(isInFull)
  const links = [
    ['broken', `Broken rules: ${all.filter(isUnexpected).length}`],
    ['skipped', `Not judged: ${withMark(all, 'skip').length}`],
    ...(isOfServers
      ? [['nearest', 'Nearest server'] as const, ['left', `Left: ${left}`] as const]
      : []),
    ['rules', 'Every rule'],
    ...(hasFailures ? [['failures', 'Each failure in full'] as const] : []),
  ] as const
  return html`<nav aria-label="Answers">
    ${links.map(([id, text]) => html`<a href="#${id}">${text}</a> `)}
  </nav>`
}

/** How many of the stated rules are judged. */
const statedText = ({ end }: Summary): string =>
  end?.stated === undefined ? '' : `${shareText(end.stated)}. `

/** The sentence below the title; of several targets, each has its sentence in the table. */
const leadOf = (checks: readonly Summary[]): Html => {
  const [only] = checks
  return checks.length === 1 && only !== undefined
    ? html`${statedText(only)}${outcomeOf(only).sentence}`
    : html`<span class="dim">Each column of the table of rules is one target.</span>`
}
