// The files of a recording whose bytes were downloaded: from a local server, or by a redirect to a signed link.

import { base64 } from '../../lib/base64.ts'
import { headerOf, type Recording } from '../recording.ts'
import { answeredIn } from './requests.ts'
import { type Members, textOf } from './values.ts'

/** The content in base64 by type, subfolder and name of a file. */
export type Downloads = ReadonlyMap<string, string>

/** What identifies a file on a server. */
export const fileKey = ({ type, subfolder, filename }: Members): string =>
  [type || 'output', subfolder || '', filename].map(textOf).join('/')

/** The downloaded files. Requests for a preview or a channel of a picture are not its bytes. */
export function downloadsIn(recordings: readonly Recording[]): Downloads {
  const files = new Map<string, string>()
  for (const recording of recordings) {
    const byUrl = new Map<string, Uint8Array>()
    for (const { url, method, response, cut } of recording.exchanges)
      if (method === 'GET' && response?.status === 200 && cut === undefined)
        byUrl.set(url, response.body)
    for (const { method, path, query, url, status, body, header } of answeredIn(recording)) {
      if (method !== 'GET' || path !== '/view' || query.has('preview') || query.has('channel'))
        continue
      const key = fileKey(Object.fromEntries(query))
      const location = header('location')
      const linked = location === undefined ? undefined : byUrl.get(new URL(location, url).href)
      const bytes = status === 200 ? body : linked
      if (bytes !== undefined && !files.has(key)) files.set(key, base64(bytes))
    }
  }
  return files
}

const filename = /filename="((?:[^"\\]|\\.)*)"/

/** The names of uploaded files, as their requests have them and as the replies name them. */
export function uploadedIn(recordings: readonly Recording[]): ReadonlySet<string> {
  const decoder = new TextDecoder()
  return new Set(
    recordings.flatMap(({ exchanges }) =>
      exchanges
        .filter(({ method, url }) => method === 'POST' && /\/upload\//.test(url))
        .flatMap(({ body, headers, response }) => {
          const isForm = /multipart/.test(headerOf(headers, 'content-type') ?? '')
          const sent = isForm ? (filename.exec(decoder.decode(body))?.[1] ?? []) : []
          const name = /"name": ?"([^"]*)"/.exec(decoder.decode(response?.body))?.[1]
          return [sent, name ?? []].flat()
        }),
    ),
  )
}
