// The command `webhook test`: sends one signed event to a route or to any URL, and reports the result.

import { resolve } from 'node:path'
import { limits } from '../../../spec/limits.ts'
import { exitCodes } from '../../../spec/gateway/subscriptions.ts'
import { printable } from '../../client/terminal-text.ts'
import { reasonOf } from '../../client/failure.ts'
import {
  namesEventInHeader,
  newDeliveryId,
  samplePayload,
  signedHeaders,
} from '../../client/sign.ts'
import { postBytes } from '../../edge/gateway/call.ts'
import { builtInSchemes, type NamedScheme } from '../../gateway/post/schemes.ts'
import { usageError } from '../../options/usage.ts'
import { requireGivenSecret, type SubscriptionView } from '../../gateway/subscriptions.ts'
import { valueOf } from '../../lib/loose.ts'
import { refused } from '../../lib/refused.ts'
import { inTime } from '../lib/ask-in-time.ts'
import { type Flags, readInput, readSecret } from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'
import { readNamedFile } from '../../config/named-files.ts'

/** The event type of a test if neither the user nor the route names one. */
const DEFAULT_EVENT = 'test'

/** How much of a response to print at most, in bytes. */
const MAX_ANSWER_BYTES = 64 * 2 ** 10

type Target = {
  readonly url: string
  readonly secret: string
  readonly event: string
  /** The name of the scheme of the route, if it names one. */
  readonly scheme?: string | undefined
}

/** What the command finds in the configuration directory. */
export type TestLookUp = {
  /** The subscription that the command names. */
  readonly route: () => Promise<SubscriptionView>
  /** The scheme of this name. Rejects with a usage error for an unknown name. */
  readonly scheme: (name: string) => Promise<NamedScheme>
}

/** Runs the command. */
export async function testCommand(flags: Flags, io: CommandIo, find: TestLookUp): Promise<number> {
  requireOneBody(flags)
  const { url, secret, event, scheme } = await readTarget(flags, io, find.route)
  const as = await senderOf(flags.text('as') ?? scheme ?? 'github', find)
  requireEventPlace(flags, as)
  const id = newDeliveryId(as)
  const timeMs = Date.now()
  const body = (await givenBody(flags, io)) ?? Buffer.from(samplePayload(as, event, id, timeMs))
  const headers = signedHeaders(as, secret, { body, event, id, timeMs, url })
  if (!flags.isJson)
    io.stdout.write(printable(`Sending a signed event in the style of ${as.name} to ${url}\n`))
  const answer = await post(url, headers, body, io.signal)
  const verdict = judge(answer)
  if (flags.isJson) {
    const { status, text } = answer
    const report = {
      url,
      as: as.name,
      event,
      status,
      answer: valueOf(text),
      triggered: verdict === undefined,
    }
    io.stdout.write(`${JSON.stringify({ ...report, ...(verdict && { error: verdict }) })}\n`)
  } else {
    io.stdout.write(printable(`Response (${answer.status}): ${answer.text}\n`))
  }
  if (verdict === undefined) return exitCodes.done
  io.stderr.write(`${printable(verdict)}\n`)
  return exitCodes.refused
}

/** The scheme of a sender; only those that are not built in need the configuration directory. */
const senderOf = async (as: string, find: TestLookUp): Promise<NamedScheme> =>
  builtInSchemes.find(({ name }) => name === as) ?? find.scheme(as)

function requireOneBody(flags: Flags): void {
  const hasPayload = flags.text('payload') !== undefined
  const hasFile = flags.text('payload-file') !== undefined
  if (hasPayload && hasFile) throw usageError('Give --payload or --payload-file, not both.')
  if (flags.text('payload-file') === '-' && flags.text('secret') === '-')
    throw usageError('Only one flag can read standard input: --payload-file or --secret.')
  const event = flags.text('event')
  if (event === undefined) return
  if (/^\s*$|\p{Cc}/u.test(event)) throw usageError('--event must be a valid header value.')
}

/** Where the payload names the event, and is the user's, the flag would change nothing. */
function requireEventPlace(flags: Flags, as: NamedScheme): void {
  const hasPayload = (flags.text('payload') ?? flags.text('payload-file')) !== undefined
  if (hasPayload && flags.text('event') !== undefined && !namesEventInHeader(as.scheme)) {
    throw usageError(
      `With --as ${as.name} the payload contains the event type: give either --event or a payload.`,
    )
  }
}

async function readTarget(
  flags: Flags,
  io: CommandIo,
  findRoute: () => Promise<SubscriptionView>,
): Promise<Target> {
  const url = flags.text('url')
  const event = flags.text('event')
  if (url !== undefined) {
    if (!/^https?:/i.test(url) || !URL.canParse(url))
      throw usageError('--url must begin with http:// or https://.')
    const { username, password } = new URL(url)
    if (username + password !== '')
      throw usageError('--url must not contain a user name or password.')
    const secret = await readSecret(flags, io)
    if (secret === undefined)
      throw usageError('--url requires a secret: give --secret or --secret-file.')
    requireGivenSecret(secret, flags.quirks)
    return { url, secret, event: event ?? DEFAULT_EVENT }
  }
  const route = await findRoute()
  const given = await readSecret(flags, io)
  if (given !== undefined) requireGivenSecret(given, flags.quirks)
  const secret = given ?? route.secret
  if (secret === undefined)
    throw refused(
      `The subscription "${route.name}" has no secret. Run flowdouble webhook subscribe again to set one.`,
    )
  return {
    url: route.webhook_url,
    secret,
    event: event ?? route.events[0] ?? DEFAULT_EVENT,
    scheme: route.scheme,
  }
}

/** The payload that the user gave, byte for byte; undefined without one. */
async function givenBody(flags: Flags, io: CommandIo): Promise<Uint8Array | undefined> {
  const payload = flags.text('payload')
  const file = flags.text('payload-file')
  if (payload !== undefined) return Buffer.from(payload)
  if (file === '-') return Buffer.from(await readInput(io))
  if (file === undefined) return undefined
  try {
    return readNamedFile(resolve(io.cwd, file))
  } catch (error) {
    throw usageError(`Cannot read --payload-file: ${reasonOf(error)}.`)
  }
}

type HttpReply = { readonly status: number; readonly text: string }

/** Posts once, follows no redirect, and gives up after the time-out or when the user stops. Throws a refusal if no response arrives. */
async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  user: AbortSignal | undefined,
): Promise<HttpReply> {
  const seconds = limits.testTimeOut.value
  const late = `No response from ${url} within ${seconds} seconds.`
  return inTime({ seconds, signal: user, late }, async (signal) => {
    try {
      const options = { signal, maxBytes: MAX_ANSWER_BYTES, cutsReply: true }
      return await postBytes(new URL(url), headers, body, options)
    } catch (error) {
      if (signal.aborted) throw error
      throw refused(
        `Cannot reach ${url}: ${reasonOf(error)}.\nIs the gateway running? flowdouble gateway run`,
      )
    }
  })
}

/** What to do about a response that means that the event triggered nothing. */
const advice: Readonly<Record<number, string>> = {
  400: 'The payload must be a JSON object.',
  401: 'The secrets differ, or the clocks differ by more than 5 minutes.',
  403: 'The configuration of the gateway disables the route, or the route has no secret.',
  404: 'The gateway does not have this route: does it run with this configuration directory?',
  413: 'The payload, or the prompt rendered from it, is too large.',
  429: 'The route has reached its limit for this minute. Try again later.',
  502: 'The target of the route rejected the message: see the log of the gateway.',
}

/** Why the event did not trigger the route, according to the response; undefined if it did. */
function judge({ status, text }: HttpReply): string | undefined {
  const answer = valueOf(text)
  const member = (name: string): unknown =>
    typeof answer === 'object' && answer !== null
      ? (answer as Record<string, unknown>)[name]
      : undefined
  if (status < 200 || status > 299) {
    const error = member('error')
    const reason = typeof error === 'string' ? ` (${error})` : ''
    return `Not triggered: status ${status}${reason}. ${advice[status] ?? ''}`.trim()
  }
  const outcome = member('status')
  if (outcome === 'ignored') {
    return 'Not triggered: the route does not accept this event type. Choose another one with --event.'
  }
  return outcome === 'duplicate'
    ? 'Not triggered: the gateway has already received this delivery.'
    : undefined
}
