// The catalogue of node types as a file: the one that comes with the package, or one of the user's.

import { readFileSync } from 'node:fs'
import { usageError } from '../../options/complete.ts'
import { packageFile } from './package-files.ts'

/** The text of a catalogue: that of a file, or the built-in one. Throws a usage error when the file is none. */
export function readCatalog(file: string | null): string {
  let text: string
  try {
    text = readFileSync(file ?? packageFile('spec/node-types.json'), 'utf8')
  } catch (error) {
    throw usageError(`Cannot read the node types: ${(error as Error).message}`)
  }
  if (file !== null) requireCatalog(file, text)
  return text
}

/** A file of one's own is checked at once, so that the mistake shows before the first request. */
function requireCatalog(file: string, text: string): void {
  const hint = 'Save one with: curl -s http://127.0.0.1:8188/object_info > object_info.json'
  let catalog: unknown
  try {
    catalog = JSON.parse(text)
  } catch {
    throw usageError(`${file} is no JSON. ${hint}`)
  }
  const entries = typeof catalog === 'object' && catalog !== null ? Object.values(catalog) : []
  const isType = (entry: unknown): boolean =>
    typeof entry === 'object' && entry !== null && 'input' in entry
  if (Array.isArray(catalog) || entries.length === 0 || !entries.every(isType)) {
    throw usageError(`${file} is no object of node types. ${hint}`)
  }
}
