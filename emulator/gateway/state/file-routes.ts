// The routes of a subscriptions file, read anew only where its text has changed: with thousands of routes, reading all of
// them for a change of one would hold up every post.

import { isObject, readJson } from '../../lib/json.ts'
import { readRoute, type Route, secretHolders } from './routes.ts'

/** A member of the file. */
export type FileRoute = {
  /** Its text: as long as it is the same, so is the route. */
  readonly source: string
  readonly route: Route
  /** All secrets in it, also those that open no route. */
  readonly secrets: readonly string[]
}

export type FileRoutes = ReadonlyMap<string, FileRoute>

/**
 * The members of a file by name; undefined for text that is not a JSON object of objects.
 * @param known those of an earlier text: members with the same text stay the same objects.
 * @param globalSecret for routes without the member `secret`; null for none.
 */
export function readFileRoutes(
  text: string,
  known: FileRoutes,
  globalSecret: string | null,
): FileRoutes | undefined {
  const found = new Map<string, FileRoute>()
  try {
    for (const [key, source] of membersOf(text)) {
      const name = nameOf(key)
      const before = known.get(name)
      const isSame = before !== undefined && before.source === source
      // The text itself is part of the new one: kept from the earlier one, it would keep all of that in memory.
      const one = isSame
        ? { source, route: before.route, secrets: before.secrets }
        : readMember(name, source, globalSecret)
      found.set(name, one)
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  return found
}

function readMember(name: string, source: string, globalSecret: string | null): FileRoute {
  // In brackets it is as deep as in its file, and a text of its own, of which the texts in it are parts.
  const value = readJson(`[${source}]`)
  const route = Array.isArray(value) ? value[0] : undefined
  if (!isObject(route)) throw new SyntaxError('A route is not an object.')
  const secrets = secretHolders(route).flatMap((holder) => {
    const secret = holder.get('secret')
    return typeof secret === 'string' ? secret : []
  })
  return { source, route: readRoute(name, route, globalSecret), secrets }
}

/** The name that a key stands for, with its quotes. Most contain nothing that needs more than a look. */
function nameOf(key: string): string {
  const plain = key.slice(1, -1)
  // oxlint-disable-next-line eslint/no-control-regex -- JSON does not allow them in texts.
  if (!/[\\\u0000-\u001f]/.test(plain)) return plain
  const name = readJson(key)
  if (typeof name !== 'string') throw new SyntaxError('A key is not a text.')
  return name
}

const code = (character: string): number => character.charCodeAt(0)
const [quote, backslash, comma, colon] = [code('"'), code('\\'), code(','), code(':')]
const [openObject, closeObject, openList, closeList] = [code('{'), code('}'), code('['), code(']')]

/**
 * The keys and values of a JSON object as they are written, in order. It only finds where they begin and end: whoever reads
 * them finds what is wrong in them. Throws SyntaxError for text that is not such an object of objects.
 */
function* membersOf(text: string): Iterable<readonly [key: string, value: string]> {
  const fail = (at: number): never => {
    throw new SyntaxError(`This is not an object of objects at position ${at}.`)
  }
  const expect = (at: number, character: number): number =>
    text.charCodeAt(at) === character ? at + 1 : fail(at)
  let at = afterBlanks(
    text,
    expect(afterBlanks(text, text.startsWith('\uFEFF') ? 1 : 0), openObject),
  )
  if (text.charCodeAt(at) === closeObject) at++
  else {
    for (;;) {
      const keyEnd = text.charCodeAt(at) === quote ? endOfText(text, at) : fail(at)
      const valueStart = afterBlanks(text, expect(afterBlanks(text, keyEnd), colon))
      const valueEnd =
        text.charCodeAt(valueStart) === openObject ? endOf(text, valueStart) : fail(at)
      yield [text.slice(at, keyEnd), text.slice(valueStart, valueEnd)]
      at = afterBlanks(text, valueEnd)
      if (text.charCodeAt(at) === closeObject) break
      at = afterBlanks(text, expect(at, comma))
    }
    at++
  }
  if (afterBlanks(text, at) < text.length) fail(at)
}

function afterBlanks(text: string, from: number): number {
  let at = from
  for (;;) {
    const one = text.charCodeAt(at)
    if (one !== 32 && one !== 10 && one !== 13 && one !== 9) return at
    at++
  }
}

/** Where the text in quotes ends that begins there. */
function endOfText(text: string, start: number): number {
  let at = start
  for (;;) {
    at = text.indexOf('"', at + 1)
    if (at < 0) throw new SyntaxError('A text has no end.')
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return at + 1
  }
}

/** Where the object ends that begins there. */
function endOf(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const one = text.charCodeAt(at)
    if (one === quote) at = endOfText(text, at) - 1
    else if (one === openObject || one === openList) depth++
    else if (one === closeObject || one === closeList) {
      depth--
      if (depth === 0) return at + 1
    }
  }
  throw new SyntaxError('An object has no end.')
}
