// Before the suites: they run on what is built, so what is built is to be what the sources say. Changing, adding or deleting a
// source leaves a file or a folder that is newer than the bundle; then it is built anew.

import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** What the bundle is made of: the cases of `check` are part of it. */
const sources = ['emulator', 'spec', 'suites', 'rolldown.config.ts', 'tsconfig.base.json']
const isSource = /\.(ts|mjs|css|html)$|node-types\.json$/
/** The other JSON of `spec` is made of it, and read when it is needed. */
const isSourceElsewhere = /\.(ts|mjs|css|html|json)$/

const root = join(import.meta.dirname, '..')

/** Builds, unless the bundle is newer than all sources. When the build fails, no suite runs. */
export function setup(): void {
  if (changedSince(root) === undefined) return
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** A source or a folder of sources that changed after the bundle was written, as a path below the root. */
export function changedSince(project: string): string | undefined {
  const timeOf = (path: string): number =>
    statSync(join(project, path), { throwIfNoEntry: false })?.mtimeMs ?? -Infinity
  const built = timeOf('dist/bundle/main.cjs')
  return sources
    .flatMap((source) => pathsBelow(project, source))
    .find((path) => timeOf(path) > built)
}

function pathsBelow(project: string, source: string): readonly string[] {
  const isFolder = statSync(join(project, source), { throwIfNoEntry: false })?.isDirectory()
  if (isFolder !== true) return [source]
  const pattern = source === 'spec' ? isSource : isSourceElsewhere
  const inside = readdirSync(join(project, source), { recursive: true, withFileTypes: true })
  const kept = inside.filter((one) => one.isDirectory() || pattern.test(one.name))
  return [source].concat(kept.map((one) => relative(project, join(one.parentPath, one.name))))
}
