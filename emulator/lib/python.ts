// Prints and converts values like Python: the real server's error texts and coercions are those of Python.

import { floatText, isFloat, isObject, type Json, numberOf } from './json.ts'

/** The result of Python's `str` for a JSON value. */
export const pythonText = (value: Json): string =>
  typeof value === 'string' ? value : pythonRepr(value)

/** The result of Python's `repr` for a JSON value. */
export function pythonRepr(value: Json): string {
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'bigint') return `${value}`
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return 'nan'
    if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
    return Number.isInteger(value) ? `${value}` : floatText(value)
  }
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`
  if (isObject(value)) {
    const members = Array.from(value, ([key, member]) => `${quoted(key)}: ${pythonRepr(member)}`)
    return `{${members.join(', ')}}`
  }
  return floatText(value.float)
}

/** What Python shows by its code. */
const UNPRINTABLE = /[\p{C}\p{Z}]/u

function escaped(code: number): string {
  const [letter, digits] = code < 0x100 ? ['x', 2] : code < 0x10000 ? ['u', 4] : ['U', 8]
  return `\\${letter}${code.toString(16).padStart(digits, '0')}`
}

/** Python quotes with ' unless the text contains ' and no ". */
function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  let inner = ''
  for (const char of text) {
    const code = char.codePointAt(0) as number
    if (char === mark || char === '\\') inner += `\\${char}`
    else if (char === '\n') inner += '\\n'
    else if (char === '\r') inner += '\\r'
    else if (char === '\t') inner += '\\t'
    else if (char !== ' ' && UNPRINTABLE.test(char)) inner += escaped(code)
    else inner += char
  }
  return `${mark}${inner}${mark}`
}

/** The name of the Python type of a JSON value, as in a TypeError. */
export function pythonTypeName(value: Json): string {
  if (value === null) return 'NoneType'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'str'
  if (Array.isArray(value)) return 'list'
  if (isObject(value)) return 'dict'
  return isFloat(value) || (typeof value === 'number' && !Number.isInteger(value)) ? 'float' : 'int'
}

/** Python's blanks, as a class of a regular expression; JavaScript has others. */
export const blanks =
  '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const leadingBlanks = new RegExp(`^${blanks}+`)
const blank = new RegExp(blanks)

/** Python's `rstrip`. */
export function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && blank.test(text[end - 1] as string)) end--
  return text.slice(0, end)
}

/** Python's `lstrip`. */
export const trimStart = (text: string): string => text.replace(leadingBlanks, '')

/** Python's `strip`. */
export const trimBoth = (text: string): string => trimStart(trimEnd(text))

/** What Python says of an attribute that a type lacks. */
export const lacksAttribute = (type: string, attribute: string): string =>
  `'${type}' object has no attribute '${attribute}'`

/** What Python says of an index whose type a text, a list or a tuple does not take, by the names of both types. */
export const wrongIndex = (holder: string, index: string): string =>
  holder === 'str'
    ? `string indices must be integers, not '${index}'`
    : `${holder} indices must be integers or slices, not ${index}`

/** Whether the value is true in Python. */
export function isTruthy(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '') return false
  if (value === true) return true
  if (Array.isArray(value)) return value.length > 0
  if (isObject(value)) return value.size > 0
  const number = numberOf(value)
  return number === undefined || number !== 0
}

/** Python's `==` on JSON values: `1`, `1.0` and `true` are equal. */
export function pythonEquals(a: Json, b: Json): boolean {
  if (typeof a === 'string' || typeof b === 'string' || a === null || b === null) return a === b
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, index) => pythonEquals(item, b[index] as Json))
  }
  if (isObject(a) || isObject(b)) {
    if (!isObject(a) || !isObject(b) || a.size !== b.size) return false
    return Array.from(a).every(
      ([key, member]) => b.has(key) && pythonEquals(member, b.get(key) as Json),
    )
  }
  return sameNumber(exact(a), exact(b))
}

function sameNumber(a: number | bigint, b: number | bigint): boolean {
  if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && a === BigInt(b)
  return typeof b === 'bigint' && typeof a === 'number' ? sameNumber(b, a) : a === b
}

/** The value as a number or bigint, booleans as 0 and 1. */
function exact(value: boolean | number | bigint | { readonly float: number }): number | bigint {
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'object' ? value.float : value
}

/** -1, 0 or 1 for numbers of any kind; 0 if one is not a number, since Python's NaN is within every bound. */
export function compareNumbers(a: Json, b: Json): number {
  const left = typeof a === 'bigint' ? a : numberOf(a)
  const right = typeof b === 'bigint' ? b : numberOf(b)
  if (left === undefined || right === undefined) return 0
  return left < right ? -1 : left > right ? 1 : 0
}

/** The result of a conversion: a value, or the text of Python's exception. */
export type Conversion = { readonly value: Json } | { readonly failure: string }

/** The same text with the decimal digits of all scripts as ASCII, as Python's `int` and `float` read them. */
export const withAsciiDigits = (text: string): string =>
  text.replace(/(?![0-9])\p{Nd}/gu, (digit) => `${digitValue(digit.codePointAt(0) as number)}`)

/** Digits form ranges of ten, from 0 to 9. */
function digitValue(code: number): number {
  let first = code
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--
  return (code - first) % 10
}

/** Python's `isdigit`: decimal digits, and superscript, subscript and circled ones, which `int` does not read. */
export const isDigits = (text: string): boolean =>
  /^[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468]+$/u.test(text)

const INTEGER = /^[\s]*([+-]?\d+(?:_\d+)*)[\s]*$/
// Each digit matches in only one place: a regular expression with alternatives would take quadratic time.
const FLOAT =
  /^\s*([+-]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d[\d_]*)?|[+-]?(?:inf|infinity|nan))\s*$/i
/** Python allows `_` only between two digits. */
const MISPLACED_UNDERSCORE = /_(?!\d)|(?<!\d)_/

/** Python's `int(value)`: truncates fractions, reads whole numbers from text. */
export function toInt(value: Json): Conversion {
  if (typeof value === 'boolean') return { value: value ? 1 : 0 }
  if (typeof value === 'bigint') return { value }
  if (typeof value === 'string') {
    const digits = INTEGER.exec(withAsciiDigits(value))?.[1]?.replaceAll('_', '')
    if (digits === undefined || digits.length > 4300) {
      return { failure: `invalid literal for int() with base 10: ${quoted(value)}` }
    }
    return { value: integer(BigInt(digits)) }
  }
  const number = numberOf(value)
  if (number === undefined) {
    const type = pythonTypeName(value)
    return {
      failure: `int() argument must be a string, a bytes-like object or a real number, not '${type}'`,
    }
  }
  // Most are whole already; adding 0 removes -0, which is not an int.
  if (Number.isSafeInteger(number)) return { value: number + 0 }
  if (Number.isNaN(number)) return { failure: 'cannot convert float NaN to integer' }
  if (!Number.isFinite(number)) return { failure: 'cannot convert float infinity to integer' }
  return { value: integer(BigInt(Math.trunc(number))) }
}

const integer = (value: bigint): number | bigint => {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Python's `float(value)`. */
export function toFloat(value: Json): Conversion {
  if (typeof value === 'boolean') return { value: { float: value ? 1 : 0 } }
  if (typeof value === 'string') {
    const text = FLOAT.exec(withAsciiDigits(value))?.[1]?.replaceAll('_', '').toLowerCase()
    if (text === undefined || MISPLACED_UNDERSCORE.test(withAsciiDigits(value)))
      return { failure: `could not convert string to float: ${quoted(value)}` }
    return { value: floatValue(namedFloat(text) ?? Number(text)) }
  }
  const number = numberOf(value)
  if (number !== undefined) return { value: floatValue(number) }
  return {
    failure: `float() argument must be a string or a real number, not '${pythonTypeName(value)}'`,
  }
}

function namedFloat(text: string): number | undefined {
  const name = text.replace(/^[+-]/, '')
  const sign = text.startsWith('-') ? -1 : 1
  if (name === 'nan') return NaN
  return name === 'inf' || name === 'infinity' ? sign * Infinity : undefined
}

const floatValue = (number: number): Json => (Number.isInteger(number) ? { float: number } : number)
