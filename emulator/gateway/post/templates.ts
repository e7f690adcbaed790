// Renders the template of a route: references into the payload, in one pass; nothing is evaluated.

import { limits } from '../../../spec/limits.ts'
import { cuts, defaultText, jsonForm, reference } from '../../../spec/gateway/templates.ts'
import { floatText, isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { pythonText } from '../../lib/python.ts'

/** What a template can refer to. */
export type Context = {
  readonly payload: Json
  readonly event: Json
  readonly route: string
  /** Whether long values are cut, as the earlier gateway does. */
  readonly isCut: boolean
  /** Whether the heading shows an event that is not a text as Python prints it. */
  readonly isPython: boolean
}

/** The rendered text; undefined if it exceeds its limit. */
export function render(template: string, context: Context): string | undefined {
  const room = createRoom()
  try {
    if (template === '') return renderDefault(context, room)
    const parts: string[] = []
    // Each reference is rendered once, however often it occurs.
    const known = new Map<string, string>()
    let at = 0
    for (const found of template.matchAll(reference)) {
      const [whole, key = ''] = found
      parts.push(room.take(template.slice(at, found.index)))
      const value = known.get(key) ?? resolve(key, context, room) ?? whole
      known.set(key, value)
      parts.push(room.take(value))
      at = found.index + whole.length
    }
    parts.push(room.take(template.slice(at)))
    return parts.join('')
  } catch (error) {
    if (error === tooLong) return undefined
    throw error
  }
}

function renderDefault(context: Context, room: SizeBudget): string {
  const { payload, event, route, isCut, isPython } = context
  const texts: Readonly<Record<string, string>> = {
    event: isPython ? pythonText(event) : valueText(event, isCut, room),
    name: route,
    payload: cut(indented(payload, room), isCut, cuts.payload),
  }
  return room.take(defaultText.replace(/\{(\w+)\}/g, (place, key: string) => texts[key] ?? place))
}

/** Whether a template refers to the event type. */
export const namesEvent = (template: string): boolean => template.includes('{event_type}')

/** The text of a reference; undefined if the payload does not resolve it. */
function resolve(key: string, context: Context, room: SizeBudget): string | undefined {
  const { payload, event, isCut } = context
  if (key === '__raw__') return cut(indented(payload, room), isCut, cuts.payload)
  if (key === 'event_type') return valueText(event, isCut, room)
  let value: Json | undefined = payload
  for (const part of key.split('.')) {
    value = isObject(value) ? value.get(part) : undefined
    if (value === undefined) return undefined
  }
  return valueText(value, isCut, room)
}

const cut = (text: string, isCut: boolean, at: number): string => (isCut ? text.slice(0, at) : text)

const isContainer = (value: Json): value is Json[] | JsonObject =>
  Array.isArray(value) || isObject(value)

const valueText = (value: Json, isCut: boolean, room: SizeBudget): string =>
  isContainer(value) ? cut(indented(value, room), isCut, cuts.value) : pythonText(value)

/** Thrown when a text exceeds its limit, to stop rendering. */
const tooLong = new RangeError('The text is too long.')

/** The remaining size of a text. */
type SizeBudget = {
  /** Subtracts the bytes of a text, and returns it. Throws `tooLong` beyond the limit. */
  readonly take: (text: string) => string
  /** Throws `tooLong` if so many characters are too many. */
  readonly need: (characters: number) => void
}

function createRoom(): SizeBudget {
  let left: number = limits.renderedText.value
  const need = (characters: number): void => {
    if (characters > left) throw tooLong
  }
  const take = (text: string): string => {
    need(text.length)
    left -= utf8Length(text)
    if (left < 0) throw tooLong
    return text
  }
  return { take, need }
}

/** The length of a text in UTF-8. */
function utf8Length(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2
  }
  return bytes
}

/** Indented JSON in ASCII. Stops beyond the limit. */
function indented(value: Json, room: SizeBudget): string {
  const parts: string[] = []
  let length = 0
  const write = (text: string): void => {
    length += text.length
    room.need(length)
    parts.push(text)
  }
  const writeMembers = (
    ends: string,
    margin: string,
    members: Iterable<readonly [string | null, Json]>,
  ): void => {
    const inner = margin + ' '.repeat(jsonForm.indent)
    let before = `${ends[0]}\n`
    for (const [key, member] of members) {
      write(before + inner + (key === null ? '' : `${asciiText(key)}: `))
      writeValue(member, inner)
      before = ',\n'
    }
    write(`\n${margin}${ends[1]}`)
  }
  const writeValue = (one: Json, margin: string): void => {
    if (!isContainer(one)) write(scalarText(one))
    else if (Array.isArray(one)) {
      if (one.length === 0) write('[]')
      else
        writeMembers(
          '[]',
          margin,
          one.map((item) => [null, item] as const),
        )
    } else if (one.size === 0) write('{}')
    else writeMembers('{}', margin, one)
  }
  writeValue(value, '')
  return parts.join('')
}

function scalarText(value: Exclude<Json, Json[] | JsonObject>): string {
  if (typeof value === 'string') return asciiText(value)
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return `${value}`
  if (typeof value === 'number') return Number.isInteger(value) ? `${value}` : floatText(value)
  return floatText(value.float)
}

const escaped = new RegExp(jsonForm.escaped.source, 'g')

/** A text as a JSON string in ASCII. */
export const asciiText = (text: string): string => inAscii(JSON.stringify(text))

/** JSON in ASCII. */
export const inAscii = (json: string): string =>
  json.replace(escaped, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
