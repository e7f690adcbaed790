// The image: what its instructions say, that they serve here without an engine, and the image itself where an engine runs
// that has its base.

import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startEmulator } from 'flowdouble'
import { expect, onTestFinished, test } from 'vitest'
import { serveFlags, variableOf } from '../../../dist/emulator/internal.js'
import {
  argumentOf,
  command,
  engine,
  entrypoint,
  healthCheck,
  variables,
} from '../../support/containerfile.ts'
import { folder } from '../../support/folder.ts'
import { root } from '../../support/packed.ts'
import { startProcess } from '../../support/spawned.ts'

const run = promisify(execFile)
const [, source = '', installed = ''] = argumentOf('COPY').split(' ')

test('house/container The base is pinned, nothing runs as root, and each variable is that of a flag.', () => {
  expect(argumentOf('FROM')).toMatch(/^node:\d+\.\d+\.\d+-\w+-slim$/)
  expect(argumentOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  const known = Object.keys(serveFlags()).map(variableOf)
  expect(known).toEqual(expect.arrayContaining(Object.keys(variables)))
  expect(argumentOf('EXPOSE')).toBe(variables['FLOWDOUBLE_PORT'])
  expect(variables['FLOWDOUBLE_HOST']).toBe('0.0.0.0')
})

test('house/container What it copies serves by its variables, and ends at the signal of the image.', async () => {
  const place = folder()
  const [program = ''] = entrypoint
  expect(installed).toBe(`/usr/local/bin/${program}`)
  const file = join(place, program)
  copyFileSync(join(root, 'dist', source), file)
  chmodSync(file, 0o755)
  // Here it listens on this machine only, on a free port.
  const own = { ...variables, FLOWDOUBLE_HOST: '127.0.0.1', FLOWDOUBLE_PORT: '0' }
  const words = Object.entries({ ...own, FLOWDOUBLE_JSON: '1' }).map((one) => one.join('='))
  const server = startProcess('env', [...words, file, ...command])
  const { url } = JSON.parse(await server.says(/\n/)) as { url: string }
  expect((await fetch(`${url}/system_stats`)).status).toBe(200)
  await server.stop(argumentOf('STOPSIGNAL') as 'SIGTERM')
})

test('house/container The health check passes while a server is there, also without control API and with TLS.', async () => {
  const [node = '', ...args] = healthCheck
  const isHealthy = async (port: number, more = {}): Promise<boolean> => {
    const env = { ...process.env, FLOWDOUBLE_PORT: `${port}`, ...more }
    return run(node, args, { env }).then(
      () => true,
      () => false,
    )
  }
  const open = await startEmulator({ control: false })
  expect(await isHealthy(open.port)).toBe(true)
  await open.close()
  expect(await isHealthy(open.port)).toBe(false)
  const secret = await startEmulator({ tls: 'auto' })
  expect(await isHealthy(secret.port, { FLOWDOUBLE_TLS: 'auto' })).toBe(true)
  await secret.close()
})

/** Runs the engine; resolves to what it prints. */
const engineSays = async (...args: readonly string[]): Promise<string> => {
  // Images of podman have health checks in this format only.
  const env = { ...process.env, BUILDAH_FORMAT: 'docker' }
  const { stdout } = await run(engine ?? '', args, { env })
  return stdout.trim()
}

test.skipIf(engine === undefined)(
  `house/container ${engine ?? 'No engine with the base image'} builds it: it is healthy, serves other containers by its name with the token, and stops at a signal.`,
  async () => {
    const name = `flowdouble-test-${process.pid}`
    onTestFinished(async () => {
      await engineSays('rm', '-f', name).catch(() => undefined)
      await engineSays('network', 'rm', '-f', name).catch(() => undefined)
      await engineSays('rmi', '-f', name).catch(() => undefined)
    })
    const containerfile = join(root, 'emulator/Containerfile')
    const context = join(root, 'dist')
    const version = ['--build-arg', 'VERSION=1.2.3']
    await engineSays(
      'build',
      '-q',
      '--no-cache',
      '-f',
      containerfile,
      ...version,
      '-t',
      name,
      context,
    )
    const label = '{{index .Config.Labels "org.opencontainers.image.version"}} {{.Config.User}}'
    expect(await engineSays('image', 'inspect', '--format', label, name)).toBe('1.2.3 1000:1000')
    await engineSays('network', 'create', name)
    const net = ['--network', name]
    const token = ['-e', 'FLOWDOUBLE_CONTROL_TOKEN=a-token']
    await engineSays('run', '-d', '--name', name, ...net, ...token, name)

    /** What another container gets of it, once it listens. */
    const asked = (path: string, headers: object): Promise<string> => {
      const code = `const ask = () => fetch('http://${name}:8188${path}', { headers: ${JSON.stringify(headers)} })
        .then(({ status }) => console.log(status), () => setTimeout(ask, 50)); ask()`
      return engineSays('run', '--rm', ...net, '--entrypoint', 'node', name, '-e', code)
    }
    expect(await asked('/system_stats', {})).toBe('200')
    expect(await asked('/_flowdouble/clock', {})).toBe('403')
    expect(await asked('/_flowdouble/clock', { Authorization: 'Bearer a-token' })).toBe('200')
    await engineSays('exec', name, ...healthCheck)
    // It is not root, and can write where it starts.
    expect(await engineSays('exec', name, 'sh', '-c', 'id -u && echo hi > a && cat a')).toBe(
      '1000\nhi',
    )
    await engineSays('stop', '-t', '60', name)
    expect(await engineSays('inspect', '--format', '{{.State.ExitCode}}', name)).toBe('0')
  },
)
