// Node types, and model files as files [catalog/*]: their paths, sizes and metadata.

import { floatOf, type Json, writeJson } from '../../lib/json.ts'
import { json, type Reply, refuse } from '../../http/replies.ts'
import { parameter, type Request } from '../../http/requests.ts'
import { modelFiles, modelFolderNames, nodeTypeText, objectInfoText } from '../nodes/catalog.ts'
import {
  isModel,
  metadataOfModel,
  modelSize,
  shownFolders,
  withoutEnding,
} from '../nodes/model-files.ts'
import { serverFolder } from '../world/paths.ts'
import type { World } from '../state/world.ts'

/** The path of a model folder. Each name has one. */
export const folderPath = (folder: string): string =>
  folder === 'custom_nodes' ? `${serverFolder}/custom_nodes` : `${serverFolder}/models/${folder}`

const experimentModelFolders = (): Reply =>
  json(JSON.stringify(shownFolders.map((name) => ({ name, folders: [folderPath(name)] }))))

function experimentModels(world: World, { segment }: Request): Reply {
  const files = modelFiles(world, segment)
  if (files === undefined) return refuse('notFoundEmpty')
  const time = floatOf(world.setup.options.epochMs / 1000)
  const items = files.filter(isModel).map(
    (name) =>
      new Map<string, Json>([
        ['name', name],
        ['pathIndex', 0],
        ['modified', time],
        ['created', time],
        ['size', modelSize(name)],
      ]),
  )
  return json(writeJson(items))
}

/** No model here has a preview. A negative index counts from the end, as in Python. */
function modelPreview(_world: World, { segments: [folder = '', index = ''] }: Request): Reply {
  if (!/^[+-]?\d+$/.test(index)) return refuse('internal')
  if (!modelFolderNames.includes(folder)) return refuse('notFoundEmpty')
  const isThere = Number(index) === 0 || Number(index) === -1
  return refuse(isThere ? 'notFoundEmpty' : 'internal')
}

function modelMetadata(world: World, { segment, query }: Request): Reply {
  const name = parameter(query, 'filename') ?? ''
  const isListed = modelFiles(world, segment)?.includes(name) ?? false
  if (!isListed || !name.endsWith('.safetensors')) return refuse('notFoundEmpty')
  return json(JSON.stringify(metadataOfModel(name)))
}

const embeddings = (world: World): Reply =>
  json(JSON.stringify((modelFiles(world, 'embeddings') ?? []).map(withoutEnding)))

/** The information about node types that both deployments return. */
export const objectInfoHandlers = {
  objectInfo: (world: World): Reply => json(objectInfoText(world)),
  objectInfoOf: (world: World, { segment }: Request): Reply => {
    const text = nodeTypeText(world, segment)
    return json(text === undefined ? '{}' : `{${JSON.stringify(segment)}: ${text}}`)
  },
} as const

const modelFolders = (): Reply => json(JSON.stringify(modelFolderNames))

function models(world: World, { segment }: Request): Reply {
  const files = modelFiles(world, segment)
  return files === undefined ? refuse('notFoundEmpty') : json(JSON.stringify(files))
}

export const catalogHandlers = {
  ...objectInfoHandlers,
  modelFolders,
  models,
  experimentModelFolders,
  experimentModels,
  modelPreview,
  modelMetadata,
  embeddings,
  extensions: (world: World) => json(JSON.stringify(world.setup.options.scripts)),
  // Only node packs contain these, and none are installed.
  translations: () => json('{}'),
  workflowTemplates: () => json('{}'),
} as const
