// Finds what in a redacted recording still looks like a secret. It reports where, and never the value.

import { decodeUtf8 } from '../journal/bodies.ts'
import { isPlaceholder, splitAtPlaceholders } from '../journal/placeholders.ts'
import { type NamePlace, nameRules, noOwnNames, type OwnNames } from '../journal/secret-names.ts'
import { lettersOf } from '../lib/base64.ts'
import { decodePart } from '../http/requests.ts'
import { changeEncoded } from './encoded-text.ts'
import { eachString } from './json-strings.ts'
import type { HeaderList, Recording } from '../session/recording.ts'
import { isTypeName, looksRandom, shapeIn } from './secrets.ts'

/** A place in a recording, and what stands there. */
export type Finding = {
  /** The entry of the file, such as `entry 3 (POST /prompt)`. */
  readonly entry: string
  /** Where in the entry, such as `request header X-Key`. */
  readonly where: string
  /** What it looks like, such as `a bearer token`. */
  readonly what: string
}

/** Receives what is found: where, and what it looks like. */
type Report = (where: string, what: string) => void

/** Everything in a recording that still looks like a secret, one finding for each place. */
export function scanRecording(
  recording: Recording,
  names: OwnNames = noOwnNames,
): readonly Finding[] {
  const scanner = createScanner(names)
  const findings = new Map<string, Finding>()
  const reportIn =
    (entry: string): Report =>
    (where, what) =>
      void findings.set(`${entry} ${where} ${what}`, { entry, where, what })
  const entries = [
    ...recording.exchanges.map((exchange) => ({ atMs: exchange.startMs, exchange })),
    ...recording.sockets.map((socket) => ({ atMs: socket.openMs, socket })),
  ].toSorted((a, b) => a.atMs - b.atMs)
  for (const [index, one] of entries.entries()) {
    if ('socket' in one) {
      const { url, headers, messages, close } = one.socket
      const report = reportIn(`entry ${index} (socket ${shownPath(url)})`)
      scanner.url(url, report)
      scanner.headers(headers, 'request', report)
      for (const [at, { data }] of messages.entries()) scanner.text(data, `message ${at}`, report)
      scanner.text(close?.reason ?? '', 'close reason', report)
      continue
    }
    const { method, url, headers, body, response } = one.exchange
    const report = reportIn(`entry ${index} (${method} ${shownPath(url)})`)
    scanner.url(url, report)
    scanner.headers(headers, 'request', report)
    scanner.text(body, 'request body', report)
    scanner.headers(response?.headers ?? [], 'response', report)
    scanner.text(response?.body ?? '', 'response body', report)
  }
  return [...findings.values()]
}

/** A finding as a line for people. */
export const findingText = ({ entry, where, what }: Finding): string =>
  `${entry}, ${where}: ${what}`

const MAX_PATH = 80

/** The path of an address, unless it could itself be what must not be shown. */
function shownPath(url: string): string {
  const pathname = decodePart(new URL(url).pathname)
  const isShown = shapeIn(pathname) === undefined && !pathname.split('/').some(looksRandom)
  return isShown ? pathname.slice(0, MAX_PATH) : '...'
}

const shownName = (name: string): string =>
  shapeIn(name) === undefined && !looksRandom(name) ? name.slice(0, MAX_PATH) : '...'

/** The parts of a text between its placeholders. */
const withoutPlaceholders = (text: string): readonly string[] =>
  splitAtPlaceholders(text).filter((part) => !isPlaceholder(part))

const hasPlaceholder = (text: string): boolean => splitAtPlaceholders(text).length > 1

function createScanner(names: OwnNames) {
  const rules = nameRules(names)
  /** What is wrong with a value under a name. */
  const suspicion = (name: string, value: string, place: NamePlace): string | undefined => {
    if (value === '' || (place === 'member' && isTypeName(value))) return undefined
    const rest = withoutPlaceholders(value)
    const words = rest.flatMap((part) => part.split(/[\s,;=]+/))
    if (rules.isSecretName(name, place) && !hasPlaceholder(value))
      return 'a value under the name of a secret'
    return rules.isDoubtful(name) && words.some(looksRandom)
      ? 'a long random text under the name of a secret'
      : undefined
  }
  const shaped = (text: string): string | undefined =>
    withoutPlaceholders(text)
      .map(shapeIn)
      .find((what) => what !== undefined)

  const parameters = (query: string, where: string, report: Report): void => {
    for (const [name, value] of new URLSearchParams(query)) {
      const what = suspicion(name, value, 'query') ?? shaped(value)
      if (what !== undefined) report(`${where} parameter ${shownName(name)}`, what)
    }
  }
  const string = (value: string, where: string, report: Report): void => {
    plain(value, where, report)
    encoded(value, where, report)
  }
  const encoded = (value: string, where: string, report: Report): void =>
    void changeEncoded(value, {
      text: (decoded) => {
        string(decoded, where, report)
        return decoded
      },
      letters: (letters) => {
        const what = shaped(letters)
        if (what !== undefined) report(where, what)
        return letters
      },
    })
  const plain = (value: string, where: string, report: Report): void => {
    const what = shaped(value)
    if (what !== undefined) report(where, what)
    for (const [, query = ''] of value.matchAll(/\?([^\s"'<>#]*=[^\s"'#]*)/g))
      parameters(query, where, report)
    if (value.includes('"')) members(value, where, report)
  }
  const members = (text: string, where: string, report: Report): void =>
    eachString(text, (value, name) => {
      const place = name === undefined ? where : `${where}, member ${shownName(name)}`
      const what = name === undefined ? undefined : suspicion(name, value, 'member')
      if (what !== undefined) report(place, what)
      if (value.includes('"')) members(value, place, report)
    })
  return {
    url: (url: string, report: Report): void => {
      const { pathname, search } = new URL(url)
      const what = shaped(decodePart(pathname))
      if (what !== undefined) report('path', what)
      parameters(search, 'query', report)
      encoded(pathname, 'path', report)
      encoded(search, 'query', report)
    },
    headers: (list: HeaderList, of: 'request' | 'response', report: Report): void => {
      for (const [name, value] of list) {
        // It says how to authenticate.
        const isAbout = name.toLowerCase() === 'www-authenticate'
        const what = (isAbout ? undefined : suspicion(name, value, 'header')) ?? shaped(value)
        if (what === undefined) string(value, `${of} header ${shownName(name)}`, report)
        else report(`${of} header ${shownName(name)}`, what)
      }
    },
    text: (data: string | Uint8Array, where: string, report: Report): void =>
      string(
        typeof data === 'string' ? data : (decodeUtf8(data) ?? lettersOf(data)),
        where,
        report,
      ),
  }
}
