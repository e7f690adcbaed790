// Reads faults: rejects combinations of `when` and `then` that the schema allows, but that can have no effect.

import {
  effectsOf,
  fault as faultSchema,
  type Fault,
  type FaultThen,
  redirects,
  type Watched,
  watchedBy,
} from '../../spec/scenario/faults.ts'
import { messages } from '../../spec/server/messages.ts'
import { streamEvents } from '../../spec/v2/v2-streams.ts'
import { nearest } from '../lib/nearest.ts'
import { type Violation, violations } from './json-schema.ts'
import { notPlain } from './plain-data.ts'

/**
 * Where a value is not a fault, or one without an effect, and why; empty if it is a good one.
 * @param scripted the types of messages of the scenario.
 */
export function faultViolations(
  value: unknown,
  scripted: readonly string[] = [],
): readonly Violation[] {
  const unsaid = notPlain(value)
  if (unsaid !== undefined) return [unsaid]
  const wrong = violations(faultSchema, value)
  if (wrong.length > 0) return wrong
  const problem = combinationProblem(value as Fault, scripted)
  return problem === undefined ? [] : [problem]
}

/** What is wrong with the members of a valid fault together. */
function combinationProblem(fault: Fault, scripted: readonly string[]): Violation | undefined {
  const named = allWatched.filter((one) =>
    watchedBy[one].some((member) => fault.when[member] !== undefined),
  )
  if (named.length > 1) {
    const members = named.flatMap((one) => watchedBy[one].filter((name) => name in fault.when))
    return at(['when'], `has ${listed(members)}: use a separate fault for each`)
  }
  const [watched = 'requests'] = named
  return whenProblem(fault, watched, scripted) ?? thenProblem(fault, watched)
}

const at = (path: Violation['path'], problem: string): Violation => ({ path, problem })

const allWatched = Object.keys(watchedBy) as Watched[]

const listed = (members: readonly string[]): string => members.join(' and ')

function whenProblem(
  { when, times }: Fault,
  watched: Watched,
  scripted: readonly string[],
): Violation | undefined {
  if (watched === 'messages' && when.message === undefined)
    return at(['when'], 'needs message beside data and node: a type, preview or *')
  const known = [...messageTypes, ...scripted]
  if (when.message !== undefined && !known.includes(when.message))
    return at(['when', 'message'], unknownMessage(when.message, known))
  if (watched === 'requests' && when.clientId !== undefined)
    return at(['when', 'clientId'], 'belongs to sockets: add message, socket or atMs')
  const counted = (['nth', 'probability'] as const).find((name) => when[name] !== undefined)
  if (watched !== 'time' || (counted ?? times) === undefined) return undefined
  const path = counted === undefined ? ['times'] : ['when', counted]
  return at(path, 'must be removed: a fault with atMs applies once')
}

/** What a fault can name: the types of messages, the events of streams, the frames, and all of them. Faults do not find what faults insert. */
const messageTypes: readonly string[] = [
  ...new Set([...Object.keys(messages), ...Object.keys(streamEvents), 'preview', 'text', '*']),
]

function unknownMessage(type: string, known: readonly string[]): string {
  const meant = nearest(type, known)
  const hint = meant === undefined ? `types are ${known.join(', ')}` : `did you mean ${meant}?`
  return `is not a type of message that the server sends; ${hint}`
}

/** Effects of which a fault has one at most, for each thing that it watches. */
const exclusive: Readonly<Record<Watched, readonly (keyof FaultThen)[]>> = {
  requests: ['reset', 'truncate', 'slow', 'restart', 'exit'],
  handshakes: ['refuse', 'reset', 'close', 'silence', 'restart', 'exit'],
  messages: ['reset', 'close', 'silence', 'skip', 'cut', 'restart', 'exit'],
  time: ['reset', 'close', 'silence', 'restart', 'exit'],
}

/** What a fault watches, and the members of `when` for it. */
const watching: Readonly<Record<Watched, readonly [what: string, members: string]>> = {
  requests: ['requests', 'path or method'],
  handshakes: ['handshakes', 'socket: open'],
  messages: ['messages', 'message'],
  time: ['the time', 'atMs'],
}

function thenProblem({ when, then }: Fault, watched: Watched): Violation | undefined {
  const given = Object.keys(then) as (keyof FaultThen)[]
  const known: readonly string[] = effectsOf[watched]
  if (given.length === 0) return at(['then'], `is empty: add one of ${known.join(', ')}`)
  const foreign = given.find((name) => !known.includes(name))
  if (foreign !== undefined) {
    const where = allWatched.filter((one) => effectsOf[one].some((name) => name === foreign))
    const needs = where.map((one) => watching[one][1]).join(' or ')
    return at(
      ['then', foreign],
      `needs ${needs} in when: this fault watches ${watching[watched][0]}`,
    )
  }
  const clash = given.filter((name) => exclusive[watched].includes(name))
  if (clash.length > 1) return at(['then'], `has ${listed(clash)}: use only one of them`)
  if (watched === 'handshakes' && typeof then.silence === 'object')
    return at(['then', 'silence', 'forMs'], 'needs message or atMs in when; here use delayMs')
  if (watched === 'messages') return messageProblem(when, then, clash[0]) ?? valueProblem(then)
  return answerProblem(then, watched === 'requests' ? 'status' : 'refuse') ?? valueProblem(then)
}

function messageProblem(
  { message }: Fault['when'],
  { alter, short, malformed, swap, delayMs, repeat, reset }: FaultThen,
  ending: string | undefined,
): Violation | undefined {
  const changes = Object.entries({ alter, short, malformed, swap, repeat }).filter(
    ([, one]) => one !== undefined,
  )
  const names = changes.map(([name]) => name)
  if (ending !== undefined && changes.length > 0)
    return at(['then'], `has ${listed([ending, ...names])}: no message is left to change`)
  if (swap && (delayMs !== undefined || repeat !== undefined))
    return at(['then', 'swap'], 'cannot stand beside delayMs or repeat: use only one of them')
  if (short !== undefined && message !== 'preview')
    return at(['then', 'short'], 'needs message: preview in when; cut breaks other messages')
  if (alter !== undefined && message === 'preview')
    return at(['then', 'alter'], 'cannot change a preview, which has no members: use short')
  if (malformed && message === 'preview')
    return at(['then', 'malformed'], 'cannot break a preview, which is not JSON: use short')
  return typeof reset === 'object' ? afterBytes : undefined
}

const afterBytes = at(
  ['then', 'reset', 'afterBytes'],
  'needs path or method in when: use reset: true, or cut',
)

/** Members that describe an answer need one. */
function answerProblem(then: FaultThen, answer: 'status' | 'refuse'): Violation | undefined {
  const alone = (['headers', 'body', 'retryAfter'] as const).find((name) => name in then)
  if (alone !== undefined && then[answer] === undefined)
    return at(['then', alone], `needs ${answer} beside it: the status of the answer`)
  const isRedirect = redirects.some((one) => one === then.status)
  if (then.location !== undefined && !isRedirect)
    return at(['then', 'location'], `needs a redirect beside it: status ${redirects.join(', ')}`)
  const gone = (['restart', 'exit'] as const).find((name) => name in then)
  if (then.status !== undefined && gone !== undefined)
    return at(['then', 'status'], `cannot stand beside ${gone}: that server does not answer`)
  return answer === 'refuse' && typeof then.reset === 'object' ? afterBytes : undefined
}

/** Headers that the server sets from the body and the time. */
const ownHeaders = new Set(['content-length', 'transfer-encoding', 'date', 'server'])

const headerName = /^[\w!#$%&'*+.^`|~-]+$/
const headerValue = /^[\t\x20-\x7e\xa0-\xff]*$/

/** What is wrong with the headers of an answer: the first thing, if any. */
export function headerProblem(headers: object, place: Violation['path']): Violation | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const path = [...place, name]
    if (typeof value !== 'string' || !headerName.test(name) || !headerValue.test(value))
      return at(path, 'must be the name of a header with a text that HTTP allows')
    if (ownHeaders.has(name.toLowerCase()))
      return at(path, 'is set by the server: use truncate for a wrong length')
  }
  return undefined
}

function valueProblem({ headers = {}, close, location }: FaultThen): Violation | undefined {
  if (typeof location === 'string' && !/^[\x21-\x7e]+$/.test(location))
    return at(['then', 'location'], 'must be a path or a URL: encode spaces and other letters')
  const wrong = headerProblem(headers, ['then', 'headers'])
  if (wrong !== undefined) return wrong
  if (close === undefined || isCloseCode(close)) return undefined
  const path = ['then', 'close']
  return at(path, 'must be 1000 to 1014 or 3000 to 4999; reset shows clients 1006')
}

/** Whether a close frame can carry a code. */
const isCloseCode = (code: number): boolean =>
  code >= 3000 || (code <= 1014 && ![1004, 1005, 1006].includes(code))

/** The faults of a scenario that can have no effect, and why. The scenario matches its schema. */
export const withoutEffect = (
  faults: readonly Fault[] = [],
  scripted: readonly string[] = [],
): readonly Violation[] =>
  faults.flatMap((fault, index) => {
    const problem = combinationProblem(fault, scripted)
    return problem === undefined ? [] : [at(['faults', index, ...problem.path], problem.problem)]
  })
