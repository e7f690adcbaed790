// A failure as reports show it: what differs, what was on the wire, and how to see it again.

import type { CheckOptions } from '../../../spec/check.ts'
import type { Case } from '../../judge/proves.ts'
import type { Outgoing } from '../../judge/traffic.ts'
import type { Cause, Failure, WireLine } from '../events.ts'
import { ruleInfosOf } from '../judgement.ts'
import { secrets } from '../keys.ts'
import { shownUrl } from '../probe/unreachable.ts'
import { isCompared, shortText, wordsOf } from './words.ts'

/** How many lines of the wire a failure shows. */
const MAX_WIRE_LINES = 20
/** The longest line of the wire, and the longest body in a command line, in characters. */
const MAX_TEXT = 2000

/** What a case has sent and received until it failed. */
type Exchanged = { readonly wire: readonly WireLine[]; readonly last?: Outgoing }

/** A failure as it is reported. */
export function failureOf(
  one: Pick<Case, 'ids'>,
  error: unknown,
  { wire, last }: Exchanged,
  command: string,
  cause?: Cause,
): Failure {
  return {
    message: wordsOf(error, cause),
    allowed: allowedBy(one, error),
    wire: endOf(wire),
    ...(last && { curl: curlOf(last) }),
    command,
  }
}

/** What the rules of a case allow: their sentences, and the value that was expected. */
function allowedBy(one: Pick<Case, 'ids'>, error: unknown): string {
  const sentences = ruleInfosOf(one).map(({ says }) => says)
  const value =
    isCompared(error) && error.expected !== undefined ? [`Here: ${shortText(error.expected)}`] : []
  return [...sentences, ...value].join('\n')
}

/** The last lines of the wire, where a case has failed, with the request before them. */
function endOf(wire: readonly WireLine[]): readonly WireLine[] {
  const cut = wire.slice(-MAX_WIRE_LINES)
  const asked = wire.findLastIndex(({ direction }) => direction === 'sent')
  const isMissing = asked >= 0 && asked < wire.length - cut.length
  const lines = isMissing ? [...wire.slice(asked, asked + 1), ...cut.slice(1)] : cut
  return lines.map(({ atMs, direction, text }) => ({
    atMs,
    direction,
    text: text.slice(0, MAX_TEXT),
  }))
}

/** What stands for the key of the operator. */
const KEY = '$FLOWDOUBLE_KEY'
/** Headers whose values are secret. */
const secretHeaders: ReadonlySet<string> = new Set([
  'x-api-key',
  'authorization',
  'cookie',
  'proxy-authorization',
])

/** A text for a shell: the key stays a variable. */
export function quoted(text: string): string {
  if (!text.includes(KEY)) return `'${text.replaceAll("'", String.raw`'\''`)}'`
  const parts = text.split(KEY).map((part) => part.replaceAll(/[\\"$`]/g, String.raw`\$&`))
  return `"${parts.join(KEY)}"`
}

/** A command line that repeats a request. */
export function curlOf({ url, method, path, headers, body }: Outgoing): string {
  const lines = Object.entries(headers).map(([name, value]) => {
    const shown = secretHeaders.has(name.toLowerCase()) ? KEY : value
    return `-H ${quoted(`${name}: ${shown}`)}`
  })
  const text = Buffer.from(body as Uint8Array).toString()
  const data = text === '' ? [] : [dataOf(text)]
  const verb = method === 'HEAD' ? ['--head'] : [`-X ${method}`]
  return ['curl -i', ...verb, ...lines, ...data, quoted(shownUrl(url) + path)].join(' ')
}

/** The body as an argument of curl; one that a command line cannot carry is named instead. */
const dataOf = (text: string): string =>
  text.length > MAX_TEXT || /[\0\uFFFD]/.test(text)
    ? `--data-binary @body`
    : `--data-raw ${quoted(text)}`

/**
 * The command that runs a case again with the same flags, without its secrets.
 * @param seed of the session that broke the rule.
 */
export function commandFor(
  options: CheckOptions,
  { ids }: Pick<Case, 'ids'>,
  seed?: number,
): string {
  const given = secrets.filter(({ option }) => options[option] !== undefined)
  return [
    `flowdouble check ${addressIn(options)}`,
    ...(options.deployment ? [`--deployment ${options.deployment}`] : []),
    ...given.map(
      ({ flag }) => `${flag} "$FLOWDOUBLE${flag.slice(1).toUpperCase().replaceAll('-', '_')}"`,
    ),
    ...Object.keys(options.headers).map((name) => `--header "${name}: ${KEY}"`),
    ...(options.isReadOnly ? ['--read-only'] : []),
    ...(options.allow.length > 0 ? [`--allow ${options.allow.join(',')}`] : []),
    ...(seed === undefined ? [] : [`--sessions 1 --seed ${seed}`]),
    ...ids.map((id) => `--only ${id}`),
  ].join(' ')
}

/** The server or the gateway of a check, as flags. */
const addressIn = ({ url, gateway }: CheckOptions): string =>
  gateway === undefined
    ? shownUrl(url)
    : `--gateway ${shownUrl(url)} --route ${quoted(gateway.route)} --secret "$FLOWDOUBLE_SECRET"`
