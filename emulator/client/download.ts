// Outputs are fetched into one folder: never outside of it, never over another file, never half.

import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { makeWritableFolder } from './folders.ts'
import { basename, dirname, extname, join } from 'node:path'
import { failure, isFailure, reasonOf } from './failure.ts'
import type { OutputFile } from './outcome.ts'
import { addressOf, sendPatiently } from './server.ts'
import type { Server } from './server.ts'

const redirectsMax = 5
const redirects = new Set([301, 302, 303, 307, 308])

/** An output on this machine: `path` is absolute where the folder is, `bytes` its size. */
export type SavedFile = OutputFile & { readonly path: string; readonly bytes: number }

/**
 * Fetches one output into `folder` and resolves to where it is. `localName` changes the names that
 * are used on this machine only. Throws a `protocol` failure when the server does not give the
 * file, `usage` when it cannot be written.
 */
export async function download(
  server: Server,
  file: OutputFile,
  options: {
    readonly folder: string
    readonly signal: AbortSignal
    readonly localName: (name: string) => string
  },
): Promise<SavedFile> {
  const response = await openOutput(server, file, options.signal)
  const [subfolder, filename] = [
    options.localName(file.subfolder),
    options.localName(file.filename),
  ]
  const target = localPath(options.folder, { subfolder, filename })
  const partial = join(dirname(target), `.${randomUUID()}.part`)
  try {
    await makeWritableFolder(dirname(target))
    await store(response, partial, file.filename)
    const { size } = await stat(partial)
    return { ...file, path: await place(partial, target), bytes: size }
  } catch (error) {
    await rm(partial, { force: true })
    options.signal.throwIfAborted()
    if (isFailure(error)) throw error
    throw failure(
      'usage',
      `Cannot write to ${dirname(target)} (${reasonOf(error)}): give another --out.`,
    )
  }
}

/**
 * Follows redirects by hand: nothing that identifies the user goes to another host than the
 * server's, and none of it beyond the first answer of a hosted server, whose links are signed.
 */
async function openOutput(
  server: Server,
  file: OutputFile,
  signal: AbortSignal,
): Promise<Response> {
  const { filename, subfolder, type } = file
  let url = addressOf(server, '/view', { filename, subfolder, type })
  let headers = server.headers
  for (let hop = 0; hop <= redirectsMax; hop++) {
    const response = await sendPatiently(server, url, { headers, signal }).catch(
      (error: unknown) => {
        if (hop === 0 || !isFailure(error)) throw error
        throw failure('protocol', `The server redirects to ${url.origin}, which cannot be reached.`)
      },
    )
    if (response.status === 200) return response
    await response.body?.cancel()
    if (!redirects.has(response.status)) {
      throw failure('protocol', `The server does not give ${filename} (HTTP ${response.status}).`)
    }
    const next = nextAddress(response, url)
    if (next === undefined) break
    if (next.origin !== url.origin || server.deployment === 'hosted') headers = {}
    url = next
  }
  throw failure('protocol', `The server's redirect to ${filename} leads nowhere.`)
}

function nextAddress(response: Response, from: URL): URL | undefined {
  const location = response.headers.get('location')
  if (location === null || !URL.canParse(location, from.href)) return undefined
  const url = new URL(location, from)
  url.username = ''
  url.password = ''
  return /^https?:$/.test(url.protocol) ? url : undefined
}

/** The file is closed when this settles, so that whoever removes it removes it for good. */
async function store(response: Response, path: string, filename: string): Promise<void> {
  const target = await open(path, 'wx')
  try {
    for await (const chunk of response.body ?? []) await target.writeFile(chunk as Uint8Array)
  } catch (error) {
    const isOfDisk = error instanceof Error && 'syscall' in error
    if (isOfDisk) throw error
    throw failure('protocol', `The transfer of ${filename} broke off (${reasonOf(error)}).`)
  } finally {
    await target.close()
  }
}

/** The place of a file below `folder`, whatever the server calls it. */
function localPath(
  folder: string,
  file: { readonly subfolder: string; readonly filename: string },
): string {
  const folders = file.subfolder.split(/[/\\]/).map(safeName)
  const name = safeName(file.filename.split(/[/\\]/).at(-1) ?? '')
  return join(folder, ...folders, name === '' ? 'output' : name)
}

/**
 * One path segment without what means something to a file system; empty for segments that only lead
 * elsewhere.
 */
function safeName(segment: string): string {
  const name = segment.replace(/[\u0000-\u001f\u007f<>:"|?*]/g, '_').trim()
  return /^\.*$/.test(name) ? '' : name
}

/** Moves a finished file to its name, or to `name (1)`, `name (2)`, ... where that is taken. */
async function place(partial: string, target: string): Promise<string> {
  const extension = extname(target)
  const stem = join(dirname(target), basename(target, extension))
  for (let copy = 0; ; copy++) {
    const path = copy === 0 ? target : `${stem} (${copy})${extension}`
    try {
      await (await open(path, 'wx')).close()
    } catch (error) {
      if (reasonOf(error) === 'EEXIST') continue
      throw error
    }
    await rename(partial, path)
    return path
  }
}
