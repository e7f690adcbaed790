// Several worker processes against one: the same worlds run the same workflows. The client sends two requests for
// hundreds of runs, so that it takes next to nothing of the cores.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
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
  const pids = all.map((one) => one.pid)
  const cpuSeconds = () => pids.reduce((sum, one) => sum + (cpuSecondsOf(one) ?? NaN), 0)
  return { child, worlds: [...worlds.values()].flat(), cpuSeconds }
}

/** Runs what is in the queues of all worlds, which are as at their start; resolves to its time and processor time in seconds. */
async function measure({ worlds, cpuSeconds }) {
  const [startedAt, before] = [performance.now(), cpuSeconds()]
  const run = async (world) => {
    await ask(`${world}/reset`, 'POST')
    await ask(`${world}/advance`, 'POST', { until: 'idle' })
  }
  await Promise.all(worlds.map(run))
  return { wall: (performance.now() - startedAt) / 1000, cpu: cpuSeconds() - before }
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
    // What else runs on the machine only adds to a time: the least one is that of the quietest moment.
    const [alone, spread] = taken.map((all) => all.toSorted((a, b) => a.wall - b.wall)[0])
    const [aloneCpu, spreadCpu] = taken.map((all) => median(all.map(({ cpu }) => cpu)))
    const perSecond = ({ wall }) => `${((WORLDS * workerRuns) / wall).toFixed(0)} runs a second`
    yield {
      name: 'workers',
      what: 'runs a second with --workers 2, over those of one process',
      value: alone.wall / spread.wall,
      unit: 'x one',
      atLeast: GOAL,
      detail: `${perSecond(spread)}, one ${perSecond(alone)}; the two had ${(spread.cpu / spread.wall).toFixed(2)} cores, a run takes ${(spreadCpu / aloneCpu).toFixed(2)} x the processor time`,
    }
  } finally {
    for (const { child } of both) {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    }
  }
}
