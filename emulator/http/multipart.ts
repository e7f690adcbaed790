// Parses upload forms: the image and the text fields, as multipart or URL-encoded.

import {
  getMultipartBoundary,
  type MultipartPart,
  parseMultipart,
} from '@remix-run/multipart-parser'
import { bodyText, type Request } from './requests.ts'

export type Form = {
  /** The field image; without a name if it is not a file. */
  readonly image: { readonly filename: string | undefined; readonly bytes: Uint8Array } | undefined
  readonly field: (name: string) => string | undefined
}

/** The fields that are read as text. */
const textNames = new Set(['type', 'subfolder', 'overwrite', 'original_ref'])

/**
 * A form in either encoding; of a repeated part only one counts. Undefined if the form is malformed, or a text field
 * contains bytes that are not text [files/upload-text-bytes, files/hosted-upload-text-bytes].
 */
export function readForm(request: Request): Form | undefined {
  const type = request.headers['content-type'] ?? ''
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return readFields(request)
  const parts = new Map<string, MultipartPart>()
  const texts = new Map<string, string>()
  try {
    // Any other kind of body counts as a form without fields.
    for (const part of multipartOf(request.body, type) ?? []) {
      const name = part.name ?? ''
      const isFirst = !parts.has(name)
      if (!isText(part) && !(isFirst && textNames.has(name))) {
        if (isFirst) parts.set(name, part)
        continue
      }
      // Texts that do not count have to be texts, too.
      const text = partText(part)
      if (isFirst) {
        parts.set(name, part)
        texts.set(name, text)
      }
    }
  } catch {
    return undefined
  }
  const image = parts.get('image')
  const filename = image && filenameOf(image)
  // An empty text counts as a missing image; an empty file does not.
  const hasImage = image !== undefined && (filename !== undefined || image.size > 0)
  return {
    image: hasImage ? { filename, bytes: new Uint8Array(image.bytes) } : undefined,
    field: (name) => texts.get(name),
  }
}

/** The parts of a body; undefined if its type is another one. Throws if they are malformed or have no boundary. */
function multipartOf(body: Uint8Array, type: string): Iterable<MultipartPart> | undefined {
  if (!/^multipart\/form-data\b/i.test(type)) return undefined
  const boundary = getMultipartBoundary(type)
  if (boundary === null || boundary === '' || body.length === 0)
    throw new TypeError('The boundary is missing.')
  const maxSize = body.length + 1
  return parseMultipart(body, { boundary, maxFileSize: maxSize, maxTotalSize: maxSize })
}

/** A part of a form in either encoding: a file with its size, or a text. */
export type FormField =
  | { readonly name: string; readonly text: string }
  | {
      readonly name: string
      readonly filename: string
      readonly type: string
      readonly bytes: number
    }

/** A part of a multipart form: its bytes, and as text if it is one. */
export type FormPart = {
  readonly name: string
  readonly filename: string | undefined
  readonly bytes: Uint8Array
  /** Undefined for bytes that are not text. */
  readonly text: () => string | undefined
}

/** All parts of a multipart body in order; undefined if it is malformed. */
export function formParts(
  request: Pick<Request, 'headers' | 'body'>,
): readonly FormPart[] | undefined {
  try {
    const parts = multipartOf(request.body, request.headers['content-type'] ?? '')
    return (
      parts &&
      Array.from(parts, (part) => ({
        name: part.name ?? '',
        filename: filenameOf(part),
        bytes: new Uint8Array(part.bytes),
        text: () => readableText(part),
      }))
    )
  } catch {
    return undefined
  }
}

function readableText(part: MultipartPart): string | undefined {
  try {
    return partText(part)
  } catch {
    return undefined
  }
}

/** All fields of a form in order; undefined if the body is not a form. */
export function formFields(
  request: Pick<Request, 'headers' | 'body'>,
): readonly FormField[] | undefined {
  const type = request.headers['content-type'] ?? ''
  try {
    if (/^application\/x-www-form-urlencoded\b/i.test(type))
      return Array.from(new URLSearchParams(bodyText(request)), ([name, text]) => ({ name, text }))
    const parts = multipartOf(request.body, type)
    if (parts === undefined) return undefined
    return Array.from(parts, (part) => {
      const { name = '', mediaType = 'application/octet-stream', bytes } = part
      const filename = filenameOf(part)
      return filename === undefined && isText(part)
        ? { name, text: partText(part) }
        : { name, filename: filename ?? '', type: mediaType, bytes: bytes.length }
    })
  } catch {
    return undefined
  }
}

/** A quoted file name. The library would trim its spaces. */
const QUOTED_NAME = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i

/** The name of a file without leading slashes; a part with an empty name is not a file. */
function filenameOf(part: MultipartPart): string | undefined {
  const header = part.headers['content-disposition'] ?? ''
  const quoted = /;\s*filename\*/i.test(header) ? undefined : QUOTED_NAME.exec(header)?.[1]
  const name = quoted?.replace(/^[\\/]+/, '').replaceAll(/\\(.)/g, '$1') ?? part.filename
  return name === '' ? undefined : name
}

/** Whether a part is always read as text. */
const isText = (part: MultipartPart): boolean =>
  filenameOf(part) === undefined && (part.mediaType ?? 'text/plain').startsWith('text/')

/** A part as text, in its charset. Throws if the bytes are invalid in it. */
const partText = ({ bytes, headers }: MultipartPart): string =>
  bodyText({ body: bytes, headers: { 'content-type': headers['content-type'] ?? '' } })

/** Such a form contains no files: its image is a text, and an empty one counts as missing. */
function readFields(request: Request): Form | undefined {
  let fields: URLSearchParams
  try {
    fields = new URLSearchParams(bodyText(request))
  } catch {
    return undefined
  }
  const hasImage = (fields.get('image') ?? '') !== ''
  return {
    image: hasImage ? { filename: undefined, bytes: new Uint8Array() } : undefined,
    field: (name) => fields.get(name) ?? undefined,
  }
}
