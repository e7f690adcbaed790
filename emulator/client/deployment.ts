// Determines the deployment of a server: from the user's choice, from the API key, or by asking the server.

import type { Deployment } from '../../spec/language.ts'
import { isHeaderText } from '../options/header-text.ts'
import { failure } from './failure.ts'
import { parseLenient } from '../lib/json-text.ts'
import { fieldsOf } from './json.ts'
import { rootOf, send, serverAt, readBody } from './server.ts'
import type { Address, Pause, Server } from './server.ts'

type ConnectOptions = {
  readonly deployment?: Deployment
  readonly apiKey?: string
  readonly pause: Pause
  readonly signal: AbortSignal
}

/**
 * Connects to the server at an address. Requests its statistics, which a hosted server serves below `/api` only; a
 * key implies hosted unless they are elsewhere, and is not sent with that request. Throws a `usage`
 * failure for an invalid key, for a key and a local server, and for a hosted server without a
 * credential; `unreachable` if no server answers.
 */
export async function findServer(address: Address, known: ConnectOptions): Promise<Server> {
  const { apiKey, pause, signal } = known
  const hasKey = apiKey !== undefined
  if (hasKey && !isHeaderText(apiKey))
    throw failure('usage', 'The API key is empty, or not valid in a header.')
  if (hasKey && known.deployment === 'local')
    throw failure(
      'usage',
      'A local server takes no API key: leave it out, or use --deployment hosted.',
    )
  const deployment = known.deployment ?? (await probe(address, hasKey, signal))
  if (hasKey && deployment === 'local')
    throw failure(
      'usage',
      `${address.shown} is a local server, which takes no API key: leave it out. ` +
        '(If it is not, say --deployment hosted.)',
    )
  if (deployment === 'hosted' && !hasKey && address.headers['authorization'] === undefined) {
    throw failure(
      'usage',
      `${address.shown} is a hosted server: give its key with --api-key-env NAME. ` +
        '(If it is not, say --deployment local.)',
    )
  }
  return serverAt(address, { deployment, apiKey, pause })
}

async function probe(address: Address, hasKey: boolean, signal: AbortSignal): Promise<Deployment> {
  const bare = await statistics(address, '', signal)
  // With a key, a proxy that answers every path alike may be in front of the server.
  if (hasKey) return bare === 'there' ? 'local' : 'hosted'
  if (bare !== 'missing') return 'local'
  return (await statistics(address, '/api', signal)) === 'there' ? 'hosted' : 'local'
}

/** Whether the statistics are below this prefix. Some servers answer unknown paths with a page. */
async function statistics(
  address: Address,
  prefix: string,
  signal: AbortSignal,
): Promise<'there' | 'locked' | 'missing'> {
  const url = new URL(`${rootOf(address)}${prefix}/system_stats`)
  for (const [name, value] of address.query) url.searchParams.append(name, value)
  const response = await send(url, { headers: address.headers, signal })
  const text = await readBody(response, signal)
  if (response.status === 401 || response.status === 403) return 'locked'
  return response.status === 200 && hasSystem(text) ? 'there' : 'missing'
}

function hasSystem(text: string): boolean {
  try {
    return fieldsOf(parseLenient(text))?.['system'] !== undefined
  } catch {
    return false
  }
}
