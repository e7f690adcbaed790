// Counts the bytes of uploads that a world holds: in its files, and in pictures that were derived from an upload. Bytes
// that several files share count once.

import type { Picture, Recipe, Source } from '../../pictures/picture.ts'
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
export function release({ state: { held } }: World, content: FileContent): void {
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

/** All uploaded bytes that a file refers to: its own, or those in its picture. */
function uploadsIn(content: FileContent): ReadonlySet<Uint8Array> {
  if ('sample' in content) return nothing
  if ('bytes' in content) return new Set([content.bytes])
  const { picture, animation, textChunks } = content
  if (isSynthetic(picture) && animation === undefined && textChunks === undefined) return nothing
  const found = new Set<Uint8Array>()
  if (textChunks !== undefined) found.add(textChunks)
  const seen = new Set<Picture>()
  const recipes = new Set<Recipe>()
  const open: Picture[] = [picture, ...(animation?.rest ?? [])]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    if (next.kind === 'stored') found.add(next.bytes)
    if (next.kind === 'computed') open.push(...sourcesOf(next.of.recipe, found, recipes))
    else if ('of' in next) open.push(next.of)
    if ('over' in next) open.push(next.over)
    if ('mask' in next) open.push(next.mask)
  }
  return found
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
    else if (next.kind === 'file' && next.bytes !== null) found.add(next.bytes)
    else if (next.kind === 'output' && !seen.has(next.of.recipe)) {
      seen.add(next.of.recipe)
      open.push(...Object.values(next.of.recipe.inputs))
    }
  }
  return pictures
}

const isSynthetic = ({ kind }: Picture): boolean => kind === 'painted' || kind === 'solid'
