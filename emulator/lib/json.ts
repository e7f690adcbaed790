// Reads JSON without losing what JSON.parse loses (key order, 64-bit integers, `1.0`), and writes it back unchanged.
//
// Node ids are integer-like keys, and the order in which nodes are validated, listed and run follows the order in the
// text. JavaScript objects sort such keys, so documents from clients are read into Maps [workflows/keeps-key-order].

/** An integral number that was written as a fraction: `1.0` is `{ float: 1 }`. Client objects are Maps, so this is unambiguous. */
export type Float = { readonly float: number }

/** A JSON value. Fractions and safe integers are numbers, other integers bigints. */
export type Json = null | boolean | string | number | bigint | Float | Json[] | JsonObject
export type JsonObject = Map<string, Json>

/** A document together with the text of each member of its top-level object. */
export type JsonDocument = {
  readonly value: Json
  /** The range of each top-level member's value in the text: [start, end). Empty for a non-object. */
  readonly spans: ReadonlyMap<string, readonly [start: number, end: number]>
  /** Whether an object contains a duplicate key: then the text contains more than the value. */
  readonly repeatsKeys: boolean
  /** The ranges of numbers in the text, in order: the first ones at the depth of a graph's literals. */
  readonly numbers: readonly NumberSpan[]
}

/** A number that is the member `key` of `holder`, and its range in the text. */
export type NumberSpan = {
  readonly holder: JsonObject
  readonly key: string
  readonly start: number
  readonly end: number
}

/**
 * Ranges are recorded for numbers in objects of this depth, as the inputs of a node are: document, prompt, node,
 * inputs,
 */
const NUMBERS_DEPTH = 4
/** up to this number. */
const MAX_NUMBERS = 10_000

/** Deeper documents are rejected; Python's reader stops near this depth too. */
const MAX_DEPTH = 900
let maxDepth = MAX_DEPTH
/** Longer integers are rejected, as in Python, because converting them takes quadratic time. */
const MAX_INTEGER_DIGITS = 4300
let maxIntegerDigits = MAX_INTEGER_DIGITS

export const isObject = (value: Json | undefined): value is JsonObject => value instanceof Map

export const isFloat = (value: Json | undefined): value is Float =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map)

const isNumber = (value: Json): boolean =>
  typeof value === 'number' || typeof value === 'bigint' || isFloat(value)

/** The value as a plain number (rounded for large bigints), or undefined if it is not a number. */
export function numberOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  return isFloat(value) ? value.float : undefined
}

// The position is a module variable: the reader is synchronous and never re-entered, and this is twice as fast as a
// closure or an object per document.
let text = ''
let at = 0
let depth = 0
let repeatsKeys = false
/** Null while nobody asks for positions. */
let spans: Map<string, readonly [number, number]> | null = null
let numbers: NumberSpan[] | null = null

/** Parses a JSON text. Throws SyntaxError for invalid JSON (accepts bare NaN and Infinity, like Python). */
export function readJson(source: string): Json {
  text = source
  at = 0
  depth = 0
  repeatsKeys = false
  try {
    skipBlanks()
    const value = readValue()
    skipBlanks()
    if (at < text.length) fail()
    return value
  } finally {
    text = ''
  }
}

/** Like `readJson`, with other limits for the depth of the text and the digits of its integers. */
export function readJsonWithin(
  source: string,
  bounds: { readonly depth: number; readonly integerDigits: number },
): Json {
  maxDepth = bounds.depth
  maxIntegerDigits = bounds.integerDigits
  try {
    return readJson(source)
  } finally {
    maxDepth = MAX_DEPTH
    maxIntegerDigits = MAX_INTEGER_DIGITS
  }
}

/** Like `readJson`, and returns the positions of top-level members, so that they can be kept as written. */
export function readDocument(source: string): JsonDocument {
  const positions = { spans: new Map(), numbers: [] }
  ;({ spans, numbers } = positions)
  try {
    const value = readJson(source)
    return { value, repeatsKeys, ...positions }
  } finally {
    spans = null
    numbers = null
  }
}

/** A text that could be JSON, but exceeds the depth or the digits that its reader allows. */
export class BoundError extends SyntaxError {}

function failAtBound(): never {
  throw new BoundError(`too deep or too long at position ${at}`)
}

function fail(position = at): never {
  throw new SyntaxError(`no JSON value at position ${position}`)
}

function skipBlanks(): void {
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
    at++
  }
}

function readValue(): Json {
  switch (text.charCodeAt(at)) {
    case 0x22:
      return readString()
    case 0x7b:
      return readObject()
    case 0x5b:
      return readArray()
    case 0x74:
      return readWord('true', true)
    case 0x66:
      return readWord('false', false)
    case 0x6e:
      return readWord('null', null)
    case 0x4e:
      return readWord('NaN', NaN)
    case 0x49:
      return readWord('Infinity', Infinity)
    default:
      return readNumber()
  }
}

function readWord<T>(word: string, value: T): T {
  if (!text.startsWith(word, at)) fail()
  at += word.length
  return value
}

function readString(): string {
  const start = ++at
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return text.slice(start, at++)
    if (code === 0x5c) return readEscapedString(start)
    // NaN, past the end, fails the comparison too.
    if (!(code >= 0x20)) fail()
    at++
  }
}

/** A string with escapes: find its end, then let the platform decode it. */
function readEscapedString(start: number): string {
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 0x22) break
    if (!(code >= 0x20)) fail()
    at += code === 0x5c ? 2 : 1
  }
  return JSON.parse(text.slice(start - 1, ++at)) as string
}

function readArray(): Json[] {
  if (++depth > maxDepth) failAtBound()
  const items: Json[] = []
  at++
  skipBlanks()
  if (text.charCodeAt(at) === 0x5d) at++
  else {
    for (;;) {
      skipBlanks()
      items.push(readValue())
      skipBlanks()
      const code = text.charCodeAt(at++)
      if (code === 0x5d) break
      if (code !== 0x2c) fail(at - 1)
    }
  }
  depth--
  return items
}

function readObject(): JsonObject {
  if (++depth > maxDepth) failAtBound()
  const members: JsonObject = new Map()
  let count = 0
  at++
  skipBlanks()
  if (text.charCodeAt(at) === 0x7d) at++
  else {
    for (;;) {
      skipBlanks()
      if (text.charCodeAt(at) !== 0x22) fail()
      const key = readString()
      skipBlanks()
      if (text.charCodeAt(at++) !== 0x3a) fail(at - 1)
      skipBlanks()
      const start = at
      const value = readValue()
      members.set(key, value)
      if (members.size !== ++count) {
        repeatsKeys = true
        count = members.size
      }
      if (depth === 1) spans?.set(key, [start, at])
      else if (depth === NUMBERS_DEPTH && numbers !== null && isNumber(value))
        if (numbers.length < MAX_NUMBERS) numbers.push({ holder: members, key, start, end: at })
      skipBlanks()
      const code = text.charCodeAt(at++)
      if (code === 0x7d) break
      if (code !== 0x2c) fail(at - 1)
    }
  }
  depth--
  return members
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

function skipDigits(): void {
  if (!isDigit(text.charCodeAt(at))) fail()
  while (isDigit(text.charCodeAt(at))) at++
}

function readNumber(): Json {
  const start = at
  if (text.charCodeAt(at) === 0x2d) at++
  if (text.charCodeAt(at) === 0x49) return -readWord('Infinity', Infinity)
  if (text.charCodeAt(at) === 0x30) at++
  else skipDigits()
  let integral = true
  if (text.charCodeAt(at) === 0x2e) {
    integral = false
    at++
    skipDigits()
  }
  const code = text.charCodeAt(at)
  if (code === 0x65 || code === 0x45) {
    integral = false
    at++
    const sign = text.charCodeAt(at)
    if (sign === 0x2b || sign === 0x2d) at++
    skipDigits()
  }
  const digits = text.slice(start, at)
  return integral ? integerOf(digits) : floatOf(Number(digits))
}

function integerOf(digits: string): number | bigint {
  const value = Number(digits)
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value
  if (digits.length > maxIntegerDigits) failAtBound()
  return BigInt(digits)
}

/** A number that is a float: integral ones are marked, so that they are written with a point. */
export const floatOf = (value: number): Json => (Number.isInteger(value) ? { float: value } : value)

/** Writes a value as JSON text: integers in full, floats with a point, members in order. */
export function writeJson(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? `${value}` : floatText(value)
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return `${value}`
  if (Array.isArray(value)) return `[${value.map(writeJson).join(', ')}]`
  if (value instanceof Map) {
    const members: string[] = []
    for (const [key, member] of value) members.push(`${quotedKey(key)}: ${writeJson(member)}`)
    return `{${members.join(', ')}}`
  }
  return floatText(value.float)
}

/** All graphs contain the same keys: the quoted form of so many short ones is cached. */
const MAX_QUOTED_KEYS = 2000
const quotedKeys = new Map<string, string>()

function quotedKey(key: string): string {
  const known = quotedKeys.get(key)
  if (known !== undefined) return known
  const quoted = JSON.stringify(key)
  if (quotedKeys.size < MAX_QUOTED_KEYS && key.length < 13) quotedKeys.set(key, quoted)
  return quoted
}

/** A float as Python prints it: always with a point or an exponent, the latter below 1e-4 and from 1e16. */
export function floatText(value: number): string {
  if (!Number.isFinite(value))
    return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity'
  if (Object.is(value, -0)) return '-0.0'
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [mantissa, exponent = '+0'] = value.toExponential().split('e')
    const digits = exponent.slice(1).padStart(2, '0')
    return `${mantissa}e${exponent[0]}${digits}`
  }
  const plain = `${value}`
  return plain.includes('.') ? plain : `${plain}.0`
}

/**
 * Copies a text into separate memory. A slice keeps the whole body alive, and a text built by `+` is a tree of its
 * parts: both waste memory if kept for long. Joining two or more parts creates a new text.
 */
export function copyText(value: string): string {
  // Engines copy slices this short anyway.
  return value.length < 13 ? value : [value.slice(0, 1), value.slice(1)].join('')
}
