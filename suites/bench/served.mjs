// Whole processes as a user starts them: the time until the first answer, and the memory of an idle one.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { compare, median, mib, ms } from './measure.mjs'
import { nextBody } from './workload.mjs'

const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const served = [fileOf('../../dist/bundle/main.cjs'), 'serve', '--port', '0', '--json', '--quiet']
const bare = [fileOf('bare-cold.mjs')]

/** Starts a server, waits for its first 200, and does something with it before ending it. */
async function withServer(argv, use) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  try {
    const [line] = await once(createInterface(child.stdout), 'line')
    const { url } = JSON.parse(line)
    const [response] = await once(get(`${url}/system_stats`, { agent: false }), 'response')
    response.resume()
    const tookMs = performance.now() - startedAt
    if (response.statusCode !== 200)
      throw new Error(`/system_stats answered ${response.statusCode}`)
    return await use(child.pid, tookMs, url)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

const startMs = (argv) => withServer(argv, (_, tookMs) => tookMs)

/** The time from the start of the emulator to its first answer, in milliseconds. */
export const ourStartMs = () => startMs(served)

export async function* coldStart({ coldStarts }) {
  await ourStartMs()
  const { ours, theirs, ratio } = await compare(coldStarts, ourStartMs, () => startMs(bare))
  yield {
    name: 'cold-start',
    what: 'spawn to the first 200',
    value: ratio,
    unit: 'x bare',
    atMost: 1.3,
    detail: `${ms(ours)}, bare ${ms(theirs)}`,
  }
}

/** The processor time of the first submit of a process, in milliseconds: it reads what the workflow needs. */
const firstSubmitMs = (argv) =>
  withServer(argv, async (pid, _, url) => {
    const before = threadsMs(pid)
    const response = await fetch(`${url}/prompt`, { method: 'POST', body: nextBody('all') })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`/prompt answered ${response.status}`)
    return threadsMs(pid) - before
  })

/** The processor time of all threads of a process so far, in milliseconds: finer than the ticks of its `stat`. */
const threadsMs = (pid) =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
    .reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0)

export async function* firstSubmit({ coldStarts }) {
  const took = []
  for (let start = 0; start < coldStarts; start++) took.push(await firstSubmitMs(served))
  yield {
    name: 'first-submit',
    what: 'processor time of the first submit of a process',
    value: median(took),
    unit: 'ms',
    atMost: 40,
    detail: `between ${ms(Math.min(...took))} and ${ms(Math.max(...took))}`,
  }
}

function rssOf(pid) {
  const status = existsSync('/proc/self/status') ? readFileSync(`/proc/${pid}/status`, 'utf8') : ''
  const kib = /VmRSS:\s+(\d+)/.exec(status)?.[1]
  return (
    Number(kib ?? execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' })) * 1024
  )
}

export async function* idle({ idleStarts }) {
  const idleRss = (argv) =>
    withServer(argv, async (pid) => {
      await sleep(500)
      return rssOf(pid)
    })
  const ours = []
  for (let start = 0; start < idleStarts; start++) ours.push(await idleRss(served))
  const rss = median(ours)
  yield {
    name: 'idle-rss',
    what: 'memory of a server that nobody has asked yet',
    value: rss / 2 ** 20,
    unit: 'MiB',
    atMost: 75,
    detail: `bare ${mib(await idleRss(bare))}`,
  }
}
