// The memory of the simulated machine: how large the outputs of a node can be.

import type { Failure, Value } from '../state/nodes.ts'
import { MAX_BATCH } from './node.ts'

/** Larger pictures exceed the simulated memory, in pixels. */
const MAX_PIXELS = 4096 * 4096

/** The failure of a node that needs more memory. */
export const outOfMemory: Failure = {
  exception_type: 'torch.OutOfMemoryError',
  exception_message: 'Allocation on device would exceed allowed memory. (out of memory)',
}

/** Whether the items of one output fit: all their batches count together. */
export function fitsMemory(items: readonly Value[]): boolean {
  if (items.length > MAX_BATCH) return false
  let pictures = 0
  for (const item of items) {
    if (item.kind !== 'picture') continue
    if (item.picture.width * item.picture.height > MAX_PIXELS) return false
    pictures += item.count
  }
  return pictures <= MAX_BATCH
}
