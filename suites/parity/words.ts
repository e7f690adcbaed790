// The building blocks of differences.

import { hostedRefusals } from '../../spec/server/errors.ts'
import {
  listener,
  type ReceivedByClient,
  type ClientView,
  type ReceivedItem,
  type PlainReply,
} from '../model/client-view.ts'
import type { PlainRequest } from '../generate/actions.ts'

export const jsonType = 'application/json; charset=utf-8'

/** An object without some of its members. */
export const without = (value: any, ...names: readonly string[]): any =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

/** The placeholder for the reason of a refusal, which is for people. */
export const reason = '<reason>'

/** A refusal of hosted by its name. */
export function refusedAs(name: keyof typeof hostedRefusals): PlainReply {
  const { status, body } = hostedRefusals[name]
  return 'text' in body
    ? { status, type: 'text/plain; charset=utf-8', body: body.text }
    : { status, type: jsonType, body: { code: body.json.code, message: reason } }
}

/** Changes what the listener received. */
export const onListener =
  (
    change: (
      messages: readonly ReceivedItem[],
      view: ClientView,
      request: PlainRequest | undefined,
    ) => readonly ReceivedItem[] | undefined,
  ) =>
  (
    received: ReceivedByClient,
    view: ClientView,
    request: PlainRequest | undefined,
  ): ReceivedByClient | undefined => {
    const messages = change(received[listener] ?? [], view, request)
    return messages === undefined ? undefined : { ...received, [listener]: messages }
  }

/** Changes the data of the messages of a type that the listener received. */
export const onData = (type: string, change: (data: any, view: ClientView) => any) =>
  onListener((messages, view) =>
    messages.map((message) =>
      message.type === type ? { type, data: change(message.data, view) } : message,
    ),
  )

/** A value in which all objects that `suits` are changed, at any depth. */
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
