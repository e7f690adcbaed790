// The words in which differences are written down.

import { hostedRefusals } from '../../spec/server/errors.ts'
import { ear, type Heard, type Known, type Received, type Told } from '../model/client-view.ts'
import type { Asked } from '../generate/actions.ts'

export const jsonType = 'application/json; charset=utf-8'

/** An object without some of its members. */
export const without = (value: any, ...names: readonly string[]): any =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

/** What stands for the reason of a refusal, which is for people. */
export const reason = '<reason>'

/** A refusal of hosted by its name. */
export function refusedAs(name: keyof typeof hostedRefusals): Told {
  const { status, body } = hostedRefusals[name]
  return 'text' in body
    ? { status, type: 'text/plain; charset=utf-8', body: body.text }
    : { status, type: jsonType, body: { code: body.json.code, message: reason } }
}

/** Changes what the ear has heard. */
export const onEar =
  (
    change: (
      messages: readonly Received[],
      known: Known,
      asked: Asked | undefined,
    ) => readonly Received[] | undefined,
  ) =>
  (heard: Heard, known: Known, asked: Asked | undefined): Heard | undefined => {
    const messages = change(heard[ear] ?? [], known, asked)
    return messages === undefined ? undefined : { ...heard, [ear]: messages }
  }

/** Changes the data of the messages of a type that the ear has heard. */
export const onData = (type: string, change: (data: any, known: Known) => any) =>
  onEar((messages, known) =>
    messages.map((message) =>
      message.type === type ? { type, data: change(message.data, known) } : message,
    ),
  )

/** A value in which all objects that `suits` are changed, however deep they stand. */
export function deep(
  value: any,
  suits: (object: any) => boolean,
  change: (object: any) => any,
): any {
  if (Array.isArray(value)) return value.map((item) => deep(item, suits, change))
  if (typeof value !== 'object' || value === null) return value
  const own = suits(value) ? change(value) : value
  return Object.fromEntries(
    Object.entries(own).map(([name, member]) => [name, deep(member, suits, change)]),
  )
}
