// Finds out whether a gateway can be judged: that it is one, that it has the route, and which schemes it accepts.

import type { CheckOptions, GatewayFacts } from '../../../spec/check.ts'
import { schemeNames } from '../../generate/senders.ts'
import { type Answer, sendTo } from '../../judge/gateway-subject.ts'
import type { Sender } from '../../generate/sender.ts'
import { postAs } from '../../judge/posts/posts.ts'
import { MAX_PROBE_SECONDS, NotMeasured } from '../probe.ts'
import { unreachable } from '../unreachable.ts'

/** What probing has found out about a gateway. */
export type GatewayTarget = {
  readonly url: string
  readonly facts: GatewayFacts
  readonly schemes: Sender['schemes']
  /** Whether the route starts agent runs, delivers directly, or fails to. */
  readonly kind: 'runs' | 'direct' | 'failing'
  /** The software that it names in its answers. */
  readonly software: string | null
}

/** Asks a gateway what it is. Throws {@link NotMeasured} if it is not one that can be judged. */
export async function probeGateway(
  { url, isReadOnly }: CheckOptions,
  facts: GatewayFacts,
  sender: Sender,
): Promise<GatewayTarget> {
  const send = sendTo(url)
  const health = await inTime(url, '/health', healthOf(url))
  const isGateway = health.text.includes('"webhook"')
  const target = { url, facts, software: health.software }
  if (isReadOnly) {
    if (!isGateway) throw notOne(url)
    return { ...target, schemes: schemeNames, kind: 'runs' }
  }
  const replies = []
  for (const scheme of schemeNames) {
    const post = postAs({ sender, send }, { scheme, id: sender.knownId })
    replies.push({ scheme, reply: await inTime(url, `/webhooks/${facts.route}`, post) })
  }
  const schemes = replies.flatMap(({ scheme, reply }) => (reply.status === 401 ? [] : [scheme]))
  const [first] = replies
  if (first === undefined || (!isGateway && bodyOf(first.reply) === undefined)) throw notOne(url)
  if (schemes.length === 0)
    throw new NotMeasured(
      `${url} refuses the posts to ${facts.route} by every scheme: is the secret that of the route?`,
    )
  if (replies.every(({ reply }) => reply.status === 404))
    throw new NotMeasured(`${url} has no route ${facts.route}.`)
  if (replies.some(({ reply }) => bodyOf(reply)?.['status'] === 'ignored'))
    throw new NotMeasured(
      `The route ${facts.route} ignores the posts: --event names what it takes.`,
    )
  const answer = replies.find(({ scheme }) => schemes.includes(scheme))?.reply.status
  return { ...target, schemes, kind: kinds[answer ?? 202] ?? 'runs' }
}

const kinds: Readonly<Record<number, GatewayTarget['kind']>> = {
  200: 'direct',
  502: 'failing',
}

/** Asks for the health of a gateway, and closes the connection if no answer comes. */
async function healthOf(url: string) {
  const reply = await fetch(`${url.replace(/\/+$/, '')}/health`, {
    signal: AbortSignal.timeout(MAX_PROBE_SECONDS * 1000),
    redirect: 'manual',
  })
  return { text: await reply.text(), software: reply.headers.get('server') }
}

const notOne = (url: string): NotMeasured =>
  new NotMeasured(`${url} does not answer as a webhook gateway.`)

/** The JSON object in a reply. */
function bodyOf(reply: Answer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = reply.json()
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}

/** A reply, unless it takes too long or the connection fails. */
async function inTime<T>(url: string, path: string, reply: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(MAX_PROBE_SECONDS * 1000)
  const tooLate = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => reject(late.reason as Error))
  })
  try {
    return await Promise.race([reply, tooLate])
  } catch (error) {
    const attempt = { url, path, error, hasBegun: false, seconds: MAX_PROBE_SECONDS }
    throw new NotMeasured(unreachable(attempt))
  }
}
