// The journal of a server: how its inputs and effects are written without credentials. State is a function of its inputs,
// so it replays.

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { keyHeader, secretKeys } from '../../spec/server/access.ts'
import { base64, lettersOf } from '../lib/base64.ts'
import { isObject, type Json, readDocument, writeJson } from '../lib/json.ts'
import { inputOf, type LineBody, textOf } from '../journal/bodies.ts'
import { holdsSecret, knownSecrets, secretsOf, withoutSecrets } from '../journal/known-secrets.ts'
import type { JournalFormat, JournalRedactor, ToPlaceholder } from '../journal/lines.ts'
import { redactTarget } from '../journal/redact-target.ts'
import type { Effect, Headers, Input } from '../machine.ts'
import { bodyText } from '../http/requests.ts'
import { serverMachine } from './machine.ts'
import * as hosted from './hosted/index.ts'
import { createServer } from './server.ts'
import type { WorldOptions } from './state/options.ts'

/** What a journal holds of what a server was made from. The catalogue is too large, and the same each time. */
export type JournalOptions = Omit<WorldOptions, 'objectInfo'>

export type ServerFormat = JournalFormat<JournalOptions, Input, Effect>

/** @param objectInfo returns the catalogue of a server that replays. */
export const serverFormat = (objectInfo: () => string): ServerFormat => ({
  version: 'journal 2',
  machine: 'server',
  secretsOf: (options) => secretsOf(options).map(({ text }) => text),
  redactor,
  inputOf: (value) => inputOf(value) as Input,
  start: (options) => serverMachine(createServer({ ...options, objectInfo }, hosted)),
})

type RequestInput = Extract<Input, { kind: 'request' }>

/** What replaces secrets: one that is known to be one, those that stand in a text, and what the server knows. */
type Redactor = {
  readonly one: (secret: string) => string
  readonly known: (text: string) => string
  /** Whether a text holds what the server knows. */
  readonly holds: (text: string) => boolean
}

const apiKeyHeader = keyHeader.toLowerCase()

/**
 * Credentials, and what the server knows its clients by wherever it stands, are replaced by placeholders
 * [access/journal-keys-hidden].
 */
function redactor(
  secretTexts: readonly string[],
  toPlaceholder: ToPlaceholder,
): JournalRedactor<JournalOptions, Input, Effect> {
  const secrets = knownSecrets(secretTexts)
  const known = (text: string): string => withoutSecrets(text, secrets, toPlaceholder)
  // What is hidden as known may stand where any secret is hidden.
  const hidden = new Set(secrets.map(({ text }) => toPlaceholder(text)))
  const one = (secret: string): string => (hidden.has(secret) ? secret : toPlaceholder(secret))
  const redact: Redactor = { one, known, holds: (text) => holdsSecret(text, secrets) }
  return {
    options: (options) => redactOptions(options, toPlaceholder),
    input: (input) => redactInput(input, redact),
    effect: (effect) => redactEffect(effect, redact),
  }
}

const redactOptions = (options: JournalOptions, toPlaceholder: ToPlaceholder): JournalOptions => ({
  ...options,
  token: options.token === null ? null : toPlaceholder(options.token),
  accounts: options.accounts.map((account) => ({
    ...account,
    keys: account.keys.map(toPlaceholder),
    partnerKey: account.partnerKey === null ? null : toPlaceholder(account.partnerKey),
  })),
})

function redactInput(input: Input, redact: Redactor): unknown {
  if (input.kind === 'message') return { ...input, text: redact.known(input.text) }
  if (input.kind !== 'request' && input.kind !== 'open') return input
  const target = redactTarget(input.target, redact.one, redact.known)
  if (input.kind === 'open')
    return { ...input, target, headers: redactHeaders(input.headers, redact) }
  const { body: _body, ...rest } = input
  const { headers, ...body } = redactBody(input, redact)
  return { ...rest, target, headers: redactHeaders(headers, redact), ...body }
}

/** Headers whose credentials are placeholders: the server of a replay has the same ones. */
function redactHeaders(headers: Headers, redact: Redactor): Headers {
  const redacted: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name === apiKeyHeader) redacted[name] = redact.one(value)
    else if (name === 'authorization') {
      const [, scheme = '', secret = value] = /^(bearer +)(.*)$/i.exec(value) ?? []
      redacted[name] = scheme + redact.one(secret)
    } else redacted[name] = redact.known(value)
  }
  return redacted
}

/** The body as text without keys (base64 if it is not valid UTF-8), and its headers. */
function redactBody(input: RequestInput, redact: Redactor): { headers: Headers } & LineBody {
  const { body, headers } = input
  const type = headers['content-type'] ?? ''
  const text = orUndefined(() => bodyText(input))
  if (text === undefined) {
    if (holdsFiles(input)) return { headers, bodyBase64: base64(redactBytes(body, redact)) }
    // What is no text is refused whole, unless it is a form; its key must not be kept either.
    const letters = lettersOf(body).replaceAll('\0', '')
    const mayHoldKey =
      secretKeys.some((name) => letters.includes(name)) || redact.known(letters) !== letters
    return mayHoldKey
      ? { headers, body: redact.one(letters) }
      : { headers, bodyBase64: base64(body) }
  }
  const known = redact.known(text)
  const redacted = holdsFiles(input) ? known : withoutPartnerKeys(known, redact)
  if (redacted !== text) {
    const inUtf8 = { 'content-type': type.replace(/charset\s*=\s*"?[^\s;"]*"?/i, 'charset=utf-8') }
    return { headers: type === '' ? headers : { ...headers, ...inUtf8 }, body: redacted }
  }
  const isUtf8 = textOf(body) === text
  return isUtf8 ? { headers, body: text } : { headers, bodyBase64: base64(body) }
}

/** Bytes without what the server knows, where it stands in them as ASCII. */
function redactBytes(bytes: Uint8Array, redact: Redactor): Uint8Array {
  const letters = lettersOf(bytes)
  const redacted = redact.known(letters)
  return redacted === letters ? bytes : Uint8Array.from(redacted, (letter) => letter.charCodeAt(0))
}

/** Files that a client stores are not prompts, and a server returns them byte for byte. */
const holdsFiles = ({ target, headers }: RequestInput): boolean =>
  /^multipart/i.test(headers['content-type'] ?? '') ||
  /^(\/api)?\/(userdata|settings)\b/.test(target)

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
function withoutPartnerKeys(text: string, redact: Redactor): string {
  // A name may be spelled with escapes, and so may a key.
  const namesKey = secretKeys.some((name) => text.includes(name))
  if (!namesKey && !text.includes('\\')) return text
  const document = orUndefined(() => readDocument(text))
  // A body that is not valid JSON is rejected; if it is a key, it must not be kept either.
  if (document === undefined) return namesKey || text.includes('\\u') ? redact.one(text) : text
  const { value, spans, repeatsKeys } = document
  const without = redactJson(value, redact)
  if (without === value) return text
  // Of members that come twice the last one counts; the others could hold a key that nobody looks at.
  if (!isObject(value) || !isObject(without) || repeatsKeys) return writeJson(without)
  let redacted = text
  for (const name of [...value.keys()].toReversed()) {
    const member = without.get(name)
    // A name that is a key itself is gone.
    if (member === undefined) return writeJson(without)
    if (member === value.get(name)) continue
    const [start, end] = spans.get(name) ?? [0, 0]
    redacted = redacted.slice(0, start) + writeJson(member) + redacted.slice(end)
  }
  return redacted
}

const isSecret = (name: string): boolean => secretKeys.some((secret) => secret === name)

const redactMember = (value: Json, { one }: Redactor): Json =>
  value === null || value === '' ? value : one(typeof value === 'string' ? value : writeJson(value))

/** A value without keys: the value itself where it holds none. */
function redactJson(value: Json, redact: Redactor): Json {
  if (typeof value === 'string') return redact.known(value)
  if (Array.isArray(value)) {
    const items = value.map((item) => redactJson(item, redact))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isObject(value)) return value
  const members = new Map<string, Json>()
  let isChanged = false
  for (const [name, member] of value) {
    const redacted = isSecret(name) ? redactMember(member, redact) : redactJson(member, redact)
    const redactedName = redact.known(name)
    isChanged ||= redacted !== member || redactedName !== name
    members.set(redactedName, redacted)
  }
  return isChanged ? members : value
}

/** The name of a secret member of a JSON text and the quote that its text begins with, wherever it stands. */
const secretMember = new RegExp(`"(?:${secretKeys.join('|')})":\\s*"`, 'g')

/** An effect without keys. The tag of a file that holds one is left out: it is made of the bytes, and differs in a replay. */
function redactEffect(effect: Effect, redact: Redactor): unknown {
  if (effect.kind === 'reply' && effect.file !== undefined && effect.body instanceof Uint8Array) {
    const { file, ...rest } = effect
    if (redact.holds(lettersOf(effect.body)))
      return redactValue({ ...rest, file: { modifiedMs: file.modifiedMs } }, redact)
  }
  return redactValue(effect, redact)
}

/** What effects hold: byte arrays as their length and hash, and no keys. */
function redactValue(value: unknown, redact: Redactor): unknown {
  if (typeof value === 'string') return withoutSecretMembers(redact.known(value), redact)
  if (value instanceof Uint8Array) {
    const bytes = redactBytes(value, redact)
    return { bytes: bytes.length, sha256: bytesToHex(sha256(bytes)) }
  }
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, redactValue(member, redact)]),
  )
}

/** A text can be longer than a regular expression can follow: ends of members are looked for letter by letter. */
function withoutSecretMembers(text: string, { one }: Redactor): string {
  const parts: string[] = []
  let copied = 0
  for (const { 0: opening, index } of text.matchAll(secretMember)) {
    const start = index + opening.length - 1
    const end = endOfText(text, start)
    if (start < copied || end - start <= '""'.length) continue
    const spelled = text.slice(start, end)
    const secret = orUndefined(() => JSON.parse(spelled) as string) ?? spelled
    parts.push(text.slice(copied, start), JSON.stringify(one(secret)))
    copied = end
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied)
}

/** Where a text in JSON ends that begins with the quote at this place; where it is cut off, the end of all. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const letter = text[at]
    if (letter === '"') return at + 1
    if (letter === '\\') at++
  }
  return text.length
}
