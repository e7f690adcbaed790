// The catalogue: node types with their inputs, model folders and model files.

import {
  both,
  hosted,
  local,
  type Endpoints,
  type Rules,
  stated,
  chosen,
  observedIn,
  observedAt,
} from '../language.ts'
import { hostedError } from './errors.ts'
import { replacementsByType } from './replacements.ts'
import {
  any,
  anyObject,
  anyOf,
  boolean,
  count,
  list,
  nothing,
  nullable,
  number,
  object,
  oneOf,
  optional,
  partial,
  record,
  text,
  textOrNull,
  volatile,
} from '../schema.ts'
import { get } from '../endpoint.ts'

const typeOrOptions = anyOf(text, list(any))

/** The declaration of an input: a type name or the options of a combo, then settings. */
export const inputDeclaration = anyOf(
  { type: 'array', prefixItems: [typeOrOptions], minItems: 1, maxItems: 1 },
  { type: 'array', prefixItems: [typeOrOptions, anyObject], minItems: 2, maxItems: 2 },
)

const inputsByName = record(inputDeclaration)
const names = list(text)
const flag = boolean

export const nodeType = object({
  input: partial({ required: inputsByName, optional: inputsByName, hidden: anyObject }),
  input_order: record(names),
  output: list(any),
  output_is_list: list(nullable(boolean)),
  is_input_list: optional(flag),
  output_name: list(any),
  output_tooltips: optional(list(any)),
  name: text,
  display_name: optional(textOrNull),
  description: optional(text),
  python_module: optional(text),
  category: optional(text),
  output_node: optional(flag),
  deprecated: optional(flag),
  experimental: optional(flag),
  api_node: optional(flag),
})

export const nodeTypes = record(nodeType)

/** Names of model folders. */
export const folderNames = list(text)

/** Names of model files, with their path if they are in subfolders. */
export const modelNames = list(text)

export const hostedModels = list({
  ...object({ name: text, pathIndex: count }),
  additionalProperties: false,
})

export const hostedModelFolders = list(object({ name: text, folders: names }))

/** The same on a local server, since 2026 with the extensions of the files. */
export const modelFolderPaths = list(
  object({ name: text, folders: names, extensions: optional(names) }),
)

/** Model files with the index of their folder among those of the same name; times are seconds since 1970. */
export const modelFiles = list(
  object({
    name: text,
    pathIndex: count,
    modified: volatile(number),
    created: volatile(number),
    size: count,
  }),
)

/** The metadata of a model file. */
export const modelMetadata = record(text)

/** A subgraph that every account can use; its data is a JSON document as a text. */
export const globalSubgraph = object({
  source: oneOf('templates', 'custom_node'),
  name: text,
  info: object({ node_pack: text }),
  data: optional(text),
})

/** Subgraphs by id. */
export const globalSubgraphs = record(globalSubgraph)

export const endpoints = {
  objectInfo: get('/object_info', both, {
    does: 'Describes all node types.',
    replies: { 200: nodeTypes },
  }),
  objectInfoOf: get('/object_info/{node_class}', both, {
    does: 'Describes one node type.',
    replies: { 200: nodeTypes },
    hostedReplies: { 200: nodeTypes, 404: hostedError },
  }),
  modelFolders: get('/models', both, {
    hostedPath: '/experiment/models',
    does: 'Lists the model folders.',
    replies: { 200: folderNames },
    hostedReplies: { 200: hostedModelFolders },
  }),
  models: get('/models/{folder}', both, {
    hostedPath: '/experiment/models/{folder}',
    does: 'Lists the models of a folder.',
    replies: { 200: modelNames, 404: 'empty' },
    hostedReplies: { 200: hostedModels, 404: hostedError },
  }),
  experimentModelFolders: get('/experiment/models', local, {
    does: 'Lists the model folders with their paths.',
    replies: { 200: modelFolderPaths },
  }),
  experimentModels: get('/experiment/models/{folder}', local, {
    does: 'Lists the models of a folder with their sizes and times.',
    replies: { 200: modelFiles, 404: 'empty' },
  }),
  modelPreview: get('/experiment/models/preview/{folder}/{path_index}/{filename...}', both, {
    does: 'Returns the preview image of a model.',
    parts: { path_index: count },
    replies: { 200: 'bytes', 400: 'empty', 403: 'empty', 404: 'empty', 500: 'text' },
    hostedReplies: { 200: 'bytes', 404: hostedError },
  }),
  modelMetadata: get('/view_metadata/{folder}', local, {
    does: 'Returns the metadata of a model file.',
    query: { filename: { type: 'string', examples: ['sd_xl_base_1.0.safetensors'] } },
    replies: { 200: modelMetadata, 404: 'empty' },
  }),
  embeddings: get('/embeddings', local, {
    does: 'Lists the embeddings.',
    replies: { 200: modelNames },
  }),
  extensions: get('/extensions', both, {
    does: 'Lists the scripts that node packs add to the front end.',
    replies: { 200: names },
  }),
  translations: get('/i18n', local, {
    does: 'Returns the translations of node packs.',
    replies: { 200: anyObject },
  }),
  workflowTemplates: get('/workflow_templates', both, {
    does: 'Lists the workflow templates of node packs.',
    replies: { 200: record(names) },
  }),
  globalSubgraphs: get('/global_subgraphs', hosted, {
    does: 'Lists the subgraphs that every account can use.',
    replies: { 200: globalSubgraphs },
  }),
  globalSubgraph: get('/global_subgraphs/{id}', hosted, {
    does: 'Returns one of these subgraphs.',
    replies: { 200: globalSubgraph, 404: hostedError },
  }),
  localSubgraphs: get('/global_subgraphs', local, {
    since: '0.27',
    does: 'Lists the subgraphs that come with the server and its node packs.',
    replies: { 200: globalSubgraphs },
  }),
  localSubgraph: get('/global_subgraphs/{id}', local, {
    since: '0.27',
    does: 'Returns one of these subgraphs, or null.',
    replies: { 200: anyOf(globalSubgraph, nothing) },
  }),
  localReplacements: get('/node_replacements', local, {
    since: '0.27',
    does: 'Returns which node types replace older ones.',
    replies: { 200: replacementsByType },
  }),
  nodePage: get('/docs/{node_class}/{page}', local, {
    since: '0.27',
    unaliased: true,
    does: 'Returns the help page of a node type, such as en.md.',
    replies: { 200: 'bytes', 404: 'empty' },
  }),
  nodeReplacements: get('/node_replacements', hosted, {
    does: 'Returns which node types replace older ones.',
    replies: { 200: anyObject },
  }),
} as const satisfies Endpoints

const observed = observedIn('GET /object_info and /models')

export const rules = {
  ...stated.both({
    'catalog/node-types': 'GET /object_info describes all node types with their inputs. [A6 A87]',
    'catalog/one-node-type':
      'GET /object_info/<node_class> describes that one type, keyed by its name. [A88]',
  }),
  ...observed.both({
    'catalog/node-type-fields':
      'A node type holds inputs, their order, outputs, name, category and output_node.',
  }),
  ...observedAt('ComfyUI 0.27.0, GET /object_info', { since: '0.27' }).local({
    'catalog/later-members':
      'A node type also holds is_input_list, has_intermediate_output and search_aliases.',
    'catalog/new-style-members':
      'A node type in the new style has all its members, null where nothing is to be said.',
  }),
  ...observedAt('ComfyUI 0.3.64, GET /object_info').local({
    'catalog/folders-are-options':
      'Nodes that load a folder list all folders below the inputs, whatever their depth.',
  }),
  ...observed.before27({
    'catalog/list-flags':
      'output_is_list marks outputs that are lists; no type of this version contains is_input_list.',
  }),
  ...observed.local({
    'catalog/unknown-node-type':
      'GET /object_info of an unknown type returns 200 with an empty object.',
    'catalog/uploads-are-options': 'The image option of LoadImage lists the input files.',
  }),
  ...stated.both({
    'catalog/model-folders': 'The list of model folders names each folder. [A6 A89]',
  }),
  ...stated.local({
    'catalog/models': 'A local model list is a flat array of file names. [A58 A90]',
  }),
  ...observed.local({
    'catalog/unknown-folder': 'An unknown model folder returns 404, an empty one an empty array.',
  }),
  ...observed.before27({
    'catalog/experiment-folders':
      'GET /experiment/models returns the paths of the model folders, without configs and nodes.',
  }),
  ...observed.since27({
    'catalog/experiment-extensions':
      'GET /experiment/models returns the paths of model folders, and the extensions of their files.',
  }),
  ...observed.local({
    'catalog/experiment-models':
      'GET /experiment/models/<folder> lists the model files with pathIndex, times and size.',
    'catalog/model-preview':
      'The preview of a model without an image, or in an unknown folder, returns 404.',
  }),
  ...observed.before27({
    'catalog/model-preview-index':
      'The preview of a model returns 500 if the folder has no path with that index.',
  }),
  ...observed.since27({
    'catalog/model-preview-refusals':
      'A preview returns 400 for no index or name, 404 for one out of range, 403 outside.',
  }),
  ...observed.local({
    'catalog/model-metadata':
      'GET /view_metadata/<folder> returns the metadata of a .safetensors file as texts.',
    'catalog/no-model-metadata':
      'GET /view_metadata returns 404 for other files, unknown files and unknown folders.',
    'catalog/embeddings':
      'GET /embeddings lists the files of the folder embeddings without their extensions.',
    'catalog/no-packs':
      'Without node packs, extensions, translations and workflow templates are empty.',
  }),
  ...observedAt('ComfyUI 0.27.0, GET /experiment/models', { since: '0.27' }).local({
    'catalog/other-extensions':
      'The extension of diffusers is the word folder, and that of classifiers is empty.',
  }),
  ...observedAt('ComfyUI 0.27.0, GET /models', { since: '0.27' }).local({
    'catalog/more-folders':
      'There are model folders for latent upscalers, background removal, detection and others.',
  }),
  ...observedAt('ComfyUI 0.33.0, GET /models', { since: '0.33' }).local({
    'catalog/dataset-folder': 'There is a model folder for datasets, after that of the node packs.',
  }),
  ...observedAt('ComfyUI 0.27.0, GET /object_info', { since: '0.27' }).local({
    'catalog/types-of-generation': 'The server has the node types of its generation.',
  }),
  ...observedAt('ComfyUI 0.38.1, GET /models, as read in its source', { since: '0.38' }).local({
    'catalog/newest-folders': 'There is a model folder for fonts.',
  }),
  ...observedAt('ComfyUI 0.27.0, node replacements', { since: '0.27' }).local({
    'catalog/replacements':
      'GET /node_replacements names the node types that replace others, with inputs and outputs.',
  }),
  ...observedAt('ComfyUI 0.27.0, subgraphs', { since: '0.27' }).local({
    'catalog/subgraphs':
      'GET /global_subgraphs lists subgraphs with source, name and info, and without their data.',
    'catalog/subgraph':
      'GET /global_subgraphs/<id> returns one with its data as a JSON text, or null.',
  }),
  ...observedAt('ComfyUI 0.27.0, docs', { since: '0.27' }).local({
    'catalog/node-page':
      'GET /docs/<node_class>/en.md returns the help page of a node type as bytes, else 404.',
  }),
  ...stated.hosted({
    'catalog/hosted-models':
      'A hosted model list holds objects with name and pathIndex. [A59 A90 A101]',
  }),
  ...observed.hosted({
    'catalog/hosted-folders':
      'A hosted folder is an object with its name and its folders, which contain no paths.',
    'catalog/hosted-preview':
      'The hosted preview of a listed model is a WebP image; other names return 404.',
    'catalog/hosted-nothing-shared':
      'The hosted server lists no extensions, templates, subgraphs or node replacements.',
  }),
  ...stated.hosted({
    'catalog/hosted-no-models':
      'A hosted folder without models returns 404 with the code folder_not_found. [A142 A143]',
  }),
  ...chosen.both({
    'catalog/own-types':
      '--object-info replaces the node types; --nodes adds types, which override others of their name.',
  }),
  ...chosen.hosted({
    'catalog/hosted-unknown-node-type':
      'The hosted server describes an unknown type as an empty object with 200, as a local one does.',
  }),
} as const satisfies Rules
