// Writes the chapters of PROTOCOL.md about rules: limits, rules by area, our decisions, quirks, statements.

import { areas, limits, quirks, rules } from '../../spec/index.ts'
import type { Quirk, Rule } from '../../spec/language.ts'
import type { Limit } from '../../spec/limits.ts'
import { code, holdingText, link, onText, readSpec, section, table } from './markdown.ts'

/** The number and the text of each statement of spec/statements.md. */
export const statements = readSpec('statements.md').tables.flatMap((rows) =>
  rows.map(({ cells: [number = '', text = ''] }) => [number, text] as const),
)

function ruleRow([id, rule]: [string, Rule]): string[] {
  const { says, basis, source, library, carries } = rule
  const facts = (carries ?? []).map((fact) => link(fact, `statement-${fact}`)).join(', ')
  const observedAt = `${source ?? basis}${library === undefined ? '' : `; with ${library}`}`
  return [`<a id="rule-${id}"></a>${code(id)}`, says, holdingText(rule), observedAt, facts]
}

export function rulesPart(): string {
  const byArea = Object.entries(areas).flatMap(([area, { rules: own }]) => {
    const shown = (Object.entries(own) as [string, Rule][]).filter(
      ([, one]) => one.basis !== 'chosen',
    )
    if (shown.length === 0) return []
    return [
      `### ${area}`,
      table(
        ['Rule', 'What it states', 'On', 'Stated, or observed at', 'Statements'],
        shown.map(ruleRow),
      ),
    ]
  })
  return section(
    'Rules',
    'What a server of this protocol does, one sentence per rule, each proved by a case; the rules of ' +
      '`duties` state what a good client does. Rules with "stated" ' +
      'come from the description and carry its statements. The others were observed at the server that the ' +
      'column names, where the description leaves something open; those with a library depend on it, so that ' +
      'a server with another one, or behind a proxy, can differ.',
    ...byArea,
  )
}

export function decisionsPart(): string {
  const chosen = (Object.entries(rules) as [string, Rule][]).filter(
    ([, rule]) => rule.basis === 'chosen',
  )
  return section(
    'Our decisions',
    'Where both the description and real servers leave a question open, we decided. A ' +
      'server that behaves differently is not wrong.',
    table(
      ['Rule', 'What it states', 'On'],
      chosen.map((entry) => ruleRow(entry).slice(0, 3)),
    ),
  )
}

export function quirksPart(): string {
  const all: [string, Quirk][] = Object.entries(quirks)
  return section(
    'Quirks',
    'Where the description and real servers disagree, the description applies by default, and the name of ' +
      'a quirk switches on the other behaviour.',
    table(
      ['Quirk', 'On', 'By default', 'With the quirk', 'Source of the quirk'],
      all.map(([id, one]) => [
        `<a id="quirk-${id}"></a>${code(id)}`,
        onText(one.on),
        one.default,
        one.quirk,
        one.source,
      ]),
    ),
  )
}

export function statementsPart(): string {
  const carriers = (fact: string) =>
    (Object.entries(rules) as [string, Rule][])
      .filter(([, { carries }]) => carries?.includes(fact))
      .map(([id]) => link(id, `rule-${id}`))
  return section(
    'Statements',
    'The statements of the description, and the rules that carry them.',
    table(
      ['', 'Statement', 'Rules'],
      statements.map(([fact, text]) => [
        `<a id="statement-${fact}"></a>${fact}`,
        text,
        carriers(fact).join(', '),
      ]),
    ),
  )
}

const MiB = 2 ** 20

/** The number as in rule sentences, without its unit: in MiB if it is whole MiB, else with a comma from 10,000 on. */
export function amount({ value, unit }: Pick<Limit, 'value' | 'unit'>): string {
  if (unit === 'bytes' && value % MiB === 0) return `${value / MiB} MiB`
  return value < 10_000 ? `${value}` : value.toLocaleString('en')
}

/** The number with its unit. */
const whole = (limit: Limit): string => {
  const number = amount(limit)
  return number.endsWith('MiB') ? number : `${number} ${limit.unit}`
}

export function limitsPart(): string {
  return section(
    'Limits',
    'The limits of this server and gateway, and the rules that state what happens beyond them.',
    table(
      ['Limited', 'To', 'Rules'],
      Object.values<Limit>(limits).map((limit) => [
        limit.what,
        whole(limit),
        limit.rules.map((id) => link(id, `rule-${id}`)).join(', '),
      ]),
    ),
  )
}
