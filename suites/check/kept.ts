// The user's files as they were before a case, so that check can put them back.

import { profiles } from '../../spec/server/deployments.ts'
import type { Outgoing } from '../judge/traffic.ts'
import { isOwnPath } from './guard.ts'
import type { Ledger } from './ledger.ts'

/** Each file that a case writes, with the first request to write it and the content that it had; null without one. */
export type KeptFiles = Map<
  string,
  { readonly name: string; readonly request: Outgoing; readonly before: Buffer | null }
>

/** Headers that say who asks. */
const credentials = /^(x-api-key|authorization|comfy-user)$/i

/** The address of a file of the user. */
const addressOf = (request: Outgoing, name: string): string => {
  const isHosted = request.path.startsWith(`${profiles.hosted.prefix}/`)
  const prefix = isHosted ? profiles.hosted.prefix : ''
  return `${request.url}${prefix}/userdata/${encodeURIComponent(name)}`
}

/** The headers of a request that say who asks. */
export const credentialsOf = ({ headers }: Outgoing): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => credentials.test(name)))

/** Remembers what a file contains, before a request writes it for the first time. */
export async function keepFile(
  kept: KeptFiles,
  ledger: Ledger,
  request: Outgoing,
  name: string,
): Promise<void> {
  const key = JSON.stringify([name, credentialsOf(request)])
  if (kept.has(key)) return
  const before = isOwnPath(name) ? null : await contentOf(request, name)
  if (before === undefined) return
  kept.set(key, { name, request, before })
  ledger.add({ kind: 'userdata', name, before: before?.toString('base64') ?? null })
}

/** The content of a file, null without one, and undefined if it cannot be read. */
async function contentOf(request: Outgoing, name: string): Promise<Buffer | null | undefined> {
  const reply = await fetch(addressOf(request, name), { headers: credentialsOf(request) })
  const bytes = Buffer.from(await reply.arrayBuffer())
  return reply.status === 200 ? bytes : reply.status === 404 ? null : undefined
}

/** Puts the files back as they were, and deletes those that were not there. `folder` is the folder of the case. */
export async function putBack(kept: KeptFiles, ledger: Ledger, folder: string): Promise<void> {
  const [first] = kept.values()
  if (first === undefined) return
  // A file that has moved with its folder is known from the listing alone.
  const { request: asked } = first
  const names = await listed(asked, folder)
  const found = names.map((name) => ({ name, request: asked, before: null }))
  for (const { name, request, before } of [...found, ...kept.values()]) {
    const change = before === null ? { method: 'DELETE' } : { method: 'POST', body: before }
    const headers = credentialsOf(request)
    const reply = await fetch(addressOf(request, name), { ...change, headers })
    await reply.arrayBuffer()
    if (reply.ok || reply.status === 404) ledger.add({ kind: 'removed', of: 'userdata', name })
  }
}

/** The files below a folder. */
async function listed(request: Outgoing, folder: string): Promise<readonly string[]> {
  const list = addressOf(request, '').replace(/\/$/, '')
  const query = new URLSearchParams({ dir: folder, recurse: 'true' })
  const reply = await fetch(`${list}?${query.toString()}`, { headers: credentialsOf(request) })
  const found: unknown = reply.ok ? await reply.json() : []
  // Hosted lists objects.
  const names = Array.isArray(found) ? found.map((one) => one?.path ?? one) : []
  return names.map((name) => `${folder}/${name}`)
}
