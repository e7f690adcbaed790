#!/usr/bin/env node
// Measures how fast the emulator is, and reports where it misses its goals. Build first; `npm run bench` does.
//
// How to read it. A requests-per-second figure of one machine says little about another, and on a shared machine it
// swings several-fold within a run. So almost everything is a ratio to a bare Node server that does the least possible
// (bare-*.mjs), taken in the same run: both in turns, in alternating order, and the median of the rounds counts.
// What a request costs is processor time of the whole server process, user and system and all threads, over the
// requests served; the load has a process, and so a core, of its own.
// A miss is not a failure: the exit code is 0 on any machine, since a noisy neighbour must not fail a build.

import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { behind } from './behind.mjs'
import { stopChildren } from './child.mjs'
import { fanOut } from './fan-out.mjs'
import { gatewayPosts } from './gateway.mjs'
import { hosted } from './hosted.mjs'
import { peerRows } from './peers.mjs'
import { previews } from './previews.mjs'
import { getRequests, postRequests } from './requests.mjs'
import { runs } from './runs.mjs'
import { coldStart, firstSubmit, idle } from './served.mjs'
import { workers } from './workers.mjs'
import { worlds } from './worlds.mjs'
import { tableHead, tableLine, verdictOf } from './table.mjs'

/**
 * The measurements by the name that begins the names of their rows: what yields those rows, and how long that takes
 * in full and quickly on two cores, in seconds.
 */
const measurements = {
  'cold-start': { measure: coldStart, seconds: [5, 1] },
  'first-submit': { measure: firstSubmit, seconds: [4, 1] },
  get: { measure: getRequests, seconds: [15, 2] },
  post: { measure: postRequests, seconds: [50, 5] },
  behind: { measure: behind, seconds: [60, 10] },
  'fan-out': { measure: fanOut, seconds: [100, 7] },
  runs: { measure: runs, seconds: [15, 8] },
  previews: { measure: previews, seconds: [25, 10] },
  worlds: { measure: worlds, seconds: [12, 3] },
  workers: { measure: workers, seconds: [30, 6] },
  hosted: { measure: hosted, seconds: [90, 12] },
  gateway: { measure: gatewayPosts, seconds: [30, 4] },
  idle: { measure: idle, seconds: [5, 2] },
  peers: { measure: peerRows, seconds: [200, 50] },
}

const full = {
  coldStarts: 11,
  idleStarts: 5,
  rounds: 9,
  gets: 30_000,
  posts: 8000,
  fewPosts: 6000,
  connectedPosts: 2000,
  barePosts: 20_000,
  runsBehind: 100_000,
  sends: 4000,
  connectedRuns: 200,
  runs: 1000,
  previewSeconds: 20,
  worlds: 10_000,
  workerRuns: 1000,
  repeats: 5,
  peerRequests: 3000,
  peerStarts: 5,
}

const quick = {
  coldStarts: 3,
  idleStarts: 1,
  rounds: 3,
  gets: 8000,
  posts: 2000,
  fewPosts: 1500,
  connectedPosts: 400,
  barePosts: 5000,
  runsBehind: 15_000,
  sends: 400,
  connectedRuns: 40,
  runs: 1000,
  previewSeconds: 6,
  worlds: 2000,
  workerRuns: 400,
  repeats: 3,
  peerRequests: 600,
  peerStarts: 1,
}

const help = `Measures the emulator against bare Node servers, and prints a line for each figure with its goal.

  npm run bench                          all, in about 6 minutes
  npm run bench -- --only get            one measurement: ${Object.keys(measurements).join(', ')}
  npm run bench -- --quick --json

  --only NAME  measure only what has this name; can be given several times
  --quick      measure less: ratios are good to about 15 %, instead of 5 %
  --peers      install two other servers in a temporary folder, and compare their costs as well
  --json       print one JSON object at the end

  x bare, at least 0.85  the bare server needs at least 0.85 of the time that the emulator needs: more is better
  x bare, at most 1.5    the emulator needs at most 1.5 as much as the bare server: less is better
  x ours                 the other server needs so many times what the emulator needs

The details are the absolute figures of both. A miss is not a failure: the exit code is 0.`

const { values: flags } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    peers: { type: 'boolean', default: false },
  },
})

if (flags.help) {
  console.log(help)
  process.exit()
}

const names = Object.keys(measurements).filter((name) => name !== 'peers' || flags.peers)
const chosen = names.filter((name) => flags.only?.some((only) => only.startsWith(name)) ?? true)
if (chosen.length === 0)
  console.error(`There is no ${flags.only?.join(', ')}. Known: ${names.join(', ')}.`)

// Progress is printed for a person at a terminal only; the next line of the table replaces it.
const progress = (text) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`)
const print = (line) => {
  progress('')
  if (!flags.json) console.log(line)
}

// An interrupt leaves nothing behind: whoever creates something that must go also removes it when the process ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const seconds = chosen.reduce(
  (sum, name) => sum + measurements[name].seconds[flags.quick ? 1 : 0],
  0,
)
const took = seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`
if (chosen.length > 0)
  print(`This takes about ${took}; each row comes when it is measured.\n\n${tableHead}`)

const rows = []
const add = (row) => {
  rows.push({ ...row, verdict: verdictOf(row) })
  print(tableLine(row))
}
for (const name of chosen) {
  const notify = (text) => progress(`${chosen.indexOf(name) + 1}/${chosen.length} ${text}`)
  notify(name)
  try {
    for await (const row of measurements[name].measure(flags.quick ? quick : full, notify)) {
      add(row)
      notify(name)
    }
  } catch (error) {
    add({ name, what: 'could not be measured', detail: String(error?.message ?? error) })
    stopChildren()
  }
}
progress('')

if (flags.json) {
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model }
  console.log(JSON.stringify({ ...machine, quick: flags.quick, rows }, null, 2))
}
