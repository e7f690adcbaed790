// The files of the package. They are beside its package.json, or inside the single file `flowdouble.cjs`, which
// emulator/single/ builds: everything else asks here, and need not know which of the two it is.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, sep } from 'node:path'

/** The single file, as its loader passes it to each bundle inside. */
type Archive = {
  /** The path of the single file. Those of the files inside begin with it, as if it were a folder. */
  readonly root: string
  /** The paths of the files inside, relative to the root, with `/`. */
  readonly names: readonly string[]
  readonly read: (name: string) => Buffer
  /** Loads a bundle, once. */
  readonly load: (name: string) => unknown
  /** The text of a program that loads a bundle: for a thread, since it shares no function with this one. */
  readonly program: (name: string) => string
}
declare const flowdoubleArchive: Archive | undefined
const archive = typeof flowdoubleArchive === 'undefined' ? undefined : flowdoubleArchive

/** The path of a file of the package, relative to its root. In the single file, only this module can read it. */
export function packageFile(path: string): string {
  if (archive !== undefined) return join(archive.root, path)
  let root = import.meta.dirname
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root)
  return join(root, path)
}

/** The content of a file of the single file; undefined for any other path. */
export function archivedFile(path: string): Buffer | undefined {
  if (archive === undefined) return undefined
  const name = relative(archive.root, path).split(sep).join('/')
  return archive.names.includes(name) ? archive.read(name) : undefined
}

/** The content of a file of the package. */
export function readPackageFile(path: string): Buffer {
  const file = packageFile(path)
  return archivedFile(file) ?? readFileSync(file)
}

/** The names of the files in a folder of the package. */
export function packageFolder(path: string): readonly string[] {
  if (archive === undefined) return readdirSync(packageFile(path))
  const inside = archive.names.filter((name) => name.startsWith(`${path}/`))
  return inside.map((name) => name.slice(path.length + 1))
}

const bundle = (name: string): string => `dist/bundle/${name}.cjs`

/**
 * Loads a bundle of the package, such as `judge`. Required, since Node searches what it imports for names of exports: an
 * eighth of the start of `check`.
 */
export function packageBundle(name: string): unknown {
  if (archive !== undefined) return archive.load(bundle(name))
  const file = packageFile(bundle(name))
  return createRequire(file)(file)
}

/** How people start the command, for the hints that it prints. */
export function packageCommand(): string {
  if (archive === undefined) return 'npx flowdouble'
  const { execPath } = process
  const { root } = archive
  if (root === execPath || !existsSync(root)) return `./${relative(process.cwd(), execPath)}`
  // Without its ending it is a command on the path, as in the image.
  return root.endsWith('.cjs') ? `node ${relative(process.cwd(), root)}` : basename(root)
}

/** The words that start the command in any folder. */
export function absoluteCommand(): readonly string[] {
  const { execPath } = process
  if (archive === undefined) return [execPath, packageFile(bundle('main'))]
  const { root } = archive
  return root === execPath || !existsSync(root) ? [execPath] : [execPath, root]
}

/** The program of a thread that runs a bundle of the single file; undefined if the bundle is a file that a thread can run. */
export const archivedProgram = (name: string): string | undefined => archive?.program(bundle(name))
