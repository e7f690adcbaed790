// The functions from which wrong servers are built: each changes only the output of the world.

import type { Effect, EmulatorOptions, GatewayOptions, Input } from 'flowdouble'
import { rules } from '../../spec/index.ts'
import { profiles } from '../../spec/server/deployments.ts'
import { endpoints } from '../../spec/server/endpoints.ts'
import type { Deployment, Endpoint, Place, Rule } from '../../spec/language.ts'
import type { EndpointName } from '../../spec/server/endpoints.ts'
import { findEndpoint, plainPath } from '../../dist/emulator/session/index.js'
import type { Message } from '../judge/judge.ts'
import type { GatewayRuleId, ServerRuleId } from '../judge/proves.ts'

export type Tamper = NonNullable<EmulatorOptions['tamper']>

/** Creates the tampering for one world of that deployment, by default local. */
export type Maker = (deployment?: Deployment) => Tamper

/** What is wrong. Each rule that it breaks has a case that fails on it. */
type Fault<Rules, Making, Options> = {
  readonly breaks: readonly Rules[]
  /** Those of them whose cases do not catch it yet. */
  readonly missedBy?: readonly Rules[]
  /** Creates the tampering for one world; its state belongs to that world. */
  readonly tamper?: Making
  /** The options with which it starts, if the fault requires any. */
  readonly options?: Options
}
/** A deliberately wrong server. */
export type ServerMutant = Fault<ServerRuleId, Maker, EmulatorOptions>
/** A deliberately wrong gateway. */
export type GatewayMutant = Fault<
  GatewayRuleId,
  () => NonNullable<GatewayOptions['tamper']>,
  GatewayOptions
>
export type Mutant = ServerMutant | GatewayMutant
export type Mutants = Readonly<Record<string, ServerMutant>>
export type GatewayMutants = Readonly<Record<string, GatewayMutant>>

/** Whether a mutant is a gateway: no rule is about both. */
export const isGateway = (mutant: Mutant): mutant is GatewayMutant =>
  mutant.breaks.some((id) => (rules[id] as Rule).on.includes('gateway'))

/** Where a mutant is wrong: where its rules hold, unless it says so itself. */
export const placesOf = (mutant: Mutant & { readonly on?: readonly Place[] }): readonly Place[] => [
  ...new Set(mutant.on ?? mutant.breaks.flatMap((id): readonly Place[] => (rules[id] as Rule).on)),
]

export type Request = Extract<Input, { readonly kind: 'request' }>
export type Reply = Extract<Effect, { readonly kind: 'reply' }>
type SentMessage = Extract<Effect, { readonly kind: 'send' }>
type Frame = Extract<Effect, { readonly kind: 'frame' }>

/** Changes each effect into others. Those of a server are others than those of a gateway. */
export const eachEffect =
  <E, I>(change: (effect: E, input: I) => readonly E[]) =>
  () =>
  (effects: readonly E[], input: I): readonly E[] =>
    effects.flatMap((effect) => change(effect, input))

/** Changes each effect of a server into others. */
export const each = eachEffect<Effect, Input>

/** What the replies of a server and of a gateway have in common. */
export type AnyReply = Pick<Reply, 'status' | 'headers'> & { readonly body: unknown }
type AnyRequest = Pick<Request, 'request' | 'method' | 'target'> & {
  readonly links?: boolean | undefined
}

/** Changes replies: also those that come later than their request, when a target outside has answered. */
export const replying =
  <R extends AnyReply, Q extends AnyRequest>(change: (reply: R, request: Q) => Partial<R>) =>
  (): ((effects: readonly any[], input: any) => readonly any[]) => {
    const open = new Map<number, Q>()
    return (effects, input) => {
      if (input.kind === 'request') open.set(input.request, input)
      return effects.map((effect) => {
        const request = effect.kind === 'reply' ? open.get(effect.request) : undefined
        if (request === undefined) return effect
        open.delete(effect.request)
        return { ...effect, ...change(effect, request) }
      })
    }
  }

/** The endpoint of a request at a place; undefined if the spec has none there. */
export const endpointOf = (
  place: Place,
  { method, target }: Pick<AnyRequest, 'method' | 'target'>,
): string | undefined =>
  findEndpoint(place, method, plainPath(place, target.split('?')[0] ?? ''))?.name

/** Where a path of hosted begins differently than on local, without the prefix. */
const renames = Object.values<Endpoint>(endpoints).flatMap(({ path, hostedPath }) =>
  hostedPath === undefined ? [] : [[hostedPath, path].map((one) => one.replace(/\/\{.*/, ''))],
)

/** A target of hosted in its local form, so that a mutant of a local path also applies on hosted. */
function localForm(target: string): string {
  const { prefix } = profiles.hosted
  const path = target.startsWith(`${prefix}/`) ? target.slice(prefix.length) : target
  const [from = '', to = ''] = renames.find(([own = '']) => path.startsWith(own)) ?? []
  return to + path.slice(from.length)
}

/**
 * Which requests are meant: those of an endpoint, or those whose method and target, separated by a blank, match. On hosted the
 * target may match as it is, or in its local form.
 */
export type Asked = EndpointName | RegExp

function isAsked(asked: Asked, deployment: Deployment, { method, target }: AnyRequest): boolean {
  if (typeof asked === 'string') return endpointOf(deployment, { method, target }) === asked
  const targets = deployment === 'hosted' ? [target, localForm(target)] : [target]
  return targets.some((one) => asked.test(`${method} ${one}`))
}

/** Changes the replies to such requests. */
export const onReply =
  (asked: Asked, change: (reply: Reply, request: Request) => Partial<Reply>): Maker =>
  (deployment) =>
    replying<Reply, Request>((reply, request) =>
      isAsked(asked, deployment ?? 'local', request) ? change(reply, request) : {},
    )()

/** Applies a tampering only during every nth run. */
export const inEveryNthRun =
  (nth: number, maker: Maker): Maker =>
  (deployment) => {
    const change = maker(deployment)
    let count = 0
    return (effects, input) => {
      count += effects.filter((one) => one.kind === 'run' && one.state === 'started').length
      return count > 0 && count % nth === 0 ? change(effects, input) : effects
    }
  }

/** Applies a tampering only to what follows an input or an effect that matches. */
export const after =
  (matches: (one: Input | Effect) => boolean, maker: Maker): Maker =>
  (deployment) => {
    const change = maker(deployment)
    let isReached = false
    return (effects, input) => {
      const changed = isReached ? change(effects, input) : effects
      isReached ||= matches(input) || effects.some(matches)
      return changed
    }
  }

/** The body of a request as text. */
export const textOf = ({ body }: Request): string => Buffer.from(body).toString()

/** The change of a reply whose body is JSON. Other replies stay as they are. */
export const inJson =
  <Q>(change: (body: any, request: Q) => unknown) =>
  ({ body }: AnyReply, request: Q): { readonly body?: string } =>
    typeof body === 'string' && /^[[{]/.test(body)
      ? { body: JSON.stringify(change(JSON.parse(body), request)) }
      : {}

/** Changes the JSON of replies. */
export const onJson = (asked: Asked, change: (body: any, request: Request) => unknown): Maker =>
  onReply(asked, inJson(change))

/** Changes the text of replies as it is: numbers keep their digits. */
export const onText = (asked: Asked, from: string | RegExp, to: string): Maker =>
  onReply(asked, ({ body }) => (typeof body === 'string' ? { body: body.replace(from, to) } : {}))

/** Answers with another status and an empty body. */
export const answers = (asked: Asked, status: number): Maker =>
  onReply(asked, () => ({ status, headers: {}, body: '' }))

/** Replies with one status get another. */
export const turned = (asked: Asked, from: number, to: number): Maker =>
  onReply(asked, ({ status }) => ({ status: status === from ? to : status }))

/** Answers all requests of one target like the first of them whose body `isKept` accepts: later changes do not show. */
export const stale =
  (asked: Asked, isKept: (body: any) => boolean = () => true): Maker =>
  () => {
    const first = new Map<string, Reply>()
    return onReply(asked, (reply, { target }) => {
      const { status, headers, body } = first.get(target) ?? reply
      if (isKept(body) && !first.has(target)) first.set(target, reply)
      return { status, headers, body }
    })()
  }

export const isSent = (effect: Effect, type: string): effect is SentMessage =>
  effect.kind === 'send' && effect.text.startsWith(`{"type": "${type}"`)

/** Changes each message of a type into others, which go to the same sockets. */
export const onMessage = (
  type: string,
  change: (message: Message, sent: SentMessage) => readonly unknown[],
): Maker =>
  each((effect) => {
    if (!isSent(effect, type)) return [effect]
    const message = JSON.parse(effect.text) as Message
    return change(message, effect).map((other) => saying(effect, JSON.stringify(other)))
  })

const saying = (effect: SentMessage, text: string): SentMessage => ({ ...effect, text })

/** Changes the data of the messages of a type. */
export const onData = (type: string, change: (data: any) => unknown): Maker =>
  onMessage(type, (message) => [{ ...message, data: change(message.data) }])

export const dropped = (type: string): Maker => onMessage(type, () => [])
export const doubled = (type: string): Maker => onMessage(type, (one) => [one, one])
export const renamed = (type: string, to: string): Maker =>
  onMessage(type, (one) => [{ ...one, type: to }])

/** Sends the messages of one type only after the next of another. */
export const delayed =
  (type: string, behind: string): Maker =>
  () => {
    const held: Effect[] = []
    return each((effect) => {
      if (isSent(effect, type)) {
        held.push(effect)
        return []
      }
      return isSent(effect, behind) ? [effect, ...held.splice(0)] : [effect]
    })()
  }

/**
 * Sends messages of a type, and frames with `frame`, to other sockets. `open` lists all, oldest first, with their
 * targets.
 */
export const redirected =
  (
    type: string,
    to: (sockets: readonly number[], open: ReadonlyMap<number, string>) => readonly number[],
  ): Maker =>
  () => {
    const open = new Map<number, string>()
    return (effects, input) => {
      if (input.kind === 'open') open.set(input.socket, input.target)
      if (input.kind === 'close') open.delete(input.socket)
      return effects.map((effect) => {
        const isMeant = type === 'frame' ? effect.kind === 'frame' : isSent(effect, type)
        if (!isMeant || !('sockets' in effect)) return effect
        return Object.assign({}, effect, { sockets: to(effect.sockets, open) })
      })
    }
  }

/** All sockets, of all clients. */
export const everyone = (_: readonly number[], open: ReadonlyMap<number, string>): number[] => [
  ...open.keys(),
]

/** Changes each frame into others. */
export const onFrame = (
  change: (content: Frame['content']) => readonly Frame['content'][],
): Maker =>
  each((effect) =>
    effect.kind === 'frame'
      ? change(effect.content).map((content): Frame => Object.assign({}, effect, { content }))
      : [effect],
  )

/** An object without some of its members. */
export const without = (value: any, ...names: readonly string[]): any =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

/** An object whose values are changed. */
export const mapped = (value: any, change: (value: any, key: string) => unknown): any =>
  Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one, key)]))

/** Changes the replies to submits. */
export const onSubmit = (change: (reply: any) => unknown): Maker => onJson(/^POST \/prompt/, change)

/** Changes the lists of the queue, item by item. */
export const onItem = (change: (item: any[]) => unknown): Maker =>
  onJson(/^GET \/queue/, (queue) => mapped(queue, (items: any[][]) => items.map(change)))

/** Changes the entries of the history. */
export const onEntry = (change: (entry: any) => unknown): Maker =>
  onJson(/^GET \/history/, (entries) => mapped(entries, change))

/** Changes the viewed pictures, as the recipes that leave the world. */
export const onPicture = (change: (file: any) => unknown) => onMade('picture', change)

/** Changes a file of a sound that a view returns. */
export const onSound = (change: (file: any) => unknown) => onMade('sound', change)

const onMade = (member: 'picture' | 'sound', change: (file: any) => unknown) =>
  onReply(/^GET \/view/, ({ body }) =>
    typeof body === 'object' && member in body ? { body: change(body) as typeof body } : {},
  )

/** Changes a video that a view returns: the pictures after the first, and how they are shown. */
export const onVideo = (change: (animation: any) => unknown) =>
  onPicture((file) =>
    /^(?:mp4|webm)$/.test(file.format) ? { ...file, animation: change(file.animation) } : file,
  )
