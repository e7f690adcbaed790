// What there is to say about a case that failed, as named texts: each report prints them in its form.

import type { CaseEvent, Failure, WireLine } from '../events.ts'
import { clipped, oneLine } from '../output/text.ts'

export type Part = readonly [name: string, text: string]

/** The longest text of one message in a list of messages. */
const MAX_MESSAGE = 300

/** The parts that a few lines have room for. */
const briefParts = new Set([
  'Fault of',
  'Allowed',
  'Came',
  'Cause',
  'Also fails by it',
  'Known quirk',
  'Detail',
  'The case again',
])

/** A case in a few lines, for reports that show it among the findings of other tools: what is allowed, what came. */
export const briefOf = (one: CaseEvent): string =>
  partsOf(one)
    .filter(([name]) => briefParts.has(name))
    .map(([name, text]) => `${name}: ${clipped(oneLine(text), MAX_MESSAGE)}`)
    .join('\n') || oneLine(one.rules[0]?.says ?? one.title)

/** How reports name the messages of a failure. */
export const wireTitle = 'Messages around it'

/** All parts, in the order in which a reader asks for them. Texts are as they came: a report makes them safe. */
export function partsOf(one: CaseEvent): readonly Part[] {
  const { verdict, failure, quirk, detail, cause, followers = [] } = one
  return [
    ...part(
      'Fault of',
      verdict === 'fault' ? 'flowdouble, not of the target: please report it' : undefined,
    ),
    ...(failure === undefined ? [] : failureParts(failure)),
    ...part('Cause', cause?.says === failure?.message ? undefined : cause?.says),
    ...part('Also fails by it', followers.length === 0 ? undefined : followers.join(', ')),
    ...part('Known quirk', quirk && `${quirk} (--accept ${quirk} makes it a note)`),
    ...part('Detail', detail),
  ]
}

function failureParts({
  message,
  allowed,
  wire,
  curl,
  command,
  exchanges,
}: Failure): readonly Part[] {
  const { sent, answer } = lastExchange(wire)
  return [
    ...part('Sent', sent && clipped(sent, MAX_MESSAGE)),
    ...part('Answer', answer && clipped(answer, MAX_MESSAGE)),
    ...part('Allowed', allowed),
    ...part('Came', message),
    ...part(wireTitle, wire.length === 0 ? undefined : wireText(wire)),
    ...part('The request again', curl),
    ...part('The case again', command),
    ...part('Smallest counterexample', exchanges),
  ]
}

/** The last request, and the answer to it: its status and the beginning of its body. */
export function lastExchange(wire: readonly WireLine[]): {
  readonly sent?: string | undefined
  readonly answer?: string | undefined
} {
  const at = wire.findLastIndex(({ direction }) => direction === 'sent')
  if (at < 0) return {}
  const answer = wire
    .slice(at + 1)
    .find(({ direction, text }) => direction === 'received' && /^\d{3}( |$)/.test(text))
  return { sent: wire[at]?.text, answer: answer?.text }
}

const part = (name: string, text: string | undefined): readonly Part[] =>
  text === undefined ? [] : [[name, text]]

/** Messages, one in a line: when, in which direction, and the text. */
function wireText(wire: readonly WireLine[]): string {
  const times = wire.map(({ atMs }) => `${Math.round(atMs)} ms`)
  const width = Math.max(...times.map((time) => time.length))
  return wire
    .map(({ direction, text }, index) => {
      const time = (times[index] ?? '').padStart(width)
      return `${time} ${direction === 'sent' ? '>' : '<'} ${clipped(oneLine(text), MAX_MESSAGE)}`
    })
    .join('\n')
}
