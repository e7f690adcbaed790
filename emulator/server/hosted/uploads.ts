// Uploads to hosted [files/hosted-upload-*]: stored under the hash of their content.

import { hostedUploadLimits } from '../../../spec/server/files.ts'
import { get } from '../../lib/bounded.ts'
import { probePicture } from '../../pictures/codecs/probe.ts'
import { badRequest, json, refuseHosted, type Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import { assetOfUpload } from './assets/library.ts'
import { isFolderType } from '../world/paths.ts'
import { contentHash, fileKey, store } from '../world/files.ts'
import { heldWith } from '../world/upload-quota.ts'
import { type Form, readForm } from '../../http/multipart.ts'
import type { FileContent } from '../state/files.ts'
import type { HostedWorld } from '../state/world.ts'
import type { HostedHandler } from './handler.ts'

/** Stores an uploaded file. */
export const uploadImage: HostedHandler = (world, request) => {
  const upload = readUpload(request)
  return 'status' in upload ? upload : storeUpload(world, upload, { bytes: upload.bytes })
}

/** A valid upload within the limits. */
export type Upload = Pick<Form, 'field'> & {
  readonly filename: string
  readonly bytes: Uint8Array
  readonly type: string
}

export function readUpload(request: Request): Upload | Reply {
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

/** Stores the content of an upload, unless it already exists, and returns its name. */
export function storeUpload(
  world: HostedWorld,
  { filename, type, field }: Upload,
  content: FileContent,
): Reply {
  const ending = /\.[a-z0-9]{1,16}$/i.exec(filename)?.[0].toLowerCase() ?? ''
  const name = contentHash(world.setup.hosted.hashing, content, world.setup.spell) + ending
  const isNew = get(world.state.files, fileKey('input', '', name)) === undefined
  if (isNew) {
    const { uploadLimitBytes } = world.setup.options
    if (heldWith(world, content) > uploadLimitBytes) {
      return refuseHosted('storageFull', { limit: `${uploadLimitBytes}` })
    }
    store(world, 'input', '', name, content)
  }
  assetOfUpload(world, name, filename, isNew)
  return json(JSON.stringify({ name, subfolder: field('subfolder') ?? '', type }))
}
