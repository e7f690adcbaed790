// Uploads the local files that a workflow names, and replaces their names by the server's
// names.

import { readFile, stat } from 'node:fs/promises'
import { basename, isAbsolute, posix, relative, resolve, sep } from 'node:path'
import { archivedFile } from '../config/package-files.ts'
import { failure } from './failure.ts'
import { fieldsOf } from './json.ts'
import { refusedByHosted } from './refusals.ts'
import { addressOf, jsonOf, sendPatiently, readBody, unexpected } from './server.ts'
import type { Server } from './server.ts'
import { replaceTexts, textInputs } from './workflow.ts'
import type { TextInput, Workflow } from './workflow.ts'

const fileInputs = new Set(['image', 'mask', 'audio', 'video', 'file'])
/** These inputs choose among files that are already on the server. */
const readsServerFiles = new Set(['LoadImageOutput'])

export type Upload = { readonly file: string; readonly name: string }

/**
 * Uploads each local file once and resolves to the workflow's text with the names from the server.
 * Includes only files in the workflow's folder or below it: names that lead out of it stay
 * as they are, so that a downloaded workflow cannot upload other files. Throws `protocol` and
 * `unreachable` failures.
 */
export async function uploadInputs(
  server: Server,
  workflow: Workflow,
  options: { readonly signal: AbortSignal; readonly onUpload: (upload: Upload) => void },
): Promise<string> {
  const names = new Map<string, string>()
  const changes: { start: number; end: number; value: string }[] = []
  for (const input of textInputs(workflow)) {
    const file = await localFile(workflow.folder, input)
    if (file === undefined) continue
    const name = names.get(file) ?? (await upload(server, workflow.folder, file, options.signal))
    if (!names.has(file)) options.onUpload({ file, name })
    names.set(file, name)
    if (name !== input.value) changes.push({ start: input.start, end: input.end, value: name })
  }
  return replaceTexts(workflow.text, changes)
}

async function localFile(folder: string, input: TextInput): Promise<string | undefined> {
  const { value } = input
  if (!fileInputs.has(input.input) || readsServerFiles.has(input.classType)) return undefined
  if (value === '' || / \[(?:input|output|temp)\]$/.test(value)) return undefined
  const file = resolve(folder, value)
  const within = relative(folder, file)
  if (within === '..' || within.startsWith(`..${sep}`) || isAbsolute(within)) return undefined
  if (archivedFile(file) !== undefined) return file
  const found = await stat(file).catch(() => undefined)
  return found?.isFile() === true ? file : undefined
}

async function upload(
  server: Server,
  folder: string,
  file: string,
  signal: AbortSignal,
): Promise<string> {
  const form = new FormData()
  const archived = archivedFile(file)
  const bytes =
    archived ??
    (await readFile(file).catch(() => {
      throw failure('usage', `Cannot read ${file}, which the workflow names as an input.`)
    }))
  form.append('image', new Blob([bytes]), basename(file))
  form.append('type', 'input')
  form.append('overwrite', 'false')
  const subfolder = posix.dirname(relative(folder, file).split(sep).join('/'))
  // Hosted storage is flat, and only echoes the subfolder.
  const hasFolders = server.deployment === 'local'
  if (hasFolders && subfolder !== '.') form.append('subfolder', subfolder)
  const request = `Upload of ${basename(file)} (POST /upload/image)`
  const response = await sendPatiently(server, addressOf(server, '/upload/image'), {
    method: 'POST',
    headers: server.headers,
    body: form,
    signal,
  })
  const text = await readBody(response, signal)
  const refusal = refusedByHosted(server, `the upload of ${basename(file)}`, response.status, text)
  if (refusal !== undefined) throw refusal
  if (response.status !== 200) throw unexpected(server, request, response.status, text)
  return storedName(server, request, text)
}

function storedName(server: Server, request: string, text: string): string {
  const { name, subfolder } = fieldsOf(jsonOf(server, request, text)) ?? {}
  if (typeof name !== 'string' || name === '') throw unexpected(server, request, 200, text)
  const folder = typeof subfolder === 'string' ? subfolder.replace(/\/+$/, '') : ''
  return folder === '' || server.deployment === 'hosted' ? name : `${folder}/${name}`
}
