// Which form of the server is at an address: as the user says, as the key tells, or as the server shows.

import type { Deployment } from '../../spec/language.ts'
import { isHeaderText } from '../options/header-text.ts'
import { failure } from './failure.ts'
import { fieldsOf, parseLenient } from './json.ts'
import { rootOf, send, serverAt, textOf } from './server.ts'
import type { Address, Pause, Server } from './server.ts'

type Known = {
  readonly deployment?: Deployment
  readonly apiKey?: string
  readonly pause: Pause
  readonly signal: AbortSignal
}

/**
 * The server at an address. It is asked for its statistics, which hosted serves below `/api` only; a
 * key means hosted unless they are elsewhere, and is not sent with that question. Throws a `usage`
 * failure for a key that does not fit or goes to a local server, and where a hosted server gets no
 * credential; `unreachable` where there is no server.
 */
export async function findServer(address: Address, known: Known): Promise<Server> {
  const { apiKey, pause, signal } = known
  const hasKey = apiKey !== undefined
  if (hasKey && !isHeaderText(apiKey))
    throw failure('usage', 'The API key is empty, or no header can hold it.')
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
  // Whoever has a key may stand before a gate that answers every path alike.
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
  const text = await textOf(response, signal)
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
