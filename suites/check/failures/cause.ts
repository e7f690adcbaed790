// What is wrong with the traffic of a case that failed, in the words of the protocol: reports show failures of one cause together.

import { endpointRules } from '../../../spec/answers.ts'
import type { Deployment, Place } from '../../../spec/language.ts'
import { frames } from '../../../spec/server/frames.ts'
import { isCompared } from './words.ts'
import { bodiesOn } from '../../generate/replies-on.ts'
import { TimedOut } from '../../judge/client.ts'
import { judgeMessage, type Message, orderFault, violations } from '../../judge/judge.ts'
import type { Cause, WireLine } from '../events.ts'
import type { SeenReply } from '../running.ts'
import { findEndpoint, plainPath, jsonIn } from '../../../dist/emulator/session/index.js'

/** What a case has received until it failed. */
export type Seen = { readonly wire: readonly WireLine[]; readonly replies: readonly SeenReply[] }

/** The first cause that the traffic of a case shows, or that its error names. */
export const causeOf = (place: Place, error: unknown, seen: Seen): Cause | undefined =>
  place === 'gateway'
    ? undefined
    : (frameCause(seen) ??
      messageCause(place, seen) ??
      executedCause(seen) ??
      orderCause(place, seen) ??
      replyCause(place, seen) ??
      countCause(error, seen) ??
      errorCause(error))

const received = ({ wire }: Seen): readonly string[] =>
  wire.flatMap(({ direction, text }) => (direction === 'received' ? [text] : []))

const frameTypes: ReadonlySet<number> = new Set(Object.values(frames).map(({ type }) => type))

/** A frame of an unknown type. */
function frameCause(seen: Seen): Cause | undefined {
  for (const text of received(seen)) {
    const type = /^frame of type (\d+), /.exec(text)?.[1]
    if (type !== undefined && !frameTypes.has(Number(type)))
      return { says: `There is no frame of type ${type}.`, rules: ['frames/type-code'] }
  }
  return undefined
}

const messagesIn = (seen: Seen): readonly Message[] =>
  received(seen).flatMap((text): readonly Message[] => {
    const message: Partial<Message> | undefined = text.startsWith('{') ? jsonIn(text) : undefined
    return typeof message?.data === 'object' ? [message as Message] : []
  })

/** The rule about a message that does not bear its name. */
const messageRules: Readonly<Record<string, string>> = {
  execution_success: 'messages/success',
  execution_error: 'messages/error',
  execution_interrupted: 'messages/interrupted',
  executing_null: 'messages/executing-null',
}
const ruleOfMessage = (type: string): string =>
  messageRules[type] ?? `messages/${type.replaceAll('_', '-')}`

/** A message whose data does not fit its schema. */
function messageCause(place: Deployment, seen: Seen): Cause | undefined {
  for (const message of messagesIn(seen)) {
    const [fault] = judgeMessage(message, place)
    if (fault === undefined) continue
    const says = `A message does not have the form of the protocol: ${withoutIds(fault)}.`
    return { says, rules: [ruleOfMessage(message.type)], ...wordIn(fault) }
  }
  return undefined
}

/** Nodes whose outputs are always sent. */
const showing: ReadonlySet<unknown> = new Set(['PreviewImage', 'SaveImage', 'PreviewAny'])

/** The nodes that show something in the runs that were submitted, as `prompt_id node`. */
function showingNodes({ wire }: Seen): ReadonlySet<string> {
  const found = new Set<string>()
  let graph: Readonly<Record<string, any>> = {}
  for (const { direction, text } of wire) {
    const sent =
      direction === 'sent' ? /^POST (?:\/api)?\/prompt (\{.*)/s.exec(text)?.[1] : undefined
    if (sent !== undefined) graph = jsonIn(sent)?.prompt ?? {}
    const prompt_id = direction === 'received' && /^200 .*"prompt_id": ?"([^"]+)"/s.exec(text)?.[1]
    if (!prompt_id) continue
    for (const [id, one] of Object.entries(graph))
      if (showing.has(one?.class_type)) found.add(`${prompt_id} ${id}`)
    graph = {}
  }
  return found
}

/** A node that shows something and was executed, in a run that succeeded, without its executed. */
function executedCause(seen: Seen): Cause | undefined {
  const all = messagesIn(seen)
  const keysOf = (type: string): ReadonlySet<string> =>
    new Set(
      all.flatMap((one) =>
        one.type === type ? [`${String(one.data['prompt_id'])} ${String(one.data['node'])}`] : [],
      ),
    )
  const executed = keysOf('executed')
  const executing = keysOf('executing')
  const succeeded = new Set(
    all.flatMap(({ type, data }) => (type === 'execution_success' ? [data['prompt_id']] : [])),
  )
  const isLost = [...showingNodes(seen)].some(
    (key) => executing.has(key) && !executed.has(key) && succeeded.has(key.split(' ')[0]),
  )
  return isLost
    ? {
        says: 'A node with an output was executed, and no executed came.',
        rules: ['messages/executed'],
      }
    : undefined
}

/** A run whose messages do not follow each other as they must. */
function orderCause(place: Deployment, seen: Seen): Cause | undefined {
  const byRun = new Map<string, Message[]>()
  for (const message of messagesIn(seen)) {
    const id = message.data['prompt_id']
    if (typeof id !== 'string') continue
    const own = byRun.get(id) ?? []
    // Several sockets can receive the same.
    if (JSON.stringify(own.at(-1)) !== JSON.stringify(message)) own.push(message)
    byRun.set(id, own)
  }
  for (const own of byRun.values()) {
    if (own[0]?.type !== 'execution_start') continue
    const fault = orderFault(place, own, true)
    if (fault !== undefined)
      return {
        says: 'The messages of a run do not come in the order of the protocol.',
        rules: ['messages/order', 'messages/executing-null-last'],
      }
  }
  return undefined
}

/** Statuses that a proxy or the HTTP layer returns on any path. */
const general: ReadonlySet<number> = new Set([304, 400, 404, 405, 413, 417, 502, 503, 504])

/** The last reply that is none of its endpoint. */
function replyCause(place: Deployment, { replies }: Seen): Cause | undefined {
  for (const reply of replies.toReversed()) {
    const cause = causeIn(place, reply)
    if (cause !== undefined) return cause
  }
  return undefined
}

function causeIn(place: Deployment, reply: SeenReply): Cause | undefined {
  const { method, path, status, type } = reply
  if (method === 'HEAD' || method === 'OPTIONS') return undefined
  const [way = '', query = ''] = path.split('?')
  const found = findEndpoint(place, method, plainPath(place, way))
  if (found === undefined || found.name === 'socket') return undefined
  const { name, spec } = found
  const rules = (endpointRules as Readonly<Record<string, readonly string[]>>)[name] ?? []
  const at = `${method} ${spec.path}`
  const bodies = bodiesOn(place, spec)
  const known = bodies[status]
  if (known === undefined) {
    if (general.has(status)) return undefined
    const usual = Object.keys(spec.replies).join(', ')
    return { says: `${at} returned ${status}; its replies are ${usual}.`, rules }
  }
  if (name === 'view') {
    const isLost = status === 200 && type === 'application/octet-stream' && hasKnownType(query)
    return isLost
      ? {
          says: `${at} returned ${type} for a file of another type.`,
          rules: ['files/view-headers'],
        }
      : undefined
  }
  if (known.some((body) => typeof body !== 'object')) return undefined
  const value: unknown = jsonIn(Buffer.from(reply.bytes).toString())
  if (value === undefined) return { says: `${at} returned a body that is not valid JSON.`, rules }
  const faults = known.map((body) => (typeof body === 'object' ? violations(body, value) : []))
  if (faults.some((one) => one.length === 0)) return undefined
  const all = faults.flat()
  const fault = all.find((one) => one.includes('required property')) ?? all[0] ?? ''
  return { says: `${at} ${replyText(fault)}`, rules, ...wordIn(fault) }
}

/** Whether the type of a viewed file is known from its name, or since it is converted. */
function hasKnownType(query: string): boolean {
  const asked = new URLSearchParams(query)
  return asked.has('preview') || /\.(png|webp|jpe?g|gif|txt)$/i.test(asked.get('filename') ?? '')
}

/** A fault of a schema without what differs from run to run: ids and places in lists. */
const withoutIds = (text: string): string =>
  text.replace(/^([^:]+: )?(\/.*?)(?= must )/, (_, head: string | undefined, path: string) => {
    const parts = path.split('/').slice(1)
    const named = parts.map((one) =>
      /^\d+$/.test(one) ? 'N' : /^[a-z][a-z_]*$/.test(one) ? one : '{id}',
    )
    return `${head ?? ''}/${named.join('/')}`
  })

const requiredMember = /^(.+) must have required property '([^']+)'/

/** What is wrong with the body of a reply, from the words of the schema. */
function replyText(fault: string): string {
  const [, path = '', member] = requiredMember.exec(withoutIds(fault)) ?? []
  if (member === undefined) return `returned a body of another form: ${withoutIds(fault)}.`
  return `returned no member ${member}${path === 'value' ? '' : ` in ${path}`}.`
}

/** The member that a fault is about, by which the rule about it is found. */
function wordIn(fault: string): { readonly word?: string } {
  const word = requiredMember.exec(fault)?.[2]
  return word === undefined ? {} : { word }
}

/** Counts in status that are all wrong by the same number. */
function countCause(error: unknown, seen: Seen): Cause | undefined {
  if (!isCompared(error)) return undefined
  const [expected, actual] = [error.expected, error.actual].map((one): readonly unknown[] =>
    Array.isArray(one) ? one : [one],
  )
  if (expected === undefined || actual?.length !== expected.length) return undefined
  const counts = new Set(messagesIn(seen).map(countIn))
  const offsets = new Set<number>()
  for (const [at, one] of actual.entries()) {
    const other = expected[at]
    if (typeof one !== 'number' || typeof other !== 'number' || !counts.has(one)) return undefined
    if (one !== other) offsets.add(one - other)
  }
  const [offset] = offsets
  if (offsets.size !== 1 || offset === undefined) return undefined
  const how = `${Math.abs(offset)} too ${offset > 0 ? 'high' : 'low'}`
  return { says: `The number of runs in status is ${how}.`, rules: ['messages/status'] }
}

const countIn = ({ type, data }: Message): unknown =>
  type === 'status' ? (data as any).status?.exec_info?.queue_remaining : undefined

/** What an error names: a message that did not come in time, or a server that is gone. */
function errorCause(error: unknown): Cause | undefined {
  if ((error as { readonly code?: unknown } | undefined)?.code === 'ECONNREFUSED')
    return { says: 'The server no longer accepts connections.', rules: [] }
  if (!(error instanceof TimedOut) || error.awaited === undefined) return undefined
  const { says, kind } = error.awaited
  return { says: `${says} did not come.`, rules: [ruleOfMessage(kind)] }
}
