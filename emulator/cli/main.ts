#!/usr/bin/env node
// The command `flowdouble`: runs one of its commands in this process.

import { constants } from 'node:os'
import { version } from '../lib/version.ts'
import { commands, help } from './commands.ts'
import type { CommandIo } from './lib/io.ts'

const io = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: () => process.stdin,
  env: process.env,
  cwd: process.cwd(),
}

/** Signals so soon after the first are the same one: npx passes on what its group also receives. In milliseconds. */
const SAME_SIGNAL_MS = 500

/** The environment of a command that ends in order at the first signal; a later one ends the process immediately. */
function stoppable(): CommandIo {
  const stop = new AbortController()
  let firstMs = 0
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      stop.abort()
      firstMs ||= performance.now()
      if (performance.now() - firstMs > SAME_SIGNAL_MS) process.exit(128 + constants.signals[name])
    })
  return { ...io, signal: stop.signal }
}

async function main(argv: readonly string[]): Promise<number> {
  const [name = '', ...rest] = argv
  if (name === '--version') {
    process.stdout.write(`${version}\n`)
    return 0
  }
  if (name === 'help' && rest[0] !== undefined) return main([rest[0], '--help'])
  if (['', '--help', '-h'].includes(name)) {
    process.stdout.write(help)
    return name === '' ? 2 : 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command !== undefined) return command(rest, { io, stoppable })
  const { didYouMean } = await import('../lib/nearest.ts')
  const hint = didYouMean(name, Object.keys(commands))
  process.stderr.write(`Unknown command ${JSON.stringify(name)}.${hint}\nSee: flowdouble --help\n`)
  return 2
}

// A reader that closes the pipe early, such as head, is not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (stream === process.stdout) process.exit(0)
  })
}
/** Commands that judge servers elsewhere, which can keep connections open for ever. */
const judging: ReadonlySet<string> = new Set(['check', 'diff'])

void (async () => {
  const isJudging = judging.has(process.argv[2] ?? '')
  // A server that drops each socket can leave a request pending without a handle: the process would end with code 0.
  if (isJudging) setInterval(() => undefined, 60_000)
  process.exitCode = await main(process.argv.slice(2))
  if (isJudging) {
    // What is written to a pipe may still be on its way.
    for (const stream of [process.stdout, process.stderr])
      await new Promise((resolve) => stream.write('', resolve))
    process.exit()
  }
  // Exit even if the parent process does not read standard error.
  if (process.stderr.writableLength > 0) setTimeout(() => process.exit(), 200).unref()
})()
