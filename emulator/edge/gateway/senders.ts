// Deliveries that are really made: one POST to the address of the operator, or one call of the sender of the target.

import {
  deliveryErrors,
  pathValue,
  type Sender,
  senders,
} from '../../../spec/gateway/deliveries.ts'
import type { Delivery } from '../../gateway/machine.ts'
import { isDone, objectIn, postJson, type Reply } from './call.ts'
import type { Deliveries } from '../../options/gateway.ts'
import type { SenderSettings } from './sender-settings.ts'

/** Replies are read no further than that, in bytes: they tell only whether a call went well. */
const maxBytes = 2 ** 20

/** Posts each delivery as JSON to one address. */
export const urlDeliveries =
  (url: URL): Deliveries =>
  async (delivery, signal) => {
    const { status } = await postJson(url, {}, delivery, { signal, maxBytes })
    if (!isDone(status)) throw new Error(`the deliver URL answered ${status}`)
  }

const table: Readonly<Record<string, Sender>> = senders

/**
 * Makes each delivery by the sender of its target. A target without a sender, or a sender without a credential, fails.
 * @param settings of the senders, by target.
 */
export function senderDeliveries(settings: Readonly<Record<string, SenderSettings>>): Deliveries {
  const credentials = Object.values(settings).flatMap(({ token }) => token ?? [])
  return async (delivery, signal) => {
    const { target } = delivery
    const sender = Object.hasOwn(table, target) ? table[target] : undefined
    const { token = null, baseUrl = '' } = settings[target] ?? {}
    if (sender === undefined || token === null) throw failure(delivery, deliveryErrors.notConnected)
    const { path, headers, body } = callOf(sender, delivery, token)
    const url = new URL(baseUrl + path)
    const reply = await postJson(url, headers, body, { signal, maxBytes, method: sender.method })
    if (!succeeded(sender, reply)) throw new Error(reasonIn(target, reply, credentials))
  }
}

const failure = ({ target }: Delivery, form: string, name = ''): Error =>
  new Error(form.replace('{target}', () => target).replace('{name}', () => name))

/** What the places of a call stand for. */
type Values = Readonly<Record<string, unknown>>

function callOf(sender: Sender, delivery: Delivery, token: string) {
  const { chat_id, thread_id, text, deliver_extra } = delivery
  const { repo, pr_number: number } = deliver_extra
  const values: Values = { token, chat_id, thread_id, text, repo, number }
  const hasThread = thread_id !== null
  const form = hasThread ? (sender.threadPath ?? sender.path) : sender.path
  const path = form.replace(/\{(\w+)\}/g, (_, name: string) => inPath(delivery, name, values))
  const body = { ...sender.body, ...(hasThread && sender.threadBody) }
  return { path, headers: filled(sender.headers, values), body: filled(body, values) }
}

/** A value in a path. The parts of a repository are looked at one by one: what a payload says leads nowhere else. */
function inPath(delivery: Delivery, name: string, values: Values): string {
  const value = String(values[name])
  const parts = name === 'repo' ? value.split('/') : [value]
  if (parts.every((part) => pathValue.test(part))) return value
  throw failure(delivery, deliveryErrors.unusable, name)
}

/** Texts with values in their places; a text that is one place and no more becomes the value itself. */
function filled(texts: Readonly<Record<string, string>>, values: Values): Record<string, string> {
  const entries = Object.entries(texts).map(([member, text]) => {
    const [place, name] = /^\{(\w+)\}$/.exec(text) ?? []
    if (place !== undefined) return [member, values[name as string]]
    return [member, text.replace(/\{(\w+)\}/g, (_, inner: string) => String(values[inner]))]
  })
  return Object.fromEntries(entries) as Record<string, string>
}

/** Some platforms answer 200 whatever comes of a call [deliveries/sender-success]. */
const succeeded = ({ successMember }: Sender, { status, text }: Reply): boolean =>
  isDone(status) && (successMember === undefined || objectIn(text)?.[successMember] === true)

/** Where platforms say what was wrong. */
const reasons = ['description', 'message', 'error']

/** So much of a reason is told, in characters. */
const MAX_REASON = 200

/** What a platform said, without the credentials that it may repeat, as they are or as they stand in addresses. */
function reasonIn(target: string, { status, text }: Reply, credentials: readonly string[]): string {
  const reply = objectIn(text)
  const reason = reasons.map((name) => reply?.[name]).find((one) => typeof one === 'string')
  if (reason === undefined) return `${target} answered ${status}`
  let redacted = reason
  for (const one of credentials.flatMap((token) => [token, encodeURIComponent(token)]))
    redacted = redacted.replaceAll(one, '<credential>')
  return `${target} answered ${status}: ${redacted.slice(0, MAX_REASON)}`
}
