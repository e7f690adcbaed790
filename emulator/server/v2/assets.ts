// The endpoints of assets [v2-assets/*], except for uploads.

import { hashPattern } from '../../../spec/v2/shapes.ts'
import { assetLifetimes } from '../../../spec/v2/v2-assets.ts'
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { drawUuid } from '../../lib/random.ts'
import { put, remove } from '../../lib/bounded.ts'
import { empty, json, noContent, refuseV2, type Reply } from '../../http/replies.ts'
import { bodyJson, type Request } from '../../http/requests.ts'
import { isTexts } from '../hosted/clear-and-delete.ts'
import { signedLink } from '../hosted/signed-links.ts'
import type { Asset } from '../state/v2.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { contentType } from '../world/content-types.ts'
import { assetOf, assetsWith, assetText, keepAsset } from './asset-store.ts'
import { originOf } from './links.ts'

/** GET /assets/{id}. */
export function asset(world: HostedWorld, request: Request): Reply {
  const found = assetOf(world, request.segment)
  return found === undefined
    ? refuseV2('assetNotFound')
    : json(assetText(world, found, originOf(request)))
}

/** DELETE /assets/{id}: removes the record. Its bytes stay, as a file of the account. */
export function deleteAsset(world: World, { segment }: Request): Reply {
  if (assetOf(world, segment) === undefined) return refuseV2('assetNotFound')
  remove(world.state.v2.assets, segment)
  put(world.state.v2.deletedAssets, segment, true)
  return noContent
}

/** GET /assets/{id}/content. */
export function content(world: HostedWorld, { segment, headers }: Request): Reply {
  const found = assetOf(world, segment)
  if (found === undefined) return refuseV2('assetNotFound')
  // The edge adds the path of the world.
  const Location = signedLink(world, found.name, headers['host'])
  return { status: 302, headers: { Location }, body: '' }
}

/** HEAD /assets/by-hash/{hash}. */
export const byHash = (world: World, { segment }: Request): Reply =>
  assetsWith(world, segment).length > 0 ? empty : refuseV2('blobNotFound')

/** POST /assets/from-hash. */
export function mintFromHash(world: HostedWorld, request: Request): Reply {
  const body = bodyJson(request)
  if (!isObject(body)) return refuseV2('invalidRequest', { reason: 'The body is not an object.' })
  const wrong = wrongMember(body)
  if (wrong !== undefined) return refuseV2('invalidFields', { reason: wrong })
  const [known] = assetsWith(world, body.get('hash') as string)
  if (known === undefined) return refuseV2('blobNotFound')
  const filePath = (body.get('file_path') ?? null) as string | null
  const seconds = (body.get('expires_in') ?? null) as number | null
  const { asset: found, isNew } = mint(world, known, { filePath, seconds, type: null })
  return json(assetText(world, found, originOf(request), isNew), isNew ? 201 : 200)
}

function wrongMember(body: JsonObject): string | undefined {
  const hash = body.get('hash')
  if (typeof hash !== 'string' || !new RegExp(hashPattern).test(hash))
    return 'hash is blake3: and 64 hexadecimal digits.'
  if (!isNullable(body.get('file_path'), (path) => typeof path === 'string'))
    return 'file_path is a text.'
  if (!isNullable(body.get('tags'), isTexts)) return 'tags is a list of texts.'
  if (!isNullable(body.get('expires_in'), isLifetime)) return badLifetime
  return undefined
}

const isNullable = (value: Json | undefined, check: (value: Json) => boolean): boolean =>
  value === undefined || value === null || check(value)

const { least, most } = assetLifetimes
export const isLifetime = (value: Json): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
export const badLifetime = `expires_in is a whole number of seconds from ${least} to ${most}.`

/**
 * The asset of known bytes under a path: the one that exists, or a new one. One that exists can only last longer.
 */
export function mint(
  world: World,
  known: Pick<Asset, 'name' | 'hash' | 'sizeBytes' | 'contentType'>,
  own: { filePath: string | null; seconds: number | null; type: string | null },
): { readonly asset: Asset; readonly isNew: boolean } {
  const { nowMs } = world.state
  const { filePath, seconds } = own
  const expiresMs = seconds === null ? null : nowMs + seconds * 1000
  const same = assetsWith(world, known.hash ?? '').find(
    (one) => one.filePath === filePath && one.jobId === null,
  )
  if (same !== undefined) {
    const latest = laterOf(same.expiresMs, expiresMs)
    return { asset: keepAsset(world, Object.assign({}, same, { expiresMs: latest })), isNew: false }
  }
  const { name, hash, sizeBytes } = known
  const made = {
    id: drawUuid(world.state.random),
    name,
    hash,
    sizeBytes,
    contentType: own.type ?? (filePath === null ? known.contentType : typeOf(filePath, known)),
    filePath,
    createdMs: nowMs,
    expiresMs,
    jobId: null,
  }
  return { asset: keepAsset(world, made), isNew: true }
}

/** The later of two ends; null is never. */
const laterOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other)

const typeOf = (path: string, known: Pick<Asset, 'contentType'>): string => {
  const named = contentType(path)
  return named === 'application/octet-stream' ? known.contentType : named
}
