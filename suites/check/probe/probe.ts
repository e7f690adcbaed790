// Finds out what a server is before it is judged: its deployment, its generation, the node types that it lists, and who reads the
// bytes that a client sends.

import { jsonIn } from '../../../dist/emulator/session/index.js'
import type { TargetOptions } from '../../../spec/check.ts'
import { described, generationOfVersion } from '../../../spec/generations.ts'
import type { Deployment } from '../../../spec/language.ts'
import { routerRoot } from '../../../spec/router/router.ts'
import { REQUEST_ID } from '../../../spec/router/shapes.ts'
import { keyHeader } from '../../../spec/server/access.ts'
import { connectTo } from '../../judge/connection/open.ts'
import type { Target } from '../running.ts'
import { ask, NotMeasured, probeDeadline } from './ask.ts'
import { notAServer, refusedAddress, type StatsReply } from './unreachable.ts'

/** A reply, with its body if that is valid JSON. */
type Answer = StatsReply & {
  readonly json: any
  /** The id of the call, which each answer of the Router has. */
  readonly router: string | null
}

/** Asks a server what it is, until the signal ends. Throws {@link NotMeasured} if it is not one that can be judged. */
export async function probe(
  options: Omit<TargetOptions, 'maxRuns'>,
  signal: AbortSignal = probeDeadline(),
): Promise<Target> {
  const url = options.url.replace(/\/+$/, '')
  const refused = refusedAddress(url)
  if (refused !== undefined) throw new NotMeasured(refused)
  const headers = {
    ...options.headers,
    ...(options.key !== undefined && { [keyHeader]: options.key }),
    ...(options.token !== undefined && { Authorization: `Bearer ${options.token}` }),
  }
  const answer = (path: string): Promise<Answer> => answerTo(url, path, { headers, signal })
  const found = await statsOf(url, answer)
  if (found === null) return routerAt(url)
  const [deployment, { json: stats }] = found
  const version: unknown = stats.system.comfyui_version
  const listing = await answer(deployment === 'hosted' ? '/api/object_info' : '/object_info')
  // Without a key, what needs one is skipped; with a wrong one, all of it would fail.
  if (options.key !== undefined && (listing.status === 401 || listing.status === 403))
    throw new NotMeasured(notAServer(url, [listing]))
  const types = listing.json
  return {
    url,
    deployment: options.deployment ?? deployment,
    apis: null,
    generation: deployment === 'hosted' ? described : generationOfVersion(String(version)),
    types: isObject(types) ? types : {},
    software: typeof version === 'string' ? version : null,
    // What they decide are rules of local servers.
    library: deployment === 'local' ? librariesOf(await frontOf(url, signal), stats.system) : null,
  }
}

/** What reads its bytes, and what computes its nodes, as a header `Server` names libraries; null if nothing is known. */
function librariesOf(
  front: string | null,
  { python_version, pytorch_version }: { python_version?: unknown; pytorch_version?: unknown },
): string | null {
  const [python = ''] = typeof python_version === 'string' ? python_version.split(' ') : []
  const named = [
    ...(front === null ? [] : [front]),
    ...(python === '' ? [] : [`Python/${python}`]),
    ...(typeof pytorch_version === 'string' ? [`torch/${pytorch_version}`] : []),
  ]
  return named.length === 0 ? null : named.join(' ')
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const hasStats = ({ json }: Answer): boolean =>
  isObject(json?.system) && Array.isArray(json?.devices)

/** A server without a workflow server: models and partners alone. */
const routerAt = (url: string): Target => ({
  url,
  deployment: 'hosted',
  generation: described,
  apis: ['router', 'partner'],
  types: {},
  software: null,
  library: null,
})

/** Looks for the statistics: those of a hosted server are below `/api` alone. Null for a Router without a workflow server. */
async function statsOf(
  url: string,
  answer: (path: string) => Promise<Answer>,
): Promise<[Deployment, Answer] | null> {
  const plain = await answer('/system_stats')
  if (hasStats(plain)) return ['local', plain]
  const prefixed = await answer('/api/system_stats')
  if (hasStats(prefixed)) return ['hosted', prefixed]
  if (isRouter(await answer(routerRoot))) return null
  throw new NotMeasured(notAServer(url, [plain, prefixed]))
}

/** Whether this is the catalog of a Router, or its refusal without a known key. */
const isRouter = ({ json, router }: Answer): boolean =>
  router !== null && (Array.isArray(json?.data) || typeof json?.error_type === 'string')

async function answerTo(
  url: string,
  path: string,
  init: Parameters<typeof ask>[2],
): Promise<Answer> {
  const { status, header, text } = await ask(url, path, init)
  return {
    path,
    status,
    type: header('content-type'),
    location: header('location'),
    router: header(REQUEST_ID.toLowerCase()),
    json: jsonIn(text),
  }
}

/** The longest time for its answer, in milliseconds. */
const MAX_WAIT_MS = 2000
/** More than any head of such an answer. */
const MAX_ANSWER_BYTES = 65_536

/**
 * Who reads the bytes that a client sends, the HTTP library of the server or a proxy before it, by the header `Server` of the
 * answer to input that is not HTTP: they answer that themselves, while replies to requests can come from behind a proxy with
 * every header. Null without one.
 */
export async function frontOf(url: string, signal: AbortSignal): Promise<string | null> {
  const head = (await headTo(url, 'nonsense\r\n\r\n', signal)).split('\r\n\r\n')[0] ?? ''
  const line = /^server: *(.*)$/im.exec(head)
  return line?.[1]?.trim() ?? null
}

/** What comes back for this text, until the connection or the time ends. */
function headTo(url: string, text: string, signal: AbortSignal): Promise<string> {
  const socket = connectTo(url)
  const late = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)])
  return new Promise((resolve) => {
    let answer = ''
    const end = (): void => {
      socket.destroy()
      resolve(answer)
    }
    late.addEventListener('abort', end, { once: true })
    socket.on('error', end)
    socket.on('close', end)
    socket.on('data', (bytes: Buffer) => {
      answer += bytes.toString('latin1')
      if (answer.includes('\r\n\r\n') || answer.length > MAX_ANSWER_BYTES) end()
    })
    socket.write(text)
  })
}
