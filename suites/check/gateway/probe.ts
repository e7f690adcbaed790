// Finds out whether a gateway can be judged: that it is one, that it has the route, and which schemes it accepts.

import { jsonIn } from '../../../dist/emulator/session/index.js'
import type { CheckOptions, GatewayFacts } from '../../../spec/check.ts'
import { schemeNames } from '../../generate/senders.ts'
import { type Answer, sendTo } from '../../judge/gateway-subject.ts'
import type { Sender } from '../../generate/sender.ts'
import { ask, inTime, NotMeasured, probeDeadline } from '../probe/ask.ts'
import { postAs } from '../../judge/posts.ts'

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

/** Asks a gateway what it is, until the signal ends. Throws {@link NotMeasured} if it is not one that can be judged. */
export async function probeGateway(
  { url, headers, isReadOnly }: Pick<CheckOptions, 'url' | 'headers' | 'isReadOnly'>,
  facts: GatewayFacts,
  sender: Sender,
  signal: AbortSignal = probeDeadline(),
): Promise<GatewayTarget> {
  const send = sendTo(url, signal)
  const health = await ask(url.replace(/\/+$/, ''), '/health', { headers, signal })
  const isGateway = health.text.includes('"webhook"')
  const target = { url, facts, software: health.header('server') }
  if (isReadOnly) {
    if (!isGateway) throw notOne(url)
    return { ...target, schemes: schemeNames, kind: 'runs' }
  }
  const replies = []
  for (const scheme of schemeNames) {
    const post = (): Promise<Answer> => postAs({ sender, send }, { scheme, id: sender.knownId })
    const to = { url, path: `/webhooks/${facts.route}` }
    replies.push({ scheme, reply: await inTime(to, signal, post) })
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

const notOne = (url: string): NotMeasured =>
  new NotMeasured(`${url} does not answer as a webhook gateway.`)

/** The JSON object in a reply. */
function bodyOf({ body }: Answer): Readonly<Record<string, unknown>> | undefined {
  const value: unknown = jsonIn(body)
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : undefined
}
