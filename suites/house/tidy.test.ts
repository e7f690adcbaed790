// House rules that no linter checks: what the core does not use, and how files begin.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { layers } from './suites/layers.ts'

const root = join(import.meta.dirname, '..', '..')
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))
const sources = files.filter((file) => file.endsWith('.ts'))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
/** Everything except what touches sockets, files, timers and terminals. */
const core = sources.filter(
  (file) =>
    /^(spec|emulator)\//.test(file) &&
    !/^emulator\/(cli|client|config|edge|inspector)\//.test(file),
)

/** The code of a file without its comments, each line in its place. */
const code = (file: string): string =>
  read(file)
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(/(^|[^\S\n])\/\/.*$/gm, '')

/** The lines of files that match, with their places: `file:line: text`. */
function placesOf(within: readonly string[], pattern: RegExp, textOf = code): readonly string[] {
  const all = new RegExp(pattern, `g${pattern.flags.replace('g', '')}`)
  return within.flatMap((file) => {
    const text = textOf(file)
    return [...text.matchAll(all)].map(({ 0: found, index }) => {
      const line = text.slice(0, index + found.search(/\S/)).split('\n').length
      return `${file}:${line}: ${text.split('\n')[line - 1]?.trim()}`
    })
  })
}

test('there are sources to check', () => {
  expect(core.length).toBeGreaterThan(30)
})

test('each source opens with a comment that says what it answers for', () => {
  const without = sources.filter((file) => !/^(#!.*\n)?\/\/ \S/.test(read(file)))
  expect(without.map((file) => `${file}:1: ${read(file).split('\n')[0]}`)).toEqual([])
})

test('each source in Python opens with a sentence that says what it answers for', () => {
  const ours = files.filter((file) => /^(emulator|suites)\/python\/.*\.py$/.test(file))
  expect(ours.length).toBeGreaterThan(20)
  expect(ours.filter((file) => !/^"""\S.*[.:]/.test(read(file)))).toEqual([])
})

test('the core contains no clock, randomness, environment access or promise', () => {
  const banned =
    /\b(Date\.now|new Date\(\)|Math\.random|randomUUID|process\.|async |await |Promise\b)/
  expect(placesOf(core, banned)).toEqual([])
})

test('the core imports no module of Node', () => {
  expect(placesOf(core, /from 'node:|import\('node:|require\(/)).toEqual([])
})

/** The layer of a file: that of the folder itself, not of a parent; -1 for none. */
const layerOf = (file: string): number =>
  layers.findIndex((layer) => layer === file || layer === `${dirname(file)}/`)

const isOfLayers = (file: string): boolean => file.startsWith('emulator/')

test('each file of the emulator has a layer, and imports from its own and earlier ones alone', () => {
  const ours = sources.filter(isOfLayers)
  expect(ours.filter((file) => layerOf(file) < 0)).toEqual([])
  const upward = ours.flatMap((file) =>
    [...code(file).matchAll(/(?:from |import\()'(\.[^']+\.ts)'/g)]
      .map(([, path = '']) => join(dirname(file), path))
      .filter((path) => isOfLayers(path) && layerOf(path) > layerOf(file))
      .map((path) => `${file} -> ${path}`),
  )
  expect(upward).toEqual([])
})

test('others use of the nodes that compute what their index exports alone', () => {
  const others = sources.filter((file) => !file.startsWith('emulator/compute/'))
  expect(placesOf(others, /(?:from |import\()'[^']*\/compute\/(?!index\.ts')[^']*'/)).toEqual([])
})

test('what check runs on servers elsewhere sends through the judge alone, which looks at each byte', () => {
  const cases = sources.filter((file) => file.startsWith('suites/cases/'))
  expect(cases.length).toBeGreaterThan(100)
  const sends =
    /^import (?!type )[^\n]* from '(node:(net|tls|https?|http2|dgram)|ws|undici)'|\b(fetch|new WebSocket|new EventSource)\(/m
  expect(placesOf(cases, sends)).toEqual([])
})

test('the stores of a server contain no replies: endpoints create those', () => {
  const stores = sources.filter((file) => file.startsWith('emulator/server/world/'))
  expect(placesOf(stores, /http\/replies\.ts/)).toEqual([])
})

test('a folder holds at most 25 files, and 15 if they are cases', () => {
  const counts = new Map<string, number>()
  for (const file of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  const most = (folder: string): number => (/^suites\/(cases|commands)\//.test(folder) ? 15 : 25)
  const full = [...counts].filter(([folder, count]) => count > most(folder))
  expect(full.map(([folder, count]) => `${folder}: ${count}, at most ${most(folder)}`)).toEqual([])
})

/** The files that a file imports while it is loaded, with those that they import, each with the one that does. */
function loadedBy(
  file: string,
  importer = '',
  loaded = new Map<string, string>(),
): ReadonlyMap<string, string> {
  if (loaded.has(file)) return loaded
  loaded.set(file, importer)
  const imports = /^(?:import|export) (?:(?:\{[^}]*\}|\* as \w+) from )?'(\.[^']+)'/gm
  for (const [, path = ''] of code(file).matchAll(imports))
    loadedBy(join(dirname(file), path), file, loaded)
  return loaded
}

test('a gateway loads nothing of the workflow server', () => {
  const loaded = [...loadedBy('emulator/edge/gateway/gateway.ts')]
  const server = loaded.filter(([file]) => file.startsWith('emulator/server/'))
  expect(server.map(([file, importer]) => `${importer} -> ${file}`)).toEqual([])
})

test('nothing imports the suites', () => {
  const ours = sources.filter((file) => !file.startsWith('suites/') && file !== 'vitest.config.ts')
  expect(placesOf(ours, /from '[^']*suites\//)).toEqual([])
})

test('the suites use the emulator through its public entry, its command, internal.ts and the reader of sessions alone, as built', () => {
  const others =
    /'(?:\.\.\/)+(?!dist\/emulator\/(?:index|internal|cli\/main|session\/index)\.js')(?:dist\/)?emulator\/[^']*'/
  const judges = files.filter((file) => /^suites\/.*\.m?[jt]s$/.test(file))
  expect(placesOf(judges, others, read)).toEqual([])
})

test('the package does not export what is for the suites alone', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: object }
  const internal = Object.entries(exports).filter((one) => JSON.stringify(one).includes('internal'))
  expect(internal).toEqual([])
})

test('cases and judges import expect from the judge, so that another host can supply its own', () => {
  const judging = sources.filter((file) =>
    /^suites\/(cases|commands|judge|model|support)\//.test(file),
  )
  const own = /\bexpect\b[^}]*\} from 'vitest'/
  const others = judging.filter((file) => file !== 'suites/judge/expect.ts')
  expect(placesOf(others, own)).toEqual([])
})

test('files do not name places on a machine or in a registry', () => {
  const text = files.filter((file) => !/\.(png|jpe?g|mp4|webp)$/.test(file))
  const places = /\/(home|root|Users|work)\/[a-z]|registry\.npmjs|localhost:4873/
  const others = text.filter((file) => file !== 'suites/house/tidy.test.ts')
  expect(placesOf(others, places, read)).toEqual([])
})
