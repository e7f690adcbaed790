// The values of a session that are others in the next one: ids of runs and clients, names of uploads and outputs. Finds
// them where they are introduced, and replaces them wherever they occur later.

import { frames } from '../../spec/server/frames.ts'
import { concat } from '../lib/bytes.ts'
import { decodePart, parameter, splitTarget } from '../http/requests.ts'
import { formFields } from '../http/multipart.ts'
import { type Members, membersIn } from '../lib/loose.ts'
import { withoutPrefix } from '../session/endpoints.ts'
import { headerOf, type RecordedExchange, targetOf } from '../session/recording.ts'

/** A value that identifies something, and where it was introduced: equal places of two sessions mean the same thing. */
export type Identity = {
  readonly kind: 'run' | 'client' | 'upload' | 'output' | 'asset'
  readonly at: string
  readonly value: string
}

/** Values by those that they replace. */
export type Replacement = Pick<ReadonlyMap<string, string>, 'get' | 'size'>

export const noReplacement: Replacement = new Map()

/** The type of a message; null if it has none. */
export function typeIn(text: string): string | null {
  const { type } = membersIn(text)
  return typeof type === 'string' ? type : null
}

const found = (kind: Identity['kind'], at: string, value: unknown): readonly Identity[] =>
  typeof value === 'string' && value !== '' ? [{ kind, at, value }] : []

/** The name of the file in a form; undefined without one. */
export function fileNameIn(contentType: string, body: Uint8Array): string | undefined {
  const fields = formFields({ headers: { 'content-type': contentType }, body }) ?? []
  return fields.flatMap((field) => ('filename' in field ? [field.filename] : []))[0]
}

/** The identities that a request or its response introduces. */
export function identitiesOf(exchange: RecordedExchange): readonly Identity[] {
  const { method, url, headers, body, response } = exchange
  const path = withoutPrefix(splitTarget(targetOf(url))[0])
  if (response === null || response.status >= 300) return []
  const reply = (): Members => membersIn(response.body)
  if (method === 'POST' && path === '/prompt') {
    const { prompt_id } = reply()
    return [
      ...found('client', 'client_id', membersIn(body)['client_id']),
      ...found('run', 'prompt_id', prompt_id),
    ]
  }
  if (method === 'POST' && /^\/(upload|assets)\b/.test(path)) {
    const sent = fileNameIn(headerOf(headers, 'content-type') ?? '', body)
    const { name, id, hash, asset_hash } = reply()
    return [
      ...found('upload', 'filename', sent),
      ...found('upload', 'name', name),
      ...found('asset', 'id', id),
      ...found('asset', 'hash', asset_hash ?? hash),
    ]
  }
  return method === 'GET' && /^\/(history|history_v2|jobs)\b/.test(path) ? outputsIn(reply()) : []
}

/** The id of the client that a request names, in its address or its body; null without one. */
export function clientIn({
  target,
  contentType,
  body,
}: {
  readonly target: string
  readonly contentType: string
  readonly body: Uint8Array
}): string | null {
  const inTarget = parameter(splitTarget(target)[1], 'clientId')
  if (inTarget !== undefined) return inTarget
  if (body.length === 0 || /^multipart/i.test(contentType)) return null
  const { client_id, clientId } = membersIn(body)
  const named = client_id ?? clientId
  return typeof named === 'string' && named !== '' ? named : null
}

/** The names of files in outputs, at any depth. An id of a run does not count as part of their place. */
function outputsIn(value: unknown, at = ''): readonly Identity[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (name === 'filename') return found('output', at, member)
    const isId = !Array.isArray(value) && /^[\w-]{16,}$/.test(name)
    return outputsIn(member, `${at}.${isId ? '*' : name}`)
  })
}

/** What replaces what: the values of two lists that were introduced at the same places. */
export function pairs(
  recorded: readonly Identity[],
  present: readonly Identity[],
): readonly (readonly [recorded: string, present: string])[] {
  const values = new Map(present.map(({ kind, at, value }) => [`${kind} ${at}`, value]))
  return recorded.flatMap(({ kind, at, value }) => {
    const other = values.get(`${kind} ${at}`)
    return other === undefined ? [] : [[value, other] as const]
  })
}

/** Values of this length or longer are replaced inside of texts too; shorter ones only where they are the whole text. */
const inner = /[\w-]{16,}/g

/** A JSON string, perhaps after the name of a member that holds the id of a client; or a long word outside of one. */
const tokens = /(?:"(?:sid|client_id)":\s*)?"[^"\\]*(?:\\.[^"\\]*)*"|[\w-]{16,}/gs

/** Whether a value is long enough to mean nothing else wherever it occurs. */
export const isLong = (value: string): boolean => /^[\w-]{16,}$/.test(value)

/** The key of the id of a client in a replacement: it stands for a client only where one is named. */
export const clientKey = (id: string): string => `client ${id}`

/** A JSON string as Python writes it. */
const inAscii = (quoted: string): string =>
  quoted.replaceAll(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A text, JSON or not, with other values; every other character stays. */
export function replaceText(text: string, replacement: Replacement): string {
  if (replacement.size === 0) return text
  const replaceInner = (part: string): string =>
    part.replaceAll(inner, (word) => replacement.get(word) ?? word)
  return text.replaceAll(tokens, (token) => {
    if (!token.startsWith('"')) return replacement.get(token) ?? token
    const [member = ''] = /^"(?:sid|client_id)":\s*/.exec(token) ?? []
    const quoted = token.slice(member.length)
    const value = unquoted(quoted)
    const other =
      replacement.get(member === '' ? value : clientKey(value)) ?? replacement.get(value)
    if (other === undefined) return token.length > 16 ? replaceInner(token) : token
    const written = JSON.stringify(other)
    return member + (quoted.includes('\\u') ? inAscii(written) : written)
  })
}

/** The text of a JSON string; what is not valid stays as it is. */
function unquoted(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1)
  try {
    return JSON.parse(token) as string
  } catch {
    return token
  }
}

/** A path and query with other values: whole segments and whole parameters. */
export function replaceTarget(target: string, replacement: Replacement): string {
  const [path, query] = splitTarget(target)
  const replaced = (part: string, text: string): string => {
    const other = replacement.get(text)
    return other === undefined ? part : encodeURIComponent(other)
  }
  const newPath = path
    .split('/')
    .map((part) => replaced(part, decodePart(part)))
    .join('/')
  if (newPath.length === target.length || query === '') return newPath + target.slice(path.length)
  const newQuery = query.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    return pair.includes('=')
      ? `${name}=${replaced(value, decodePart(value.replaceAll('+', ' ')))}`
      : pair
  })
  return `${newPath}?${newQuery.join('&')}`
}

/** The bytes of a frame before its metadata: its type, and their length. */
const FRAME_HEAD = 8

/** A frame with other values in its metadata; every other byte stays, but that of the length of the metadata. */
export function replaceFrame(bytes: Uint8Array, replacement: Replacement): Uint8Array {
  if (bytes.length < FRAME_HEAD) return bytes
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = FRAME_HEAD + view.getUint32(4)
  if (view.getUint32(0) !== frames.previewWithMetadata.type || end > bytes.length) return bytes
  const metadata = new TextDecoder().decode(bytes.subarray(FRAME_HEAD, end))
  const text = replaceText(metadata, replacement)
  if (text === metadata) return bytes
  const written = new TextEncoder().encode(text)
  const head = bytes.slice(0, FRAME_HEAD)
  new DataView(head.buffer).setUint32(4, written.length)
  return concat([head, written, bytes.subarray(end)])
}
