// Node types that join, repeat, split or regroup batches of latents that a model has made [runs/list-rebatched].

import type { Picture } from '../../pictures/picture.ts'
import { hash53 } from '../../lib/random.ts'
import {
  batchFrom,
  batchPictures,
  type Behaviour,
  byDeclaration,
  type Call,
  MAX_BATCH,
  numberInput,
  pictureInput,
} from '../nodes/node.ts'

const isAsLarge = (one: Picture, other: Picture): boolean =>
  one.width === other.width && one.height === other.height

/** Pictures in batches of `size`. A picture of another size starts a new batch. */
function batchesOf(pictures: readonly Picture[], size: number): Picture[][] {
  const batches: Picture[][] = []
  for (const picture of pictures) {
    const last = batches.at(-1)
    const isFull = last === undefined || last.length === size
    if (isFull || !isAsLarge(last[0] as Picture, picture)) batches.push([picture])
    else last.push(picture)
  }
  return batches
}

const rebatch: Behaviour = (call) => {
  const source = pictureInput(call)
  if (source === undefined) return byDeclaration(call)
  const size = Math.max(1, Math.trunc(numberInput(call, 'batch_size') ?? 1))
  return { outputs: [batchesOf(batchPictures(source), size).map(batchFrom)], steps: 0 }
}

/** The pictures of both inputs as one batch, in the size of the first. */
const joinBatches =
  (firstName: string, secondName: string): Behaviour =>
  (call) => {
    const [first, second] = [pictureInput(call, firstName), pictureInput(call, secondName)]
    if (first === undefined || second === undefined) return byDeclaration(call)
    const { width, height } = first.picture
    const others = batchPictures(second).map((of) =>
      isAsLarge(first.picture, of) ? of : scaledTo(of, width, height),
    )
    return { outputs: [batchFrom([...batchPictures(first), ...others])], steps: 0 }
  }

const scaledTo = (of: Picture, width: number, height: number): Picture => ({
  kind: 'scaled',
  id: hash53(`scaled ${of.kind} ${of.id}`),
  width,
  height,
  of,
})

/** A number of pictures of a batch, from an index on. */
const part: Behaviour = (call) => {
  const source = pictureInput(call)
  if (source === undefined) return byDeclaration(call)
  const first = Math.min(wholeInput(call, 'batch_index', 0), source.count - 1)
  const pictures = batchPictures(source).slice(
    first,
    first + Math.max(1, wholeInput(call, 'length', 1)),
  )
  return { outputs: [batchFrom(pictures)], steps: 0 }
}

const wholeInput = (call: Call, name: string, fallback: number): number =>
  Math.max(0, Math.trunc(numberInput(call, name) ?? fallback))

/** A batch repeated, copy after copy. Beyond the memory limit it is only described, not created. */
const repeat: Behaviour = (call) => {
  const source = pictureInput(call)
  if (source === undefined) return byDeclaration(call)
  const amount = Math.max(1, wholeInput(call, 'amount', 1))
  const count = source.count * amount
  if (count > MAX_BATCH) return { outputs: [{ ...source, count }], steps: 0 }
  const pictures = batchPictures(source)
  return { outputs: [batchFrom(Array.from({ length: amount }, () => pictures).flat())], steps: 0 }
}

/** The behaviours of the node types for batches of such latents. */
export const rebatchers: Readonly<Record<string, Behaviour>> = {
  LatentBatch: joinBatches('samples1', 'samples2'),
  LatentFromBatch: part,
  RepeatLatentBatch: repeat,
  RebatchLatents: rebatch,
}
