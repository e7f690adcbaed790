// Finds out what a node does when it runs, within what the double pretends to be able to do.

import { behaviours } from './behaviours.ts'
import { currentInput, isModelFile, optionsOf } from './catalog.ts'
import { type Behaviour, byDeclaration, type Call, failing, type Work } from './nodes.ts'
import { payPartner } from './partners.ts'

/** Larger pictures do not fit into the memory that the double pretends to have, in pixels. */
const MAX_PIXELS = 4096 * 4096
/** Nor do longer batches. */
const MAX_BATCH = 4096

/** What a node does, found by its type. */
export function workOf(call: Call): Work {
  const missing = call.world.account === null ? undefined : missingModel(call)
  if (missing !== undefined)
    return failing('ModelDownloadError', `The model ${missing} is not available.`)
  const unpaid = call.type.apiNode ? payPartner(call) : undefined
  if (unpaid !== undefined) return failing(unpaid.exception_type, unpaid.exception_message)
  const work = behaviourOf(call.type.class_type)(call)
  return fitsMemory(work) ? work : failing('torch.OutOfMemoryError', memoryText)
}

/** A model file that an input names and that its combo does not list: validation lets it through where it is told to. */
function missingModel({ world, type, inputs }: Call): string | undefined {
  for (const input of type.inputs) {
    const given = inputs.get(input.name)
    if (given?.kind !== 'literal' || !isModelFile(given.value)) continue
    const options = optionsOf(currentInput(world, type, input))
    if (options.some(isModelFile) && !options.includes(given.value)) return given.value
  }
  return undefined
}

/** Types without a behaviour of their own follow from their declaration. */
const behaviourOf = (class_type: string): Behaviour =>
  (Object.hasOwn(behaviours, class_type) ? behaviours[class_type] : undefined) ?? byDeclaration

const memoryText = 'Allocation on device would exceed allowed memory. (out of memory)'

function fitsMemory(work: Work): boolean {
  return work.outputs.every(
    (value) =>
      value.kind !== 'picture' ||
      (value.picture.width * value.picture.height <= MAX_PIXELS && value.count <= MAX_BATCH),
  )
}
