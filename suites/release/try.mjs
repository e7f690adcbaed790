// Tries the files of a release as users do, each in an empty folder, and rehearses publishing them.

import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { versionOf } from './files.mjs'
import { builtFile, emptyFolder, NotHere, pythonWith, run } from './step.mjs'

/** Starts a server until it prints its address. Resolves to the address, and to what stops it. */
async function serve([program, ...first], options) {
  const argv = [...first, 'serve', '--port', '0', '--json', '--scenario', 'known-picture']
  const child = spawn(program, argv, { ...options, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise((resolve) => child.on('close', resolve).on('error', resolve))
  const line = await new Promise((resolve) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text)
    })
    void ended.then(() => resolve(''))
  })
  if (line === '') throw new Error(`${program} ${argv.join(' ')} ended without an address.`)
  const stop = async () => {
    child.kill()
    await ended
  }
  return { url: JSON.parse(line).url, stop }
}

/** Uses a command as the first page shows it: its version, a server with a scenario, a run to its picture. */
async function use(command, version, options) {
  const [program, ...first] = command
  const { stdout } = await run(program, [...first, '--version'], options)
  if (stdout !== `${version}\n`) throw new Error(`It is ${version}, and prints ${stdout.trim()}.`)
  const { url, stop } = await serve(command, options)
  try {
    const done = await run(program, [...first, 'run', 'image-to-image', '--url', url], options)
    const picture = done.stdout.trim().split('\n').at(-1)
    if (!existsSync(join(options.cwd, picture))) throw new Error(`There is no file ${picture}.`)
    return `made ${picture}`
  } finally {
    await stop()
  }
}

async function tryNpm(context) {
  const cwd = emptyFolder(context, 'npm')
  writeFileSync(join(cwd, 'package.json'), '{}')
  const { stderr } = await run('npm', ['install', builtFile(context.out, /\.tgz$/)], { cwd })
  if (stderr !== '') throw new Error(`npm install warns: ${stderr}`)
  return use([join(cwd, 'node_modules/.bin/flowdouble')], versionOf(context.place), { cwd })
}

/** A machine without Node: no folder that has one is searched. */
const withoutNode = () =>
  Object.assign({}, process.env, {
    PATH: (process.env['PATH'] ?? '')
      .split(delimiter)
      .filter((folder) => !existsSync(join(folder, 'node')))
      .join(delimiter),
  })

async function tryWheel(context) {
  const wheel = builtFile(context.out, /\.whl$/)
  const bin = await pythonWith(context, wheel, 'pytest')
  const options = { cwd: emptyFolder(context, 'wheel'), env: withoutNode() }
  const made = await use([join(bin, 'flowdouble')], versionOf(context.place), options)
  // The test that its first page shows.
  const page = readFileSync(join(context.place, 'emulator/python/README.md'), 'utf8')
  const [, program = ''] = /^```py\n([^]*?)^```$/m.exec(page) ?? []
  writeFileSync(join(options.cwd, 'test_client.py'), program)
  const { stdout } = await run(join(bin, 'pytest'), ['-q'], options)
  return `${made}; pytest: ${stdout.trim().split('\n').at(-1)}`
}

async function trySingleFile(context) {
  const cwd = emptyFolder(context, 'single')
  const file = join(cwd, 'flowdouble.cjs')
  copyFileSync(builtFile(context.out, /^flowdouble\.cjs$/), file)
  return use([process.execPath, file], versionOf(context.place), { cwd })
}

/** What npm would publish. Provenance needs the token of a workflow, so it is not part of the rehearsal. */
async function rehearseNpm({ out }) {
  const file = builtFile(out, /\.tgz$/)
  const { stderr } = await run('npm', ['publish', file, '--dry-run', '--access', 'public'])
  return /total files: *(\d+)/.exec(stderr)?.[0] ?? ''
}

async function checkWheel(context) {
  const wheel = builtFile(context.out, /\.whl$/)
  const bin = await pythonWith(context, 'twine')
  await run(join(bin, 'twine'), ['check', '--strict', wheel])
}

async function checkSums({ out }) {
  builtFile(out, /^SHA256SUMS$/)
  const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: out }).catch(
    (error) => {
      if (error.cause?.code === 'ENOENT') throw new NotHere('There is no program sha256sum.')
      throw error
    },
  )
  return `${stdout.trim().split('\n').length} files`
}

export const trySteps = {
  'compare the checksums': checkSums,
  'install and use the package of npm': tryNpm,
  'install and use the wheel, without Node': tryWheel,
  'use the single file': trySingleFile,
  'npm publish --dry-run': rehearseNpm,
  'twine check': checkWheel,
}
