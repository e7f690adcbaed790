// Real deliveries: a POST to the configured URL, or a call to the platform of the target.

import {
  deliveryErrors,
  idempotencyKey,
  pathValue,
  type Sender,
  senders,
} from '../../../spec/gateway/deliveries.ts'
import type { Delivery } from '../../gateway/state/run.ts'
import { CallError, isDone, objectIn, postJson, type Reply } from './call.ts'
import type { Deliveries } from '../../options/gateway.ts'
import type { SenderSettings } from './sender-settings.ts'

/** How much of a reply to read, in bytes: replies only show whether a call succeeded. */
const maxBytes = 2 ** 20

/** Posts each delivery as JSON to one URL. */
export const urlDeliveries = (url: URL): Deliveries =>
  Object.assign(
    async (delivery: Delivery, signal: AbortSignal): Promise<void> => {
      const headers = { [idempotencyKey.header]: delivery.key }
      // The status says all.
      const options = { signal, maxBytes, cutsReply: true }
      const { status, retryAfterMs } = await postJson(url, headers, delivery, options)
      if (!isDone(status))
        throw new CallError(`the deliver URL answered ${status}`, status, retryAfterMs)
    },
    { isKeyed: true },
  )

const table: Readonly<Record<string, Sender>> = senders

/**
 * Sends each delivery with the sender of its target. Fails for a target without a sender or credential.
 * @param settings of the senders, by target.
 */
export function senderDeliveries(settings: Readonly<Record<string, SenderSettings>>): Deliveries {
  const credentials = Object.values(settings).flatMap(({ token }) => token ?? [])
  const send = async (delivery: Delivery, signal: AbortSignal): Promise<void> => {
    const { target } = delivery
    const sender = Object.hasOwn(table, target) ? table[target] : undefined
    const { token = null, baseUrl = '' } = settings[target] ?? {}
    if (sender === undefined || token === null) throw failure(delivery, deliveryErrors.notConnected)
    const { path, headers, body } = buildCall(sender, delivery, token)
    const url = new URL(baseUrl + path)
    const reply = await postJson(url, headers, body, { signal, maxBytes, method: sender.method })
    if (!succeeded(sender, reply)) throw refusalOf(target, sender, reply, credentials)
  }
  return Object.assign(send, { isSplit: true })
}

const failure = ({ target }: Delivery, form: string, name = ''): Error =>
  new Error(form.replace('{target}', () => target).replace('{name}', () => name))

/** The values for the placeholders of a call. */
type Values = Readonly<Record<string, unknown>>

function buildCall(sender: Sender, delivery: Delivery, token: string) {
  const { chat_id, thread_id, text, deliver_extra } = delivery
  const { repo, pr_number: number } = deliver_extra
  const values: Values = { token, chat_id, thread_id, text, repo, number }
  const hasThread = thread_id !== null
  const form = hasThread ? (sender.threadPath ?? sender.path) : sender.path
  const path = form.replace(/\{(\w+)\}/g, (_, name: string) => inPath(delivery, name, values))
  const body = { ...sender.body, ...(hasThread && sender.threadBody) }
  return { path, headers: filled(sender.headers, values), body: filled(body, values) }
}

/** A value in a path. Checks the two parts of a repository separately: a payload cannot lead to another path. */
function inPath(delivery: Delivery, name: string, values: Values): string {
  const value = String(values[name])
  const parts = name === 'repo' ? value.split('/') : [value]
  if (parts.every((part) => pathValue.test(part))) return value
  throw failure(delivery, deliveryErrors.unusable, name)
}

/** Fills the placeholders in texts; a text that is only a placeholder becomes the value itself. */
function filled(texts: Readonly<Record<string, string>>, values: Values): Record<string, string> {
  const entries = Object.entries(texts).map(([member, text]) => {
    const [place, name] = /^\{(\w+)\}$/.exec(text) ?? []
    if (place !== undefined) return [member, values[name as string]]
    return [member, text.replace(/\{(\w+)\}/g, (_, inner: string) => String(values[inner]))]
  })
  return Object.fromEntries(entries) as Record<string, string>
}

/** Some platforms answer 200 even if the call failed [deliveries/sender-success]. */
const succeeded = ({ successMember }: Sender, { status, text }: Reply): boolean =>
  isDone(status) && (successMember === undefined || objectIn(text)?.[successMember] === true)

/** The error for a reply without success. */
function refusalOf(
  target: string,
  { statusOf = {}, retryAfter = [] }: Sender,
  reply: Reply,
  credentials: readonly string[],
): CallError {
  const json = objectIn(reply.text)
  const word = json?.['error']
  const known = typeof word === 'string' && Object.hasOwn(statusOf, word) ? statusOf[word] : REFUSED
  const status = isDone(reply.status) ? (known ?? REFUSED) : reply.status
  const seconds = retryAfter.reduce<unknown>(memberOf, json)
  const askedMs =
    retryAfter.length > 0 && typeof seconds === 'number' && seconds >= 0
      ? Math.ceil(seconds * 1000)
      : undefined
  // The longer one: the header of some platforms is rounded.
  const both = [reply.retryAfterMs, askedMs].filter((one) => one !== undefined)
  const retryAfterMs = both.length === 0 ? undefined : Math.max(...both)
  return new CallError(reasonIn(target, reply, credentials), status, retryAfterMs)
}

/** What a refusal with a status of success means: the message is not right. */
const REFUSED = 400

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

/** The members in which platforms describe an error. */
const reasons = ['description', 'message', 'error']

/** How much of a reason to report, in characters. */
const MAX_REASON = 200

/** The error of a platform, without credentials that it may echo, plain or URL-encoded. */
function reasonIn(target: string, { status, text }: Reply, credentials: readonly string[]): string {
  const reply = objectIn(text)
  const reason = reasons.map((name) => reply?.[name]).find((one) => typeof one === 'string')
  if (reason === undefined) return `${target} answered ${status}`
  let redacted = reason
  for (const one of credentials.flatMap((token) => [token, encodeURIComponent(token)]))
    redacted = redacted.replaceAll(one, '<credential>')
  return `${target} answered ${status}: ${redacted.slice(0, MAX_REASON)}`
}
