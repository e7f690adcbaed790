// The few pieces of Markdown in the generated documents.

import type { Holding } from '../../spec/generations.ts'
import type { Place } from '../../spec/language.ts'

/** Escapes HTML outside code spans, except the anchors that we write. */
const escapeTags = (text: string) =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/<(?!a id=|\/a>)/g, '\\<')))
    .join('')

const cell = (text: string) => escapeTags(text).replaceAll('|', '\\|')
export const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`

export const code = (text: string) => `\`${text}\``

/** A link inside the document. */
export const link = (text: string, anchor: string) => `[${text}](#${anchor})`

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(row)].join('\n')
}

export function section(title: string, ...parts: readonly string[]): string {
  return [`## ${title}`, ...parts].join('\n\n')
}

export const onText = (on: readonly Place[]) => (on.length === 2 ? 'both' : on.join(''))

/** Where something holds, with the generations in which it does. */
export const holdingText = ({
  on,
  since,
  before,
}: Holding & { readonly on: readonly Place[] }): string =>
  [
    onText(on),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(before === undefined ? [] : [`before ${before}`]),
  ].join(', ')
