// Drives one client: starts a fresh server, runs the client's driver in a folder with its workflows, and compares what
// the driver reports with what the server has logged.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import { graphs } from './graphs.mjs'
import { run } from './process.mjs'

const root = join(import.meta.dirname, '../..')
const workflows = join(root, 'recordings/workflows')

/** What every driver checks, unless its row says why it cannot. */
export const CORE = ['submit', 'follow', 'download', 'failed-run', 'refused-graph']

const isRequest = (method, path, statuses) => (entry) =>
  entry.event === 'request' &&
  entry.method === method &&
  path.test(entry.target) &&
  statuses.includes(entry.status)
const isRun = (state) => (entry) => entry.event === 'run' && entry.state === state

/** What the log of the server shows when a check has really happened. */
const evidence = {
  submit: isRequest('POST', /^(\/api)?(\/prompt|\/v2\/jobs)(\?|$)/, [200, 201]),
  follow: isRun('success'),
  download: isRequest('GET', /^(\/api)?\/(view\?|v2\/)/, [200, 302]),
  'failed-run': isRun('error'),
  'refused-graph': isRequest('POST', /^(\/api)?(\/prompt|\/v2\/jobs)(\?|$)/, [400, 422]),
  upload: isRequest('POST', /^(\/api)?(\/upload\/(image|mask)|\/v2\/assets)/, [200, 201]),
  interrupt: isRun('interrupted'),
}

/**
 * A step takes 100 ms, so that a run lasts more than two seconds: clients that open their socket after the submit still see
 * it run, as on a real server, even where this machine is busy.
 */
const PACE = ['--pace', '100']

/** Starts a server with these options, and leaves its log in a file. */
async function startServer(options, log) {
  const command = [join(root, 'dist/bundle/main.cjs'), 'serve', '--port', '0', '--json']
  const logged = ['--log', log, '--log-format', 'json', ...PACE, ...options]
  const child = spawn(process.execPath, [...command, ...logged], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const exit = () => child.kill('SIGKILL')
  process.once('exit', exit)
  const stop = async () => {
    child.kill()
    await ended
    process.off('exit', exit)
  }
  const [first] = await Promise.race([once(createInterface(child.stdout), 'line'), ended])
  if (typeof first !== 'string') throw new Error(`The server ended: serve ${options.join(' ')}`)
  const { url, ws } = JSON.parse(first)
  await warm(ws)
  return { url, stop }
}

/** Opens a socket and closes it, whatever comes of it, since servers that people use have had one before. */
async function warm(url) {
  const socket = new WebSocket(url)
  const over = new Promise((resolve) => socket.once('close', resolve))
  socket.once('open', () => socket.close())
  socket.once('error', () => {})
  await over
}

/** The options that a client needs; `{packages}` is the folder of the packages of Python that are installed for it. */
function optionsOf({ needs = {} }, home) {
  const options = Object.keys(needs).flatMap((option) => option.split(' '))
  if (!options.some((option) => option.includes('{packages}'))) return options
  const [python = ''] = readdirSync(join(home, 'lib'))
  const packages = join(home, 'lib', python, 'site-packages')
  return options.map((option) => option.replace('{packages}', packages))
}

/** The folders that drivers run in, which go when this process ends. */
const workplaces = new Set()
const remove = (folder) => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  workplaces.delete(folder)
}
process.on('exit', () => workplaces.forEach(remove))

/** A folder with what drivers submit. */
function workplace() {
  const folder = mkdtempSync(join(tmpdir(), 'flowdouble-client-'))
  workplaces.add(folder)
  for (const [name, graph] of Object.entries(graphs()))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(graph, null, 2))
  copyFileSync(join(workflows, 'example-input.png'), join(folder, 'input.png'))
  return folder
}

/** The file of a driver, below this folder. */
export const driverFile = ({ name, from, driver = name }) =>
  from === 'npm'
    ? `npm/${driver.replace('@', '').replace('/', '-')}.mjs`
    : `pypi/drive_${driver.replaceAll('-', '_')}.py`

const interpreters = { npm: () => process.execPath, pypi: (home) => join(home, 'bin/python') }

/** The settings of this machine that a client needs; none of its proxies, keys or addresses. */
const machine = () => {
  const kept = ['LANG', 'LC_ALL', 'TMPDIR', 'SYSTEMROOT']
  return Object.fromEntries(kept.map((name) => [name, process.env[name]]))
}

/** Runs the driver: the objects that it prints, a line each, and the rest of its output. */
async function runDriver(client, { home, url, folder, limitMs }) {
  const file = join(import.meta.dirname, driverFile(client))
  const env = {
    ...machine(),
    PATH: [join(home, 'bin'), join(home, 'node_modules/.bin'), process.env['PATH']].join(':'),
    HOME: folder,
    SERVER: url,
    API_KEY: 'test-key',
    CLIENT_HOME: home,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
    NO_COLOR: '1',
    DO_NOT_TRACK: '1',
  }
  const done = await run([interpreters[client.from](home), file], { cwd: folder, env, limitMs })
  const reported = done.printed.split('\n').filter((line) => line.startsWith('{"check":'))
  return { ...done, checks: reported.map((line) => JSON.parse(line)) }
}

/** A check as the driver reports it, unless the server has not seen it. */
function confirmed({ check, ok, detail }, log) {
  const shows = evidence[check]
  if (!ok || shows === undefined || log.some(shows)) return { check, ok, detail }
  return { check, ok: false, detail: `the log of the server does not show it (${detail})` }
}

const readLog = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** A path without what differs from run to run. */
const pathOf = (target) =>
  target
    .split('?')[0]
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '{id}')
    .replaceAll(/blake3(:|%3A)[\da-f]+/g, '{hash}')

/** The requests for what the server does not have, each once. */
const lackingOf = (log) => [
  ...new Set(
    log
      .filter(({ event, status }) => event === 'request' && [404, 405, 501].includes(status))
      .map(({ method, target, status }) => `${method} ${pathOf(target)}: ${status}`),
  ),
]

/**
 * Drives a client that is installed in `home`: its checks, the requests for what the server does not have, and its output
 * if something fails. A core check that it lacks without a reason fails.
 */
export async function drive(client, home, { further, limitMs }) {
  const folder = workplace()
  const log = join(folder, 'server.log')
  const server = await startServer([...optionsOf(client, home), ...further], log)
  let done
  try {
    done = await runDriver(client, { home, url: server.url, folder, limitMs })
  } finally {
    await server.stop()
  }
  const entries = readLog(log)
  remove(folder)
  const checks = done.checks.map((one) => confirmed(one, entries))
  if (done.code === undefined)
    checks.push({ check: 'ends', ok: false, detail: `not after ${limitMs / 1000} s` })
  else if (done.code !== 0)
    checks.push({ check: 'ends', ok: false, detail: `with exit code ${done.code}` })
  const names = new Set(checks.map(({ check }) => check))
  for (const check of CORE.filter((name) => !names.has(name) && client.skips?.[name] === undefined))
    checks.push({ check, ok: false, detail: 'the driver does not report it' })
  const isFine = checks.every(({ ok }) => ok)
  return { checks, lacking: lackingOf(entries), output: isFine ? '' : done.output }
}
