// Determines what a node does when it runs, within the limits of the simulated machine.

import { numberOf } from '../../lib/json.ts'
import { behaviours } from './behaviours.ts'
import { fitsMemory, outOfMemory } from '../nodes/memory.ts'
import { type Behaviour, byDeclaration, type Call, failing } from '../nodes/node.ts'
import { computedWork, failedCheck, pictureTypes } from '../nodes/computed.ts'
import { currentInput, isModelFile, optionsOf } from '../nodes/catalog.ts'
import { payPartner } from './partner-nodes.ts'
import type { Value, Work } from '../state/nodes.ts'

/** The work of a call, by its node type. An unforeseen error fails the run too: it would otherwise stay in the queue. */
export function workOf(call: Call): Work {
  try {
    return foreseenWork(call)
  } catch (error) {
    return failing('RuntimeError', `flowdouble cannot run this node: ${String(error)}`)
  }
}

function foreseenWork(call: Call): Work {
  const missing = call.world.setup.traits.needsModelsToRun ? missingModel(call) : undefined
  if (missing !== undefined)
    return failing('ModelDownloadError', `The model ${missing} is not available.`)
  const unpaid = call.type.apiNode ? payPartner(call) : undefined
  if (unpaid !== undefined) return failing(unpaid.exception_type, unpaid.exception_message)
  const { class_type, missing: absent = [] } = call.type
  if (absent.length > 0) return failing('TypeError', missingArguments(class_type, absent))
  if (isOfEmptyList(call)) return failing('IndexError', 'list index out of range')
  if (measures.some((name) => isNotANumber(call, name)))
    return failing('ValueError', notANumber[class_type] ?? 'cannot convert float NaN to integer')
  const computed = changesPictures(call) ? undefined : computedWork(call)
  const work =
    computed ?? failedCheck(call) ?? passingOn(call, behaviourOf(call.type.class_type)(call))
  const fits = work.outputs.every((output) => fitsMemory('kind' in output ? [output] : output))
  return fits ? withTypes(call, work) : { outputs: [], steps: 0, failure: outOfMemory }
}

/** Pictures represent three types: a node that any type can follow has to know which [nodes/printed-masks]. */
function withTypes({ type }: Call, work: Work): Work {
  const outputs = work.outputs.map((output, slot) => {
    const as = pictureTypes.find((one) => one === type.outputs[slot])
    return as !== undefined && 'kind' in output && output.kind === 'picture'
      ? Object.assign({}, output, { as })
      : output
  })
  return { ...work, outputs }
}

/** An output node that has outputs passes its inputs of their types on [nodes/passed-on]. */
function passingOn({ type, inputs }: Call, work: Work): Work {
  if (!type.outputNode || work.outputs.length > 0) return work
  const passed = type.outputs.map((wanted) => {
    const input = type.inputs.find((one) => one.type === wanted)
    return (input && inputs.get(input.name)) ?? nothing
  })
  return { ...work, outputs: passed }
}

const nothing: Value = { kind: 'literal', value: null }

/** What Python says of a call without required arguments. */
const missingArguments = (class_type: string, names: readonly string[]): string =>
  `${class_type}.execute() missing ${names.length} required positional argument${names.length === 1 ? '' : 's'}: ${names.map((name) => `'${name}'`).join(' and ')}`

/** Whether an input is an item of a list that has none: a node can return such a list. */
const isOfEmptyList = ({ inputs }: Call): boolean => {
  const given: readonly (Value | undefined)[] = [...inputs.values()]
  return given.includes(undefined)
}

/** Nodes that change a latent of a model as the picture that it stands for, so that nothing of it is lost. */
const changers: ReadonlySet<string> = new Set([
  'LatentBatch',
  'LatentFromBatch',
  'LatentUpscale',
  'LatentUpscaleBy',
  'RebatchLatents',
  'RepeatLatentBatch',
  'SetLatentNoiseMask',
])

const changesPictures = ({ type, inputs }: Call): boolean =>
  changers.has(type.class_type) &&
  type.inputs.some(({ name, type }) => type === 'LATENT' && isOfModel(inputs.get(name)))

const isOfModel = (value: Value | undefined): boolean =>
  value?.kind === 'picture' &&
  (value.items === undefined ? value.of === undefined : value.items.some(isOfModel))

/** A model file that an input names and that its combo does not list: an option makes validation accept it. */
function missingModel({ world, type, inputs }: Call): string | undefined {
  for (const input of type.inputs) {
    const given = inputs.get(input.name)
    if (given?.kind !== 'literal' || !isModelFile(given.value)) continue
    const options = optionsOf(currentInput(world, type, input))
    if (options.some(isModelFile) && !options.includes(given.value)) return given.value
  }
  return undefined
}

/** What Python says of a NaN where it makes something else than an integer of it. */
const notANumber: Readonly<Record<string, string>> = {
  CreateVideo: 'cannot convert NaN to integer ratio',
}

/** Inputs that determine a size or a time. NaN is within every bound, so that validation accepts it. */
const measures = ['seconds', 'scale_by', 'fps'] as const

function isNotANumber({ inputs }: Call, name: string): boolean {
  const value = inputs.get(name)
  return value?.kind === 'literal' && Number.isNaN(numberOf(value.value))
}

/** The behaviour of other types follows from their declaration. */
const behaviourOf = (class_type: string): Behaviour =>
  (Object.hasOwn(behaviours, class_type) ? behaviours[class_type] : undefined) ?? byDeclaration
