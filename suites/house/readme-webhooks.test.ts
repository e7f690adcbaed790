// The four commands of the README run exactly as written: from zero to a verified delivery.

import { execFile, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sign } from '@octokit/webhooks-methods'
import { expect, test } from 'vitest'
import { folder } from '../support/folder.ts'
import { main } from '../support/spawned.ts'

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')
const section = readme.slice(readme.indexOf('\n## Webhooks\n'))
const commands = /```sh\n([^]*?)```/.exec(section)?.[1]?.trim().split('\n') ?? []

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A fresh home directory, in which `npx` runs the command that is built here. */
async function newHome() {
  const home = folder()
  mkdirSync(join(home, 'bin'))
  const npx = join(home, 'bin', 'npx')
  writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${main}" "$@"\n`)
  chmodSync(npx, 0o755)
  const PATH = `${join(home, 'bin')}:${process.env['PATH']}`
  return { HOME: home, PATH, WEBHOOK_PORT: `${await freePort()}` }
}

test('the commands of the README lead to a verified delivery', async () => {
  expect(commands.map((line) => line.split(' ').slice(0, 4).join(' '))).toEqual([
    'npx flowdouble gateway setup',
    'npx flowdouble webhook subscribe',
    'npx flowdouble gateway run',
    'npx flowdouble webhook test',
  ])
  const env = await newHome()
  const run = (line: string) => promisify(execFile)('sh', ['-c', line], { env, cwd: env.HOME })
  const [setup = '', subscribe = '', serve = '', deliver = ''] = commands
  await run(setup)
  const subscribed = (await run(subscribe)).stdout
  const url = /http:\/\/\S+\/webhooks\/ci/.exec(subscribed)?.[0] ?? ''
  const secret = /[\w-]{43}/.exec(subscribed)?.[0] ?? ''

  const gateway = spawn('sh', ['-c', `exec ${serve}`], { env, cwd: env.HOME })
  try {
    let said = ''
    await new Promise<void>((resolve, reject) => {
      gateway.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        if (said.includes('Stop with')) resolve()
      })
      gateway.once('exit', () => reject(new Error(`It ended: ${said}`)))
    })
    const { stdout } = await run(deliver)
    expect(stdout).toMatch(/200[^]*delivered/)

    // What a code host's library signs is accepted as well, and nothing else.
    const body = '{"status": "red"}'
    const post = async (signature: string) => {
      const headers = { 'X-Hub-Signature-256': signature, 'X-GitHub-Event': 'status' }
      return (await fetch(url, { method: 'POST', body, headers })).status
    }
    expect(await post(await sign(secret, body))).toBe(200)
    expect(await post(await sign(`${secret}x`, body))).toBe(401)
    expect(said).not.toContain(secret)
  } finally {
    const ended = new Promise((resolve) => gateway.once('close', resolve))
    gateway.kill('SIGTERM')
    await ended
  }
})
