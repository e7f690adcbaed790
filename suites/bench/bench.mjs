#!/usr/bin/env node
// Measures how fast the emulator is, and says where it misses its goals. Build first; `npm run bench` does.
//
//   node suites/bench/bench.mjs [--quick] [--json] [--only NAME]...
//
// How to read it. A requests-per-second figure of one machine says little about another, and on a shared machine it
// swings several-fold within a run. So almost everything is a ratio to a bare Node server that does the least possible
// (bare-*.mjs), taken in the same run: both in turns, in alternating order, and the median of the rounds counts.
// What a request costs is processor time of the whole server process, user and system and all threads, over the
// requests served; the load has a process, and so a core, of its own.
//
//   x bare, at least 0.8   the bare server needs at least 0.8 of the time that the emulator needs: more is better
//   x bare, at most 1.5    the emulator needs at most 1.5 as much as the bare server: less is better
//
// The details give the absolute figures of both. A miss is no failure: the exit code is 0 on any machine, since a
// noisy neighbour must not fail a build. Ratios of --quick are good to about 15 %, of a full run to about 5 %.

import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { behind } from './behind.mjs'
import { stopChildren } from './child.mjs'
import { fanOut } from './fan-out.mjs'
import { gatewayPosts } from './gateway.mjs'
import { getRequests, postRequests } from './requests.mjs'
import { runs } from './runs.mjs'
import { coldStart, idle } from './served.mjs'
import { tableOf, verdictOf } from './table.mjs'

/** The measurements by the name that begins the names of their rows. */
const measurements = {
  'cold-start': coldStart,
  get: getRequests,
  post: postRequests,
  gateway: gatewayPosts,
  behind,
  'fan-out': fanOut,
  runs,
  idle,
}

const full = {
  coldStarts: 11,
  idleStarts: 5,
  rounds: 9,
  gets: 30_000,
  posts: 8000,
  fewPosts: 6000,
  heardPosts: 2000,
  barePosts: 20_000,
  runsBehind: 100_000,
  sends: 4000,
  runs: 1000,
  repeats: 5,
}

const quick = {
  coldStarts: 3,
  idleStarts: 1,
  rounds: 3,
  gets: 8000,
  posts: 2000,
  fewPosts: 1500,
  heardPosts: 400,
  barePosts: 5000,
  runsBehind: 15_000,
  sends: 400,
  runs: 1000,
  repeats: 3,
}

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
  },
})

const names = Object.keys(measurements)
const chosen = names.filter((name) => flags.only?.some((only) => only.startsWith(name)) ?? true)
if (chosen.length === 0)
  console.error(`There is no ${flags.only?.join(', ')}. Known: ${names.join(', ')}.`)

const progress = (text) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`)

const rows = []
for (const name of chosen) {
  progress(`${chosen.indexOf(name) + 1}/${chosen.length} ${name}`)
  try {
    rows.push(...(await measurements[name](flags.quick ? quick : full)))
  } catch (error) {
    rows.push({ name, what: 'could not be measured', detail: String(error?.message ?? error) })
    stopChildren()
  }
}
progress('')

if (flags.json) {
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model }
  const told = rows.map((row) => ({ ...row, verdict: verdictOf(row) }))
  console.log(JSON.stringify({ ...machine, quick: flags.quick, rows: told }, null, 2))
} else console.log(tableOf(rows))
