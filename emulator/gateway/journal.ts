// The journal of a gateway: its inputs with their effects, in order, without any secret. It replays.
//
// A signature proves the knowledge of a secret, and in a journal it would help to guess it, or to send the post again.
// So where a placeholder stands for the secret of a route, posts are signed anew with that placeholder: a replay
// validates them as the gateway did, and nobody can use them.

import { utf8ToBytes } from '@noble/hashes/utils.js'
import { hiddenFromCharacters, insecureSecret } from '../../spec/gateway/signatures.ts'
import { isObject, readJson, writeJson } from '../lib/json.ts'
import { base64 } from '../lib/base64.ts'
import { isPlaceholder, placeholders } from '../journal/placeholders.ts'
import type { GatewayEffect, GatewayInput } from './machine.ts'
import { createGatewayWorld, type GatewayStateOptions } from './state.ts'
import { readFile } from './routes.ts'
import { signedAnew } from './signatures.ts'
import { step } from './step.ts'

export type GatewayEntry = {
  readonly input: GatewayInput
  readonly effects: readonly GatewayEffect[]
}

const VERSION = 'gateway journal 1'

type Header = {
  readonly flowdouble: string
  /** Number of the first entry that follows; above 0 the beginning is lost, and nothing can be replayed. */
  readonly first: number
  readonly options: GatewayStateOptions
}

/**
 * The lines of a journal: the options of the gateway, then an entry in each.
 * @param everKnown all secrets that the gateway ever knew, with those of entries that are kept no longer.
 * @param toPlaceholder gives what stands for a secret.
 */
export function journalLines(
  options: GatewayStateOptions,
  entries: readonly GatewayEntry[],
  first: number,
  everKnown: ReadonlySet<string>,
  toPlaceholder: (secret: string) => string,
): readonly string[] {
  const hide = createHide(everKnown, toPlaceholder)
  const shown: GatewayStateOptions = {
    ...options,
    secret: options.secret === null ? null : hide.secret(options.secret),
    routes: hide.inRoutes(options.routes),
  }
  const header: Header = { flowdouble: VERSION, first, options: shown }
  return [JSON.stringify(header), ...entries.map((entry) => entryLine(entry, hide))]
}

type Hide = {
  /** What stands for a secret. */
  readonly secret: (secret: string) => string
  /** A text of routes with placeholders for their secrets. */
  readonly inRoutes: (text: string) => string
  /** Any text without the secrets that are known. */
  readonly inText: (text: string) => string
  /** The known secrets with their placeholders. */
  readonly pairs: readonly (readonly [string, string])[]
}

function createHide(
  everKnown: ReadonlySet<string>,
  toPlaceholder: (secret: string) => string,
): Hide {
  const secret = (one: string): string =>
    one === '' || one === insecureSecret ? one : toPlaceholder(one)
  const pairs = [...everKnown]
    .filter((one) => one !== secret(one))
    .toSorted((a, b) => b.length - a.length)
    .map((one) => [one, secret(one)] as const)
  const long = pairs.filter(([one]) => one.length >= hiddenFromCharacters)
  const inText = (text: string): string =>
    long.reduce((shown, [one, other]) => shown.replaceAll(one, other), text)
  return { secret, inText, inRoutes: (text) => inText(hideInRoutes(text, secret)), pairs }
}

/** The secrets that a gateway knows from its options. */
export const secretsOf = ({ secret, routes }: GatewayStateOptions): Set<string> =>
  new Set([secret ?? '', ...secretsIn(routes)])

/** Adds the secrets that an input tells to those that are known. */
export function noteSecretsOf(input: GatewayInput, known: Set<string>): void {
  if (input.kind !== 'file') return
  for (const secret of secretsIn(input.text ?? '')) known.add(secret)
}

function secretsIn(text: string): string[] {
  const routes = text === '' ? undefined : readFile(text)
  return Array.from(routes?.values() ?? [], (route) => route.get('secret')).filter(
    (secret) => typeof secret === 'string',
  )
}

function hideInRoutes(text: string, secret: (one: string) => string): string {
  // What is no file of routes takes no effect, and nobody knows where in it a secret stands.
  if (readFile(text) === undefined) return secret(text)
  const routes = readJson(text.replace(/^\uFEFF/, ''))
  if (!isObject(routes)) return secret(text)
  for (const route of routes.values()) {
    const given = isObject(route) ? route.get('secret') : undefined
    if (isObject(route) && typeof given === 'string') route.set('secret', secret(given))
  }
  return writeJson(routes)
}

function entryLine({ input, effects }: GatewayEntry, hide: Hide): string {
  return JSON.stringify({ input: shownInput(input, hide), effects: shownValue(effects, hide) })
}

function shownInput(input: GatewayInput, hide: Hide): unknown {
  if (input.kind === 'file') {
    return input.text === null ? input : { ...input, text: hide.inRoutes(input.text) }
  }
  if (input.kind !== 'request') return shownValue(input, hide)
  const { body, headers, ...rest } = input
  const text = textOf(body)
  const shown = text === undefined ? undefined : hide.inText(text)
  const bytes = shown === undefined ? body : utf8ToBytes(shown)
  const others = signedAnew({ headers, body }, bytes, hide.pairs, hide.secret)
  const visible = Object.entries(others).map(([name, value]) => [name, hide.inText(value)])
  return {
    ...rest,
    target: hide.inText(rest.target),
    headers: Object.fromEntries(visible),
    ...(shown === undefined ? { bodyBase64: base64(body) } : { body: shown }),
  }
}

function shownValue(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return hide.inText(value)
  if (Array.isArray(value)) return value.map((item) => shownValue(item, hide))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [hide.inText(name), shownValue(member, hide)]),
  )
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(body: Uint8Array): string | undefined {
  try {
    return decoder.decode(body)
  } catch {
    return undefined
  }
}

type Request = Extract<GatewayInput, { kind: 'request' }>
/** An input as a line tells it: bodies are text, or base64 where they are no UTF-8. */
type LineInput =
  | Exclude<GatewayInput, Request>
  | (Omit<Request, 'body'> & { readonly body?: string; readonly bodyBase64?: string })

function inputOf(line: string): GatewayInput {
  const { input } = JSON.parse(line) as { input: LineInput }
  if (input.kind !== 'request') return input
  const { body = '', bodyBase64, ...rest } = input
  if (bodyBase64 === undefined) return { ...rest, body: utf8ToBytes(body) }
  return { ...rest, body: Uint8Array.from(atob(bodyBase64), (char) => char.charCodeAt(0)) }
}

/**
 * Runs the inputs of a gateway's journal through a new gateway and returns the number of entries and the first one
 * whose effects differ (from 0), or null. Throws SyntaxError for a text that is no such journal, or one that has lost
 * its beginning.
 */
export function replayGateway(text: string): { entries: number; differs: number | null } {
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '')
  const header = JSON.parse(first) as Partial<Header>
  if (header.flowdouble !== VERSION || header.options === undefined) {
    throw new SyntaxError('This is no journal of a gateway: its first line lacks the options.')
  }
  if (header.first !== 0) throw new SyntaxError('The journal has lost its beginning.')
  const world = createGatewayWorld(header.options)
  // Only placeholders are left, and they stand for themselves.
  const inputs = lines.map(inputOf)
  const entries = inputs.map((input) => ({ input, effects: step(world, input) }))
  const toPlaceholder = placeholders('replay')
  const known = secretsOf(header.options)
  for (const input of inputs) noteSecretsOf(input, known)
  const [, ...again] = journalLines(header.options, entries, 0, known, (secret) =>
    isPlaceholder(secret) ? secret : toPlaceholder(secret),
  )
  const differs = lines.findIndex((line, at) => again[at] !== line)
  return { entries: lines.length, differs: differs < 0 ? null : differs }
}

/** About what an entry holds, in bytes. Texts count by their letters. */
export function entryBytes({ input, effects }: GatewayEntry): number {
  let bytes = input.kind === 'request' ? input.body.length : 0
  if (input.kind === 'file') bytes += input.text?.length ?? 0
  for (const effect of effects) {
    if ('run' in effect) bytes += effect.run.prompt.length + effect.run.payload.length
    else if (effect.kind === 'outbox') bytes += effect.entry.text.length
    else if (effect.kind === 'deliver') bytes += effect.delivery.text.length
    else if (effect.kind === 'reply') bytes += effect.body.length
    else if (effect.kind === 'log') bytes += effect.text.length
  }
  return bytes
}
