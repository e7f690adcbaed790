// Fetches a signed link without a key and without following redirects.

import { guarded } from './traffic.ts'

/** What a link answers, without following it further. */
export type FetchedLink = {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  readonly text: string
}

/** Fetches a link as it is, with only these headers. */
export async function fetchLink(
  link: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<FetchedLink> {
  const { origin, pathname, search } = new URL(link)
  await guarded({ url: origin, method, path: pathname + search, headers, body: '' })
  const reply = await fetch(link, { method, headers, redirect: 'manual' })
  const bytes = Buffer.from(await reply.arrayBuffer())
  return { status: reply.status, headers: reply.headers, bytes, text: bytes.toString() }
}
