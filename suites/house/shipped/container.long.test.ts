// The image, as far as it can be built without a container engine: its COPY and RUN lines in an empty folder, and what
// it starts.

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { dependencies, pack, root } from '../../support/packed.ts'
import { folder } from '../../support/folder.ts'
import { startProcess } from '../../support/spawned.ts'

const run = promisify(execFile)

/** The instructions of the file, each with its argument. */
const instructions = readFileSync(join(root, 'emulator/Containerfile'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => /^([A-Z]+) (.+)$/.exec(line)?.slice(1) as [string, string])

const argumentOf = (name: string): string => {
  const found = instructions.find(([instruction]) => instruction === name)
  if (found === undefined) throw new Error(`The Containerfile has no ${name}.`)
  return found[1]
}

/** A folder that holds the dependencies, which npm would download for the image. */
async function emptyImage(): Promise<string> {
  const place = folder()
  writeFileSync(join(place, 'package.json'), '{}')
  const paths = dependencies.map((name) => join(root, 'node_modules', name))
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...paths], { cwd: place })
  return place
}

test('house/container The lines of the Containerfile make an image that serves.', async () => {
  expect(instructions.map(([name]) => name)).toEqual([
    'FROM',
    'WORKDIR',
    'COPY',
    'RUN',
    'USER',
    'EXPOSE',
    'ENTRYPOINT',
    'CMD',
  ])
  const { tarball } = await pack()
  const place = await emptyImage()
  const [pattern = '', to = ''] = argumentOf('COPY').split(' ')
  await run('sh', ['-c', `cp ${pattern} "$0"`, join(place, to)], { cwd: dirname(tarball) })
  const env = { ...process.env, npm_config_offline: 'true' }
  await run('sh', ['-c', argumentOf('RUN')], { cwd: place, env })
  expect(readdirSync(place).filter((name) => name.endsWith('.tgz'))).toEqual([])

  const [program = ''] = JSON.parse(argumentOf('ENTRYPOINT')) as readonly string[]
  const command = JSON.parse(argumentOf('CMD')) as readonly string[]
  expect(command).toContain('0.0.0.0')
  // Here it listens on this machine only.
  const args = command.map((word) => (word === '0.0.0.0' ? '127.0.0.1' : word))
  const installed = program.replace(argumentOf('WORKDIR'), place)
  const server = startProcess(installed, [...args, '--port', '0', '--json'])
  try {
    const { url } = JSON.parse(await server.says(/\n/)) as { url: string }
    expect((await fetch(`${url}/system_stats`)).status).toBe(200)
  } finally {
    server.process.kill()
  }
  expect(await server.ends).toMatchObject({ code: 0 })
})
