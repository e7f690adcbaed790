// Other servers that can answer from our OpenAPI document: what a request costs them, and how long they take to start.
// They are installed into a temporary folder. A row says which of them could not be installed.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cpuSecondsOf, startChild } from './child.mjs'
import { compare, costOf, ms, us } from './measure.mjs'
import { GET, POST } from './requests.mjs'
import { ourStartMs } from './served.mjs'

const DOCUMENT = fileURLToPath(new URL('../../spec/openapi.local.json', import.meta.url))

/** Mockoon without its log in the user's home, and without its second API. */
const QUIET = ['--disable-log-to-file', '--disable-admin-api']

const peers = [
  {
    name: 'prism',
    package: '@stoplight/prism-cli',
    bin: 'prism',
    args: (port) => ['mock', '--host', '127.0.0.1', '--port', port, DOCUMENT],
  },
  {
    name: 'mockoon',
    package: '@mockoon/cli',
    bin: 'mockoon-cli',
    args: (port) => [
      'start',
      '--data',
      DOCUMENT,
      '--hostname',
      '127.0.0.1',
      '--port',
      port,
      ...QUIET,
    ],
  },
]

const MAX_INSTALL_MS = 300_000
const MAX_START_MS = 60_000
/** How often a starting server is polled, in milliseconds. */
const ASK_MS = 10

/** What must not stay behind when the benchmark is interrupted. */
const leftovers = new Set()
process.on('exit', () => [...leftovers].toReversed().forEach((end) => end()))

/**
 * @param {{ rounds: number, gets: number, posts: number, peerRequests: number, peerStarts: number }} sizes
 * @param {(text: string) => void} notify called before what takes long
 */
export async function* peerRows(sizes, notify) {
  const folder = mkdtempSync(join(tmpdir(), 'flowdouble-peers-'))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  leftovers.add(remove)
  try {
    for (const peer of peers)
      yield* rowsOf({ ...peer, folder: join(folder, peer.name) }, sizes, notify)
  } finally {
    remove()
    leftovers.delete(remove)
  }
}

async function* rowsOf(peer, sizes, notify) {
  const failed = (what, error) => ({
    name: peer.name,
    what: `${peer.package} could not be ${what}`,
    detail: reasonOf(error),
  })
  notify(`installing ${peer.package}`)
  try {
    await install(peer)
  } catch (error) {
    yield failed('installed', error)
    return
  }
  notify(`measuring ${peer.name}`)
  let server
  try {
    server = await start(peer)
  } catch (error) {
    yield failed('started', error)
    return
  }
  try {
    yield* requestRows(peer, server, sizes)
    await server.stop()
    yield await coldStartRow(peer, sizes)
  } catch (error) {
    yield failed('measured', error)
  } finally {
    await server.stop()
  }
}

async function* requestRows(peer, server, { rounds, gets, posts, peerRequests }) {
  const load = await startChild('load.mjs')
  const emulator = await startChild('emulator-http.mjs')
  const kinds = [
    { kind: 'get', what: 'GET /system_stats', request: GET, count: gets },
    { kind: 'post', what: 'POST /prompt', request: POST, count: posts },
  ]
  try {
    for (const { kind, what, request, count } of kinds) {
      const theirs = () => costOf(server, load, { ...request, count: peerRequests })
      const ours = () => costOf(emulator, load, { ...request, count })
      await theirs()
      await ours()
      const costs = await compare(rounds, theirs, ours)
      yield {
        name: `${peer.name}-${kind}`,
        what: `${what} of ${peer.package} ${versionOf(peer)}`,
        value: costs.ratio,
        unit: 'x ours',
        detail: `${us(costs.ours)}, ours ${us(costs.theirs)}`,
      }
    }
  } finally {
    await Promise.all([emulator.stop(), load.stop()])
  }
}

async function coldStartRow(peer, { peerStarts }) {
  const startMs = async () => {
    const server = await start(peer)
    await server.stop()
    return server.tookMs
  }
  const { ours: theirs, theirs: ours, ratio } = await compare(peerStarts, startMs, ourStartMs)
  return {
    name: `${peer.name}-cold-start`,
    what: `spawn to the first 200 of ${peer.package}`,
    value: ratio,
    unit: 'x ours',
    detail: `${ms(theirs)}, ours ${ms(ours)}`,
  }
}

/** Installs a peer into its folder: nothing of it reaches the project in which the benchmark runs. */
async function install(peer) {
  mkdirSync(peer.folder)
  writeFileSync(join(peer.folder, 'package.json'), '{"private": true}')
  const { npm_config_local_prefix: _, npm_execpath: cli, ...env } = process.env
  const [command, ...before] = cli?.endsWith('.js') ? [process.execPath, cli] : ['npm']
  const args = ['install', '--prefix', peer.folder, '--no-audit', '--no-fund', '--ignore-scripts']
  const installing = promisify(execFile)(command, [...before, ...args, peer.package], {
    cwd: peer.folder,
    env,
    timeout: MAX_INSTALL_MS,
  })
  const kill = () => installing.child.kill()
  leftovers.add(kill)
  try {
    await installing
  } finally {
    leftovers.delete(kill)
  }
}

const versionOf = ({ folder, package: name }) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts a peer and resolves when it has answered with 200; rejects if it ends or takes too long. */
async function start(peer) {
  const port = await freePort()
  const bin = realpathSync(join(peer.folder, 'node_modules', '.bin', peer.bin))
  // What it would leave in the user's home goes with its folder; and it starts as on a developer's machine.
  const { NODE_ENV: _, ...env } = { ...process.env, HOME: peer.folder, USERPROFILE: peer.folder }
  const startedAt = performance.now()
  const child = spawn(process.execPath, [bin, ...peer.args(`${port}`)], { cwd: peer.folder, env })
  const kill = () => child.kill('SIGKILL')
  leftovers.add(kill)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (said = (said + chunk).slice(-2000)))
  }
  let hasEnded = false
  const ended = once(child, 'exit')
  child.once('exit', () => {
    hasEnded = true
    leftovers.delete(kill)
  })
  const stop = async () => {
    kill()
    await ended
  }
  while (!(await answers(port))) {
    if (hasEnded) throw new Error(`It ended: ${said.trim().split('\n').at(-1)}`)
    if (performance.now() - startedAt > MAX_START_MS) {
      await stop()
      throw new Error(`It has not answered with 200 in ${MAX_START_MS / 1000} seconds.`)
    }
    await sleep(ASK_MS)
  }
  const tookMs = performance.now() - startedAt
  return { ready: { port }, tookMs, stop, cpuSeconds: async () => cpuSecondsOrThrow(child.pid) }
}

async function answers(port) {
  const url = `http://127.0.0.1:${port}${GET.path}`
  try {
    const response = await fetch(url, { headers: { Connection: 'close' } })
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}

function cpuSecondsOrThrow(pid) {
  const seconds = cpuSecondsOf(pid)
  if (seconds === undefined)
    throw new Error('Only /proc lists the processor time of another program.')
  return seconds
}

/** Why something failed, in one line: the line that npm marks as an error, else the beginning of the message. */
function reasonOf(error) {
  const lines = `${error.stderr ?? ''}\n${error.message ?? error}`.split('\n')
  const line =
    lines.find((one) => /^npm (error|ERR!) (?!code|errno|syscall|type|path)/.test(one)) ??
    lines.find(Boolean)
  return line.slice(0, 200)
}
