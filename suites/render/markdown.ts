// The few pieces of Markdown in the generated documents, and the parts of the spec that are only text: the tables of Markdown
// files of `spec/`.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** A row below the head of a table. */
export type Row = {
  readonly cells: readonly string[]
  /** Its line, counted from 0, and its file and line for messages. */
  readonly line: number
  readonly at: string
}

/** The tables of a text, in order. */
export function tablesOf(file: string, text: string): readonly (readonly Row[])[] {
  const tables: Row[][] = []
  let head: readonly string[] | undefined
  for (const [line, source] of text.split('\n').entries()) {
    const at = `${file}:${line + 1}`
    const cells = source.startsWith('|') ? cellsOf(source, at) : undefined
    if (cells === undefined || head === undefined) {
      if (cells !== undefined) tables.push([])
      head = cells
      continue
    }
    if (cells.length !== head.length)
      throw new Error(`${at}: this row has ${cells.length} cells, and its table ${head.length}`)
    if (!cells.every((cell) => cell === '---')) tables.at(-1)!.push({ cells, line, at })
  }
  return tables
}

/** The text of a file of `spec/`, and its tables. */
export function readSpec(name: string) {
  const text = readFileSync(join(import.meta.dirname, '../../spec', name), 'utf8')
  return { text, tables: tablesOf(`spec/${name}`, text) }
}

function cellsOf(line: string, at: string): readonly string[] {
  if (!/^\| .*\|$/.test(line)) throw new Error(`${at}: a row begins with "| " and ends with "|"`)
  const cells = line.slice(1, -1).split(/(?<!\\)\|/)
  return cells.map((cell) => cell.trim().replaceAll(/\\([|<])/g, '$1'))
}
