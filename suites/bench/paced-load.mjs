// Child process: a load at a pace. Each world gets one submit a second, at a moment of its own, whether or not the others
// have been answered: a server that is busy keeps all of them waiting.

import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answer } from './child.mjs'
import { nextBody } from './workload.mjs'

const agent = new Agent({ keepAlive: true })

/** Submits a run; resolves to how long its answer took, in milliseconds. */
const submit = (port, path) =>
  new Promise((resolve, reject) => {
    const body = nextBody('all')
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
    const startedAt = performance.now()
    request({ agent, host: '127.0.0.1', port, method: 'POST', path, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`The submit got ${response.statusCode}.`))
      response.resume().once('end', () => resolve(performance.now() - startedAt))
    })
      .once('error', reject)
      .end(body)
  })

answer(null, {
  submit: async ({ port, worlds, seconds }) => {
    const startedAt = performance.now()
    const submits = []
    for (let at = 0; at < seconds * worlds.length; at++) {
      const dueMs = (at * 1000) / worlds.length
      await sleep(Math.max(0, startedAt + dueMs - performance.now()))
      submits.push(submit(port, `${worlds[at % worlds.length]}/prompt`))
    }
    const took = (await Promise.all(submits)).toSorted((a, b) => a - b)
    const part = (share) => took[Math.floor(took.length * share)]
    return { p50Ms: part(0.5), p99Ms: part(0.99) }
  },
})
