// Writes the chapter of PROTOCOL.md about the differences between the description and real servers: spec/differences.md,
// with links to what implements each.

import { errors, gatewayRefusals, quirks, rules } from '../../spec/index.ts'
import { link, readSpec, row, type Row } from './markdown.ts'

/** What the last column names, by the words before the name. */
const kinds: Readonly<Record<string, { readonly known: object; readonly anchor: string }>> = {
  '': { known: rules, anchor: 'rule' },
  quirk: { known: quirks, anchor: 'quirk' },
  refusal: { known: errors.refusals, anchor: 'refusal' },
  'hosted refusal': { known: errors.hostedRefusals, anchor: 'hosted-refusal' },
  'gateway refusal': { known: gatewayRefusals, anchor: 'gateway-refusal' },
}

/** A row with everything that implements what this server does. */
export function difference({ cells, at, line }: Row) {
  const texts = cells.slice(0, -1)
  const bad = texts.find((text) => text === '' || text.endsWith('.'))
  if (bad !== undefined) throw new Error(`${at}: a cell is empty or ends in a full stop: "${bad}"`)
  const carriers = cells
    .at(-1)!
    .split(', ')
    .map((text) => {
      const [, kind = '', name = ''] = /^(.*?) ?([^ ]*)$/.exec(text) ?? []
      if (!Object.hasOwn(kinds[kind]?.known ?? {}, name))
        throw new Error(`${at}: "${text}" is not a rule, a quirk or a refusal`)
      return { kind, name }
    })
  const names = carriers.map(({ name }) => name)
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) throw new Error(`${at}: "${twice}" occurs twice`)
  return { line, texts, carriers }
}

const { text, tables } = readSpec('differences.md')

/** The tables of spec/differences.md, in its order: local, what is left open there, hosted, and the two of the gateway. */
export const differenceTables = tables.map((rows) => rows.map(difference))

export function differencesPart(): string {
  const lines = text.trimEnd().split('\n')
  for (const { line, texts, carriers } of differenceTables.flat()) {
    const links = carriers.map(({ kind, name }) =>
      [kind.split(' ').at(-1), link(name, `${kinds[kind]?.anchor}-${name}`)].join(' ').trim(),
    )
    lines[line] = row([...texts, links.join(', ')])
  }
  return `#${lines.join('\n').replaceAll('](PROTOCOL.md#', '](#')}`
}
