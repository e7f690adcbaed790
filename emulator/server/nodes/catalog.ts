// The node types that a world knows, and the model files that their combos list [catalog/*].

import { isObject, type Json, type JsonObject, readJson, writeJson } from '../../lib/json.ts'
import { fileChoices, fileInputOf, fileInputs } from '../world/named-files.ts'
import { installedModels } from '../world/installs.ts'
import { withLaterMembers } from './later-members.ts'
import { testNodes } from './test-nodes.ts'
import { typesByLine } from './type-texts.ts'
import { pythonEquals, pythonText } from '../../lib/python.ts'
import type { World } from '../state/world.ts'
import type { DeclaredInput, NodeType, TypeTexts } from '../state/nodes.ts'

/** A type that the catalogue does not contain: it passes its first input through. Its empty text identifies it. */
export const passThrough = (class_type: string, outputNode: boolean): NodeType => ({
  class_type,
  inputs: [],
  outputs: [],
  outputIsList: [],
  takesLists: false,
  outputNode,
  apiNode: false,
  newStyle: false,
  readsOwnId: false,
  hidden: new Map(),
  text: '',
})

/** The node types of a catalogue, each parsed when it is first asked for. */
type NodeTypes = Pick<ReadonlyMap<string, NodeType>, 'get' | 'has' | 'keys'>

/** Types by their texts, of the first and of later generations: worlds in one process share them. */
const readFirst = new WeakMap<TypeTexts, NodeTypes>()
const readLater = new WeakMap<TypeTexts, NodeTypes>()

export function nodeTypes({ setup }: World): NodeTypes {
  const texts = setup.options.objectInfo()
  const { describesTypes } = setup.traits
  const read = describesTypes ? readLater : readFirst
  const known = read.get(texts)
  if (known !== undefined) return known
  const types = typesOf(new Map([...texts, ...typesByLine(testNodes)]), describesTypes)
  read.set(texts, types)
  return types
}

/** Finds the node types of a catalogue without a world, those for tests among them. */
export function catalogueOf(texts: TypeTexts): (class_type: string) => NodeType | undefined {
  const types = typesOf(new Map([...texts, ...typesByLine(testNodes)]), false)
  return (class_type) => types.get(class_type)
}

function typesOf(texts: TypeTexts, isLater: boolean): NodeTypes {
  const read = new Map<string, NodeType>()
  return {
    has: (class_type) => texts.has(class_type),
    keys: () => texts.keys(),
    get: (class_type) => {
      const known = read.get(class_type)
      const text = texts.get(class_type)
      if (known !== undefined || text === undefined) return known
      const type = nodeType(class_type, readJson(text) as JsonObject, isLater)
      read.set(class_type, type)
      return type
    },
  }
}

function nodeType(class_type: string, entry: JsonObject, isLater: boolean): NodeType {
  const newStyle = entry.has('deprecated') && entry.has('experimental') && entry.has('api_node')
  const hidden = new Map<string, string>()
  // New-style types are called without theirs.
  if (!newStyle) {
    for (const [name, holds] of group(entry, 'hidden')) hidden.set(name, pythonText(holds))
  }
  const lists = entry.get('is_input_list') === true || takesLists.has(class_type)
  return {
    class_type,
    inputs: [...declared(entry, 'required'), ...declared(entry, 'optional')],
    outputs: list(entry.get('output')).map((type) =>
      Array.isArray(type) ? type : type === ANY ? '*' : pythonText(type),
    ),
    outputIsList: list(entry.get('output_is_list')).map((flag) => flag === true),
    takesLists: lists,
    outputNode: entry.get('output_node') === true,
    apiNode: entry.get('api_node') === true,
    newStyle,
    readsOwnId: [...hidden.values()].includes('UNIQUE_ID'),
    hidden,
    text: writeJson(isLater ? withLaterMembers(entry, newStyle, lists) : entry),
  }
}

/** The output of such a type has that of the inputs with it [workflows/dynamic-inputs]. */
const ANY = 'COMFY_MATCHTYPE_V3'

/** Types of the built-in catalogue that take whole lists, which object_info does not state [runs/list-taken-whole]. */
const takesLists: ReadonlySet<string> = new Set(['RebatchImages', 'RebatchLatents'])

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

function group(entry: JsonObject, name: string): JsonObject {
  const inputs = entry.get('input')
  const members = isObject(inputs) ? inputs.get(name) : undefined
  return isObject(members) ? members : new Map()
}

function declared(entry: JsonObject, groupName: 'required' | 'optional'): DeclaredInput[] {
  return Array.from(group(entry, groupName), ([name, declaration]) => {
    const [type, options] = list(declaration)
    return {
      name,
      required: groupName === 'required',
      type: Array.isArray(type) ? type : pythonText(type ?? ''),
      options: isObject(options) ? options : new Map(),
    }
  })
}

/** `[type, options]` of a declaration, as in object_info. */
export const inputConfig = (input: DeclaredInput): Json => [input.type, input.options]

const MODEL_FILE = /\.(?:safetensors|sft|ckpt|pt|pt2|bin|pth|pkl|gguf|yaml)$/i

export const isModelFile = (name: Json): name is string =>
  typeof name === 'string' && MODEL_FILE.test(name)

/** Whether the options of a combo are names of model files. */
export const listsModels = (options: readonly Json[]): boolean => options.some(isModelFile)

/** The JSON text of one node type, or undefined. Combos of input files list the current files of the world. */
export function nodeTypeText(world: World, class_type: string): string | undefined {
  const type = nodeTypes(world).get(class_type)
  if (type === undefined) return undefined
  const input = fileInputOf(class_type)
  if (input === undefined) return withCurrentInputs(world, type)
  const entry = readJson(type.text) as JsonObject
  const declaration = group(entry, 'required').get(input.name)
  if (!Array.isArray(declaration)) return type.text
  const choices = fileChoices(world, input)
  if (Array.isArray(declaration[0])) declaration[0] = choices
  // A remote combo declares no options: the front end fetches them.
  else if (isObject(declaration[1]) && declaration[1].has('options')) {
    declaration[1].set('options', choices)
  }
  return writeJson(entry)
}

/** The text of a node type whose combos include models installed since, and values of the scenario. */
function withCurrentInputs(world: World, type: NodeType): string {
  const inputs = type.inputs.map((input) => [input, currentInput(world, type, input)] as const)
  if (inputs.every(([input, current]) => input === current)) return type.text
  const entry = readJson(type.text) as JsonObject
  for (const [input, current] of inputs) {
    const declaration = group(entry, input.required ? 'required' : 'optional').get(input.name)
    if (input === current || !Array.isArray(declaration)) continue
    declaration[0] = current.type
    if (input.options !== current.options) declaration[1] = current.options
  }
  return writeJson(entry)
}

/** The current declaration of an input: a combo includes installed model files, and values of the scenario. */
export function currentInput(world: World, type: NodeType, input: DeclaredInput): DeclaredInput {
  const listed = withInstalledModels(world, type, input)
  const { values } = world.setup.options.script.start
  return values === undefined ? listed : withValues(listed, valuesFor(values, type, input))
}

type Values = NonNullable<World['setup']['options']['script']['start']['values']>

const valuesFor = (values: Values, { class_type }: NodeType, { name }: DeclaredInput): Json[] => {
  const inputs = Object.hasOwn(values, class_type) ? values[class_type] : undefined
  return inputs !== undefined && Object.hasOwn(inputs, name) ? (inputs[name] ?? []) : []
}

/** An input whose combo, old style or new, has further options [scenario/start-values]. */
function withValues(input: DeclaredInput, values: readonly Json[]): DeclaredInput {
  const listed = optionsOf(input)
  const more = values.filter((value) => !listed.some((one) => pythonEquals(one, value)))
  if (more.length === 0) return input
  const all = [...listed, ...more]
  return Array.isArray(input.type)
    ? Object.assign({}, input, { type: all })
    : Object.assign({}, input, { options: new Map(input.options).set('options', all) })
}

/** Whether an input has options: it is a combo, old style or new. */
export const isCombo = ({ type, options }: DeclaredInput): boolean =>
  Array.isArray(type) || (type === 'COMBO' && Array.isArray(options.get('options')))

function withInstalledModels(world: World, type: NodeType, input: DeclaredInput): DeclaredInput {
  if (world.state.installs.models.entries.size === 0 || !Array.isArray(input.type)) return input
  const folder = folderOf(world, type, input)
  const installed = folder === undefined ? [] : installedModels(world.state.installs, folder)
  if (installed.length === 0) return input
  const files = sorted([...input.type.filter(isModelFile), ...installed])
  const options = [...files, ...input.type.filter((option) => !isModelFile(option))]
  return Object.assign({}, input, { type: options })
}

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort()

/** The folder that a combo lists: the one it represents, or one with the same files. */
function folderOf(
  world: World,
  { class_type }: NodeType,
  { name, type }: DeclaredInput,
): string | undefined {
  const combos = Object.entries(modelFolders)
  const own = combos.find(([, combo]) => combo?.[0] === class_type && combo[1] === name)
  if (own !== undefined) return own[0]
  const files = Array.isArray(type) ? type.filter(isModelFile).join() : ''
  const same = combos.find(([, combo]) => combo && listedFiles(world, combo).join() === files)
  return files === '' ? undefined : same?.[0]
}

/** The last text of a catalogue, and which files, models and values it lists: front ends fetch it with each page. */
const lastInfo = new WeakMap<NodeTypes, { readonly listed: string; readonly text: string }>()

/** All node types as one JSON text, in the order of the catalogue. */
export function objectInfoText(world: World): string {
  const types = nodeTypes(world)
  const models = [...world.state.installs.models.entries.keys()]
  const files = fileInputs.map((input) => fileChoices(world, input))
  const listed = JSON.stringify([models, files, world.setup.options.script.start.values])
  const last = lastInfo.get(types)
  if (last?.listed === listed) return last.text
  const members: string[] = []
  for (const class_type of types.keys()) {
    members.push(`${JSON.stringify(class_type)}: ${nodeTypeText(world, class_type)}`)
  }
  const text = `{${members.join(', ')}}`
  lastInfo.set(types, { listed, text })
  return text
}

/** Folders of model files in the order of the listing, each with the combo that lists its files. Some servers lack those of `laterFolders`. */
export const modelFolders: Readonly<
  Record<string, readonly [class_type: string, input: string] | null>
> = {
  checkpoints: ['CheckpointLoaderSimple', 'ckpt_name'],
  configs: ['CheckpointLoader', 'config_name'],
  loras: ['LoraLoader', 'lora_name'],
  vae: ['VAELoader', 'vae_name'],
  text_encoders: ['CLIPLoader', 'clip_name'],
  diffusion_models: ['UNETLoader', 'unet_name'],
  clip_vision: ['CLIPVisionLoader', 'clip_name'],
  style_models: ['StyleModelLoader', 'style_model_name'],
  embeddings: null,
  diffusers: null,
  vae_approx: null,
  controlnet: ['ControlNetLoader', 'control_net_name'],
  gligen: ['GLIGENLoader', 'gligen_name'],
  upscale_models: ['UpscaleModelLoader', 'model_name'],
  latent_upscale_models: ['LatentUpscaleModelLoader', 'model_name'],
  custom_nodes: null,
  datasets: null,
  hypernetworks: ['HypernetworkLoader', 'hypernetwork_name'],
  photomaker: ['PhotoMakerLoader', 'photomaker_model_name'],
  classifiers: null,
  model_patches: ['ModelPatchLoader', 'name'],
  audio_encoders: ['AudioEncoderLoader', 'audio_encoder_name'],
  background_removal: ['LoadBackgroundRemovalModel', 'bg_removal_name'],
  frame_interpolation: ['FrameInterpolationModelLoader', 'model_name'],
  geometry_estimation: ['LoadMoGeModel', 'model_name'],
  optical_flow: ['OpticalFlowLoader', 'model_name'],
  detection: ['LoadMediaPipeFaceLandmarker', 'model_name'],
  fonts: null,
}

/** The names of the model folders of a world, in the order of the listing. */
export const folderNames = ({ setup }: World): readonly string[] =>
  Object.keys(modelFolders).filter((name) => !setup.traits.missingFolders.includes(name))

/** The names of the files in a model folder, or undefined for an unknown folder. */
export function modelFiles(world: World, folder: string): readonly string[] | undefined {
  if (!folderNames(world).includes(folder)) return undefined
  const combo = Object.hasOwn(modelFolders, folder) ? modelFolders[folder] : null
  const example = folder === 'embeddings' ? ['example_negative.safetensors'] : []
  const listed = combo ? listedFiles(world, combo) : example
  const installed = installedModels(world.state.installs, folder)
  return installed.length === 0 ? listed : sorted([...listed, ...installed])
}

/** The model files that a combo of the catalogue lists. */
function listedFiles(
  world: World,
  [class_type, inputName]: readonly [class_type: string, input: string],
): readonly string[] {
  const input = nodeTypes(world)
    .get(class_type)
    ?.inputs.find(({ name }) => name === inputName)
  // VAELoader also offers names that are not files.
  return input === undefined ? [] : optionsOf(input).filter(isModelFile)
}

/** The options of a combo, old style or new; none for any other input. */
export const optionsOf = ({ type, options }: DeclaredInput): readonly Json[] =>
  Array.isArray(type) ? type : list(options.get('options'))
