// Uploads to hosted [files/hosted-upload-*, files/hosted-mask*]: stored under the hash of what they hold.

import {
  hostedUploadLimits,
  type maskLayers as maskLayersSchema,
} from '../../../spec/server/files.ts'
import type { Static } from '../../../spec/static.ts'
import { get } from '../../lib/bounded.ts'
import { isObject, type Json, readJson } from '../../lib/json.ts'
import { probePicture } from '../../pictures/codecs/probe.ts'
import { badRequest, json, refuseHosted, type Reply } from '../../http/replies.ts'
import { parameter, type Request } from '../../http/requests.ts'
import { flatFile } from '../world/named-files.ts'
import { isFolderType } from '../world/paths.ts'
import { contentHash, keyOf, store } from '../world/files.ts'
import { heldWith } from '../world/held-bytes.ts'
import { masked } from '../local/masks.ts'
import { type Form, readForm } from '../local/uploads.ts'
import type { FileContent } from '../state/files.ts'
import type { HostedWorld } from '../state/world.ts'
import type { HostedHandler } from './handler.ts'

/** Stores an uploaded file. */
export const hostedUploadImage: HostedHandler = (world, request) => {
  const upload = readUpload(request)
  return 'status' in upload ? upload : keep(world, upload, { bytes: upload.bytes })
}

/** Stores an original again, with the alpha channel of the uploaded mask. */
export const hostedUploadMask: HostedHandler = (world, request) => {
  const upload = readUpload(request)
  if ('status' in upload) return upload
  const name = originalName(upload.field('original_ref'))
  if (name === undefined) return badRequest('original_ref is no JSON object with a filename.')
  const original = flatFile(world, name)
  if (original === undefined) return refuseHosted('notFound')
  const content = masked(original.file.content, upload.bytes, upload.filename)
  return content === 'broken'
    ? badRequest('A mask is a PNG or WebP picture as large as its original.')
    : keep(world, upload, content)
}

/** Which files belong to a mask: here that is the mask itself, which came as a single upload. */
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

/** An upload that is within the limits. */
type Upload = Pick<Form, 'field'> & {
  readonly filename: string
  readonly bytes: Uint8Array
  readonly type: string
}

function readUpload(request: Request): Upload | Reply {
  const form = readForm(request)
  if (form === undefined) return badRequest('The form cannot be read.')
  const { image, field } = form
  const { filename = '', bytes } = image ?? { bytes: new Uint8Array() }
  if (filename === '') return badRequest('The form has no file in its field image.')
  const type = field('type') ?? 'output'
  if (!isFolderType(type)) return badRequest('The type is unknown.')
  const limits = hostedUploadLimits
  if (bytes.length > limits.bytes)
    return badRequest(`The file is larger than ${limits.bytes / 2 ** 20} MB.`)
  const { width, height } = probePicture(bytes) ?? { width: 0, height: 0 }
  if (Math.max(width, height) > limits.side)
    return badRequest(`A side is longer than ${limits.side}.`)
  if (width * height > limits.pixels)
    return badRequest(`There are more than ${limits.pixels} pixels.`)
  return { filename, bytes, type, field }
}

/** Stores what was made of an upload, unless it is here already, and tells its name. */
function keep(world: HostedWorld, { filename, type, field }: Upload, content: FileContent): Reply {
  const ending = /\.[a-z0-9]{1,16}$/i.exec(filename)?.[0].toLowerCase() ?? ''
  const name = contentHash(world.hosted.hashing, content, world.spell) + ending
  if (get(world.files, keyOf('input', '', name)) === undefined) {
    const { uploadLimitBytes } = world.options
    if (heldWith(world, content) > uploadLimitBytes) {
      return refuseHosted('storageFull', { limit: `${uploadLimitBytes}` })
    }
    store(world, 'input', '', name, content)
  }
  return json(JSON.stringify({ name, subfolder: field('subfolder') ?? '', type }))
}

/** The name that a reference tells, or undefined when it is malformed. */
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
