// What a test asks of the double itself, not of the server or gateway that it plays: to move its clock, to show its
// journal, and what else a machine offers.

import { didYouMean } from '../lib/nearest.ts'
import { isUsageError } from '../options/usage.ts'

const CONTROL_PREFIX = '/_flowdouble/'

/** The longest body of a request below the prefix, in bytes. */
export const MAX_CONTROL_BYTES = 65_536

/** Whether a request is for the double itself. A preflight asks on behalf of a page, and is answered like any other. */
export const isControl = (method: string, target: string): boolean =>
  target.startsWith(CONTROL_PREFIX) && method !== 'OPTIONS'

/** An answer to the one who tests. */
export type Answer = { readonly status: number; readonly type: string; readonly text: string }

const JSON_TYPE = 'application/json; charset=utf-8'

export const ok = (value: unknown): Answer => jsonText(JSON.stringify(value))
export const jsonText = (text: string): Answer => ({ status: 200, type: JSON_TYPE, text })
export const refusal = (status: number, error: string): Answer => ({
  status,
  type: JSON_TYPE,
  text: JSON.stringify({ error }),
})

/** What is offered, by method and path below the prefix. */
export type ControlPaths = Readonly<
  Record<`${'GET' | 'POST'} ${string}`, (body: Uint8Array) => Answer | Promise<Answer>>
>

/** Answers a request below the prefix. */
export async function answerControl(
  { method, target, body }: { method: string; target: string; body: Uint8Array },
  paths: ControlPaths,
): Promise<Answer> {
  const [path = ''] = target.slice(CONTROL_PREFIX.length).split('?', 1)
  const asked = Object.entries(paths).find(([name]) => name === `${method} ${path}`)?.[1]
  if (asked === undefined) return refusal(404, `There are ${listed(Object.keys(paths))}.`)
  try {
    return await asked(body)
  } catch (error) {
    if (error instanceof BodyError) return refusal(400, error.message)
    if (isUsageError(error)) return refusal(409, error.message)
    throw error
  }
}

const listed = (names: readonly string[]): string =>
  names.map((name) => name.replace(' ', ` ${CONTROL_PREFIX}`)).join(', ')

/** A body that says nothing that can be done. */
class BodyError extends Error {}

/**
 * The members of a body that is a JSON object with these names alone.
 * @param usage says what the body is.
 */
export function membersOf<Name extends string>(
  body: Uint8Array,
  names: readonly Name[],
  usage: string,
): Readonly<Partial<Record<Name, unknown>>> {
  const members = objectOf(body)
  if (members === undefined) throw new BodyError(usage)
  const unknown = Object.keys(members).find((name) => !names.some((known) => known === name))
  if (unknown === undefined) return members as Partial<Record<Name, unknown>>
  throw new BodyError(
    `There is no member ${JSON.stringify(unknown)}.${didYouMean(unknown, names)} ${usage}`,
  )
}

/** Refuses a body whose members are known, but say nothing that can be done. */
export const unusable = (usage: string): Error => new BodyError(usage)

function objectOf(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** What moving a clock has brought about. */
export type Moved = {
  /** The time of the machine, in milliseconds since its start, */
  readonly nowMs: number
  /** and since 1970. */
  readonly timeMs: number
  /** How often each thing happened: `{"message progress": 4, "run success": 1}`. */
  readonly happened: Readonly<Record<string, number>>
}

/** Lets a clock move, and returns what came of it. */
export type Move = (how: (clock: PlainClock) => Promise<void>) => Promise<Moved>

/** A clock as far as it is moved over HTTP. */
type PlainClock = {
  readonly advance: (byMs: number) => Promise<void>
  readonly until: (what: 'idle') => Promise<void>
}

const usage = 'The body is {"ms": 100} or {"until": "idle"}.'

/** The paths that every machine offers. */
export const commonPaths = (
  move: Move,
  journal: () => Promise<readonly string[]>,
): ControlPaths => ({
  'GET journal': async () => ({
    status: 200,
    type: 'application/x-ndjson; charset=utf-8',
    text: `${(await journal()).join('\n')}\n`,
  }),
  'POST advance': async (body) => {
    const { ms, until } = membersOf(body, ['ms', 'until'], usage)
    if (typeof ms === 'number' && until === undefined)
      return ok(await move((one) => one.advance(ms)))
    if (until === 'idle' && ms === undefined) return ok(await move((one) => one.until('idle')))
    throw unusable(usage)
  },
})
