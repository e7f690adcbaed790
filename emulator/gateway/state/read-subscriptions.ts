// Reads the text of a subscriptions file. Of thousands of routes mostly one has changed: only what differs from the latest
// text is parsed.

import { isObject, type JsonObject, readDocument } from '../../lib/json.ts'

/** A member of the file, and where its value stands in the text: [start, end). */
type Member = {
  readonly name: string
  readonly value: JsonObject
  readonly start: number
  readonly end: number
}

/** A text, with all its members in their order, also those that a later one with the same name replaces. */
type ParsedFile = {
  readonly text: string
  readonly members: readonly Member[]
  readonly routes: ReadonlyMap<string, JsonObject>
  /** How many characters were parsed for it since all of a text was: the members keep that much in memory. */
  readonly parsedCharacters: number
}

/** Shorter texts are parsed as fast as they are compared. */
const LONG = 65_536

/**
 * The latest long text. What is read is a function of the text alone: this only makes it faster. Nobody changes the objects
 * of a file.
 */
let latest: ParsedFile | undefined

/** The routes of a subscriptions file by name; undefined for text that is not a JSON object of objects. */
export function readFile(text: string): ReadonlyMap<string, JsonObject> | undefined {
  if (text.length < LONG) return readAll(text)?.routes
  if (text === latest?.text) return latest.routes
  const changed = latest === undefined ? undefined : readChange(latest, text)
  if (changed !== undefined) {
    latest = changed
    return changed.routes
  }
  const { routes, members, repeatsKeys } = readAll(text) ?? {}
  if (routes !== undefined && members !== undefined && !repeatsKeys)
    latest = { text, members, routes, parsedCharacters: 0 }
  return routes
}

const MARK = '\uFEFF'

/** What the text of a JSON object of objects contains; undefined for any other text. */
function readAll(text: string):
  | {
      readonly members: readonly Member[]
      readonly routes: ReadonlyMap<string, JsonObject>
      readonly repeatsKeys: boolean
    }
  | undefined {
  const before = text.startsWith(MARK) ? MARK.length : 0
  const document = documentOf(text.slice(before))
  if (document === undefined || !isObject(document.value)) return undefined
  const { value: all, spans, repeatsKeys } = document
  const members: Member[] = []
  const routes = new Map<string, JsonObject>()
  for (const [name, value] of all) {
    if (!isObject(value)) return undefined
    const [start, end] = spans.get(name) as readonly [number, number]
    members.push({ name, value, start: start + before, end: end + before })
    routes.set(name, value)
  }
  return { members, routes, repeatsKeys }
}

function documentOf(text: string): ReturnType<typeof readDocument> | undefined {
  try {
    return readDocument(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** What stands for the members before a change, and for the value of the first one behind it. */
const BEFORE = '{"": {}'
const BEHIND = '{}}'

/**
 * The text by what differs from an earlier one: the members that end before the first difference, and those whose values
 * begin behind the last one, are the same. Undefined if the whole text must be read.
 */
function readChange(earlier: ParsedFile, text: string): ParsedFile | undefined {
  const { members } = earlier
  const same = sameAtStart(earlier.text, text)
  const movedBy = text.length - earlier.text.length
  const most = Math.min(text.length, earlier.text.length) - same
  const behind = earlier.text.length - sameAtEnd(earlier.text, text, most)
  const headCount = countUntil(members, ({ end }) => end > same)
  const tailFrom = Math.max(
    headCount,
    countUntil(members, ({ start }) => start >= behind),
  )
  const head = members.slice(0, headCount)
  const tail = members.slice(tailFrom)
  const from = head.at(-1)?.end ?? 0
  const next = tail[0]
  const to = next === undefined ? text.length : next.start + movedBy
  const parsedCharacters = earlier.parsedCharacters + to - from
  if (parsedCharacters > text.length) return undefined

  const before = head.length === 0 ? '' : BEFORE
  const read = readAll(before + text.slice(from, to) + (next === undefined ? '' : BEHIND))
  if (read === undefined || read.repeatsKeys) return undefined
  const inner = read.members.slice(head.length === 0 ? 0 : 1)
  const movedInner = from - before.length
  const all = [...head, ...inner.map((one) => moved(one, movedInner))]
  if (next !== undefined) {
    // Its name stands before its value, among what was read.
    const first = all.pop() as Member
    all.push(moved({ ...next, name: first.name }, movedBy))
    for (const one of tail.slice(1)) all.push(moved(one, movedBy))
  }
  const routes = new Map(all.map(({ name, value }) => [name, value]))
  return { text, members: all, routes, parsedCharacters }
}

const moved = (member: Member, by: number): Member =>
  by === 0
    ? member
    : { name: member.name, value: member.value, start: member.start + by, end: member.end + by }

/** How many members come before the first one that matches; all before it do not match, and all behind it do. */
function countUntil(members: readonly Member[], matches: (one: Member) => boolean): number {
  let [low, high] = [0, members.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (matches(members[middle] as Member)) high = middle
    else low = middle + 1
  }
  return low
}

/** How many characters two texts have in common at their start. */
function sameAtStart(one: string, other: string): number {
  let [low, high] = [0, Math.min(one.length, other.length)]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (one.slice(low, middle) === other.slice(low, middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** The same at their end, at most so many. */
function sameAtEnd(one: string, other: string, most: number): number {
  let [low, high] = [0, most]
  const partOf = (text: string, from: number, to: number): string =>
    text.slice(text.length - to, text.length - from)
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (partOf(one, low, middle) === partOf(other, low, middle)) low = middle
    else high = middle - 1
  }
  return low
}
