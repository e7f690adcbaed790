#!/usr/bin/env node
// The load of many teams on one shared server: each world has a client with a socket, which submits runs of 20 steps, one a
// second, or with --closed the next one as soon as the last one has ended. Prints how long submits take, and what the server
// does and takes. Build first: node suites/bench/teams.mjs --worlds 300 --seconds 600
//
// The client writes requests and looks for the ends of runs in the bytes that come: it is to cost little beside the server.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    worlds: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '60' },
    every: { type: 'string', default: '30' },
    closed: { type: 'boolean', default: false },
  },
})
const [worlds, seconds, every] = [values.worlds, values.seconds, values.every].map(Number)
const ADMIN = 'token-of-the-admin'
const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url))

const server = spawn(
  process.execPath,
  [
    fileOf('../../dist/bundle/main.cjs'),
    'serve',
    ...`--shared --control-token ${ADMIN} --port 0 --json --quiet`.split(' '),
    ...positionals,
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
process.once('exit', () => server.kill('SIGKILL'))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const [line] = await once(createInterface(server.stdout), 'line')
const { url, pid, workers = [] } = JSON.parse(line)
const pids = workers.length > 0 ? workers.map((worker) => worker.pid) : [pid]

const agent = new Agent({ keepAlive: true, maxSockets: 512 })
const send = (at, method, body, headers = {}) =>
  new Promise((resolve, reject) => {
    const sent = request(at, { agent, method, headers }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })

const workflow = readFileSync(fileOf('../../recordings/workflows/text-to-image.json'), 'utf8')
let seed = 0
/** A run with its own seed, so that nothing of it is in the cache. */
const nextBody = () =>
  `{"client_id": "me", "prompt": ${workflow.replace(/"seed": *\d+/, `"seed": ${++seed}`)}}`

const counts = { errors: 0, ended: 0 }
let times = []
const submit = async (world) => {
  const startedAt = performance.now()
  const { status } = await send(`${world}/prompt`, 'POST', nextBody())
  times.push(performance.now() - startedAt)
  if (status !== 200) counts.errors++
}

/** Opens a socket whose frames are not decoded; calls back at the end of each run. */
async function listen(world, ended) {
  const { hostname, port, pathname } = new URL(world)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => counts.errors++)
  socket.write(
    `GET ${pathname}/ws?clientId=me HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\n` +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await once(socket, 'data')
  socket.on('data', (bytes) => {
    if (!bytes.includes('execution_success')) return
    counts.ended++
    ended()
  })
}

const authorization = { Authorization: `Bearer ${ADMIN}` }
const addresses = []
for (let at = 0; at < worlds; at++) {
  const { text } = await send(`${url}/_flowdouble/worlds/job-${at}`, 'PUT', '{}', authorization)
  const world = JSON.parse(text).url
  addresses.push(world)
  const again = () => void submit(world).catch(() => counts.errors++)
  await listen(world, values.closed ? again : () => undefined)
}

const statOf = (one) => readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1].split(' ')
const ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
const cpuSeconds = () =>
  pids.reduce((sum, one) => sum + (Number(statOf(one)[11]) + Number(statOf(one)[12])) / ticks, 0)
const rssMib = () =>
  pids.reduce(
    (sum, one) =>
      sum + Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${one}/status`, 'utf8'))[1]),
    0,
  ) / 1024

const startedAt = performance.now()
let [lastCpu, lastAt, lastEnded] = [cpuSeconds(), startedAt, 0]
/** The sum of the samples of a metric, in MiB. */
const mibOf = (text, name) =>
  [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)`, 'gm'))].reduce(
    (sum, [, bytes]) => sum + Number(bytes) / 2 ** 20,
    0,
  )

const report = async () => {
  const { text } = await send(`${url}/_flowdouble/metrics`, 'GET')
  const [cpu, now] = [cpuSeconds(), performance.now()]
  const took = (now - lastAt) / 1000
  const sorted = times.toSorted((a, b) => a - b)
  const of = (part) => (sorted[Math.floor(sorted.length * part)] ?? NaN).toFixed(1)
  const own = process.cpuUsage()
  console.log(
    `${((now - startedAt) / 1000).toFixed(0)} s: ${((counts.ended - lastEnded) / took).toFixed(0)} runs/s, ` +
      `submit p50 ${of(0.5)} p99 ${of(0.99)} max ${of(0.9999999)} ms, RSS ${rssMib().toFixed(0)} MiB, heap ${mibOf(text, 'nodejs_heap_size_used_bytes').toFixed(0)}, ` +
      `counted ${mibOf(text, 'flowdouble_bytes').toFixed(0)}, ` +
      `${(((cpu - lastCpu) / took) * 100).toFixed(0)} % of a core, ${counts.errors} errors, ` +
      `client ${(((own.user + own.system) / 1e6 / ((now - startedAt) / 1000)) * 100).toFixed(0)} %`,
  )
  times = []
  ;[lastCpu, lastAt, lastEnded] = [cpu, now, counts.ended]
}

if (values.closed) for (const world of addresses) await submit(world)
for (let second = 0; second < seconds; second++) {
  if (!values.closed)
    for (const [at, world] of addresses.entries())
      setTimeout(() => void submit(world).catch(() => counts.errors++), (at * 1000) / worlds)
  await sleep(Math.max(0, startedAt + (second + 1) * 1000 - performance.now()))
  if ((second + 1) % every === 0) await report()
}
process.exit(0)
