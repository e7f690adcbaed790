// Reads faults: rejects combinations of `when` and `then` that the schema allows, but that can have no effect.

import {
  effectsOf,
  fault as faultSchema,
  type Fault,
  type Watched,
  watchedBy,
} from '../../spec/scenario/faults.ts'
import { isPlainObject, readObject } from './json-schema.ts'

/** What is wrong with a value as a fault, as the end of a sentence; undefined if nothing is. */
export function faultProblem(value: unknown): string | undefined {
  const problem = shapeProblem(value)
  if (problem !== undefined) return problem
  const fault = value as Fault
  const named = allWatched.filter((one) =>
    watchedBy[one].some((member) => fault.when[member] !== undefined),
  )
  if (named.length > 1) {
    const members = named.flatMap((one) => watchedBy[one].filter((name) => name in fault.when))
    return `has ${listed(members)} in \`when\`: use a separate fault for each`
  }
  const [watched = 'requests'] = named
  return whenProblem(fault, watched) ?? thenProblem(fault, watched)
}

/** What is wrong with the members of a fault. Its parts come first: they know more. */
function shapeProblem(value: unknown): string | undefined {
  const parts = isPlainObject(value) ? value : {}
  for (const part of ['when', 'then'] as const) {
    const read = readObject(faultSchema.properties[part], parts[part])
    if (typeof read === 'string' && part in parts) return `is wrong: its \`${part}\` ${read}`
  }
  const read = readObject(faultSchema, value)
  return typeof read === 'string' ? read : undefined
}

const allWatched = Object.keys(watchedBy) as Watched[]

/** What each is called in a sentence. */
const names: Readonly<Record<Watched, string>> = {
  requests: 'requests',
  handshakes: 'handshakes',
  messages: 'messages',
  time: 'a time',
}

const listed = (members: readonly string[]): string =>
  members.map((member) => `\`${member}\``).join(' and ')

function whenProblem({ when, times }: Fault, watched: Watched): string | undefined {
  if (watched === 'messages' && when.message === undefined)
    return 'needs `message` in `when`, beside `data` and `node`: a type, preview or *'
  if (watched === 'requests' && when.clientId !== undefined)
    return 'has `clientId` in `when`, which only sockets have: add `message`, `socket` or `atMs`'
  const isCounted = [when.nth, when.probability, times].some((one) => one !== undefined)
  if (watched === 'time' && isCounted)
    return 'applies once, at `atMs`: remove `nth`, `probability` and `times`'
  return undefined
}

/** Effects of which a fault has one at most, for each thing that it watches. */
const exclusive: Readonly<Record<Watched, readonly (keyof Fault['then'])[]>> = {
  requests: ['reset', 'truncate', 'slow', 'restart'],
  handshakes: ['refuse', 'reset', 'close', 'silence', 'restart'],
  messages: ['reset', 'close', 'silence', 'skip', 'cut', 'restart'],
  time: ['reset', 'close', 'silence', 'restart'],
}

function thenProblem({ when, then }: Fault, watched: Watched): string | undefined {
  const given = Object.keys(then) as (keyof Fault['then'])[]
  const known: readonly string[] = effectsOf[watched]
  if (given.length === 0) return `does nothing: add one of ${known.join(', ')} to \`then\``
  const foreign = given.find((name) => !known.includes(name))
  if (foreign !== undefined) {
    const where = allWatched.filter((one) => effectsOf[one].some((name) => name === foreign))
    return `watches ${names[watched]}, but \`${foreign}\` needs ${where.map((one) => watching[one]).join(' or ')} in \`when\``
  }
  const clash = given.filter((name) => exclusive[watched].includes(name))
  if (clash.length > 1) return `has ${listed(clash)} in \`then\`: use only one of them`
  if (watched === 'messages') return messageProblem(when, then, clash[0])
  const answer = watched === 'requests' ? 'status' : 'refuse'
  return answerProblem(then, answer) ?? valueProblem(then, watched)
}

/** The members of `when` that make a fault watch each of them. */
const watching: Readonly<Record<Watched, string>> = {
  requests: '`path` or `method`',
  handshakes: '`socket: open`',
  messages: '`message`',
  time: '`atMs`',
}

function messageProblem(
  { message }: Fault['when'],
  then: Fault['then'],
  ending: string | undefined,
): string | undefined {
  const { alter, short, swap, delayMs, repeat } = then
  const changes = (['alter', 'short', 'swap', 'repeat'] as const).filter((one) => one in then)
  if (ending !== undefined && changes.length > 0)
    return `has ${listed([ending, ...changes])} in \`then\`: no message is left to change`
  if (swap && (delayMs !== undefined || repeat !== undefined))
    return 'has `swap` in `then` beside `delayMs` or `repeat`: use only one of them'
  if (short !== undefined && message !== 'preview')
    return 'has `short` in `then`, which only `message: preview` can have; `cut` breaks other messages'
  if (alter !== undefined && message === 'preview')
    return 'has `alter` in `then`, but a preview has no members: use `short`'
  return valueProblem(then, 'messages')
}

/** Members that describe an answer need one. */
function answerProblem(then: Fault['then'], answer: 'status' | 'refuse'): string | undefined {
  const alone = (['headers', 'body', 'retryAfter'] as const).find((name) => name in then)
  if (alone !== undefined && then[answer] === undefined)
    return `has \`${alone}\` in \`then\` without \`${answer}\`: add the status of the answer`
  if (then.status !== undefined && then.restart)
    return 'has `status` and `restart` in `then`: a server that restarts does not answer'
  return undefined
}

/** Headers that the server sets from the body and the time. */
const ownHeaders = new Set(['content-length', 'transfer-encoding', 'date', 'server'])

const headerName = /^[\w!#$%&'*+.^`|~-]+$/
const headerValue = /^[\t\x20-\x7e\xa0-\xff]*$/

function valueProblem(
  { headers, close, reset }: Fault['then'],
  watched: Watched,
): string | undefined {
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (typeof value !== 'string' || !headerName.test(name) || !headerValue.test(value))
      return 'has a header in `then` that HTTP does not allow: use a name and a text'
    if (ownHeaders.has(name.toLowerCase()))
      return `has the header ${name} in \`then\`, which the server sets: use \`truncate\` for a wrong length`
  }
  if (close !== undefined && !isCloseCode(close))
    return `has the code ${close} in \`close\`, which no server can send: use 1000 to 1014 or 3000 to 4999, and \`reset\` for 1006`
  if (typeof reset === 'object' && watched !== 'requests')
    return 'has `afterBytes` in `reset`, which only responses have: use `reset: true`, or `cut`'
  return undefined
}

/** Whether a close frame can carry a code. */
const isCloseCode = (code: number): boolean =>
  code >= 3000 || (code <= 1014 && ![1004, 1005, 1006].includes(code))
