// Masks on hosted [files/hosted-mask*]: uploads whose alpha channel is applied to an original, and their related files.

import type { maskLayers as maskLayersSchema } from '../../../spec/server/files.ts'
import type { HostedHandler } from './handler.ts'
import { isObject, type Json, readJson } from '../../lib/json.ts'
import type { Static } from '../../../spec/static.ts'
import { badRequest, json, refuseHosted } from '../../http/replies.ts'
import { flatFile } from '../world/named-files.ts'
import { storeUpload, readUpload } from './uploads.ts'
import { masked } from '../local/masks.ts'
import { parameter } from '../../http/requests.ts'

/** Stores a copy of the original with the alpha channel of the uploaded mask. */
export const uploadMask: HostedHandler = (world, request) => {
  const upload = readUpload(request)
  if ('status' in upload) return upload
  const name = originalName(upload.field('original_ref'))
  if (name === undefined) return badRequest('original_ref is not a JSON object with a filename.')
  const original = flatFile(world, name)
  if (original === undefined) return refuseHosted('notFound')
  const content = masked(original.file.content, upload.bytes, upload.filename)
  return content === 'broken'
    ? badRequest('A mask is a PNG or WebP picture as large as its original.')
    : storeUpload(world, upload, content)
}

/** The files that belong to a mask: only the mask itself here, as it is uploaded in one request. */
export const maskLayers: HostedHandler = (world, { query }) => {
  const filename = parameter(query, 'filename') ?? ''
  if (filename === '') return badRequest('The query names no filename.')
  const content = flatFile(world, filename)?.file.content
  const isMask = content !== undefined && 'picture' in content && content.picture.kind === 'masked'
  if (!isMask) return refuseHosted('notFound')
  const layers: Static<typeof maskLayersSchema> = {
    mask: filename,
    paint: null,
    painted: null,
    painted_masked: null,
  }
  return json(JSON.stringify(layers))
}

/** The name in a reference, or undefined if it is malformed. */
function originalName(reference: string | undefined): string | undefined {
  let value: Json
  try {
    value = readJson(reference ?? '')
  } catch {
    return undefined
  }
  const filename = isObject(value) ? value.get('filename') : undefined
  return typeof filename === 'string' && filename !== '' ? filename : undefined
}
