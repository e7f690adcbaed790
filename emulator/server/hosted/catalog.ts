// Models on hosted [catalog/hosted-*]: folders and files as objects, without paths on a disk, and previews.

import type { hostedModelFolders, hostedModels } from '../../../spec/server/catalog.ts'
import type { Static } from '../../../spec/static.ts'
import { hash53 } from '../../lib/random.ts'
import { json, type Reply, refuseHosted } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import { modelFiles } from '../nodes/catalog.ts'
import { objectInfoHandlers } from '../local/catalog.ts'
import { shownFolders } from '../nodes/model-files.ts'
import { isModel } from '../world/content-types.ts'
import type { World } from '../state/world.ts'

/** Side length of a preview, in pixels. */
const PREVIEW_SIZE = 256

const modelFilesIn = (world: World, folder: string): readonly string[] =>
  shownFolders(world).includes(folder) ? (modelFiles(world, folder) ?? []).filter(isModel) : []

function modelFolders(world: World): Reply {
  const folders: Static<typeof hostedModelFolders> = shownFolders(world).map((name) => ({
    name,
    folders: [name],
  }))
  return json(JSON.stringify(folders))
}

/** The models of a folder. A folder without models counts as absent. */
function models(world: World, { segment }: Request): Reply {
  const found: Static<typeof hostedModels> = modelFilesIn(world, segment).map((name) => ({
    name,
    pathIndex: 0,
  }))
  if (found.length === 0) return refuseHosted('folderNotFound', { folder: segment })
  return json(JSON.stringify(found))
}

/** A painted picture for each listed model; the name may end in .webp after its own extension. */
function modelPreview(
  world: World,
  { segments: [folder = '', index = '', file = ''] }: Request,
): Reply {
  const name = modelFilesIn(world, folder).find((one) => file === one || file === `${one}.webp`)
  if (name === undefined || index !== '0') return refuseHosted('notFound')
  const id = hash53(`${world.setup.pictureSeed} preview of ${folder}/${name}`)
  const picture = { kind: 'painted', id, width: PREVIEW_SIZE, height: PREVIEW_SIZE } as const
  return {
    status: 200,
    headers: { 'Content-Type': 'image/webp' },
    body: { picture, format: 'webp', text: [] },
  }
}

export const catalogHandlers = {
  ...objectInfoHandlers,
  modelFolders,
  models,
  modelPreview,
  // There are neither node packs nor shared workflows.
  extensions: () => json('[]'),
  workflowTemplates: () => json('{}'),
  globalSubgraphs: () => json('{}'),
  globalSubgraph: () => refuseHosted('notFound'),
  nodeReplacements: () => json('{}'),
} as const
