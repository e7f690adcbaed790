// The page of results: a table of servers, a row for each check, to publish what is known of real servers.

import { quirks } from '../../../spec/index.ts'
import type { Quirks } from '../../../spec/language.ts'
import type { CaseEvent, CheckEvent } from '../events.ts'
import { plain } from './markdown.ts'
import { rulesOf, type Summary, summaryOf, targetText } from './summary.ts'

const heads = ['Server', 'Version', 'Checked', 'Stated rules', 'Cases', 'Differences']

/** The page as Markdown. The rows stand in the order of the checks. */
export const resultsText = (streams: readonly (readonly CheckEvent[])[]): string => {
  const summaries = streams.map(summaryOf)
  const rows = summaries.map(rowOf)
  const lines = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  const list = [...new Map(summaries.flatMap(differencesOf))]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, says]) => `- ${plain(name)}: ${says}\n`)
  const differences = list.length === 0 ? '' : `\n## Differences\n\n${list.join('')}`
  return `${intro}\n${lines.join('\n')}\n${differences}`
}

const intro = `# Servers judged

What \`flowdouble check --allow all\` said of real servers. A difference is a quirk, which \`flowdouble quirks\` explains and
\`--accept\` accepts, or a rule that the server breaks. Rules that a server does not let judge, such as those of partner
nodes without a key, are not counted.

This page is made by \`flowdouble check report FILE... --results recordings/servers.md\`, each FILE by
\`flowdouble check URL --allow all --name NAME --json\`.
`

const isJudged = (one: CaseEvent): boolean => ['pass', 'fail'].includes(one.verdict)
/** A note about a quirk of the server; other notes are about rules that do not bind it. */
const differs = (one: CaseEvent): boolean =>
  one.verdict === 'fail' || (one.verdict === 'note' && one.quirk !== undefined)

function rowOf(summary: Summary): readonly string[] {
  const { start, cases } = summary
  const judged = cases.filter((one) => isJudged(one) || differs(one))
  const broken = judged.filter(differs)
  const stated = (some: readonly CaseEvent[]): ReadonlySet<string> =>
    new Set(
      some.flatMap((one) =>
        rulesOf(one).flatMap(({ id, basis }) => (basis === 'stated' ? [id] : [])),
      ),
    )
  const [all, seen, lost] = [stated(cases), stated(judged), stated(broken)]
  const kept = [...seen].filter((id) => !lost.has(id))
  return [
    plain(start?.target.name ?? ''),
    plain(targetText(summary).what),
    (start?.startedAt ?? '').slice(0, 10),
    `${kept.length} kept of ${seen.size} judged, ${all.size} in all`,
    `${judged.length - broken.length} kept of ${judged.length} judged`,
    [...new Map(differencesOf(summary)).keys()].map(plain).join(', ') || 'none',
  ]
}

/** What a server does otherwise, as Markdown: by a quirk, or, where none explains it, by the rules that it breaks. */
const differencesOf = ({ cases }: Summary): readonly (readonly [string, string])[] =>
  cases
    .filter(differs)
    .flatMap((one): readonly (readonly [string, string])[] =>
      one.quirk === undefined
        ? rulesOf(one).map(({ id, says }) => [id, `it breaks the rule "${plain(says)}"`])
        : [[one.quirk, (quirks as Quirks)[one.quirk as keyof Quirks]?.quirk ?? plain(one.quirk)]],
    )
