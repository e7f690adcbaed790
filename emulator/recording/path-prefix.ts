// Sessions that another tool recorded below a path, as behind a proxy: their paths without it are those of the server.

import type { Recording } from '../session/recording.ts'

/** What is below the prefix of a server, if there is one; hosted servers have a prefix themselves. */
const known = /^(.*?)(?:\/api)?\/(?:ws|prompt|system_stats)$/

/** The recording with the paths that the server itself sees, if all that clients always ask for is below one path. */
export function withoutPathPrefix(recording: Recording): Recording {
  const { exchanges, sockets } = recording
  const paths = [...exchanges, ...sockets].map(({ url }) => new URL(url).pathname)
  const prefixes = new Set(paths.flatMap((path) => known.exec(path)?.[1] ?? []))
  const [prefix = ''] = prefixes
  // Each world of a flowdouble has such a path.
  if (prefixes.size !== 1 || prefix === '' || /^\/w\/[^/]+$/.test(prefix)) return recording
  const stripped = <T extends { readonly url: string }>(one: T): T => {
    const url = new URL(one.url)
    if (!url.pathname.startsWith(`${prefix}/`)) return one
    url.pathname = url.pathname.slice(prefix.length)
    return { ...one, url: url.href }
  }
  return { ...recording, exchanges: exchanges.map(stripped), sockets: sockets.map(stripped) }
}
