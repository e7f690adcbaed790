// The journal of a server: its inputs with their effects, in order. State is a function of it, so it replays.

import { keyHeader, secretKeys } from '../spec/access.ts'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { isObject, type Json, readDocument, writeJson } from './json.ts'
import type { Effect, Headers, Input } from './machine.ts'
import { bodyText } from './requests.ts'
import { step } from './server/step.ts'
import * as hosted from './server/hosted-parts.ts'
import { createServer } from './server/server.ts'
import type { WorldOptions } from './server/world.ts'
import { shownTarget } from './shown-target.ts'

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

/** @param first number of the first entry that follows. */
export function headerLine(all: WorldOptions, key: string, first = 0): string {
  const { objectInfo: _objectInfo, ...options } = all
  const hide = (secret: string): string => placeholder(secret, key)
  const token = all.token === null ? null : hide(all.token)
  const accounts = all.accounts.map((account) => ({
    ...account,
    keys: account.keys.map(hide),
    partnerKey: account.partnerKey === null ? null : hide(account.partnerKey),
  }))
  const header: Header = { flowdouble: VERSION, first, options: { ...options, token, accounts } }
  return JSON.stringify(header)
}

/**
 * One entry as a line of JSON. What a client keeps secret is replaced by a placeholder: equal secrets, equal placeholders.
 * @param key what the placeholders are made with; who knows it can tell whether a guess is right.
 * @param secrets what the server knows its clients by (see secretsOf).
 */
export function entryLine(entry: Entry, key: string, secrets: readonly string[]): string {
  return JSON.stringify({
    input: shownInput(entry, key, secrets),
    effects: shownEffects(entry.effects, key),
  })
}

function shownInput({ input, effects }: Entry, key: string, secrets: readonly string[]): unknown {
  if (input.kind !== 'request' && input.kind !== 'open') return input
  const isRefused = effects.some((effect) => 'status' in effect && effect.status === 401)
  const isLink = 'links' in input && input.links
  const came = isRefused ? 'refused' : isLink ? 'links' : 'served'
  const hide = (secret: string): string => placeholder(secret, key)
  const target = shownTarget(input.target, secrets, came, hide)
  if (input.kind === 'open') return { ...input, target, headers: shownHeaders(input.headers, hide) }
  const { body: _body, ...rest } = input
  const { headers, ...body } = shownBody(input, key)
  return { ...rest, target, headers: shownHeaders(headers, hide), ...body }
}

/** A keyed placeholder: it tells whether two secrets are equal, and nothing else. A placeholder stands for itself. */
export function placeholder(secret: string, key: string): string {
  if (/^<secret:[0-9a-f]{12}>$/.test(secret)) return secret
  const digest = hmac(sha256, utf8ToBytes(key), utf8ToBytes(secret))
  return `<secret:${bytesToHex(digest).slice(0, 12)}>`
}

/**
 * What a server knows its clients by: its token, and the keys of its accounts, those for partner nodes too. The longest
 * come first, since one may be part of another.
 */
export const secretsOf = ({
  token,
  accounts,
}: Pick<WorldOptions, 'token' | 'accounts'>): readonly string[] =>
  [token, ...accounts.flatMap(({ keys, partnerKey }) => [...keys, partnerKey])]
    .filter((secret) => secret !== null)
    .sort((a, b) => b.length - a.length)

/** Headers whose credentials are placeholders: the server of a replay has the same ones. */
function shownHeaders(headers: Headers, hide: (secret: string) => string): Headers {
  const { authorization, [apiKeyHeader]: apiKey, ...rest } = headers
  const others = apiKey === undefined ? rest : { ...rest, [apiKeyHeader]: hide(apiKey) }
  if (authorization === undefined) return others
  const [, scheme = '', secret = authorization] = /^(bearer +)(.*)$/i.exec(authorization) ?? []
  return { ...others, authorization: scheme + hide(secret) }
}

/** The body as text without keys, in base64 where it is no UTF-8, and the headers that go with it. */
function shownBody(
  input: RequestInput,
  key: string,
): { headers: Headers } & ({ body: string } | { bodyBase64: string }) {
  const { body, headers } = input
  const type = headers['content-type'] ?? ''
  const text = orUndefined(() => bodyText(input))
  if (text === undefined) {
    // What is no text is refused whole, unless it is a form; its key must not be kept either.
    const letters = Array.from(body, (byte) => String.fromCharCode(byte))
      .join('')
      .replaceAll('\0', '')
    const mayHoldKey = !holdsFiles(input) && secretKeys.some((name) => letters.includes(name))
    return mayHoldKey
      ? { headers, body: placeholder(letters, key) }
      : { headers, bodyBase64: base64(body) }
  }
  const shown = holdsFiles(input) ? text : withoutPartnerKeys(text, key)
  if (shown !== text) {
    const inUtf8 = { 'content-type': type.replace(/charset\s*=\s*"?[^\s;"]*"?/i, 'charset=utf-8') }
    return { headers: type === '' ? headers : { ...headers, ...inUtf8 }, body: shown }
  }
  const isUtf8 = orUndefined(() => utf8.decode(body)) === text
  return isUtf8 ? { headers, body: text } : { headers, bodyBase64: base64(body) }
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
 * The text without keys of partner nodes, at whatever depth they stand. Only the member that holds one is written anew:
 * the rest stays as it came, since a server gives it back as it came.
 */
function withoutPartnerKeys(text: string, key: string): string {
  // A name may be spelled with escapes.
  const namesKey = secretKeys.some((name) => text.includes(name))
  if (!namesKey && !text.includes('\\u')) return text
  const document = orUndefined(() => readDocument(text))
  // What is no JSON is refused whole; its key, if that is one, must not be kept either.
  if (document === undefined) return placeholder(text, key)
  const { value, spans, repeatsKeys } = document
  if (!isObject(value)) return hideKeys(value, key) ? writeJson(value) : text
  const hidden = [...value].filter(([name, member]) => isSecret(name) || hideKeys(member, key))
  for (const [name, member] of hidden) if (isSecret(name)) value.set(name, hideValue(member, key))
  // Of members that come twice the last one counts; the others could hold a key that nobody looks at.
  if (repeatsKeys) return writeJson(value)
  let shown = text
  for (const [name] of hidden.toReversed()) {
    const [start, end] = spans.get(name) ?? [0, 0]
    shown = shown.slice(0, start) + writeJson(value.get(name) ?? null) + shown.slice(end)
  }
  return shown
}

const isSecret = (name: string): boolean => secretKeys.some((secret) => secret === name)

const hideValue = (value: Json, key: string): Json =>
  value === null || value === ''
    ? value
    : placeholder(typeof value === 'string' ? value : writeJson(value), key)

/** Replaces the keys in a value; tells whether there was one. */
function hideKeys(value: Json, key: string): boolean {
  if (Array.isArray(value)) return value.map((item) => hideKeys(item, key)).includes(true)
  if (!isObject(value)) return false
  let found = false
  for (const [name, member] of value) {
    if (isSecret(name)) value.set(name, hideValue(member, key))
    found = isSecret(name) || hideKeys(member, key) || found
  }
  return found
}

/** A secret member of a JSON text, wherever it stands. */
const secretMember = new RegExp(`"(${secretKeys.join('|')})":\\s*("(?:[^"\\\\]|\\\\.)+")`, 'g')

/** Effects with byte arrays as their length and hash, and without the keys that a quirk shows. */
const shownEffects = (effects: readonly Effect[], key: string): unknown =>
  effects.map((effect) => shownValue(effect, key))

function shownValue(value: unknown, key: string): unknown {
  if (typeof value === 'string') return withoutSecretMembers(value, key)
  if (value instanceof Uint8Array) return { bytes: value.length, sha256: bytesToHex(sha256(value)) }
  if (Array.isArray(value)) return value.map((item) => shownValue(item, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shownValue(member, key)]),
  )
}

const withoutSecretMembers = (text: string, key: string): string =>
  text.replace(secretMember, (_, name: string, secret: string) => {
    return `"${name}": ${JSON.stringify(placeholder(JSON.parse(secret) as string, key))}`
  })

/** Bytes in base64. */
export function base64(bytes: Uint8Array): string {
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
 * Runs the inputs of a journal through a new server and returns the number of entries and the first one whose
 * effects differ (from 0), or null. `objectInfo` is the catalogue that the server had.
 * Throws SyntaxError for a text that is no journal, or one that has lost its beginning.
 */
export function replay(
  text: string,
  objectInfo: string,
): { entries: number; differs: number | null } {
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '')
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
  // Only placeholders are left in a journal, and they stand for themselves under every key.
  const key = 'replay'
  const secrets = secretsOf(server.options)
  const differs = lines.findIndex((line) => {
    const input = inputOf(line)
    return entryLine({ input, effects: step(server, input) }, key, secrets) !== line
  })
  return { entries: lines.length, differs: differs < 0 ? null : differs }
}
