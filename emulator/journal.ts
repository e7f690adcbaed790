// The journal of a world: its inputs with their effects, in order. State is a function of it, so it replays.

import { secretKeys } from '../spec/access.ts'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { isObject, type Json, readDocument, writeJson } from './json.ts'
import type { Effect, Headers, Input } from './machine.ts'
import { replaceToken } from './requests.ts'
import { step } from './server/step.ts'
import { createWorld, type WorldOptions } from './server/world.ts'

export type Entry = { readonly input: Input; readonly effects: readonly Effect[] }

/** What the first line of a journal tells: everything that the world was made from but the catalogue. */
export type Header = {
  readonly flowdouble: string
  readonly options: Omit<WorldOptions, 'objectInfo'>
}

const VERSION = 'journal 1'

export function headerLine(all: WorldOptions): string {
  const { objectInfo: _objectInfo, ...options } = all
  const token = all.token === null ? null : placeholder(all.token, all.seed)
  const header: Header = { flowdouble: VERSION, options: { ...options, token } }
  return JSON.stringify(header)
}

/** One entry as a line of JSON. What a client keeps secret is replaced by a placeholder: equal secrets, equal placeholders. */
export function entryLine(entry: Entry, seed: string): string {
  const { input, effects } = entry
  if (input.kind !== 'request') {
    const shown = 'target' in input ? withoutToken(input, seed) : input
    return JSON.stringify({ input: shown, effects: shownEffects(effects, seed) })
  }
  const { body, ...rest } = input
  const shown = { ...withoutToken(rest, seed), ...shownBody(body, seed) }
  return JSON.stringify({ input: shown, effects: shownEffects(effects, seed) })
}

/** A keyed placeholder: it tells whether two secrets are equal, and nothing else. A placeholder stands for itself. */
export function placeholder(secret: string, seed: string): string {
  if (/^<secret:[0-9a-f]{12}>$/.test(secret)) return secret
  const key = utf8ToBytes(`flowdouble secrets of ${seed}`)
  return `<secret:${bytesToHex(hmac(sha256, key, utf8ToBytes(secret))).slice(0, 12)}>`
}

/** An input whose token, in its query or its headers, is a placeholder: the world of a replay has the same one. */
function withoutToken<T extends { readonly target: string; readonly headers: Headers }>(
  input: T,
  seed: string,
): T {
  const target = replaceToken(input.target, (token) => placeholder(token, seed))
  const { authorization, ...others } = input.headers
  if (authorization === undefined) return { ...input, target }
  const [, scheme = '', secret = authorization] = /^(bearer +)(.*)$/i.exec(authorization) ?? []
  const shown = scheme + placeholder(secret, seed)
  return { ...input, target, headers: { ...others, authorization: shown } }
}

function shownBody(body: Uint8Array, seed: string): { body: string } | { bodyBase64: string } {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return { bodyBase64: base64(body) }
  }
  return { body: withoutPartnerKeys(text, seed) }
}

/** Reads a body only when it may hold a key: under its name, or under a name spelled with escapes. */
function withoutPartnerKeys(text: string, seed: string): string {
  if (!secretKeys.some((name) => text.includes(name)) && !text.includes('\\u')) return text
  let document: Json
  let repeatsKeys: boolean
  try {
    ;({ value: document, repeatsKeys } = readDocument(text))
  } catch {
    // What is no JSON is refused whole; its key, if that is one, must not be kept either.
    return secretKeys.some((name) => text.includes(name)) ? placeholder(text, seed) : text
  }
  const extra = isObject(document) ? document.get('extra_data') : undefined
  if (!isObject(extra) || !secretKeys.some((name) => extra.has(name))) {
    // Of members that come twice the last one counts; the others could hold a key that nobody looks at.
    return repeatsKeys ? writeJson(document) : text
  }
  for (const name of secretKeys) {
    const secret = extra.get(name)
    if (typeof secret === 'string' && secret !== '') extra.set(name, placeholder(secret, seed))
  }
  return writeJson(document)
}

/** A secret member of a JSON text, wherever it stands. */
const secretMember = new RegExp(`"(${secretKeys.join('|')})":\\s*("(?:[^"\\\\]|\\\\.)+")`, 'g')

/** Effects with byte arrays as their length and hash, and without the keys that a quirk shows. */
const shownEffects = (effects: readonly Effect[], seed: string): unknown =>
  JSON.parse(
    JSON.stringify(effects, (_, value: unknown) => {
      if (typeof value === 'string') return withoutSecretMembers(value, seed)
      if (!(value instanceof Uint8Array)) return value
      return { bytes: value.length, sha256: bytesToHex(sha256(value)) }
    }),
  )

const withoutSecretMembers = (text: string, seed: string): string =>
  text.replace(secretMember, (_, name: string, secret: string) => {
    return `"${name}": ${JSON.stringify(placeholder(JSON.parse(secret) as string, seed))}`
  })

function base64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

type RequestInput = Extract<Input, { kind: 'request' }>
/** An input as a line tells it: bodies are text, or base64 where they are no UTF-8. */
type LineInput =
  | Exclude<Input, RequestInput>
  | (Omit<RequestInput, 'body'> & { readonly body?: string; readonly bodyBase64?: string })

function inputOf(line: string): Input {
  const { input } = JSON.parse(line) as { input: LineInput }
  if (input.kind !== 'request') return input
  const { body = '', bodyBase64, ...rest } = input
  if (bodyBase64 === undefined) return { ...rest, body: utf8ToBytes(body) }
  return { ...rest, body: Uint8Array.from(atob(bodyBase64), (char) => char.charCodeAt(0)) }
}

/**
 * Runs the inputs of a journal through a new world and returns the number of entries and the first one whose
 * effects differ (from 0), or null. `objectInfo` is the catalogue that the world had.
 * Throws SyntaxError for a text that is no journal, or one that has lost its beginning.
 */
export function replay(
  text: string,
  objectInfo: string,
): { entries: number; differs: number | null } {
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '')
  const header = JSON.parse(first) as Partial<Header>
  if (header.flowdouble !== VERSION || header.options === undefined) {
    throw new SyntaxError('This is no journal: its first line lacks the options of a world.')
  }
  const world = createWorld({ ...header.options, objectInfo })
  const { seed } = header.options
  const differs = lines.findIndex((line) => {
    const input = inputOf(line)
    return entryLine({ input, effects: step(world, input) }, seed) !== line
  })
  return { entries: lines.length, differs: differs < 0 ? null : differs }
}
