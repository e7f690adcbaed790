// The journal of a server: its inputs with their effects, in order. State is a function of it, so it replays.

import { keyHeader, secretKeys } from '../../spec/server/access.ts'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64, lettersOf } from '../lib/base64.ts'
import { isObject, type Json, readDocument, writeJson } from '../lib/json.ts'
import { holdsSecret, secretsOf, withoutSecrets } from '../journal/known-secrets.ts'
import type { Effect, Headers, Input } from '../machine.ts'
import { bodyText } from '../http/requests.ts'
import { step } from './step.ts'
import * as hosted from './hosted/index.ts'
import { isPlaceholder, placeholders } from '../journal/placeholders.ts'
import { createServer } from './server.ts'
import { shownTarget } from '../journal/target.ts'
import type { WorldOptions } from './state/options.ts'

export type Entry = { readonly input: Input; readonly effects: readonly Effect[] }

/** What the first line of a journal tells: everything that the server was made from but the catalogue. */
export type Header = {
  readonly flowdouble: string
  /** Number of the first entry that follows; above 0 the beginning is lost, and nothing can be replayed. */
  readonly first: number
  readonly options: Omit<WorldOptions, 'objectInfo'>
}

const VERSION = 'journal 1'
const apiKeyHeader = keyHeader.toLowerCase()

/**
 * @param hide makes the placeholder of a secret.
 * @param first number of the first entry that follows.
 */
export function headerLine(all: WorldOptions, hide: (secret: string) => string, first = 0): string {
  const { objectInfo: _objectInfo, ...options } = all
  const token = all.token === null ? null : hide(all.token)
  const accounts = all.accounts.map((account) => ({
    ...account,
    keys: account.keys.map(hide),
    partnerKey: account.partnerKey === null ? null : hide(account.partnerKey),
  }))
  const header: Header = { flowdouble: VERSION, first, options: { ...options, token, accounts } }
  return JSON.stringify(header)
}

/** What replaces secrets: one that is known to be one, those that stand in a text, and what the server knows. */
type Hide = {
  readonly one: (secret: string) => string
  readonly known: (text: string) => string
  /** Whether a text holds what the server knows. */
  readonly holds: (text: string) => boolean
}

/**
 * Writes entries as lines of JSON. Credentials, and what the server knows its clients by wherever it stands, are replaced
 * by placeholders [access/journal-keys-hidden]: equal secrets, equal placeholders.
 * @param toPlaceholder makes the placeholder of a secret.
 */
export function lineWriter(
  options: Pick<WorldOptions, 'token' | 'accounts'>,
  toPlaceholder: (secret: string) => string,
): (entry: Entry) => string {
  const secrets = secretsOf(options)
  const known = (text: string): string => withoutSecrets(text, secrets, toPlaceholder)
  // What is hidden as known may stand where any secret is hidden.
  const hidden = new Set(secrets.map(({ text }) => toPlaceholder(text)))
  const one = (secret: string): string => (hidden.has(secret) ? secret : toPlaceholder(secret))
  const hide: Hide = { one, known, holds: (text) => holdsSecret(text, secrets) }
  return ({ input, effects }) =>
    JSON.stringify({
      input: shownInput(input, hide),
      effects: effects.map((effect) => shownEffect(effect, hide)),
    })
}

function shownInput(input: Input, hide: Hide): unknown {
  if (input.kind === 'message') return { ...input, text: hide.known(input.text) }
  if (input.kind !== 'request' && input.kind !== 'open') return input
  const target = shownTarget(input.target, hide.one, hide.known)
  if (input.kind === 'open') return { ...input, target, headers: shownHeaders(input.headers, hide) }
  const { body: _body, ...rest } = input
  const { headers, ...body } = shownBody(input, hide)
  return { ...rest, target, headers: shownHeaders(headers, hide), ...body }
}

/** Headers whose credentials are placeholders: the server of a replay has the same ones. */
function shownHeaders(headers: Headers, hide: Hide): Headers {
  const shown: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name === apiKeyHeader) shown[name] = hide.one(value)
    else if (name === 'authorization') {
      const [, scheme = '', secret = value] = /^(bearer +)(.*)$/i.exec(value) ?? []
      shown[name] = scheme + hide.one(secret)
    } else shown[name] = hide.known(value)
  }
  return shown
}

/** The body as text without keys, in base64 where it is no UTF-8, and the headers that go with it. */
function shownBody(
  input: RequestInput,
  hide: Hide,
): { headers: Headers } & ({ body: string } | { bodyBase64: string }) {
  const { body, headers } = input
  const type = headers['content-type'] ?? ''
  const text = orUndefined(() => bodyText(input))
  if (text === undefined) {
    if (holdsFiles(input)) return { headers, bodyBase64: base64(shownBytes(body, hide)) }
    // What is no text is refused whole, unless it is a form; its key must not be kept either.
    const letters = lettersOf(body).replaceAll('\0', '')
    const mayHoldKey =
      secretKeys.some((name) => letters.includes(name)) || hide.known(letters) !== letters
    return mayHoldKey ? { headers, body: hide.one(letters) } : { headers, bodyBase64: base64(body) }
  }
  const known = hide.known(text)
  const shown = holdsFiles(input) ? known : withoutPartnerKeys(known, hide)
  if (shown !== text) {
    const inUtf8 = { 'content-type': type.replace(/charset\s*=\s*"?[^\s;"]*"?/i, 'charset=utf-8') }
    return { headers: type === '' ? headers : { ...headers, ...inUtf8 }, body: shown }
  }
  const isUtf8 = orUndefined(() => utf8.decode(body)) === text
  return isUtf8 ? { headers, body: text } : { headers, bodyBase64: base64(body) }
}

/** Bytes without what the server knows, where it stands in them as ASCII. */
function shownBytes(bytes: Uint8Array, hide: Hide): Uint8Array {
  const letters = lettersOf(bytes)
  const shown = hide.known(letters)
  return shown === letters ? bytes : Uint8Array.from(shown, (letter) => letter.charCodeAt(0))
}

/** Files that a client stores are no submits, and a server gives them back byte by byte. */
const holdsFiles = ({ target, headers }: RequestInput): boolean =>
  /^multipart/i.test(headers['content-type'] ?? '') ||
  /^(\/api)?\/(userdata|settings)\b/.test(target)

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function orUndefined<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

/**
 * The text without keys, at whatever depth they stand and however they are spelled. Only the member that holds one is
 * written anew: the rest stays as it came, since a server gives it back as it came.
 */
function withoutPartnerKeys(text: string, hide: Hide): string {
  // A name may be spelled with escapes, and so may a key.
  const namesKey = secretKeys.some((name) => text.includes(name))
  if (!namesKey && !text.includes('\\')) return text
  const document = orUndefined(() => readDocument(text))
  // What is no JSON is refused whole; its key, if that is one, must not be kept either.
  if (document === undefined) return namesKey || text.includes('\\u') ? hide.one(text) : text
  const { value, spans, repeatsKeys } = document
  const without = shownJson(value, hide)
  if (without === value) return text
  // Of members that come twice the last one counts; the others could hold a key that nobody looks at.
  if (!isObject(value) || !isObject(without) || repeatsKeys) return writeJson(without)
  let shown = text
  for (const name of [...value.keys()].toReversed()) {
    const member = without.get(name)
    // A name that is a key itself is gone.
    if (member === undefined) return writeJson(without)
    if (member === value.get(name)) continue
    const [start, end] = spans.get(name) ?? [0, 0]
    shown = shown.slice(0, start) + writeJson(member) + shown.slice(end)
  }
  return shown
}

const isSecret = (name: string): boolean => secretKeys.some((secret) => secret === name)

const hideValue = (value: Json, { one }: Hide): Json =>
  value === null || value === '' ? value : one(typeof value === 'string' ? value : writeJson(value))

/** A value without keys: the value itself where it holds none. */
function shownJson(value: Json, hide: Hide): Json {
  if (typeof value === 'string') return hide.known(value)
  if (Array.isArray(value)) {
    const items = value.map((item) => shownJson(item, hide))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isObject(value)) return value
  const members = new Map<string, Json>()
  let isChanged = false
  for (const [name, member] of value) {
    const shown = isSecret(name) ? hideValue(member, hide) : shownJson(member, hide)
    const shownName = hide.known(name)
    isChanged ||= shown !== member || shownName !== name
    members.set(shownName, shown)
  }
  return isChanged ? members : value
}

/** A secret member of a JSON text, wherever it stands. */
const secretMember = new RegExp(`"(${secretKeys.join('|')})":\\s*("(?:[^"\\\\]|\\\\.)+")`, 'g')

/** An effect without keys. The tag of a file that holds one is left out: it is made of the bytes, and differs in a replay. */
function shownEffect(effect: Effect, hide: Hide): unknown {
  if (effect.kind === 'reply' && effect.file !== undefined && effect.body instanceof Uint8Array) {
    const { file, ...rest } = effect
    if (hide.holds(lettersOf(effect.body)))
      return shownValue({ ...rest, file: { modifiedMs: file.modifiedMs } }, hide)
  }
  return shownValue(effect, hide)
}

/** What effects hold: byte arrays as their length and hash, and no keys. */
function shownValue(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return withoutSecretMembers(hide.known(value), hide)
  if (value instanceof Uint8Array) {
    const bytes = shownBytes(value, hide)
    return { bytes: bytes.length, sha256: bytesToHex(sha256(bytes)) }
  }
  if (Array.isArray(value)) return value.map((item) => shownValue(item, hide))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shownValue(member, hide)]),
  )
}

const withoutSecretMembers = (text: string, { one }: Hide): string =>
  text.replace(secretMember, (_, name: string, secret: string) => {
    return `"${name}": ${JSON.stringify(one(JSON.parse(secret) as string))}`
  })

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
 * Runs the inputs of a journal through a new server and returns the number of entries and the first one whose
 * effects differ (from 0), or null. `objectInfo` is the catalogue that the server had.
 * Throws SyntaxError for lines that are no journal, or one that has lost its beginning.
 */
export function replayLines(
  journal: readonly string[],
  objectInfo: string,
): { entries: number; differs: number | null } {
  const [first = '', ...lines] = journal.filter((line) => line !== '')
  const header = JSON.parse(first) as Partial<Header>
  if (header.flowdouble !== VERSION || header.options === undefined) {
    throw new SyntaxError('This is no journal: its first line lacks the options of a server.')
  }
  const server = createServer({ ...header.options, objectInfo }, hosted)
  if (header.first !== 0) {
    throw new SyntaxError(
      'The journal has lost its beginning. Keep all of it in a file: serve --journal FILE.',
    )
  }
  // Only placeholders are left in a journal, and they stand for themselves.
  const toPlaceholder = placeholders('replay')
  const lineOf = lineWriter(server.options, (secret) =>
    isPlaceholder(secret) ? secret : toPlaceholder(secret),
  )
  const differs = lines.findIndex((line) => {
    const input = inputOf(line)
    return lineOf({ input, effects: step(server, input) }) !== line
  })
  return { entries: lines.length, differs: differs < 0 ? null : differs }
}
