// Finds out what a node does when it runs, within what the double pretends to be able to do.

import { behaviours } from './behaviours.ts'
import { byDeclaration, type Call, failing, type Work } from './nodes.ts'

/** Larger pictures do not fit into the memory that the double pretends to have, in pixels. */
const MAX_PIXELS = 4096 * 4096
/** Nor do longer batches. */
const MAX_BATCH = 4096

/** What a node does, found by its type; types without a behaviour of their own follow from their declaration. */
export function workOf(call: Call): Work {
  if (call.type.apiNode && !call.hasPartnerKey) return failing('Exception', loginText)
  const work = (behaviours[call.type.class_type] ?? byDeclaration)(call)
  return fitsMemory(work) ? work : failing('torch.OutOfMemoryError', memoryText)
}

const loginText = 'Unauthorized: Please login first to use this node.'
const memoryText = 'Allocation on device would exceed allowed memory. (out of memory)'

function fitsMemory(work: Work): boolean {
  return work.outputs.every(
    (value) =>
      value.kind !== 'picture' ||
      (value.picture.width * value.picture.height <= MAX_PIXELS && value.count <= MAX_BATCH),
  )
}
