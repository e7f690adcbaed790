// Judges the messages of a server by the spec: each message by its schema, the messages of a run by the order table.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Deployment, Message as MessageSpec, Schema } from '../../spec/language.ts'
import { messages } from '../../spec/server/messages.ts'
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
  const known = Object.entries<MessageSpec>(messages).find(([type]) => type === message.type)
  if (known === undefined) return [`There is no message type ${message.type}.`]
  const { on, data, hostedData } = known[1]
  if (!on.includes(deployment)) return [`${message.type} is not sent on ${deployment}.`]
  const schema = deployment === 'hosted' ? (hostedData ?? data) : data
  return violations(schema, message.data).map((fault) => `${message.type}: ${fault}`)
}

/** The kind of a message in the order table. */
export const kindOf = ({ type, data }: Message): Kind =>
  type === 'executing' && data['node'] === null ? 'executing_null' : (type as Kind)

/** What is wrong with the order of the messages of one run, as its client received them from its submit to its end. */
export function judgeOrder(deployment: Deployment, run: readonly Message[]): string[] {
  const { first, last, next }: Order = order[deployment]
  let state: State = first
  for (const [index, message] of run.entries()) {
    const kind = kindOf(message)
    const following: State | undefined = next[state][kind]
    if (following === undefined)
      return [`Message ${index}, ${kind}, cannot follow in the state "${state}".`]
    state = following
  }
  return last.includes(state) ? [] : [`The run is left in the state "${state}".`]
}
