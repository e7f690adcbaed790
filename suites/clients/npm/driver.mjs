// What the drivers of npm clients share: the address of the server, the workflows, and how a check is reported.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

export const SERVER = process.env['SERVER']
export const ADDRESS = SERVER.replace('http://', '')

/** Loads a package of the folder that the client is installed in. */
export const fromClient = createRequire(join(process.env['CLIENT_HOME'], 'package.json'))

/** One of the workflows. Another seed makes a server that keeps results sample again. */
export function load(name, seed = 7) {
  const graph = JSON.parse(readFileSync(`${name}.json`, 'utf8'))
  graph['3'].inputs.seed = seed
  return graph
}

// Standard output is for reports; clients print on the other one.
console.log = console.info = console.debug = console.error

const report = (check, ok, detail) =>
  process.stdout.write(`${JSON.stringify({ check, ok, detail: String(detail).slice(0, 300) })}\n`)

/** Runs a function as a check: what it returns is the detail of its report, and an exception fails it. */
export async function check(name, run) {
  try {
    report(name, true, await run())
  } catch (error) {
    console.error(error)
    report(name, false, error)
  }
}

/** The error that a promise is rejected with. */
export const rejected = (promise) =>
  promise.then(
    (value) => assert.fail(`not rejected, but ${JSON.stringify(value)}`),
    (error) => error,
  )

/** What a downloaded picture is; anything but a whole PNG file of this size is an error. */
export async function picture(data, size = [512, 512]) {
  const bytes = Buffer.from(data instanceof Blob ? await data.arrayBuffer() : data)
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG')
  assert.equal(bytes.subarray(-8, -4).toString(), 'IEND')
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], size)
  return `${bytes.length} bytes`
}
