// The journal of a gateway: writes inputs and effects without secrets, in a form that can be replayed.
//
// A signature proves knowledge of a secret: in a journal it would help to guess the secret, or to repeat the post.
// Therefore a placeholder replaces the secret of a route, and posts are signed again with that placeholder: a replay
// validates them as the gateway did, but nobody can use them.

import { utf8ToBytes } from '@noble/hashes/utils.js'
import { hiddenFromCharacters, insecureSecret } from '../../spec/gateway/signatures.ts'
import { redactHeader } from '../journal/redact-header.ts'
import { type NameRules, nameRules } from '../journal/secret-names.ts'
import { restoreInput, lineBody, decodeUtf8 } from '../journal/bodies.ts'
import type { JournalFormat, JournalRedactor, ToPlaceholder } from '../journal/lines.ts'
import { type ReplayResult, replayJournal } from '../journal/replay.ts'
import { base64, bytesOfBase64 } from '../lib/base64.ts'
import { isObject, readJson, writeJson } from '../lib/json.ts'
import { createReplacer } from './state/replace-texts.ts'
import type { Entry } from '../machine.ts'
import { gatewayMachine } from './machine.ts'
import type { GatewayEffect, GatewayInput } from './state/inputs.ts'
import { type GatewayStateOptions } from './state/state.ts'
import { createGatewayWorld } from './gateway.ts'
import { readFile } from './state/read-subscriptions.ts'
import { gatewaySecrets, secretHolders } from './state/routes.ts'
import { addressOf, type NamedScheme, plainHeaders, schemesWith } from './post/schemes.ts'
import { type Replacement, signedAgain } from './post/sign-again.ts'

export type GatewayEntry = Entry<GatewayInput, GatewayEffect>

/** What a journal needs to sign posts again. */
type SigningOptions = Pick<GatewayStateOptions, 'schemes' | 'baseUrl'>

const noSigning: SigningOptions = { schemes: {}, baseUrl: null }

type GatewayFormat = JournalFormat<GatewayStateOptions, GatewayInput, GatewayEffect>

/** The format of the journal of a gateway with these options. */
export const gatewayFormat = (signing: SigningOptions): GatewayFormat => ({
  version: 'gateway journal 2',
  machine: 'gateway',
  secretsOf: gatewaySecrets,
  redactor: (secrets, toPlaceholder) => redactor(secrets, toPlaceholder, signing),
  inputOf: inputIn,
  // Earlier journals do not have these options.
  start: (options) => gatewayMachine(createGatewayWorld({ ...noSigning, ...options })),
})

/** An input in a line. */
function inputIn(value: unknown): GatewayInput {
  const { packedBase64, ...input } = restoreInput(value) as GatewayInput & {
    readonly packedBase64?: string
  }
  return packedBase64 === undefined || input.kind !== 'request'
    ? input
    : { ...input, packed: bytesOfBase64(packedBase64) }
}

/**
 * Runs the inputs of a gateway's journal through a new gateway. Returns the number of entries, and the index of the first
 * one whose effects differ, or null. Ignores an incomplete last line.
 * @param journal the result of `journal()` of a gateway, or the text of a journal file.
 * Throws SyntaxError if the text is not the journal of a gateway, or if its beginning is missing.
 * @example
 * import assert from 'node:assert'
 * import { replayGateway, startGateway } from 'flowdouble'
 *
 * const gateway = await startGateway({ port: 0 })
 * await fetch(`${gateway.url}/health`)
 * const journal = await gateway.journal()
 * await gateway.close()
 * assert.deepEqual(replayGateway(journal), { entries: 1, differs: null })
 */
export const replayGateway = (journal: string | readonly string[]): ReplayResult =>
  replayJournal(journal, gatewayFormat(signingIn(journal)))

/** The options of a journal; the usual ones if its first line is not valid: the replay says so. */
function signingIn(journal: string | readonly string[]): SigningOptions {
  const lines = typeof journal === 'string' ? journal.split('\n', 1) : journal
  try {
    const { options } = JSON.parse(lines[0] ?? '') as { readonly options: Partial<SigningOptions> }
    return { ...noSigning, ...options }
  } catch {
    return noSigning
  }
}

type Redactor = {
  /** The placeholder for a secret. */
  readonly secret: (secret: string) => string
  /** Redacts a text of routes: placeholders for their secrets. */
  readonly inRoutes: (text: string) => string
  /** Redacts the known secrets in any text. */
  readonly inText: (text: string) => string
  /** The known secrets with their placeholders. */
  readonly pairs: readonly (readonly [string, string])[]
}

function createRedactor(everKnown: readonly string[], toPlaceholder: ToPlaceholder): Redactor {
  const secret = (one: string): string =>
    one === '' || one === insecureSecret ? one : toPlaceholder(one)
  const pairs = [...new Set(everKnown)]
    .filter((one) => one !== secret(one))
    .toSorted((a, b) => b.length - a.length)
    .map((one) => [one, secret(one)] as const)
  const longSecrets = pairs.filter(([one]) => one.length >= hiddenFromCharacters)
  const inText = createReplacer(longSecrets)
  return { secret, inText, inRoutes: (text) => inText(redactRoutes(text, secret)), pairs }
}

function redactor(
  everKnown: readonly string[],
  toPlaceholder: ToPlaceholder,
  { schemes, baseUrl }: SigningOptions,
): JournalRedactor<GatewayStateOptions, GatewayInput, GatewayEffect> {
  const redact = createRedactor(everKnown, toPlaceholder)
  const { isSecretName } = nameRules({ redact: [], keep: plainHeaders(schemes) })
  const signing = { schemes: [...schemesWith(schemes).values()], baseUrl, isSecretName }
  return {
    options: (options) => ({
      // A scenario can contain a secret too.
      ...(redactValue(options, redact) as GatewayStateOptions),
      secret: options.secret === null ? null : redact.secret(options.secret),
      routes: redact.inRoutes(options.routes),
    }),
    input: (input) => redactInput(input, redact, signing),
    effect: (effect) => redactValue(effect, redact),
  }
}

function redactRoutes(text: string, secret: (one: string) => string): string {
  // Text that is not a file of routes has no effect, and where it contains secrets is unknown.
  if (readFile(text) === undefined) return secret(text)
  const routes = readJson(text.replace(/^\uFEFF/, ''))
  if (!isObject(routes)) return secret(text)
  for (const route of routes.values()) {
    for (const holder of isObject(route) ? secretHolders(route) : []) {
      const given = holder.get('secret')
      if (typeof given === 'string') holder.set('secret', secret(given))
    }
  }
  return writeJson(routes)
}

/** What it needs to redact posts. */
type PostRedaction = Pick<NameRules, 'isSecretName'> & {
  readonly schemes: readonly NamedScheme[]
  readonly baseUrl: string | null
}

function redactInput(
  input: GatewayInput,
  redact: Redactor,
  { schemes, baseUrl, isSecretName }: PostRedaction,
): unknown {
  if (input.kind === 'file') {
    return input.text === null ? input : { ...input, text: redact.inRoutes(input.text) }
  }
  if (input.kind !== 'request') return redactValue(input, redact)
  const { body, packed, headers, ...rest } = input
  const text = decodeUtf8(body)
  const redactedText = text === undefined ? undefined : redact.inText(text)
  const bytes = redactedText === undefined ? body : utf8ToBytes(redactedText)
  // A packed body can contain what has been replaced.
  const redactedPacked = redactedText === text ? packed : bytes
  const target = redact.inText(rest.target)
  const [from, to] = [addressOf(input, baseUrl), addressOf({ headers, target }, baseUrl)]
  const parts: Replacement[] = [{ from: { body, url: from }, to: { body: bytes, url: to } }]
  if (packed !== undefined && redactedPacked !== undefined)
    parts.push({ from: { body: packed, url: from }, to: { body: redactedPacked, url: to } })
  const signed = signedAgain(schemes, headers, parts, redact.pairs, redact.secret)
  const redaction = { isSecretName, one: redact.secret, text: redact.inText }
  const visible = Object.entries(headers).map(([name, value]) => {
    const again = signed[name]
    return [name, again === undefined ? redactHeader(name, value, redaction) : redact.inText(again)]
  })
  return {
    ...rest,
    target,
    headers: Object.fromEntries(visible),
    ...lineBody(bytes),
    ...(packed !== undefined && { packedBase64: base64(redactedPacked ?? bytes) }),
  }
}

function redactValue(value: unknown, redact: Redactor): unknown {
  if (typeof value === 'string') return redact.inText(value)
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redact.inText(name),
      redactValue(member, redact),
    ]),
  )
}
