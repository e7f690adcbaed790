// Node types, and model files as files [catalog/*]: their paths, sizes and metadata.

import { replacements } from '../../../spec/server/replacements.ts'
import type { Start } from '../../../spec/scenario/start.ts'
import { floatOf, isObject, type Json, readJson, writeJson } from '../../lib/json.ts'
import { json, type Reply, refuse } from '../../http/replies.ts'
import { decodePart, parameter, type Request } from '../../http/requests.ts'
import { sha256Hex } from '../world/hashing.ts'
import {
  modelFiles,
  folderNames,
  nodeTypes,
  nodeTypeText,
  objectInfoText,
} from '../nodes/catalog.ts'
import {
  extensionsOf,
  metadataOfModel,
  modelSize,
  shownFolders,
  withoutEnding,
} from '../nodes/model-files.ts'
import { isModel } from '../world/content-types.ts'
import { normalisePath, serverFolder } from '../world/paths.ts'
import type { World } from '../state/world.ts'

/** The folders that a kind of models is read from, if it is not one of the same name; most have one for outputs. */
const sharedFolders: Readonly<Record<string, readonly string[]>> = {
  checkpoints: ['models/checkpoints', 'output/checkpoints'],
  loras: ['models/loras', 'output/loras'],
  vae: ['models/vae', 'output/vae'],
  text_encoders: ['models/text_encoders', 'models/clip', 'output/clip'],
  diffusion_models: ['models/unet', 'models/diffusion_models', 'output/diffusion_models'],
  controlnet: ['models/controlnet', 'models/t2i_adapter'],
  custom_nodes: ['custom_nodes'],
}

/** The paths of a model folder [internal/folder-paths]. */
export const folderPaths = (folder: string): readonly string[] =>
  (sharedFolders[folder] ?? [`models/${folder}`]).map((path) => `${serverFolder}/${path}`)

const experimentModelFolders = (world: World): Reply =>
  json(
    JSON.stringify(
      shownFolders(world).map((name) => {
        const folder = { name, folders: folderPaths(name) }
        return world.setup.traits.listsExtensions
          ? Object.assign(folder, { extensions: extensionsOf(name) })
          : folder
      }),
    ),
  )

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
function modelPreview(
  world: World,
  { segments: [folder = '', index = '', filename = ''] }: Request,
): Reply {
  if (world.setup.traits.namesErrors) return refuse(previewRefusal(world, folder, index, filename))
  if (!/^[+-]?\d+$/.test(index)) return refuse('internal')
  if (!folderNames(world).includes(folder)) return refuse('notFoundEmpty')
  const isThere = Number(index) === 0 || Number(index) === -1
  return refuse(isThere ? 'notFoundEmpty' : 'internal')
}

/** Why there is no preview, on a server that says so. */
function previewRefusal(
  world: World,
  folder: string,
  index: string,
  filename: string,
): 'badRequestEmpty' | 'forbiddenEmpty' | 'notFoundEmpty' {
  if (!/^[+-]?\d+$/.test(index) || filename === '') return 'badRequestEmpty'
  const isThere = folderNames(world).includes(folder) && [0, -1].includes(Number(index))
  const isInside = normalisePath(decodePart(filename)) !== undefined
  return isThere && !isInside ? 'forbiddenEmpty' : 'notFoundEmpty'
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

const modelFolders = (world: World): Reply => json(JSON.stringify(folderNames(world)))

function models(world: World, { segment }: Request): Reply {
  const files = modelFiles(world, segment)
  return files === undefined ? refuse('notFoundEmpty') : json(JSON.stringify(files))
}

const replacementsText = JSON.stringify(
  Object.fromEntries(replacements.map((one) => [one.old_node_id, [one]])),
)

/** A subgraph of the scenario, as JSON; its data is a JSON text. */
type Subgraph = NonNullable<Start['subgraphs']>[number]

const subgraphsOf = ({ setup }: World): readonly Subgraph[] =>
  setup.options.script.start.subgraphs ?? []

/** The id of a subgraph: a hash of where it comes from. */
const subgraphId = ({ name, source, node_pack }: Subgraph): string =>
  sha256Hex([source, node_pack, name].join('\n'))

const subgraphEntry = ({ name, source = 'templates', node_pack = 'comfyui' }: Subgraph) => ({
  source,
  name,
  info: { node_pack },
})

const localSubgraphs = (world: World): Reply =>
  json(
    JSON.stringify(
      Object.fromEntries(subgraphsOf(world).map((one) => [subgraphId(one), subgraphEntry(one)])),
    ),
  )

function localSubgraph(world: World, { segment }: Request): Reply {
  const found = subgraphsOf(world).find((one) => subgraphId(one) === segment)
  if (found === undefined) return json('null')
  const data = { data: JSON.stringify(found.data) }
  return json(JSON.stringify(Object.assign(subgraphEntry(found), data)))
}

/** The help page of a node type: its name and description. */
function nodePage(world: World, { segments: [name = '', page = ''] }: Request): Reply {
  const type = page === 'en.md' ? nodeTypes(world).get(name) : undefined
  const text = type === undefined ? undefined : nodeTypeText(world, name)
  if (text === undefined) return refuse('unknownPath')
  const described = readJson(text)
  const member = (of: string): string => {
    const value = isObject(described) ? described.get(of) : undefined
    return typeof value === 'string' ? value : ''
  }
  const body = `# ${member('display_name') || name}\n\n${member('description')}\n`
  const headers = { 'Content-Type': 'application/octet-stream' }
  return { status: 200, headers, body: new TextEncoder().encode(body) }
}

export const catalogHandlers = {
  localReplacements: () => json(replacementsText),
  localSubgraphs,
  localSubgraph,
  nodePage,
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
