// The types in which the protocol is written down: everything else in this folder is data of these types.

import type { Generation, Holding } from './generations.ts'

/** The two forms in which the workflow server runs. */
export type Deployment = 'local' | 'hosted'
export const local = ['local'] as const
export const hosted = ['hosted'] as const
export const both = ['local', 'hosted'] as const

/** Where a rule holds: on a deployment of the workflow server, or at the webhook gateway. */
export type Place = Deployment | 'gateway'
export const gateway = ['gateway'] as const

/** What answers: the server of a deployment, on local of a generation, or the gateway. */
export type Where = { readonly place: Place; readonly generation?: Generation }

/** `stated`: the description says it. `observed`: real servers do it. `chosen`: both are silent, so we decided. */
export type Basis = 'stated' | 'observed' | 'chosen'

/** One sentence of the protocol. Its id is its key in the area's `rules`, of the form `area/fact`. */
export type Rule = Holding & {
  /** One present-tense sentence, unique, under 100 characters: titles, documents and failures print it. */
  readonly says: string
  readonly basis: Basis
  /** The real server that does it, or where it is published. Every `observed` rule has a source. */
  readonly source?: string
  /**
   * Set where not the server but a library decides, for HTTP or for its nodes: in the form of the header `Server`. The rule
   * was observed with this library; a server with another one, or behind a proxy, can differ.
   */
  readonly library?: string
  readonly on: readonly Place[]
  /** Numbers of the statements that this rule carries (see statements.md). */
  readonly carries?: readonly string[]
}
export type Rules = Readonly<Record<`${string}/${string}`, Rule>>

type Kind = Omit<Rule, 'says' | 'carries'>

/** Makes rules of one kind of their sentences; brackets at the end of one name the statements that it carries. */
const rulesWith =
  <K extends Kind>(kind: K) =>
  <Sentences extends Readonly<Record<string, string>>>(sentences: Sentences) => {
    const made = Object.entries(sentences).map(([id, sentence]): [string, Rule] => {
      const [says = '', carries] = sentence.split(/ \[(?=[AB]\d)|\]$/)
      return [id, { says, ...kind, ...(carries && { carries: carries.split(' ') }) }]
    })
    return Object.fromEntries(made) as { readonly [Id in keyof Sentences]: Rule & K }
  }

/** Makes rules of one kind, by where they hold. */
export const rulesOf = <K extends Omit<Kind, 'on'>>(kind: K) => ({
  local: rulesWith({ ...kind, on: local }),
  hosted: rulesWith({ ...kind, on: hosted }),
  both: rulesWith({ ...kind, on: both }),
  gateway: rulesWith({ ...kind, on: gateway }),
})

/** Rules of the description. */
export const stated = rulesOf({ basis: 'stated' })

/** Rules that we decided. */
export const chosen = rulesOf({ basis: 'chosen' })

/** What a server does, in some generations or because of a library. */
export const observedAt = (source: string, more?: Pick<Rule, 'since' | 'before' | 'library'>) =>
  rulesOf({ basis: 'observed', source, ...more })

/** What the reference gateway does. */
export const observedAtReference = observedAt('reference gateway, July 2026')

/** What real servers do about a topic, such as the queue. */
export const observedIn = (topic: string) => ({
  local: observedAt(`ComfyUI 0.3.64, ${topic}`).local,
  hosted: observedAt(`published hosted API, 2026, ${topic}`).hosted,
  both: observedAt(`ComfyUI 0.3.64; published hosted API, 2026: ${topic}`).both,
  before27: observedAt(`ComfyUI 0.3.64, ${topic}`, { before: '0.27' }).local,
  since27: observedAt(`ComfyUI 0.27.0, ${topic}`, { since: '0.27' }).local,
})

/** A JSON Schema (2020-12) as plain data. */
export type Schema = { readonly [keyword: string]: unknown }

/**
 * What a reply carries: a schema for JSON, or the media type of anything else; `empty` means no body, `stream` server-sent
 * events.
 */
export type ReplyBody = Schema | 'empty' | 'text' | 'bytes' | 'html' | 'stream'

/**
 * One method of one path. Paths are in local form; `{name}` stands for one path segment, in which a slash is encoded,
 * and `{name...}` at the end for the rest of the path.
 */
export type Endpoint = Holding & {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Set where a local server does not serve the path a second time below /api. */
  readonly unaliased?: true
  /** The path on the hosted server, below its prefix, where it differs. */
  readonly hostedPath?: string
  readonly on: readonly Place[]
  readonly does: string
  /** Schemas of the parts of the path that do not accept arbitrary text. */
  readonly parts?: Readonly<Record<string, Schema>>
  /** Query parameters. */
  readonly query?: Readonly<Record<string, Schema>>
  /** The query parameters without which a request is refused. */
  readonly requiredQuery?: readonly string[]
  /** Query parameters on the hosted server, where they differ from those on a local server. */
  readonly hostedQuery?: Readonly<Record<string, Schema>>
  /** Set where the hosted server treats an empty parameter as absent. */
  readonly hostedEmptyIsNone?: true
  /** Optional request headers. */
  readonly headers?: Readonly<Record<string, Schema>>
  readonly body?: Schema | 'multipart' | 'bytes'
  /** The body on the hosted server, where it differs from that on a local server. */
  readonly hostedBody?: Schema
  /** Set where the body is optional. */
  readonly bodyIsOptional?: true
  /** The fields of a multipart body. */
  readonly form?: Schema
  readonly replies: Readonly<Record<number, ReplyBody>>
  /** Replies of the hosted server, where they differ from those of a local server. */
  readonly hostedReplies?: Readonly<Record<number, ReplyBody>>
  /** Where the server can reject a request that fits the schemas with 400, for reasons that no schema expresses. */
  readonly rejectsValid?: readonly Place[]
  /** Where real servers accept requests that do not fit the schemas. */
  readonly acceptsInvalid?: readonly Place[]
}
export type Endpoints = Readonly<Record<string, Endpoint>>

/** A JSON message on the socket: `{type, data}` where `data` fits the schema. */
export type Message = {
  readonly on: readonly Deployment[]
  readonly when: string
  readonly data: Schema
  /** The data on the hosted server, where it differs from that on a local server. */
  readonly hostedData?: Schema
}
export type Messages = Readonly<Record<string, Message>>

/** One field of a binary frame; numbers are big-endian. A 4-byte length in bytes precedes each `prefixed` field. */
export type FrameField =
  | {
      readonly name: string
      readonly is: 'u32'
      readonly values?: Readonly<Record<string, number>>
    }
  | { readonly name: string; readonly is: 'prefixed-text' | 'prefixed-json' }
  | { readonly name: string; readonly is: 'text' | 'bytes' }
export type Frame = {
  readonly type: number
  readonly when: string
  readonly fields: readonly FrameField[]
}

/** The server's answer to a client's mistake: status and body, ready to be sent. */
export type Refusal = {
  readonly status: number
  readonly when: string
  readonly body: 'empty' | { readonly text: string } | { readonly json: unknown }
  /** The reason phrase, where it differs from the usual one of the status. */
  readonly reason?: string
  /** Headers in addition to those that follow from the body. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the HTTP layer answers, so that the reply lacks the headers that other replies have. */
  readonly raised?: true
}
export type Refusals = Readonly<Record<string, Refusal>>

/** A behaviour in which real servers and the description disagree, switched on by name. */
export type Quirk = {
  readonly on: readonly Place[]
  /** The default behaviour. */
  readonly default: string
  /** The behaviour with the quirk. */
  readonly quirk: string
  /** Where the behaviour was observed or stated. */
  readonly source: string
}
export type Quirks = Readonly<Record<`${string}.${string}`, Quirk>>
