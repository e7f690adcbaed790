// POST /assets [v2-assets/upload]: a form whose fields precede its file.

import { hashPattern } from '../../../spec/v2/shapes.ts'
import { get } from '../../lib/bounded.ts'
import { type FormPart, formParts } from '../../http/multipart.ts'
import { json, refuseV2, type Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import type { HostedWorld } from '../state/world.ts'
import { fileKey, store } from '../world/files.ts'
import { heldWith } from '../world/upload-quota.ts'
import { assetText, assetsWith, hashOf } from './asset-store.ts'
import { badLifetime, isLifetime, mint } from './assets.ts'
import { underKey } from './keys.ts'
import { originOf } from './links.ts'

/** A form that fits. */
type Upload = {
  readonly bytes: Uint8Array
  readonly type: string
  readonly filePath: string | null
  readonly expectedHash: string | undefined
  readonly seconds: number | null
}

export const upload = (world: HostedWorld, request: Request): Reply =>
  underKey(world, request, () => {
    const form = readUpload(request)
    return typeof form === 'string'
      ? refuseV2('invalidFields', { reason: form })
      : storeUpload(world, request, form)
  })

function storeUpload(world: HostedWorld, request: Request, form: Upload): Reply {
  const { bytes, type, filePath, expectedHash, seconds } = form
  const hash = hashOf(world, bytes)
  if (expectedHash !== undefined && expectedHash !== hash) return refuseV2('hashMismatch', { hash })
  const isKnown = assetsWith(world, hash).length > 0
  const name = hash.slice('blake3:'.length) + endingOf(filePath ?? '', type)
  const content = { bytes }
  if (get(world.state.files, fileKey('input', '', name)) === undefined) {
    const { uploadLimitBytes } = world.setup.options
    if (heldWith(world, content) > uploadLimitBytes)
      return refuseV2('tooLarge', { limit: `${uploadLimitBytes}` })
    store(world, 'input', '', name, content)
  }
  const known = { name, hash, sizeBytes: bytes.length, contentType: type }
  const { asset } = mint(world, known, { filePath, seconds, type })
  return json(assetText(world, asset, originOf(request), !isKnown), isKnown ? 200 : 201)
}

/** The extension of a stored file: that of its path, or of its type. */
const endingOf = (path: string, type: string): string =>
  /\.[a-z0-9]{1,16}$/i.exec(path)?.[0].toLowerCase() ?? endings[type] ?? ''

const endings: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/webp': '.webp',
  'video/mp4': '.mp4',
  'audio/mpeg': '.mp3',
  'audio/wav': '.wav',
  'text/plain': '.txt',
}

/** The form of an upload, or what is wrong with it. */
function readUpload(request: Request): Upload | string {
  const parts = formParts(request)
  if (parts === undefined) return 'The body is not a form.'
  const at = parts.findIndex(({ name }) => name === 'file')
  const file = parts[at]
  if (file === undefined) return 'The form has no file.'
  if (at < parts.length - 1) return `${parts[at + 1]?.name} comes after the file: send it before.`
  const field = textsOf(parts)
  const type = field('content_type') ?? ''
  if (type === '') return 'content_type has to be sent before the file.'
  const expectedHash = field('expected_hash')
  if (expectedHash !== undefined && !new RegExp(hashPattern).test(expectedHash))
    return 'expected_hash is blake3: and 64 hexadecimal digits.'
  const filePath = field('file_path') ?? null
  if (filePath !== null && /^\/|(^|\/)\.\.(\/|$)/.test(filePath)) return 'file_path is relative.'
  const lifetime = field('expires_in')
  const seconds = lifetime === undefined ? null : Number(lifetime)
  if (seconds !== null && !isLifetime(seconds)) return badLifetime
  return { bytes: file.bytes, type, filePath, expectedHash, seconds }
}

const textsOf =
  (parts: readonly FormPart[]) =>
  (name: string): string | undefined =>
    parts.find((part) => part.name === name)?.text()
