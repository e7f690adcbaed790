// Writes the chapter of PROTOCOL.md about limits.

import { limits } from '../../spec/index.ts'
import type { Limit } from '../../spec/limits.ts'
import { link, section, table } from './markdown.ts'

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
