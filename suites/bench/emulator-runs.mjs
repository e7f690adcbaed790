// Child process: many runs in a row, in a world by itself and in a world with its edge.

import { readFileSync } from 'node:fs'
import { startEmulator } from 'flowdouble'
import {
  createServer,
  nextWakeMs,
  stepServer as step,
  typeTexts,
} from '../../dist/emulator/internal.js'
import { answer } from './child.mjs'
import { nextBody } from './workload.mjs'

const options = { clock: 'manual', preview: 'none' }
let emulator = await startEmulator(options)

/** The options of a world as its journal lists them, with the catalogue that belongs to them. */
const { options: shown } = JSON.parse((await emulator.journal())[0])
const types = typeTexts(
  readFileSync(new URL('../../spec/node-types.json', import.meta.url), 'utf8'),
)

/** Starts a clock that returns processor time and wall-clock time, in seconds. */
function startClock() {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  return () => {
    const { user, system } = process.cpuUsage(cpu)
    return { seconds: (user + system) / 1e6, wallSeconds: (performance.now() - startedAt) / 1000 }
  }
}

/** The time that the runs take in a world without an edge, with one socket; each text is written as bytes. */
function machine({ runs }) {
  const server = createServer({ ...shown, objectInfo: () => types })
  const headers = {}
  step(server, { kind: 'open', atMs: 0, socket: 1, target: '/ws?clientId=bench', headers })
  for (let request = 0; request < runs; request++) {
    const body = Buffer.from(nextBody('all'))
    step(server, {
      kind: 'request',
      atMs: 0,
      request,
      method: 'POST',
      target: '/prompt',
      headers,
      body,
    })
  }
  let messages = 0
  let bytes = 0
  const elapsed = startClock()
  for (let due = nextWakeMs(server); due !== undefined; due = nextWakeMs(server)) {
    for (const effect of step(server, { kind: 'wake', atMs: due })) {
      if (effect.kind !== 'send') continue
      messages++
      bytes += Buffer.from(effect.text).length
    }
  }
  return { ...elapsed(), messages, bytes }
}

/** The time from the first message to the last byte handed to the system, in a world that already has submits. */
async function advance() {
  const elapsed = startClock()
  await emulator.until('idle')
  return elapsed()
}

async function renew() {
  await emulator.close()
  emulator = await startEmulator(options)
  return { port: emulator.port }
}

answer({ port: emulator.port }, { machine, advance, renew })
