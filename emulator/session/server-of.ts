// Which server a recording is of: its address, the place that it has in the protocol, and its software. A session that a browser
// exported says none of it, and also contains requests to other hosts.

import type { Place } from '../../spec/language.ts'
import type { RecordingInfo } from '../../spec/recording.ts'
import { findEndpoint, plainPath } from './endpoints.ts'
import { type ForeignJson, jsonIn } from '../lib/loose.ts'
import { headerOf, type Recording } from './recording.ts'

export type RecordedServer = {
  readonly place: Place
  /** Its host with the port. */
  readonly host: string
}

/** How many exchanges are asked. */
const MAX_ASKED = 500

/** Paths that only one place has, and what a request there says. */
const signs: readonly (readonly [place: Place, pattern: RegExp, weight: number])[] = [
  ['gateway', /^(?:\/w\/[^/]+)?(?:\/p\/[^/]+)?\/webhooks\/[^/]+$/, 5],
  ['hosted', /^(?:\/w\/[^/]+)?\/api\/(?:history_v2|job|user|files)(?:\/|$)/, 5],
  ['local', /^(?:\/w\/[^/]+)?\/(?:prompt|history|queue|view|upload|object_info)(?:\/|$)/, 3],
]

/** Whether a path is that of the sockets. */
export const isSocketPath = (path: string): boolean => /^(?:\/w\/[^/]+)?\/ws$/.test(path)

/** The server of a recording; undefined if it contains no request to one that the spec knows. */
export function serverOf(recording: Recording): RecordedServer | undefined {
  const { info } = recording
  const scores = new Map<string, Record<Place, number>>()
  const add = (host: string, place: Place, weight: number): void => {
    const own = scores.get(host) ?? { local: 0, hosted: 0, gateway: 0 }
    own[place] += weight
    scores.set(host, own)
  }
  for (const { url, method, headers, response } of recording.exchanges.slice(0, MAX_ASKED)) {
    const { host, pathname } = new URL(url)
    for (const [place, pattern, weight] of signs)
      if (pattern.test(pathname)) add(host, place, weight)
    for (const place of ['local', 'hosted', 'gateway'] as const)
      if (findEndpoint(place, method, plainPath(place, pathname)) !== undefined) add(host, place, 1)
    const isRedirect = response?.status === 302 && pathname.endsWith('/api/view')
    if (isRedirect || headerOf(headers, 'x-api-key') !== undefined) add(host, 'hosted', 3)
  }
  for (const { url } of recording.sockets) {
    const { host, pathname, searchParams } = new URL(url)
    if (isSocketPath(pathname)) add(host, searchParams.has('token') ? 'hosted' : 'local', 3)
  }
  const known = info?.place
  const candidates = [...scores].flatMap(([host, own]) =>
    (['local', 'hosted', 'gateway'] as const)
      .filter((place) => known === undefined || place === known)
      .map((place) => ({ host, place, score: own[place] })),
  )
  const [best] = candidates.toSorted((a, b) => b.score - a.score)
  return best === undefined || best.score === 0 ? undefined : best
}

/** The version of the software: as the recording names it, or as the server reported it. */
export function softwareOf({ info }: Recording, statistics: ForeignJson): string | null {
  const named = /comfyui[ -]v?([\d.]+)/i.exec(info?.software ?? info?.like ?? '')?.[1]
  const reported: unknown = statistics?.system?.comfyui_version ?? statistics?.system?.cloud_version
  return named ?? (typeof reported === 'string' ? reported : null)
}

/** What the user knows about the server. */
export type KnownInfo = { readonly place?: Place; readonly origin?: string }

/** The information of a recording that has none, or one that was written before anything came. */
export function aboutRecording(recording: Recording, known: KnownInfo = {}): RecordingInfo {
  const software = versionIn(recording)
  const [first] = [...recording.exchanges, ...recording.sockets]
  const host = first === undefined ? 'an unknown address' : new URL(first.url).host
  return {
    version: 1,
    origin: known.origin ?? software ?? `a server at ${host}`,
    place: known.place ?? serverOf({ ...recording, info: null })?.place ?? 'local',
    ...(software !== undefined && { software }),
  }
}

/** The version in the statistics that a server returned. */
function versionIn({ exchanges }: Recording): string | undefined {
  const version = exchanges
    .filter(({ response }) => response?.status === 200)
    .filter(({ url }) => new URL(url).pathname.endsWith('/system_stats'))
    .map(({ response }): unknown => jsonIn(response?.body ?? '')?.system?.comfyui_version)
    .find((one): one is string => typeof one === 'string' && one !== '')
  return version === undefined ? undefined : `ComfyUI ${version}`
}
