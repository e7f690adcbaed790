// The assets of an account [v2-assets/*]: uploads and outputs under ids, which several may have the same bytes.

import type { v2Asset } from '../../../spec/v2/v2-assets.ts'
import type { Static } from '../../../spec/static.ts'
import { get, put } from '../../lib/bounded.ts'
import { encoded } from '../hosted/assets/contents.ts'
import { type OutputFile, outputId } from '../hosted/assets/outputs.ts'
import { wholeFile } from '../local/view.ts'
import type { StoredFile } from '../state/files.ts'
import type { Asset } from '../state/v2.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { flatFile } from '../world/named-files.ts'
import { fileLink, type Origin, timeOrNull, timeText } from './links.ts'

/** The hash of bytes as texts contain it. */
export const hashOf = ({ setup }: HostedWorld, bytes: Uint8Array): string =>
  `blake3:${setup.hosted.hashing.blake3Hex(bytes)}`

/** The asset with this id; undefined if the account has none, or no longer. */
export function assetOf(world: World, id: string): Asset | undefined {
  const found = get(world.state.v2.assets, id)
  return found !== undefined && isAlive(world, found) ? found : undefined
}

export const isAlive = ({ state }: World, { expiresMs }: Asset): boolean =>
  expiresMs === null || state.nowMs < expiresMs

/** The assets of the account with these bytes. */
export const assetsWith = (world: World, hash: string): readonly Asset[] =>
  Array.from(world.state.v2.assets.entries.values(), ({ value }) => value).filter(
    (one) => one.hash === hash && isAlive(world, one),
  )

export const keepAsset = ({ state }: World, asset: Asset): Asset => {
  put(state.v2.assets, asset.id, asset)
  return asset
}

/** The asset of an output of a job, made when a reply or a stream first names it. */
export function outputAsset(
  world: HostedWorld,
  { id: jobId, createdMs }: { readonly id: string; readonly createdMs: number },
  { file: output, name, contentType }: { file: OutputFile; name: string; contentType: string },
): Asset {
  const id = outputId(world, jobId, output)
  const known = get(world.state.v2.assets, id)
  if (known !== undefined) return known
  const file = flatFile(world, name)?.file
  const { hash, sizeBytes } = file === undefined ? unknown : contentOf(world, name, file)
  const own = { id, name, hash, sizeBytes, contentType, filePath: name }
  const asset = Object.assign(own, { createdMs, expiresMs: null, jobId })
  return get(world.state.v2.deletedAssets, id) === undefined ? keepAsset(world, asset) : asset
}

const unknown = { hash: null, sizeBytes: 0 }

const contents = new WeakMap<StoredFile, Pick<Asset, 'hash' | 'sizeBytes'>>()

/** Hash and size of a stored file, which never changes. */
function contentOf(
  world: HostedWorld,
  name: string,
  file: StoredFile,
): Pick<Asset, 'hash' | 'sizeBytes'> {
  const known = contents.get(file)
  if (known !== undefined) return known
  const bytes = encoded(wholeFile(world, name, file).body)
  const found = bytes === null ? unknown : { hash: hashOf(world, bytes), sizeBytes: bytes.length }
  contents.set(file, found)
  return found
}

/** An asset as replies contain it. */
export function assetText(
  world: HostedWorld,
  asset: Asset,
  origin: Origin,
  created_new?: boolean,
): string {
  const { id, hash, name, sizeBytes, contentType, filePath, createdMs, expiresMs, jobId } = asset
  return JSON.stringify({
    id,
    hash,
    size_bytes: sizeBytes,
    content_type: contentType,
    file_path: filePath,
    created_at: timeText(world, createdMs),
    ...fileLink(world, name, origin),
    ...(created_new !== undefined && { created_new }),
    expires_at: timeOrNull(world, expiresMs),
    job_id: jobId,
  } satisfies Static<typeof v2Asset>)
}
