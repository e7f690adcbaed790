// Packs the package from the build, and installs it in an empty folder without a network, as users would.

import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { folder } from './folder.ts'

export const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const modules = join(root, 'node_modules')

/** What the package depends on. */
export const dependencies = ['node-sqlite3-wasm', 'ws', 'yaml']

export type InstalledPackage = {
  readonly tarball: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

/** Other test files use the tarball too, so it stays until the run ends. */
const packedIn = folder()
let packed: Promise<InstalledPackage> | undefined

/** Packs the build, once. */
export const pack = (): Promise<InstalledPackage> => (packed ??= packBuild())

async function packBuild(): Promise<InstalledPackage> {
  const argv = ['pack', '--ignore-scripts', '--json', '--pack-destination', packedIn]
  const { stdout } = await run('npm', argv, { cwd: root })
  const [made] = JSON.parse(stdout) as (Omit<InstalledPackage, 'tarball'> & { filename: string })[]
  if (made === undefined) throw new Error('npm packed nothing.')
  return { ...made, tarball: join(packedIn, made.filename) }
}

/** An empty folder as `npm install` leaves it, faster: the tarball unpacked, and the dependencies of the clone. */
export async function unpack({ tarball }: InstalledPackage, place = folder()): Promise<string> {
  const own = join(place, 'node_modules/flowdouble')
  mkdirSync(own, { recursive: true })
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', own])
  for (const name of dependencies)
    symlinkSync(join(modules, name), join(place, 'node_modules', name))
  return place
}

/** Installs a tarball in an empty folder; its dependencies, and the types of Node, are those of the clone. */
export async function install({ tarball }: InstalledPackage): Promise<string> {
  const place = folder()
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }')
  const paths = dependencies.map((name) => join(modules, name))
  const argv = ['install', '--offline', '--no-audit', '--no-fund', tarball, ...paths]
  await run('npm', argv, { cwd: place })
  mkdirSync(join(place, 'node_modules/@types'))
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(join(modules, name), join(place, 'node_modules', name))
  return place
}
