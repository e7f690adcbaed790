// The files of a recording whose bytes were downloaded: from a local server, or by a redirect to a signed link.

import { base64 } from '../../lib/base64.ts'
import { type Members, nameOf } from '../../lib/loose.ts'
import { responseHeader } from '../../session/exchanges.ts'
import type { RecordedExchange } from '../../session/recording.ts'
import type { Trace } from '../../session/trace.ts'
import { identitiesOf } from '../identities.ts'

/** The content in base64 by type, subfolder and name of a file. */
export type Downloads = ReadonlyMap<string, string>

/** What identifies a file on a server. */
export const fileKey = ({ type, subfolder, filename }: Members): string =>
  [type || 'output', subfolder || '', filename].map(nameOf).join('/')

/** The downloaded files. Requests for a preview or a channel of a picture are not its bytes. */
export function downloadsIn(traces: readonly Trace[]): Downloads {
  const files = new Map<string, string>()
  for (const { recording, exchanges } of traces) {
    const linked = new Map<string, Uint8Array | undefined>()
    for (const one of recording.exchanges)
      linked.set(one.url, wholeBody(one) ?? linked.get(one.url))
    for (const { recorded, endpoint, query } of exchanges) {
      if (recorded.method !== 'GET' || endpoint?.name !== 'view') continue
      if (query.has('preview') || query.has('channel')) continue
      const key = fileKey(Object.fromEntries(query))
      const location = responseHeader(recorded, 'location')
      const bytes =
        location === undefined
          ? wholeBody(recorded)
          : linked.get(new URL(location, recorded.url).href)
      if (bytes !== undefined && !files.has(key)) files.set(key, base64(bytes))
    }
  }
  return files
}

/** The body of a successful download, if the recording has all of it. */
const wholeBody = ({ method, response, cut }: RecordedExchange): Uint8Array | undefined =>
  method === 'GET' && response?.status === 200 && cut === undefined ? response.body : undefined

/** The names of uploaded files, as their requests have them and as the replies name them. */
export const uploadedIn = (traces: readonly Trace[]): ReadonlySet<string> =>
  new Set(
    traces
      .flatMap(({ recording }) => recording.exchanges.flatMap(identitiesOf))
      .flatMap(({ kind, value }) => (kind === 'upload' ? value : [])),
  )
