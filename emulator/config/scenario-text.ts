// Reads the text of a scenario file, YAML or JSON, and finds the line and column of each of its members.

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
} from 'yaml'
import type { Violation } from '../options/json-schema.ts'

export type Position = { readonly line: number; readonly column: number }

/** The path of a value, or of the name of a member. */
export type NamedPlace = Pick<Violation, 'path' | 'isName'>

/** The value in a text, and where its members stand; or why the text cannot be read, and where. */
export type ScenarioText =
  | { readonly value: unknown; readonly placeOf: (at: NamedPlace) => Position }
  | { readonly wrong: string; readonly place: Position }

/** Aliases that a text can expand to: each can stand for a large part of it. */
const MAX_ALIASES = 100

/** Reads a text. JSON is read as YAML, which contains it. */
export function readScenarioText(text: string, kind: 'JSON' | 'YAML'): ScenarioText {
  const tooDeep = {
    wrong: `nested more than ${MAX_DEPTH} levels deep`,
    place: { line: 1, column: 1 },
  }
  if (bracketDepth(text) > MAX_DEPTH) return tooDeep
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  const place = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  if (error !== undefined && isStackEnd(error)) return tooDeep
  if (error !== undefined)
    return { wrong: `not valid ${kind}: ${error.message}`, place: place(error.pos[0]) }
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    return { value, placeOf: (at) => place(offsetOf(document, at)) }
  } catch (aliases) {
    return isStackEnd(aliases as Error)
      ? tooDeep
      : { wrong: (aliases as Error).message, place: place(0) }
  }
}

/** Levels beyond any scenario's: the parser needs a second and much memory for each hundred thousand. */
const MAX_DEPTH = 900

/** How deeply brackets are nested. Those in texts count too, which rarely differ in number. */
function bracketDepth(text: string): number {
  let [depth, deepest] = [0, 0]
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

/** Whether nesting of another kind, such as lists in lists on one line, was too much for the parser. */
const isStackEnd = ({ message }: Error): boolean => message.includes('call stack')

/** Where a place begins in the text: the name of a member that is wrong itself, otherwise its value. */
function offsetOf(document: Document, { path, isName }: NamedPlace): number {
  let node: unknown = document.contents
  let offset = startOf(node) ?? 0
  for (const [at, part] of path.entries()) {
    const whole: unknown = isAlias(node) ? node.resolve(document) : node
    const pair = isMap(whole) ? whole.items.find(({ key }) => nameOf(key) === part) : undefined
    const isWrongName = isName === true && at === path.length - 1
    node = isSeq(whole) ? whole.items[part as number] : isWrongName ? pair?.key : valueOf(pair)
    offset = startOf(node) ?? offset
  }
  return offset
}

/** A member without a value stands where its name does. */
const valueOf = (pair: Pair | undefined): unknown =>
  startOf(pair?.value) === undefined ? pair?.key : pair?.value

const nameOf = (key: unknown): unknown => (isScalar(key) ? String(key.value) : key)

const startOf = (node: unknown): number | undefined => (node as Node | null)?.range?.[0]
