#!/usr/bin/env node
// The command `flowdouble`: loads and runs one subcommand. Only that one is loaded, so that serve starts fast.

import { constants } from 'node:os'
import { version } from '../lib/version.ts'
import type { CommandIo } from './lib/io.ts'

const help = `flowdouble: a test double for a workflow execution server (the ComfyUI HTTP and WebSocket API)

Usage: flowdouble COMMAND [options]

Commands:
  serve                start a local or hosted server that behaves like a real one
  check URL            judge a server by the rules of the protocol: which it breaks, and how to see it
  shrink FILE.har      reduce a recording to the few exchanges that still break a rule
  diff URL_A URL_B     play the same sessions on two servers, and say what differs
  record URL           record a session with a server as a HAR file, without its secrets
  replay FILE.har      answer as the server of a recorded session did
  run WORKFLOW.json    submit a workflow to any such server, follow it, download its outputs
  gateway              set up and run the webhook gateway
  webhook              add, list, remove and test the routes of the gateway
  scenarios            list the named scenarios that serve --scenario NAME plays
  lint WORKFLOW...     say what a server would refuse in workflow files, without a server
  types WORKFLOW...    write the scenario of a server that runs these workflows
  validate FILE...     check scenario files, and say where they are wrong
  learn FILE.har...    write a scenario that makes a world answer as a recorded server did
  explain N            explain an entry of a journal: its causes, and why it was answered so
  quirks               list the behaviours of real servers that --quirk switches on
  mutants              list the servers with a deliberate fault that serve --mutant plays
  rules                list the rules of the protocol (in a clone: and whether a case proves them)
  help [COMMAND]       print this help, or the help of a command

Options:
  --version            print the version
  -h, --help           print this help

Exit codes: 0 done, 1 failed, 2 wrong usage; run has more (flowdouble help run).

Examples:
  flowdouble serve
  flowdouble serve --deployment both
  flowdouble serve --port 0 --clock instant --seed 7 --json
  flowdouble serve --scenario out-of-memory
  flowdouble run workflow.json --url http://127.0.0.1:8188 --out pictures
  flowdouble gateway setup --enable --yes
`

const io = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: () => process.stdin,
  env: process.env,
  cwd: process.cwd(),
}

const commands: Readonly<Record<string, (argv: readonly string[]) => Promise<number>>> = {
  serve: async (argv) => (await import('./serve.ts')).serveCommand(argv, stoppable()),
  check: async (argv) => (await import('./check/check.ts')).checkCommand(hidden(argv), stoppable()),
  shrink: async (argv) => (await import('./check/shrink.ts')).shrinkCommand(argv, stoppable()),
  diff: async (argv) => (await import('./diff.ts')).diffCommand(hidden(argv), stoppable()),
  record: async (argv) => (await import('./recordings/record.ts')).recordCommand(argv, stoppable()),
  replay: async (argv) => (await import('./recordings/replay.ts')).replayCommand(argv, stoppable()),
  run: async (argv) => (await import('./run.ts')).runCommand(argv, stoppable()),
  gateway: async (argv) => {
    // setup asks on the terminal, which ends with the process.
    const within = argv[0] === 'run' ? stoppable() : io
    return (await import('./gateway.ts')).gatewayCommand(hidden(argv), within)
  },
  webhook: async (argv) => (await import('./webhook.ts')).webhookCommand(hidden(argv), stoppable()),
  scenarios: async (argv) => (await import('./lists/scenarios.ts')).scenariosCommand(argv, io),
  lint: async (argv) => (await import('./lint.ts')).lintCommand(argv, io),
  types: async (argv) => (await import('./types.ts')).typesCommand(argv, io),
  validate: async (argv) => (await import('./validate.ts')).validateCommand(argv, io),
  learn: async (argv) =>
    (await import('./recordings/learn.ts')).learnCommand(hidden(argv), stoppable()),
  explain: async (argv) => (await import('./explain.ts')).explainCommand(argv, stoppable()),
  quirks: async (argv) => (await import('./lists/quirks.ts')).quirksCommand(argv, io),
  mutants: async (argv) => (await import('./lists/mutants.ts')).mutantsCommand(argv, io),
  rules: async (argv) => (await import('./rules.ts')).rulesCommand(argv, io),
}

/** Returns the arguments and hides them from the process list: one can be a secret. */
function hidden(argv: readonly string[]): readonly string[] {
  process.title = 'flowdouble'
  return argv
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
  if (name === '' || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(help)
    return name === '' ? 2 : 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command !== undefined) return command(rest)
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
