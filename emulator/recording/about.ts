// Says what a recorded server is, judging by what it was asked and what it answered.

import type { Place } from '../../spec/language.ts'
import type { RecordingInfo } from '../../spec/recording.ts'
import { keyHeader } from '../../spec/server/access.ts'
import { decodeUtf8 } from '../journal/bodies.ts'
import { headerOf, type RecordedExchange, type Recording } from './recording.ts'

/** What the user knows about the server. */
export type KnownInfo = { readonly place?: Place; readonly origin?: string }

/** The information of a recording that has none. */
export function aboutRecording(recording: Recording, known: KnownInfo = {}): RecordingInfo {
  const software = softwareOf(recording)
  return {
    version: 1,
    origin: known.origin ?? software ?? `a server at ${hostOf(recording)}`,
    place: known.place ?? placeOf(recording),
    ...(software !== undefined && { software }),
  }
}

const hostOf = ({ exchanges, sockets }: Recording): string => {
  const url = exchanges[0]?.url ?? sockets[0]?.url
  return url === undefined ? 'an unknown address' : new URL(url).host
}

const pathsOnHosted = /^\/api\/(?:jobs?|history_v2|experiment|assets|user|v2\/(?:jobs|assets))\b/
const statistics = /\/system_stats$/

function placeOf({ exchanges, sockets }: Recording): Place {
  const paths = exchanges.map(({ url }) => new URL(url).pathname)
  if (paths.some((path) => path.startsWith('/webhooks/') || path === '/health')) return 'gateway'
  const hasKey = exchanges.some(
    ({ headers }) => headerOf(headers, keyHeader.toLowerCase()) !== undefined,
  )
  const hasToken = sockets.some(({ url }) => new URL(url).searchParams.has('token'))
  return hasKey || hasToken || paths.some((path) => pathsOnHosted.test(path)) ? 'hosted' : 'local'
}

/** The version in the statistics that a server returned. */
function softwareOf({ exchanges }: Recording): string | undefined {
  for (const { url, response } of exchanges) {
    if (response?.status !== 200 || !statistics.test(new URL(url).pathname)) continue
    const version = versionIn(response.body)
    if (version !== undefined) return `ComfyUI ${version}`
  }
  return undefined
}

function versionIn(body: RecordedExchange['body']): string | undefined {
  try {
    const { system } = JSON.parse(decodeUtf8(body) ?? '') as {
      system?: { comfyui_version?: unknown }
    }
    const version = system?.comfyui_version
    return typeof version === 'string' && version !== '' ? version : undefined
  } catch {
    return undefined
  }
}
