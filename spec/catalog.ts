// What can be used in a workflow: node types with their inputs, model folders and model files.

import { both, hosted, local, type Endpoints, type Rules, type Schema } from './language.ts'
import { hostedError } from './errors.ts'

const typeOrOptions = { anyOf: [{ type: 'string' }, { type: 'array', items: {} }] } as const

/** The declaration of an input: a type name or the options of a combo, then settings. */
export const inputDeclaration = {
  anyOf: [
    { type: 'array', prefixItems: [typeOrOptions], minItems: 1, maxItems: 1 },
    { type: 'array', prefixItems: [typeOrOptions, { type: 'object' }], minItems: 2, maxItems: 2 },
  ],
} as const satisfies Schema

const inputsByName = { type: 'object', additionalProperties: inputDeclaration } as const
const names = { type: 'array', items: { type: 'string' } } as const
const flag = { type: 'boolean' } as const

export const nodeType = {
  type: 'object',
  properties: {
    input: {
      type: 'object',
      properties: {
        required: inputsByName,
        optional: inputsByName,
        hidden: { type: 'object' },
      },
    },
    input_order: { type: 'object', additionalProperties: names },
    output: { type: 'array', items: {} },
    output_is_list: { type: 'array', items: flag },
    output_name: { type: 'array', items: {} },
    output_tooltips: { type: 'array', items: {} },
    name: { type: 'string' },
    display_name: { type: ['string', 'null'] },
    description: { type: 'string' },
    python_module: { type: 'string' },
    category: { type: 'string' },
    output_node: flag,
    deprecated: flag,
    experimental: flag,
    api_node: flag,
  },
  required: ['input', 'input_order', 'output', 'output_is_list', 'output_name', 'name'],
} as const satisfies Schema

export const nodeTypes = {
  type: 'object',
  additionalProperties: nodeType,
} as const satisfies Schema

/** Names of model folders. */
export const folderNames = { type: 'array', items: { type: 'string' } } as const satisfies Schema

/** Names of model files, in subfolders with their path. */
export const modelNames = { type: 'array', items: { type: 'string' } } as const satisfies Schema

export const hostedModels = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, pathIndex: { type: 'integer' } },
    required: ['name', 'pathIndex'],
  },
} as const satisfies Schema

export const hostedModelFolders = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, folders: names },
    required: ['name', 'folders'],
  },
} as const satisfies Schema

export const endpoints = {
  objectInfo: {
    method: 'GET',
    path: '/object_info',
    on: both,
    does: 'Describes all node types.',
    replies: { 200: nodeTypes },
    hostedReplies: { 200: nodeTypes, 401: hostedError, 403: hostedError },
  },
  objectInfoOf: {
    method: 'GET',
    path: '/object_info/{node_class}',
    on: both,
    does: 'Describes one node type.',
    replies: { 200: nodeTypes },
    hostedReplies: { 200: nodeTypes, 401: hostedError, 403: hostedError },
  },
  modelFolders: {
    method: 'GET',
    path: '/models',
    hostedPath: '/experiment/models',
    on: both,
    does: 'Lists the model folders.',
    replies: { 200: folderNames },
    hostedReplies: { 200: hostedModelFolders, 401: hostedError },
  },
  models: {
    method: 'GET',
    path: '/models/{folder}',
    hostedPath: '/experiment/models/{folder}',
    on: both,
    does: 'Lists the models of a folder.',
    replies: { 200: modelNames, 404: 'empty' },
    hostedReplies: { 200: hostedModels, 401: hostedError, 404: hostedError },
  },
} as const satisfies Endpoints

export const rules = {
  'catalog/node-types': {
    says: 'GET /object_info describes all node types with their inputs.',
    basis: 'stated',
    on: both,
    carries: ['A6', 'A87'],
  },
  'catalog/one-node-type': {
    says: 'GET /object_info/<node_class> describes that one type, keyed by its name.',
    basis: 'stated',
    on: both,
    carries: ['A88'],
  },
  'catalog/node-type-fields': {
    says: 'A node type tells inputs, their order, outputs, name, category and output_node.',
    basis: 'observed',
    on: both,
  },
  'catalog/unknown-node-type': {
    says: 'GET /object_info of an unknown type gives an empty object with 200.',
    basis: 'observed',
    on: local,
  },
  'catalog/uploads-are-options': {
    says: 'The image option of LoadImage lists the files among the inputs.',
    basis: 'observed',
    on: local,
  },
  'catalog/model-folders': {
    says: 'The list of model folders names each folder.',
    basis: 'stated',
    on: both,
    carries: ['A6', 'A89'],
  },
  'catalog/models': {
    says: 'A local model list is a flat array of file names.',
    basis: 'stated',
    on: local,
    carries: ['A58', 'A90'],
  },
  'catalog/unknown-folder': {
    says: 'An unknown model folder answers 404, an empty one an empty array.',
    basis: 'observed',
    on: local,
  },
  'catalog/hosted-models': {
    says: 'A hosted model list holds objects with name and pathIndex.',
    basis: 'stated',
    on: hosted,
    carries: ['A59', 'A90', 'A101'],
  },
  'catalog/hosted-no-models': {
    says: 'A hosted folder without models answers 404 with the code folder_not_found.',
    basis: 'stated',
    on: hosted,
    carries: ['A142', 'A143'],
  },
} as const satisfies Rules
