// The user's files as they were before a case, so that check can put them back.

import { posix } from 'node:path'
import { profiles } from '../../spec/server/deployments.ts'
import type { Outgoing } from '../judge/traffic.ts'
import { isOwnPath, ownFolder } from './guard.ts'
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
  const { request: asked } = first
  const change = async (
    request: Outgoing,
    name: string,
    before: Buffer | null,
  ): Promise<boolean> => {
    const how = before === null ? { method: 'DELETE' } : { method: 'POST', body: before }
    const headers = credentialsOf(request)
    const reply = await fetch(addressOf(request, name), { ...how, headers })
    await reply.arrayBuffer()
    return reply.ok || reply.status === 404
  }
  const isGone = new Map<string, boolean>()
  // A file that has moved with its folder is known from a listing alone.
  const names = [folder, ...Array.from(kept.values(), ({ name }) => folderOf(name))]
  const folders = new Set(names.filter((name) => name !== undefined))
  for (const one of folders) {
    const found = await listed(asked, one)
    isGone.set(one, found.isAll)
    for (const name of found.names) {
      // A server that lists all names decodes those with a % once more.
      const sent = found.isAll && name.includes('%') ? encodeURIComponent(name) : name
      isGone.set(name, await change(asked, sent, null))
    }
  }
  for (const { name, request, before } of kept.values()) {
    const path = posix.normalize(name)
    const isOfAsked =
      JSON.stringify(credentialsOf(request)) === JSON.stringify(credentialsOf(asked))
    // A server may make the folder of a file that it is to delete, and does not have.
    const isKnown = before === null && isOfAsked && isGone.get(folderOf(path) ?? '') === true
    const isBack = isKnown ? (isGone.get(path) ?? true) : await change(request, name, before)
    if (isBack) ledger.add({ kind: 'removed', of: 'userdata', name })
  }
}

/** The folder of a case in which a path is; undefined outside. */
const folderOf = (path: string): string | undefined =>
  new RegExp(`^${ownFolder}/[^/]+(?=/)`).exec(posix.normalize(path))?.[0]

/** The files below a folder, and whether these are all: some listings hide names that begin with a dot. */
async function listed(
  request: Outgoing,
  folder: string,
): Promise<{ readonly names: readonly string[]; readonly isAll: boolean }> {
  const headers = credentialsOf(request)
  const list = addressOf(request, '').replace(/\/$/, '')
  const read = async (path: string): Promise<unknown> => {
    const reply = await fetch(path, { headers })
    const body: unknown = await reply.json().catch(() => undefined)
    return reply.ok ? body : undefined
  }
  const all = await read(
    `${list.replace('/userdata', '/v2/userdata')}?path=${encodeURIComponent(folder)}`,
  )
  if (Array.isArray(all)) {
    const files = all.filter(({ type }) => type === 'file')
    return { names: files.map(({ path }) => String(path)), isAll: true }
  }
  const found = await read(
    `${list}?${new URLSearchParams({ dir: folder, recurse: 'true' }).toString()}`,
  )
  // Hosted lists objects.
  const names = Array.isArray(found) ? found.map((one) => one?.path ?? one) : []
  return { names: names.map((name) => `${folder}/${name}`), isAll: false }
}
