// Node types that take a list of batches and give another one, of batches of equal length [runs/list-rebatched].

import type { Picture } from '../pictures/picture.ts'
import {
  batchFrom,
  batchPictures,
  type Behaviour,
  byDeclaration,
  failing,
  numberInput,
  pictureInput,
} from './nodes.ts'

const isAsLarge = (one: Picture, other: Picture): boolean =>
  one.width === other.width && one.height === other.height

/** Pictures in batches of `size`. With `apart` those of another size begin a batch of their own. */
function batchesOf(pictures: readonly Picture[], size: number, apart: boolean): Picture[][] {
  const batches: Picture[][] = []
  for (const picture of pictures) {
    const last = batches.at(-1)
    const isFull = last === undefined || last.length === size
    if (isFull || (apart && !isAsLarge(last[0] as Picture, picture))) batches.push([picture])
    else last.push(picture)
  }
  return batches
}

const rebatch =
  (apart: boolean): Behaviour =>
  (call) => {
    const source = pictureInput(call)
    if (source === undefined) return byDeclaration(call)
    const size = Math.max(1, Math.trunc(numberInput(call, 'batch_size') ?? 1))
    const batches = batchesOf(batchPictures(source), size, apart)
    const mixed = batches.find(([first, ...more]) => more.some((one) => !isAsLarge(first!, one)))
    if (mixed !== undefined) return failing('RuntimeError', unequalText(mixed))
    return { outputs: [batches.map(batchFrom)], steps: 0 }
  }

/** How the library that joins pictures refuses those of different sizes. */
function unequalText(pictures: readonly Picture[]): string {
  const [first] = pictures as [Picture]
  const at = pictures.findIndex((picture) => !isAsLarge(first, picture))
  const other = pictures[at] as Picture
  const side = first.height === other.height ? 'width' : 'height'
  return (
    'Sizes of tensors must match except in dimension 0. ' +
    `Expected size ${first[side]} but got size ${other[side]} for tensor number ${at} in the list.`
  )
}

/** Behaviours of the node types that take and give lists. */
export const rebatchers: Readonly<Record<string, Behaviour>> = {
  RebatchImages: rebatch(false),
  RebatchLatents: rebatch(true),
}
