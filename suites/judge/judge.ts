// Judges the messages of a server by the spec: each message by its schema, the messages of a run by the order table.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Deployment, Message as MessageSpec, Schema } from '../../spec/language.ts'
import { messages, type MessageType } from '../../spec/server/messages.ts'
import { type Kind, type Order, order, type State } from '../../spec/server/order.ts'

export type Message = { readonly type: string; readonly data: Readonly<Record<string, unknown>> }

const ajv = new Ajv2020({ allErrors: true })
ajv.addKeyword('volatile')
const validators = new Map<Schema, ValidateFunction>()

/** What is wrong with a value according to a schema, as sentences; empty if nothing is. */
export function violations(schema: Schema, value: unknown): string[] {
  const validate = validators.get(schema) ?? ajv.compile(schema)
  validators.set(schema, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath || 'value'} ${message}`,
  )
}

/** What is wrong with a message by itself. */
export function judgeMessage(message: Message, deployment: Deployment = 'local'): string[] {
  if (!Object.hasOwn(messages, message.type)) return [`There is no message type ${message.type}.`]
  const { on, data, hostedData }: MessageSpec = messages[message.type as MessageType]
  if (!on.includes(deployment)) return [`${message.type} is not sent on ${deployment}.`]
  const schema = deployment === 'hosted' ? (hostedData ?? data) : data
  return violations(schema, message.data).map((fault) => `${message.type}: ${fault}`)
}

/** The kind of a message in the order table. */
export const kindOf = ({ type, data }: Message): Kind =>
  type === 'executing' && data['node'] === null ? 'executing_null' : (type as Kind)

/** A message that cannot follow those before it, at its index. */
type OrderFault = { readonly index: number; readonly says: string }

/** The states in which a run can be after its messages, or the first message that cannot follow. */
function follow(
  deployment: Deployment,
  run: readonly Message[],
  from: readonly State[],
): readonly State[] | OrderFault {
  const { next }: Order = order[deployment]
  let states = from
  for (const [index, message] of run.entries()) {
    const kind = kindOf(message)
    const following = statesAfter(states, kind, next)
    if (following.length === 0) {
      const where = states.length === 1 ? `in the state "${states[0]}"` : 'in any state'
      return { index, says: `Message ${index}, ${kind}, cannot follow ${where}.` }
    }
    states = following
  }
  return states
}

/** The states that can follow some others. Mostly one is known. */
function statesAfter(states: readonly State[], kind: Kind, next: Order['next']): readonly State[] {
  const [first] = states
  if (states.length !== 1 || first === undefined)
    return [...new Set(states.flatMap((state) => next[state][kind] ?? []))]
  const one = next[first][kind]
  return one === undefined ? [] : [one]
}

const isFault = (found: readonly State[] | OrderFault): found is OrderFault => 'index' in found

/** What is wrong with the order of the messages of one run, as its client received them from its submit to its end. */
export function judgeOrder(deployment: Deployment, run: readonly Message[]): string[] {
  const { first, last }: Order = order[deployment]
  const found = follow(deployment, run, [first])
  if (isFault(found)) return [found.says]
  return found.some((state) => last.includes(state))
    ? []
    : [`The run is left in the state "${found.join(', ')}".`]
}

/**
 * The first message of a run that cannot follow those before it; undefined if all can. They need not lead to the end of the
 * run.
 * @param isFromStart whether they are all since its submit; otherwise they can begin in any state.
 */
export function orderFault(
  deployment: Deployment,
  run: readonly Message[],
  isFromStart: boolean,
): OrderFault | undefined {
  const { first, next }: Order = order[deployment]
  const from = isFromStart ? [first] : (Object.keys(next) as readonly State[])
  const found = follow(deployment, run, from)
  return isFault(found) ? found : undefined
}
