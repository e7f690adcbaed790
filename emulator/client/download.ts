// Downloads outputs into one folder: never outside it, never over an existing file, never partially.

import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { makeWritableFolder } from '../config/folders.ts'
import { basename, dirname, extname, join } from 'node:path'
import { failure, isFailure, reasonOf } from './failure.ts'
import type { OutputFile } from './outcome.ts'
import { addressOf, sendPatiently } from './server.ts'
import type { Server } from './server.ts'

const redirectsMax = 5
const redirects = new Set([301, 302, 303, 307, 308])

/** A local output: `path` is absolute if the folder is, `bytes` its size. */
export type SavedFile = OutputFile & { readonly path: string; readonly bytes: number }

/**
 * Downloads one output into `folder` and resolves to its path. `localName` maps the names that
 * are used on this machine only. Throws a `protocol` failure if the server does not return the
 * file, `usage` if it cannot be written.
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
    // What went wrong before is what to report.
    await rm(partial, { force: true }).catch(() => undefined)
    options.signal.throwIfAborted()
    if (isFailure(error)) throw error
    if (reasonOf(error) === 'ENAMETOOLONG')
      throw failure('protocol', 'The server names a file in folders too many for a path.')
    throw failure(
      'usage',
      `Cannot write to ${dirname(target)} (${reasonOf(error)}): give another --out.`,
    )
  }
}

/**
 * Follows redirects itself: credentials are never sent to another host than the
 * server's, nor beyond the first response of a hosted server, whose links are signed.
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
      throw failure('protocol', `The server does not return ${filename} (HTTP ${response.status}).`)
    }
    const next = nextAddress(response, url)
    if (next === undefined) break
    if (next.origin !== url.origin || server.deployment === 'hosted') headers = {}
    url = next
  }
  throw failure('protocol', `The server's redirect to ${filename} is not valid.`)
}

function nextAddress(response: Response, from: URL): URL | undefined {
  const location = response.headers.get('location')
  if (location === null || !URL.canParse(location, from.href)) return undefined
  const url = new URL(location, from)
  url.username = ''
  url.password = ''
  return /^https?:$/.test(url.protocol) ? url : undefined
}

/** The file is closed when this settles, so that the caller can remove it. */
async function store(response: Response, path: string, filename: string): Promise<void> {
  const target = await open(path, 'wx')
  try {
    for await (const chunk of response.body ?? []) await target.writeFile(chunk as Uint8Array)
  } catch (error) {
    const isOfDisk = error instanceof Error && 'syscall' in error
    if (isOfDisk) throw error
    throw failure('protocol', `The transfer of ${filename} was interrupted (${reasonOf(error)}).`)
  } finally {
    await target.close()
  }
}

/** The path of a file below `folder`, whatever the server calls it. */
function localPath(
  folder: string,
  file: { readonly subfolder: string; readonly filename: string },
): string {
  const folders = file.subfolder.split(/[/\\]/).map(safeName)
  const name = safeName(file.filename.split(/[/\\]/).at(-1) ?? '')
  return join(folder, ...folders, name === '' ? 'output' : name)
}

/** The bytes of a name; file systems take 255, of which a copy needs some for its number. */
const MOST_IN_NAME = 240

/**
 * One path segment without characters that are special to a file system, cut to the length that it takes; empty for
 * segments that only change the directory.
 */
function safeName(segment: string): string {
  const name = segment.replace(/[\u0000-\u001f\u007f<>:"|?*]/g, '_').trim()
  if (/^\.*$/.test(name)) return ''
  const bytes = Buffer.from(name)
  if (bytes.length <= MOST_IN_NAME) return name
  const extension = extname(name).slice(0, 10)
  const room = MOST_IN_NAME - Buffer.byteLength(extension)
  // A character that is cut in two is left out.
  return (
    bytes
      .subarray(0, room)
      .toString()
      .replace(/\ufffd+$/, '') + extension
  )
}

/** Moves a finished file to its name, or to `name (1)`, `name (2)`, ... if that exists. */
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
