// The subject of a gateway case: a new gateway on a manual clock, and a sender that signs its posts.

import { createHmac } from 'node:crypto'
import type { Gateway, GatewayLogLine, GatewayOptions } from 'flowdouble'
import { platforms } from '../../spec/gateway/deliveries.ts'
import { ownSender, type Sender } from '../generate/sender.ts'
import { createRecorder, type Traffic } from '../laws/recorder.ts'
import { dial, type Exchange, exchange } from './wire.ts'

/** An answer, with its body as JSON. `json` throws if it is not valid JSON. */
export type Answer = Exchange & { readonly json: () => any }

export type GatewaySubject = Traffic & {
  readonly url: string
  /** The gateway of this case. One elsewhere cannot be looked into: reading it ends the case. */
  readonly gateway: Gateway
  /** Whether it is a gateway of the suites, into which a case can look. */
  readonly isOwn: boolean
  /** What a case on any gateway knows of it. */
  readonly sender: Sender
  /** Sends a request as it is, on a separate connection. */
  readonly send: (
    method: string,
    path: string,
    body?: string | Uint8Array,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /**
   * Posts to a route, signed with its secret like a code host does. A body that is neither text nor bytes is sent as
   * JSON.
   */
  readonly post: (
    name: string,
    payload: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /** Starts another gateway, with the fault of this one if it is a wrong one; it ends with this one. */
  readonly also: (options: GatewayOptions) => Promise<Gateway>
  /** The lines of the log so far. */
  readonly logs: readonly GatewayLogLine[]
  /** The texts that were delivered to targets, oldest first. */
  readonly texts: () => readonly string[]
  /** Advances the clock until nothing is due. */
  readonly idle: () => Promise<void>
  readonly close: () => Promise<void>
}

/** The secret of routes in cases that are not about secrets. */
export const SECRET = 'secret-of-the-sender'

/** The text that is delivered instead of the answer of a run that failed for this reason. */
export const failureNotice = (reason: string): string =>
  `The request failed: ${reason}\nThe log of the gateway says more.`
/** The text that is delivered for a run without an answer. */
export const EMPTY_NOTICE =
  'The agent finished without an answer.\nThe log of the gateway says more.'

/**
 * The options of a case that names none. It runs on any gateway, also on one elsewhere: it knows only its `sender`, and
 * its posts say that they are a check.
 */
export const anyGateway: GatewayOptions = {
  routes: {
    hook: { secret: SECRET },
    second: { secret: SECRET },
    filtered: { secret: SECRET, events: ['push'] },
    direct: { secret: SECRET, prompt: 'x', deliver: 'telegram', deliver_only: true },
    failing: { secret: SECRET, prompt: 'x', deliver: 'nowhere', deliver_only: true },
  },
}

/** The options of a case that looks into its gateway or moves its clock: it cannot run on one elsewhere. */
export const ownGateway: GatewayOptions = {}

/** Header of a body that is signed like a code host does. */
export const signed = (body: string | Uint8Array, secret = SECRET): Record<string, string> => ({
  'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
})

/** When a gateway of a case begins, in milliseconds since 1970: signatures of that moment are in time. */
const BEGINNING_MS = 1_767_225_600_000

/** Cases that are not about chats need not name one. */
const homeChannels = Object.fromEntries(platforms.map((platform) => [platform, 'home']))

/** Sends requests to a gateway, until the signal ends. */
export const sendTo =
  (url: string, signal?: AbortSignal): GatewaySubject['send'] =>
  async (method, path, body = '', headers = {}) => {
    const reply = await exchange(url, method, path, headers, body, signal)
    return { ...reply, json: () => JSON.parse(reply.body) as unknown }
  }

/** An answer as it is recorded. */
const answerOf = ({ status, lines, body }: Exchange) => ({
  status,
  headers: Object.fromEntries(lines.map((line) => line.split(/: (.*)/s) as [string, string])),
  bytes: Buffer.from(body),
})

/** Without routes it has one, `hook`, which starts a run for each post. */
export async function startGatewaySubject(options: GatewayOptions = {}): Promise<GatewaySubject> {
  const { routes = { hook: { secret: SECRET } }, ...rest } = options
  const { startGateway } = await import('flowdouble')
  const logs: GatewayLogLine[] = []
  const gateway = await startGateway({
    port: 0,
    clock: 'manual',
    epoch: BEGINNING_MS,
    routes,
    homeChannels,
    onLog: (line) => logs.push(line),
    ...rest,
  })
  const { url } = gateway
  const others = new Set<Gateway>()
  const also: GatewaySubject['also'] = async (own) => {
    const started = await startGateway({ ...own, ...(rest.tamper && { tamper: rest.tamper }) })
    const close = async (): Promise<void> => {
      others.delete(other)
      await started.close()
    }
    const other = { ...started, close }
    others.add(other)
    return other
  }
  const recorder = createRecorder('gateway')
  const sendOwn = sendTo(url)
  const send: GatewaySubject['send'] = async (method, path, body = '', headers = {}) => {
    const reply = sendOwn(method, path, body, headers)
    await recorder.note(method, path, headers, body, reply.then(answerOf))
    return reply
  }
  const post: GatewaySubject['post'] = (name, payload, headers = {}) => {
    const body =
      typeof payload === 'string' || payload instanceof Uint8Array
        ? payload
        : JSON.stringify(payload)
    const own = routes[name]?.['secret'] ?? rest.secret
    const secret = typeof own === 'string' ? own : SECRET
    const path = `/webhooks/${encodeURIComponent(name)}`
    return send('POST', path, body, { ...signed(body, secret), ...headers })
  }
  return {
    url,
    gateway,
    isOwn: true,
    sender: ownSender(SECRET, gateway),
    send,
    post,
    also,
    logs,
    texts: () => gateway.outbox().map(({ text }) => text),
    idle: () => gateway.until('idle'),
    ...recorder.traffic,
    close: async () => {
      for (const other of others) await other.close()
      await gateway.close()
    },
  }
}

/** A direct route to a chat: it delivers its rendered template, and the post is answered after that. */
export const direct = (prompt: string, more: Readonly<Record<string, unknown>> = {}) => ({
  secret: SECRET,
  prompt,
  deliver: 'telegram',
  deliver_only: true,
  ...more,
})

/**
 * Posts this body to a route, `hook` by default, with each of these ids, on one connection that does not wait for answers, and
 * returns their statuses.
 */
export async function postAll(
  url: string,
  ids: readonly string[],
  body = '',
  route = 'hook',
): Promise<readonly number[]> {
  const posts = ids.map(
    (name, at) =>
      `POST /webhooks/${route} HTTP/1.1\r\nHost: a\r\nX-Gitlab-Token: ${SECRET}\r\nX-Request-ID: ${name}\r\n` +
      `Connection: ${at === ids.length - 1 ? 'close' : 'keep-alive'}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const socket = dial(url)
  // Its end would cut off answers that wait for a store: the last post asks the gateway to end the connection.
  socket.write(posts.join(''))
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  const answers = Buffer.concat(chunks).toString()
  return [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
}
