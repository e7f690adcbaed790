// Finds out what a node does when it runs, within what the double pretends to be able to do.

import { behaviours } from './behaviours.ts'
import { type Behaviour, byDeclaration, type Call, failing, type Work } from './nodes.ts'

/** Larger pictures do not fit into the memory that the double pretends to have, in pixels. */
const MAX_PIXELS = 4096 * 4096
/** Nor do longer batches. */
const MAX_BATCH = 4096

/** What a node does, found by its type. */
export function workOf(call: Call): Work {
  if (call.type.apiNode && !call.hasPartnerKey) return failing('Exception', loginText)
  const work = behaviourOf(call.type.class_type)(call)
  return fitsMemory(work) ? work : failing('torch.OutOfMemoryError', memoryText)
}

/** Types without a behaviour of their own follow from their declaration. */
const behaviourOf = (class_type: string): Behaviour =>
  (Object.hasOwn(behaviours, class_type) ? behaviours[class_type] : undefined) ?? byDeclaration

const loginText = 'Unauthorized: Please login first to use this node.'
const memoryText = 'Allocation on device would exceed allowed memory. (out of memory)'

function fitsMemory(work: Work): boolean {
  return work.outputs.every(
    (value) =>
      value.kind !== 'picture' ||
      (value.picture.width * value.picture.height <= MAX_PIXELS && value.count <= MAX_BATCH),
  )
}
