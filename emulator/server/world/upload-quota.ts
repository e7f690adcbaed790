// Counts the bytes of uploads that a world holds: in its files, and in pictures that were derived from an upload. Bytes
// that several files share count once.

import type { Picture, Recipe, Sound, Source } from '../../pictures/picture.ts'
import type { FileContent, HeldBytes } from '../state/files.ts'
import type { World } from '../state/world.ts'

export const createHeldBytes = (): HeldBytes => ({ files: new Map(), total: 0 })

/** Adds the references of a stored file. */
export function retain({ state: { held } }: World, content: FileContent): void {
  for (const bytes of uploadsIn(content)) {
    const count = held.files.get(bytes) ?? 0
    if (count === 0) held.total += bytes.length
    held.files.set(bytes, count + 1)
  }
}

/** Removes the references of a removed file. */
export function release({ state: { held } }: Pick<World, 'state'>, content: FileContent): void {
  for (const bytes of uploadsIn(content)) {
    const count = held.files.get(bytes) ?? 0
    if (count > 1) held.files.set(bytes, count - 1)
    else if (held.files.delete(bytes)) held.total -= bytes.length
  }
}

/** The total size once this file is stored too. */
export function heldWith({ state: { held } }: World, content: FileContent): number {
  let total = held.total
  for (const bytes of uploadsIn(content)) if (!held.files.has(bytes)) total += bytes.length
  return total
}

const nothing: ReadonlySet<Uint8Array> = new Set()

/** All uploaded bytes that a file refers to: its own, or those that its pictures and its sound are made of. */
function uploadsIn(content: FileContent): ReadonlySet<Uint8Array> {
  if ('sample' in content) return nothing
  if ('bytes' in content) return new Set([content.bytes])
  const found = new Set<Uint8Array>()
  const recipes = new Set<Recipe>()
  if ('sound' in content) {
    addPictures(sourcesOfSound(content.sound, found, recipes), found, recipes)
    return found
  }
  const { picture, animation, textChunks } = content
  if (isSynthetic(picture) && animation === undefined && textChunks === undefined) return nothing
  if (textChunks !== undefined) found.add(textChunks)
  const { rest = [], sound } = animation ?? {}
  const ofSound = sound === undefined ? [] : sourcesOfSound(sound, found, recipes)
  addPictures([picture, ...rest, ...ofSound], found, recipes)
  return found
}

const sourcesOfSound = ({ of }: Sound, found: Set<Uint8Array>, seen: Set<Recipe>) =>
  of === undefined ? [] : sourcesOf(of.recipe, found, seen)

/** Adds the uploads that pictures depend on. */
function addPictures(
  pictures: readonly Picture[],
  found: Set<Uint8Array>,
  recipes: Set<Recipe>,
): void {
  const seen = new Set<Picture>()
  const open = [...pictures]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    if (next.kind === 'stored') found.add(next.bytes)
    if (next.kind === 'computed') open.push(...sourcesOf(next.of.recipe, found, recipes))
    else if ('of' in next) open.push(next.of)
    if ('over' in next) open.push(next.over)
    if ('mask' in next) open.push(next.mask)
  }
}

/** The pictures that a computed one depends on; adds the files among its sources to `found`. */
function sourcesOf(recipe: Recipe, found: Set<Uint8Array>, seen: Set<Recipe>): readonly Picture[] {
  if (seen.has(recipe)) return []
  seen.add(recipe)
  const pictures: Picture[] = []
  const open: Source[] = Object.values(recipe.inputs)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'pictures') pictures.push(...next.pictures)
    else if (next.kind === 'list') open.push(...next.items)
    else if (next.kind === 'file') {
      if (next.bytes !== null) found.add(next.bytes)
      pictures.push(...(next.made?.pictures ?? []))
      if (next.made?.sound !== undefined)
        pictures.push(...sourcesOfSound(next.made.sound, found, seen))
    } else if (next.kind === 'output' && !seen.has(next.of.recipe)) {
      seen.add(next.of.recipe)
      open.push(...Object.values(next.of.recipe.inputs))
    }
  }
  return pictures
}

const isSynthetic = ({ kind }: Picture): boolean => kind === 'painted' || kind === 'solid'
