// Child process: many worlds at one address, and a client that submits one run to each of them.

import { Agent, request } from 'node:http'
import { startEmulator } from 'flowdouble'
import { answer } from './child.mjs'

const server = await startEmulator({ clock: 'manual', preview: 'none' })
/** A run of two nodes, as tests of clients submit them. */
const prompt = {
  1: { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 1, color: 0 } },
  2: { class_type: 'SaveImage', inputs: { filename_prefix: 'world', images: ['1', 0] } },
}
const body = JSON.stringify({ prompt })
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/** Submits the run; resolves to the status. */
const post = (path) =>
  new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
    const to = { agent, host: '127.0.0.1', port: server.port, method: 'POST', path, headers }
    request(to, (response) => response.resume().once('end', () => resolve(response.statusCode)))
      .once('error', reject)
      .end(body)
  })

/** Creates a world and runs in it; returns whether the run succeeded. */
async function oneWorld() {
  const world = await server.world()
  const status = await post(`/w/${world.name}/prompt`)
  if (status !== 200) throw new Error(`The submit got ${status}.`)
  await world.until('idle')
  return world.runs()[0]?.state === 'success'
}

/** Creates worlds, several at a time. */
async function worlds({ count }) {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  let left = count
  let finished = 0
  const work = async () => {
    while (left-- > 0) if (await oneWorld()) finished++
  }
  await Promise.all(Array.from({ length: 8 }, work))
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (user + system) / 1e6
  const wallSeconds = (performance.now() - startedAt) / 1000
  return { seconds, wallSeconds, finished }
}

answer({ port: server.port }, { worlds })
