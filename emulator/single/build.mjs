// Makes `dist/flowdouble.cjs` of the bundled package: one file that is the whole command, for people without npm, and for
// tools that make an executable of one file.
//
// It holds the same bundles that npm installs, not others, so that what the suites prove of the package holds of it too. A
// bundler that joins all of them would make Node parse 4 MB of code before `serve` listens.

import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { build } from 'rolldown'
import { commentIn, open } from './loader.mjs'

/** What the command reads or loads, by folder. The rest of the package is for programs and for people. */
const contents = [
  ['dist/bundle', /^(?!internal\b).*\.cjs$|^inspector\.html$|^later-node-types\.js$/],
  ['spec', /^node-types\.json$|^openapi\..*\.json$/],
  ['recordings/scenarios', /\.yaml$/],
  ['recordings/workflows', /\.(json|png)$/],
]

/** It reads a file beside it, which a single file cannot have: there, SQLite is that of a newer Node. */
const sqlite = 'node-sqlite3-wasm'

/** A package as one bundle, whose licence goes with it. */
async function bundled(root, name) {
  const folder = join(root, 'node_modules', name)
  const { version, license, main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { output } = await build({
    input: join(folder, main),
    platform: 'node',
    // Faster parts that `ws` uses if somebody installs them.
    external: ['bufferutil', 'utf-8-validate'],
    output: { format: 'cjs', minify: true },
    logLevel: 'warn',
    write: false,
  })
  const text = readFileSync(join(folder, 'LICENSE'), 'utf8').trim()
  return { code: output[0].code, licence: `${name} ${version} (${license})\n\n${text}\n` }
}

/** Node reads a file without other characters in half of the time. */
const ascii = (text) =>
  text.replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Writes the single file. */
export async function buildSingleFile(root) {
  const read = (path) => readFileSync(join(root, path))
  const { version, dependencies } = JSON.parse(read('package.json'))
  const paths = contents.flatMap(([folder, pattern]) =>
    readdirSync(join(root, folder))
      .filter((name) => pattern.test(name))
      .map((name) => join(folder, name)),
  )
  const files = paths.map((path) => [path, read(path)])
  const licences = [read('LICENSE').toString(), read('dist/bundle/THIRD-PARTY.txt').toString()]
  for (const name of Object.keys(dependencies).filter((one) => one !== sqlite)) {
    const { code, licence } = await bundled(root, name)
    files.push([`dist/bundle/${name}.cjs`, Buffer.from(code)])
    licences.push(licence)
  }
  const target = join(root, 'dist/flowdouble.cjs')
  writeFileSync(target, singleFile(version, files, licences))
  chmodSync(target, 0o755)
}

function singleFile(version, files, licences) {
  const places = {}
  let text = ''
  for (const [name, bytes] of files) {
    const encoded = deflateRawSync(bytes, { level: 9 }).toString('base64')
    places[name] = [text.length, encoded.length]
    text += encoded
  }
  return `#!/usr/bin/env node
// flowdouble ${version} as one file, for Node 20.19 or newer. Its licences are at the end.
${commentIn.toString()}
${open.toString()}
function files() {/*!${text}*/}
open(__filename, ${JSON.stringify(places)}, commentIn(files)).load('dist/bundle/main.cjs')
/*!
${ascii(licences.join('\n\n').replaceAll('*/', '* /'))}*/
`
}
