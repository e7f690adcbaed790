// Finds out what a server is before it is judged: its deployment, its generation, and the node types that it lists.

import type { TargetOptions } from '../../spec/check.ts'
import type { Deployment } from '../../spec/language.ts'
import { keyHeader } from '../../spec/server/access.ts'
import type { Target } from './running.ts'
import { notAServer, type StatsReply, unreachable } from './unreachable.ts'

/** The longest time for all answers together, in seconds. */
export const MAX_PROBE_SECONDS = 8
/** The largest answer: the node types of a server with many custom nodes take some 10 MB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Thrown where there is no server that can be judged. */
export class NotMeasured extends Error {}

/** A reply, with its body if that is valid JSON. */
type Answer = StatsReply & { readonly json: any }

/** Asks a server what it is, until the signal ends. Throws {@link NotMeasured} if it is not one that can be judged. */
export async function probe(
  options: TargetOptions,
  signal: AbortSignal = AbortSignal.timeout(MAX_PROBE_SECONDS * 1000),
): Promise<Target> {
  const url = options.url.replace(/\/+$/, '')
  const headers = {
    ...options.headers,
    ...(options.key !== undefined && { [keyHeader]: options.key }),
    ...(options.token !== undefined && { Authorization: `Bearer ${options.token}` }),
  }
  const ask = (path: string): Promise<Answer> => answerTo(url, path, { headers, signal })
  const [deployment, { json: stats }] = await statsOf(url, ask)
  const version: unknown = stats.system.comfyui_version
  const types = (await ask(deployment === 'hosted' ? '/api/object_info' : '/object_info')).json
  return {
    url,
    deployment: options.deployment ?? deployment,
    types: isObject(types) ? types : {},
    software: typeof version === 'string' ? version : null,
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const hasStats = ({ json }: Answer): boolean =>
  isObject(json?.system) && Array.isArray(json?.devices)

/** Looks for the statistics: those of a hosted server are below `/api` alone. */
async function statsOf(
  url: string,
  ask: (path: string) => Promise<Answer>,
): Promise<[Deployment, Answer]> {
  const plain = await ask('/system_stats')
  if (hasStats(plain)) return ['local', plain]
  const prefixed = await ask('/api/system_stats')
  if (hasStats(prefixed)) return ['hosted', prefixed]
  throw new NotMeasured(notAServer(url, [plain, prefixed]))
}

async function answerTo(
  url: string,
  path: string,
  init: Pick<RequestInit, 'headers' | 'signal'>,
): Promise<Answer> {
  let hasBegun = false
  try {
    const reply = await fetch(url + path, { ...init, redirect: 'manual' })
    hasBegun = true
    return {
      path,
      status: reply.status,
      type: reply.headers.get('content-type'),
      location: reply.headers.get('location'),
      json: jsonIn(await bodyOf(reply)),
    }
  } catch (error) {
    const attempt = { url, path, error, hasBegun, seconds: MAX_PROBE_SECONDS }
    throw new NotMeasured(unreachable(attempt))
  }
}

/** The body of a reply; nothing of one that is too large. */
async function bodyOf(reply: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of reply.body ?? []) {
    size += part.length
    if (size > MAX_ANSWER_BYTES) return ''
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
