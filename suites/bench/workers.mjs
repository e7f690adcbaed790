// Several worker processes against one: the same worlds run the same workflows. The client sends two requests for
// hundreds of runs, so that it takes next to nothing of the cores.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { cpuSecondsOf } from './child.mjs'
import { median } from './measure.mjs'
import { nextBody } from './workload.mjs'

const main = fileURLToPath(new URL('../../dist/bundle/main.cjs', import.meta.url))
const flags = '--port 0 --json --quiet --clock manual --preview none --memory-mib 4096'.split(' ')

const WORLDS = 8
const GOAL = 1.7

async function ask(url, method, body = {}) {
  const init = { method, body: JSON.stringify(body) }
  const reply = await fetch(url, init)
  if (!reply.ok) throw new Error(`${method} ${url} returned ${reply.status}: ${await reply.text()}`)
  return reply.json()
}

/** Starts a server, or several workers, with worlds whose queues have this many runs: as many worlds for each process. */
async function start(workers, runs) {
  const argv = workers > 1 ? ['--workers', `${workers}`] : []
  const stdio = ['ignore', 'pipe', 'inherit']
  const child = spawn(process.execPath, [main, 'serve', ...flags, ...argv], { stdio })
  const [line] = await once(createInterface(child.stdout), 'line')
  const { url, pid, workers: all = [{ url, pid }] } = JSON.parse(line)
  const { prompt } = JSON.parse(nextBody('sampler'))
  const scenario = { version: 1, start: { queue: [{ workflow: prompt, times: runs }] } }
  const worlds = new Map(all.map((one) => [one.url, []]))
  for (let at = 0; [...worlds.values()].some(({ length }) => length < WORLDS / workers); at++) {
    const world = await ask(`${url}/_flowdouble/worlds/job-${at}`, 'PUT', { scenario })
    const own = worlds.get(new URL(world.url).origin)
    if (own.length < WORLDS / workers) own.push(`${world.url}/_flowdouble`)
  }
  return { child, processes: all.map((one) => ({ pid: one.pid, worlds: worlds.get(one.url) })) }
}

/** How long the main thread of a process has waited for a core, in seconds; 0 where the system does not say. */
function waitedSeconds(pid) {
  const file = `/proc/${pid}/schedstat`
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e9 : 0
}

/**
 * Runs what is in the queues of all worlds, which are as at their start; resolves to what that took in seconds: on the wall, and
 * for the process that was at it longest without its waits for a core; and to how many cores they had.
 */
async function measure({ processes }) {
  const taken = await Promise.all(processes.map(runAll))
  const wall = Math.max(...taken.map((one) => one.wall))
  const cpu = taken.reduce((sum, one) => sum + one.cpu, 0)
  return { wall, busy: Math.max(...taken.map((one) => one.wall - one.waited)), cores: cpu / wall }
}

async function runAll({ pid, worlds }) {
  const [startedAt, cpu, waited] = [performance.now(), cpuSecondsOf(pid) ?? NaN, waitedSeconds(pid)]
  const run = async (world) => {
    await ask(`${world}/reset`, 'POST')
    await ask(`${world}/advance`, 'POST', { until: 'idle' })
  }
  await Promise.all(worlds.map(run))
  return {
    wall: (performance.now() - startedAt) / 1000,
    cpu: (cpuSecondsOf(pid) ?? NaN) - cpu,
    waited: waitedSeconds(pid) - waited,
  }
}

export async function* workers({ workerRuns, rounds }) {
  const both = [await start(1, workerRuns), await start(2, workerRuns)]
  try {
    const taken = [[], []]
    // The first round is that in which each process compiles its code.
    for (let round = -1; round < rounds; round++)
      for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const one = await measure(both[at])
        if (round >= 0) taken[at].push(one)
      }
    const [alone, spread] = taken.map((all) => ({
      // What else runs on the machine only adds to a time.
      busy: Math.min(...all.map(({ busy }) => busy)),
      wall: median(all.map(({ wall }) => wall)),
      cores: median(all.map(({ cores }) => cores)),
    }))
    const perSecond = (seconds) => ((WORLDS * workerRuns) / seconds).toFixed(0)
    yield {
      name: 'workers',
      what: 'runs a second with --workers 2, over those of one process, without waits for a core',
      value: alone.busy / spread.busy,
      unit: 'x one',
      atLeast: GOAL,
      detail: `${perSecond(spread.busy)} and ${perSecond(alone.busy)}; on the wall ${(alone.wall / spread.wall).toFixed(2)} x, as they had ${spread.cores.toFixed(2)} cores`,
    }
  } finally {
    for (const { child } of both) {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    }
  }
}
