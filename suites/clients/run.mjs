#!/usr/bin/env node
// Installs real client programs, drives each against a fresh server, and reports what they can do with it. Build first;
// `npm run clients` does.
//
//   npm run clients -- [--only NAME]... [--json] [--cache DIR] [--seconds N] [--at-once N] [--serve=OPTIONS]
//
// --cache keeps what is installed in a folder; otherwise it goes into a temporary one. --seconds is the time limit of
// each client (180), --at-once how many run side by side (2). --serve gives further options to every server, such as
// --serve='--like comfyui-0.3.64', or a --mutant to see who notices.
//
// A client is a row of clients.mjs, and a driver in npm/ or pypi/ that uses it as its documentation shows. A driver
// knows the address of its server, and nothing else about it. A check passes when the client says so and the log of the
// server shows the same. A run of all clients without --serve also runs the test suite of a client that has one
// (sdk-suite/), and writes recordings/clients.md.
//
// Exit codes: 0 every check passes, 1 a check fails, 2 wrong usage, 5 a client could not be installed.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { clients } from './clients.mjs'
import { drive } from './drive.mjs'
import { install, unfitFor } from './install.mjs'
import { report, runSuite } from './sdk-suite/suite.mjs'
import { line, summary, writeTable } from './table.mjs'

const usage = (text) => {
  console.error(text)
  process.exit(2)
}

const options = {
  only: { type: 'string', multiple: true, default: [] },
  json: { type: 'boolean', default: false },
  cache: { type: 'string' },
  seconds: { type: 'string', default: '180' },
  'at-once': { type: 'string', default: '2' },
  serve: { type: 'string', default: '' },
}

/** The options of the command, or the end of it. */
function readOptions() {
  try {
    const { values } = parseArgs({ options })
    for (const name of ['seconds', 'at-once'])
      if (!/^[1-9]\d*$/.test(values[name])) usage(`--${name} is a positive number.`)
    return values
  } catch (error) {
    return usage(`${error.message}\nOptions: --${Object.keys(options).join(', --')}.`)
  }
}

const flags = readOptions()
const further = flags.serve.split(' ').filter((option) => option !== '')
const unknown = flags.only.filter((only) => !clients.some(({ name }) => name === only))
if (unknown.length > 0)
  usage(`No client ${unknown.join(', ')}. Known: ${clients.map(({ name }) => name).join(', ')}.`)
const chosen = clients.filter(({ name }) => flags.only.length === 0 || flags.only.includes(name))

const folder = flags.cache === undefined ? mkdtempSync(join(tmpdir(), 'flowdouble-clients-')) : ''
process.on('exit', () => folder && rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const cache = resolve(flags.cache ?? folder)
mkdirSync(cache, { recursive: true })

/** What is under way, for a person at a terminal only. */
const busy = new Map()
const progress = () => {
  if (!process.stderr.isTTY) return
  const now = [...busy].map(([name, what]) => `${what} ${name}`).join(', ')
  process.stderr.write(`\r\x1b[K${now.slice(0, (process.stderr.columns ?? 80) - 1)}`)
}
const notify = (name, what) => {
  if (what === undefined) busy.delete(name)
  else busy.set(name, what)
  progress()
}
const print = (text) => {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  if (!flags.json) console.log(text)
  progress()
}

/** The folder of an installed client, or why there is none. */
async function installed(client) {
  notify(client.name, 'installing')
  try {
    return { home: await install(client, cache) }
  } catch (error) {
    return { drop: error.message }
  }
}

/** Drives an installed client: its checks. A server that does not start fails them. */
async function driven(client, home) {
  notify(client.name, 'driving')
  try {
    return await drive(client, home, { further, limitMs: Number(flags.seconds) * 1000 })
  } catch (error) {
    return { checks: [{ check: 'starts', ok: false, detail: error.message }], output: '' }
  }
}

/** Installs a client and drives it: its row with what came of it. */
async function judge(client) {
  const unfit = client.drop ?? (await unfitFor(client))
  if (unfit !== undefined) return { ...client, drop: unfit, state: 'dropped', checks: [] }
  const { home, drop } = await installed(client)
  if (home === undefined) return { ...client, drop, state: 'absent', checks: [] }
  const result = await driven(client, home)
  const isFine = result.checks.every(({ ok }) => ok)
  return { ...client, ...result, state: isFine ? 'passes' : 'fails' }
}

const results = []
const waiting = [...chosen.keys()]
const work = async () => {
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    results[at] = await judge(chosen[at])
    notify(chosen[at].name)
    print(line(results[at]))
  }
}
await Promise.all(Array.from({ length: Number(flags['at-once']) }, work))

const isWhole = flags.only.length === 0 && further.length === 0
const suite = isWhole ? await runSuite(cache) : undefined
if (suite !== undefined) {
  print(report(suite))
  writeTable(results, suite)
}
if (flags.json) console.log(JSON.stringify(results, null, 2))
else print(summary(results))
const has = (state) => results.some((result) => result.state === state)
const isWrong = suite !== undefined && suite.wrong.length > 0
process.exitCode = has('fails') || isWrong ? 1 : has('absent') ? 5 : 0
