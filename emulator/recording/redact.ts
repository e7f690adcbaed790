// Redacts recordings: keys, tokens, cookies, signatures and partner keys become placeholders that keep which are equal. What
// was once seen as a secret is replaced wherever it occurs, in any spelling, and in base64.

import type { RecordedClose } from '../../spec/recording.ts'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { decodeUtf8 } from '../journal/bodies.ts'
import { isPlaceholder } from '../journal/placeholders.ts'
import { credentialsOf, redactHeader } from '../journal/redact-header.ts'
import { redactTarget } from '../journal/redact-target.ts'
import { nameRules, noOwnNames, type OwnNames } from '../journal/secret-names.ts'
import { decodePart } from '../http/requests.ts'
import { bytesOfBase64, lettersOf } from '../lib/base64.ts'
import { latin1 } from '../lib/bytes.ts'
import { changeEncoded } from './encoded-text.ts'
import { changeStrings } from './json-strings.ts'
import { createKnownValues, MIN_KNOWN_LENGTH } from './known-values.ts'
import {
  headerOf,
  type HeaderList,
  type RecordedExchange,
  type RecordedMessage,
  type RecordedSocket,
  type Recording,
} from '../session/recording.ts'
import { isTypeName, replaceParameters, replaceShapes } from './secrets.ts'

/** How to redact. */
export type RedactOptions = {
  /** Returns the placeholder of a secret: equal for equal secrets. */
  readonly toPlaceholder: (secret: string) => string
  /** Secrets that are known before. */
  readonly known?: Iterable<string>
  readonly names?: OwnNames
}

/** Redacts what happens, one after the other, and learns secrets on the way. */
export type RecordingRedactor = {
  readonly exchange: (exchange: RecordedExchange) => RecordedExchange
  /** A socket with the messages that it has. */
  readonly socket: (socket: RecordedSocket) => RecordedSocket
  readonly message: (message: RecordedMessage) => RecordedMessage
  readonly close: (close: RecordedClose) => RecordedClose
  /** How many secrets it knows. */
  readonly knownCount: () => number
}

/** A recording without secrets: those that its end reveals are not in its beginning either. */
export function redactRecording(recording: Recording, options: RedactOptions): Recording {
  const { exchange, socket, knownCount } = createRecordingRedactor(options)
  const redacted = (): Recording => ({
    info: recording.info,
    exchanges: recording.exchanges.map(exchange),
    sockets: recording.sockets.map(socket),
  })
  for (;;) {
    const before = knownCount()
    const result = redacted()
    if (knownCount() === before) return result
  }
}

/** A word that is a secret under its name only: anywhere else it is just a word. */
const isWord = (text: string): boolean => text.length < 16 && /^[A-Za-z_ -]+$/.test(text)

export function createRecordingRedactor({
  toPlaceholder,
  known = [],
  names = noOwnNames,
}: RedactOptions): RecordingRedactor {
  const rules = nameRules(names)
  const values = createKnownValues()
  for (const secret of known) values.add(secret)
  const learn = (secret: string): void => {
    for (const spelled of [secret, decodePart(secret)])
      if (spelled.length >= MIN_KNOWN_LENGTH && !isWord(spelled)) values.add(spelled)
  }
  /** A secret has one placeholder, whether an address or a header spells it. */
  const hide = (secret: string): string => toPlaceholder(decodePart(secret))
  const one = (secret: string): string => {
    if (secret === '' || isPlaceholder(secret)) return secret
    learn(secret)
    return hide(secret)
  }
  const redactKnown = (text: string): string => values.replaceIn(text, hide)
  const hidesMember = (name: string): boolean => rules.isSecretName(name, 'member')
  /** What is not encoded of a text. @param name that of the value, if it has one. */
  const plain = (given: string, name?: string): string => {
    // Too short for a secret that its name does not reveal.
    if (given.length < MIN_KNOWN_LENGTH && name === undefined && !/[?&"]/.test(given)) return given
    const inStrings = given.includes('"')
      ? changeStrings(given, inString, isPartnerKey(hidesMember), name)
      : given
    return redactKnown(replaceParameters(replaceShapes(inStrings, one), rules, one))
  }
  const inString = (value: string, name: string | undefined): string =>
    name !== undefined && hidesMember(name) && !isTypeName(value) ? one(value) : plain(value)
  const encoded = (given: string): string =>
    changeEncoded(given, {
      text: (decoded) => text(decoded),
      letters: (letters) => redactKnown(replaceShapes(letters, one)),
    })
  const text = (given: string, name?: string): string => encoded(plain(given, name))

  const headers = (list: HeaderList): HeaderList =>
    list.map(([name, value]) => {
      const { scheme, secret } = credentialsOf(value)
      if (name.toLowerCase().endsWith('authorization') && /^basic/i.test(scheme))
        learn(passwordIn(secret))
      const { isSecretName } = rules
      return [name, redactHeader(name, value, { isSecretName, one, text })]
    })
  const url = (given: string): string => {
    const { origin, protocol, host, href } = new URL(given)
    // The origin of ws: is null.
    const base = origin === 'null' ? `${protocol}//${host}` : origin
    const target = href.slice(href.indexOf(host, protocol.length) + host.length)
    const redacted = replaceParameters(replaceShapes(target, one), rules, one)
    return new URL(base + encoded(redactTarget(redacted, one, redactKnown))).href
  }
  const bytes = (given: Uint8Array, type: string, name?: string): Uint8Array => {
    if (given.length === 0) return given
    const decoded = decodeUtf8(given)
    const letters = decoded ?? lettersOf(given)
    const redacted = ofType(letters, type, (part) => text(part, name), one, hidesMember)
    if (redacted === letters) return given
    return decoded === undefined ? latin1(redacted) : utf8ToBytes(redacted)
  }
  const body = (list: HeaderList, given: Uint8Array, name: string | undefined) => {
    const redacted = bytes(given, headerOf(list, 'content-type') ?? '', name)
    return { headers: withLength(headers(list), given.length, redacted.length), body: redacted }
  }
  const exchange = (given: RecordedExchange): RecordedExchange => {
    const { response } = given
    const name = lastSegment(given.url)
    return {
      ...given,
      url: url(given.url),
      ...body(given.headers, given.body, name),
      response: response && { ...response, ...body(response.headers, response.body, name) },
    }
  }
  const message = (given: RecordedMessage): RecordedMessage => {
    const { data } = given
    return { ...given, data: typeof data === 'string' ? text(data) : bytes(data, '') }
  }
  const close = (given: RecordedClose): RecordedClose =>
    given.reason === undefined ? given : { ...given, reason: text(given.reason) }
  const socket = (given: RecordedSocket): RecordedSocket => ({
    ...given,
    url: url(given.url),
    headers: headers(given.headers),
    messages: given.messages.map(message),
    close: given.close && close(given.close),
  })
  /** What a part reveals at its end is not in its beginning either. */
  const twice =
    <T>(redact: (given: T) => T) =>
    (given: T): T => {
      const before = values.count()
      const redacted = redact(given)
      return values.count() === before ? redacted : redact(given)
    }
  return {
    exchange: twice(exchange),
    socket: twice(socket),
    message: twice(message),
    close: twice(close),
    knownCount: values.count,
  }
}

/** Values of partner keys are hidden whatever they are; under other names a list is a description of an input. */
const isPartnerKey =
  (hidesMember: (name: string) => boolean) =>
  (name: string): boolean =>
    /^(?:api_key_|auth_token_)/.test(name) && hidesMember(name)

/** A setting can be named like a secret, and its name stands in the path. */
const lastSegment = (url: string): string =>
  decodePart(new URL(url).pathname.split('/').at(-1) ?? '')

function passwordIn(basic: string): string {
  try {
    return (decodeUtf8(bytesOfBase64(basic)) ?? '').split(':').slice(1).join(':')
  } catch {
    return ''
  }
}

/** A form field that is not a file, and its value. */
const formField =
  /(content-disposition:[^\r\n]*\bname="([^"\r\n]{1,200})"(?:\r?\n[^\r\n]+)*\r?\n\r?\n)([^]*?)(?=\r?\n--)/gi

/** Redacts a body of a content type: the fields of forms have names. */
function ofType(
  letters: string,
  type: string,
  text: (part: string) => string,
  one: (secret: string) => string,
  hides: (name: string) => boolean,
): string {
  if (/^application\/x-www-form-urlencoded/i.test(type)) return text(`&${letters}`).slice(1)
  if (!/^multipart\//i.test(type)) return text(letters)
  const fields = letters.replace(
    formField,
    (whole: string, head: string, name: string, value: string) =>
      hides(name) && !/filename=/i.test(head) ? head + one(value) : whole,
  )
  return text(fields)
}

/** The headers with the length of the redacted body, if they had that of the body. */
const withLength = (list: HeaderList, before: number, after: number): HeaderList =>
  before === after
    ? list
    : list.map(([name, value]) =>
        name.toLowerCase() === 'content-length' && value === String(before)
          ? [name, String(after)]
          : [name, value],
      )
