// Builds the files of a release into one folder: the package of npm, the wheel of PyPI, the single file, the notes of the
// release and the checksums. package.json is the only place that states the version.

import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { entryOf } from './changelog.mjs'
import { builtFile, Ends, requirePython, run } from './step.mjs'

const read = (...path) => readFileSync(join(...path), 'utf8')
export const versionOf = (place) => JSON.parse(read(place, 'package.json')).version

/** The tag, the version and the entry of the changelog are one. A tag requires an entry that has a date. */
function compareVersions({ place, tag }) {
  const version = versionOf(place)
  if (tag !== undefined && tag !== `v${version}`)
    throw new Ends(`The tag is ${tag}, and package.json has the version ${version}.`)
  const { date } = entryOf(read(place, 'CHANGELOG.md'), version)
  if (tag !== undefined && !/^\d{4}-\d\d-\d\d$/.test(date))
    throw new Ends(`The entry of ${version} in CHANGELOG.md has no date but "${date}".`)
  return `${version}, ${date}${tag === undefined ? ', no tag to compare' : ''}`
}

async function packForNpm({ place, out }) {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  // It builds first, also the single file.
  await run('npm', ['pack', '--pack-destination', out], { cwd: place })
  return sizeOf(builtFile(out, /\.tgz$/))
}

function addSingleFile({ place, out }) {
  const file = join(out, 'flowdouble.cjs')
  copyFileSync(join(place, 'dist/flowdouble.cjs'), file)
  return sizeOf(file)
}

async function buildWheel({ place, out }) {
  await requirePython()
  await run('npm', ['run', 'build:python'], { cwd: place })
  const wheel = builtFile(join(place, 'dist/python'), /\.whl$/)
  if (!wheel.includes(`-${versionOf(place)}-`)) throw new Error(`${wheel} has another version.`)
  copyFileSync(wheel, join(out, wheel.slice(join(place, 'dist/python/').length)))
  return sizeOf(wheel)
}

/** Beside the folder of files, as no user downloads them. */
function writeNotes({ place, out }) {
  const { text } = entryOf(read(place, 'CHANGELOG.md'), versionOf(place))
  writeFileSync(`${out}-notes.md`, text)
}

function writeSums({ out }) {
  const names = readdirSync(out).filter((name) => name !== 'SHA256SUMS')
  const sumOf = (name) =>
    createHash('sha256')
      .update(readFileSync(join(out, name)))
      .digest('hex')
  writeFileSync(join(out, 'SHA256SUMS'), names.map((name) => `${sumOf(name)}  ${name}\n`).join(''))
  return names.join(', ')
}

const sizeOf = (file) =>
  existsSync(file) ? `${(readFileSync(file).length / 1e6).toFixed(2)} MB` : 'missing'

export const filesSteps = {
  'compare tag, version and changelog': compareVersions,
  'build and pack for npm': packForNpm,
  'take the single file': addSingleFile,
  'build the wheel': buildWheel,
  'write the notes': writeNotes,
  'write the checksums': writeSums,
}
