// The journal of a server: writes inputs and effects without credentials. State is a function of the inputs, so that a
// journal can be replayed.

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { secretValue } from '../../spec/accounts/secrets.ts'
import { issuedToken } from '../../spec/accounts/sign-in.ts'
import { secretKeys as partnerKeys } from '../../spec/server/access.ts'
import { base64, bytesOfBase64, lettersOf } from '../lib/base64.ts'
import { isObject, type Json, readDocument, writeJson } from '../lib/json.ts'
import { restoreInput, type LineBody, decodeUtf8 } from '../journal/bodies.ts'
import { holdsSecret, knownSecrets, secretsOf, withoutSecrets } from '../journal/known-secrets.ts'
import type { JournalFormat, JournalRedactor, ToPlaceholder } from '../journal/lines.ts'
import { redactHeader } from '../journal/redact-header.ts'
import { redactTarget } from '../journal/redact-target.ts'
import { nameRules } from '../journal/secret-names.ts'
import type { Effect, Headers, Input } from '../machine.ts'
import { bodyText } from '../http/requests.ts'
// oxlint-disable-next-line import/no-unassigned-import -- a replay steps a server immediately: it waits for nothing.
import './local/provide-on-demand.ts'
import { serverMachine } from './machine.ts'
import * as hosted from './surfaces/index.ts'
import { createServer } from './server.ts'
import type { WorldOptions } from './state/options.ts'
import type { TypeTexts } from './state/nodes.ts'

/** The options that a journal contains. The catalogue is omitted: it is too large, and the same each time. */
export type JournalOptions = Omit<WorldOptions, 'objectInfo'> & {
  /** The node types that the scenario adds to the catalogue; absent in journals of earlier versions. */
  readonly types?: object
}

/** The names of members whose values no journal contains [access/journal-keys-hidden, secrets/hidden]. */
const secretKeys: readonly string[] = [...partnerKeys, secretValue]

export type ServerFormat = JournalFormat<JournalOptions, Input, Effect>

/** The journal of another machine with the inputs and effects of a server: it is read, and not replayed. */
export const journalOf = <O>(
  version: string,
): Pick<JournalFormat<O, Input, Effect>, 'version' | 'redactor'> => ({
  version,
  redactor: (secrets, toPlaceholder) => {
    const { input, effect } = redactor(secrets, toPlaceholder)
    return { options: (options) => options, input, effect }
  },
})

/** @param catalogueWith returns the catalogue for a replay, with the types of its scenario, like the named server. */
export const serverFormat = (
  catalogueWith: (types: object, like: string | null) => () => TypeTexts,
): ServerFormat => ({
  version: 'journal 2',
  machine: 'server',
  secretsOf: (options) => secretsOf(options).map(({ text }) => text),
  redactor,
  inputOf: (value) => restoreInput(value) as Input,
  start: ({ types = {}, ...options }) =>
    serverMachine(
      createServer({ ...options, objectInfo: catalogueWith(types, options.like) }, hosted),
    ),
})

type RequestInput = Extract<Input, { kind: 'request' }>

/** Replaces secrets: values known to be one, secrets in a text, and what the server knows. */
type Redactor = {
  readonly one: (secret: string) => string
  readonly redactKnown: (text: string) => string
  /** Whether a text contains a known secret. */
  readonly holds: (text: string) => boolean
}

/**
 * Replaces credentials, and known secrets wherever they occur, by placeholders [access/journal-keys-hidden].
 */
function redactor(
  secretTexts: readonly string[],
  toPlaceholder: ToPlaceholder,
): JournalRedactor<JournalOptions, Input, Effect> {
  const secrets = knownSecrets(secretTexts)
  const redactKnown = (text: string): string => withoutSecrets(text, secrets, toPlaceholder)
  // A known secret may occur wherever any secret is redacted.
  const hidden = new Set(secrets.map(({ text }) => toPlaceholder(text)))
  // The server of a replay issues the same tokens [sign-in/journal].
  const one = (secret: string): string =>
    hidden.has(secret) || issuedToken.test(secret) ? secret : toPlaceholder(secret)
  const redact: Redactor = { one, redactKnown, holds: (text) => holdsSecret(text, secrets) }
  return {
    options: (options) => redactOptions(options, redact, toPlaceholder),
    input: (input) => redactInput(input, redact),
    effect: (effect) => redactEffect(effect, redact),
  }
}

const redactOptions = (
  options: JournalOptions,
  redact: Redactor,
  toPlaceholder: ToPlaceholder,
): JournalOptions => ({
  ...options,
  // A program can write a key into a fault, a rule or a file.
  script: redactPlain(options.script, redact) as JournalOptions['script'],
  types: redactPlain(options.types, redact) as object,
  token: options.token === null ? null : toPlaceholder(options.token),
  accounts: options.accounts.map((account) => ({
    ...account,
    keys: account.keys.map(toPlaceholder),
    partnerKey: account.partnerKey === null ? null : toPlaceholder(account.partnerKey),
  })),
})

function redactInput(input: Input, redact: Redactor): unknown {
  if (input.kind === 'message') return { ...input, text: redact.redactKnown(input.text) }
  if (input.kind === 'script' || input.kind === 'world') return redactPlain(input, redact)
  if (input.kind !== 'request' && input.kind !== 'open') return input
  const target = redactTarget(input.target, redact.one, redact.redactKnown)
  if (input.kind === 'open')
    return { ...input, target, headers: redactHeaders(input.headers, redact) }
  const { body: _body, ...rest } = input
  const { headers, ...body } = redactBody(input, redact)
  return { ...rest, target, headers: redactHeaders(headers, redact), ...body }
}

/** Headers whose credentials are placeholders: the server of a replay knows the same ones. */
function redactHeaders(headers: Headers, { one, redactKnown: text }: Redactor): Headers {
  const redacted: Record<string, string> = {}
  for (const name in headers)
    redacted[name] = redactHeader(name, headers[name] as string, { isSecretName, one, text })
  return redacted
}

const { isSecretName } = nameRules()

/** The body as text without keys (base64 if it is not valid UTF-8), and its headers. */
function redactBody(input: RequestInput, redact: Redactor): { headers: Headers } & LineBody {
  const { body, headers } = input
  const type = headers['content-type'] ?? ''
  const text = orUndefined(() => bodyText(input))
  if (text === undefined) {
    if (holdsFiles(input)) return { headers, bodyBase64: base64(redactBytes(body, redact)) }
    // A body that is not text is rejected whole, unless it is a form; a key in it must not be kept either.
    const letters = lettersOf(body).replaceAll('\0', '')
    const mayHoldKey =
      secretKeys.some((name) => letters.includes(name)) || redact.redactKnown(letters) !== letters
    return mayHoldKey
      ? { headers, body: redact.one(letters) }
      : { headers, bodyBase64: base64(body) }
  }
  const known = redact.redactKnown(text)
  const redacted = holdsFiles(input) ? known : withoutPartnerKeys(known, redact)
  if (redacted !== text) {
    const inUtf8 = { 'content-type': type.replace(/charset\s*=\s*"?[^\s;"]*"?/i, 'charset=utf-8') }
    return { headers: type === '' ? headers : { ...headers, ...inUtf8 }, body: redacted }
  }
  const isUtf8 = decodeUtf8(body) === text
  return isUtf8 ? { headers, body: text } : { headers, bodyBase64: base64(body) }
}

/** The bytes without the known secrets in them, as far as they are ASCII. */
function redactBytes(bytes: Uint8Array, redact: Redactor): Uint8Array {
  const letters = lettersOf(bytes)
  const redacted = redact.redactKnown(letters)
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
 * The text without keys, at any depth and in any spelling. Only a member that contains one is rewritten: the rest stays
 * byte for byte, since a server returns it unchanged.
 */
function withoutPartnerKeys(text: string, redact: Redactor): string {
  // A name may contain escapes, and so may a key.
  const namesKey = secretKeys.some((name) => text.includes(name))
  if (!namesKey && !text.includes('\\')) return text
  const document = orUndefined(() => readDocument(text))
  // A body that is not valid JSON is rejected; a key in it must not be kept either.
  if (document === undefined) return namesKey || text.includes('\\u') ? redact.one(text) : text
  const { value, spans, repeatsKeys } = document
  const without = redactJson(value, redact)
  if (without === value) return text
  // Of duplicate members the last one counts; the others could contain a key that nobody checks.
  if (!isObject(value) || !isObject(without) || repeatsKeys) return writeJson(without)
  let redacted = text
  for (const name of [...value.keys()].toReversed()) {
    const member = without.get(name)
    // A name that is itself a key is removed.
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

/** A value without keys: the same object if it contains none. */
function redactJson(value: Json, redact: Redactor): Json {
  if (typeof value === 'string') return redact.redactKnown(value)
  if (Array.isArray(value)) {
    const items = value.map((item) => redactJson(item, redact))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isObject(value)) return value
  const members = new Map<string, Json>()
  let isChanged = false
  for (const [name, member] of value) {
    const redacted = isSecret(name) ? redactMember(member, redact) : redactJson(member, redact)
    const redactedName = redact.redactKnown(name)
    isChanged ||= redacted !== member || redactedName !== name
    members.set(redactedName, redacted)
  }
  return isChanged ? members : value
}

/** The same for a value that a program passed: its texts, its files, and the names of its members. */
function redactPlain(value: unknown, redact: Redactor): unknown {
  if (typeof value === 'string') return redact.redactKnown(value)
  if (Array.isArray(value)) return value.map((item) => redactPlain(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const redactedName = redact.redactKnown(name)
      if (typeof member !== 'string' || member === '')
        return [redactedName, redactPlain(member, redact)]
      if (isSecret(name)) return [redactedName, redact.one(member)]
      return [
        redactedName,
        redact.redactKnown(name === 'base64' ? withoutKeys(member, redact) : member),
      ]
    }),
  )
}

/** The base64 of a file without the known secrets in its bytes; any other text as it is. */
function withoutKeys(text: string, redact: Redactor): string {
  const bytes = orUndefined(() => bytesOfBase64(text))
  if (bytes === undefined) return text
  const redacted = redactBytes(bytes, redact)
  return redacted === bytes ? text : base64(redacted)
}

/** Matches the name of a secret member of a JSON text and the opening quote of its value, at any place. */
const secretMember = new RegExp(`"(?:${secretKeys.join('|')})":\\s*"`, 'g')

/**
 * An effect without keys. Omits the tag of a file that contains one: it is computed from the bytes, and differs in a
 * replay.
 */
function redactEffect(effect: Effect, redact: Redactor): unknown {
  if (effect.kind === 'reply' && effect.file !== undefined && effect.body instanceof Uint8Array) {
    const { file, ...rest } = effect
    if (redact.holds(lettersOf(effect.body)))
      return redactValue({ ...rest, file: { modifiedMs: file.modifiedMs } }, redact)
  }
  return redactValue(effect, redact)
}

/** The content of effects: byte arrays as their length and hash, and without keys. */
function redactValue(value: unknown, redact: Redactor): unknown {
  if (typeof value === 'string') return withoutSecretMembers(redact.redactKnown(value), redact)
  if (value instanceof Uint8Array) {
    const bytes = redactBytes(value, redact)
    return { bytes: bytes.length, sha256: bytesToHex(sha256(bytes)) }
  }
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redact.redactKnown(name),
      redactValue(member, redact),
    ]),
  )
}

/** A text can be too long for a regular expression: scans for the ends of members character by character. */
function withoutSecretMembers(text: string, { one }: Redactor): string {
  if (!secretKeys.some((name) => text.includes(name))) return text
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

/** The end of the JSON string that starts with the quote at this position; the end of the text if it is truncated. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const letter = text[at]
    if (letter === '"') return at + 1
    if (letter === '\\') at++
  }
  return text.length
}
