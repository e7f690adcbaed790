// The assets of a hosted account [hosted-assets/*]: of the models of the catalogue, of its uploads by any API, and of what its
// runs have saved. They are looked up when a client asks for assets, so that runs and API v2 need not know them.

import { get } from '../../../lib/bounded.ts'
import { modelFiles } from '../../nodes/catalog.ts'
import { modelSize, shownFolders } from '../../nodes/model-files.ts'
import type { Asset, Seen } from '../../state/assets.ts'
import type { HostedWorld } from '../../state/world.ts'
import {
  addAsset,
  allAssets,
  assetWithId,
  hashOf,
  type NewAsset,
  removeAsset,
} from '../../world/assets.ts'
import { isModel, mediaType } from '../../world/content-types.ts'
import { fileKey } from '../../world/files.ts'
import { flatFile } from '../../world/named-files.ts'
import { nameOf } from '../../world/paths.ts'
import { filesOfEntry, idOf, outputId } from './outputs.ts'

/** Makes assets of everything that has come since the last time, and forgets those that API v2 has deleted. */
export function gather(world: HostedWorld): void {
  const { assets, v2, history } = world.state
  const seen: Seen = assets.seen ?? { history: 0, v2Assets: 0, v2Deleted: 0 }
  const isFirst = !assets.isScanned
  assets.isScanned = true
  if (isFirst) addModels(world)
  followV2(world, seen)
  addOutputs(world, seen.history)
  if (isFirst) addExamples(world)
  assets.seen = {
    history: history.nextSerial,
    v2Assets: v2.assets.nextSerial,
    v2Deleted: v2.deletedAssets.nextSerial,
  }
}

/** The models of the catalogue: all accounts have the same ones. */
function addModels(world: HostedWorld): void {
  for (const folder of shownFolders(world))
    for (const name of (modelFiles(world, folder) ?? []).filter(isModel)) {
      const key = `models/${folder}/${name}`
      addAsset(world, {
        id: idOf(world, key),
        key,
        name: nameOf(name),
        hash: null,
        tags: ['models', folder],
        mimeType: mediaType(name) ?? null,
        content: null,
        size: modelSize(name),
        // Older than all that the account makes.
        at: { ms: 0, tick: 0 },
      })
    }
}

/** Takes over the uploads of API v2, and what it has deleted. */
function followV2(world: HostedWorld, seen: Seen): void {
  const { v2, nowMs } = world.state
  if (v2.deletedAssets.nextSerial > seen.v2Deleted)
    for (const id of v2.deletedAssets.entries.keys()) forget(world, id)
  for (const { value, serial } of v2.assets.entries.values()) {
    const { id, name, filePath, contentType, expiresMs, jobId, createdMs } = value
    if (expiresMs !== null && nowMs >= expiresMs) forget(world, id)
    else if (serial >= seen.v2Assets && jobId === null)
      addFile(world, name, { id, name: nameOf(filePath ?? name), mimeType: contentType, createdMs })
  }
}

function forget(world: HostedWorld, id: string): void {
  const asset = assetWithId(world, id)
  if (asset !== undefined) removeAsset(world, asset)
}

/** Makes an asset of a file of the account, unless it has one with this id. */
function addFile(
  world: HostedWorld,
  filename: string,
  {
    createdMs,
    tags = ['input'],
    ...given
  }: Pick<NewAsset, 'name' | 'mimeType'> &
    Partial<NewAsset> & { readonly id: string; readonly createdMs: number },
): void {
  const found = flatFile(world, filename)
  if (found === undefined || assetWithId(world, given.id) !== undefined) return
  if (get(world.state.v2.deletedAssets, given.id) !== undefined) return
  const { key, file } = found
  const { content } = file
  const hash = hashOf(content)
  const at = { ms: createdMs, tick: world.state.assets.records.nextSerial % 1000 }
  addAsset(world, Object.assign({ key, content, hash, tags, at }, given))
}

/** Makes assets of what runs have saved that have ended since then. */
function addOutputs(world: HostedWorld, since: number): void {
  if (world.state.history.nextSerial === since) return
  for (const { value: entry, serial } of world.state.history.entries.values()) {
    if (serial < since) continue
    for (const file of filesOfEntry(entry)) {
      const { name } = file
      addFile(world, name, {
        id: outputId(world, entry.prompt_id, file),
        name,
        tags: [file.isTemp ? 'temp' : 'output'],
        mimeType: mediaType(name) ?? 'application/octet-stream',
        jobId: entry.prompt_id,
        createdMs: entry.endedMs,
      })
    }
  }
}

/** Makes assets of the files that the account has from the start: those of clients are named by their content. */
function addExamples(world: HostedWorld): void {
  for (const [key, { value }] of world.state.files.entries) {
    const name = nameOf(key)
    if (!key.startsWith('input//') || /^[0-9a-f]{64}(\.|$)/.test(name)) continue
    const mimeType = mediaType(name) ?? null
    addFile(world, name, { id: idOf(world, key), name, mimeType, createdMs: value.modifiedMs })
  }
}

/** The asset of an uploaded file of API v1, which is there already or new [hosted-assets/of-upload]. */
export function assetOfUpload(
  world: HostedWorld,
  stored: string,
  filename: string,
  isNew: boolean,
): void {
  const key = fileKey('input', '', stored)
  const isThere = (one: Asset): boolean => one.key === key && one.isOfFile
  if (!isNew && allAssets(world).some(isThere)) return
  const content = get(world.state.files, key)?.content
  if (content === undefined) return
  const { nextSerial } = world.state.assets.records
  const { setup } = world
  addAsset(world, {
    // Not drawn: ids of later runs do not depend on uploads.
    id: idOf(world, `${setup.options.seed} ${setup.hosted.account.user} ${nextSerial} ${key}`),
    key,
    name: nameOf(filename),
    hash: 'bytes' in content ? `blake3:${stored.slice(0, 64)}` : hashOf(content),
    tags: ['input'],
    mimeType: mediaType(filename) ?? 'application/octet-stream',
    content,
  })
}
