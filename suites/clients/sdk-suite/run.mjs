#!/usr/bin/env node
// Runs the test suite of the Python SDK on flowdouble, and prints how many of its tests pass. Build first.
//
//   node suites/clients/sdk-suite/run.mjs [CACHE]
//
// CACHE is a folder that keeps what is installed. Exit codes: 0 all tests pass but those in left-out.json, 1 others fail.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { report, runSuite } from './suite.mjs'

const [given] = process.argv.slice(2)
const cache =
  given === undefined ? mkdtempSync(join(tmpdir(), 'flowdouble-clients-')) : resolve(given)
const result = await runSuite(cache)
if (given === undefined) rmSync(cache, { recursive: true, force: true, maxRetries: 5 })
if (result.wrong.length > 0) console.error(result.output)
console.log(report(result))
process.exitCode = result.wrong.length > 0 ? 1 : 0
