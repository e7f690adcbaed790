// The commands by name, and their help. Only the one that runs is loaded, so that serve starts fast.

import type { CommandIo } from './lib/io.ts'

export const help = `flowdouble: a test double for a workflow execution server (the ComfyUI HTTP and WebSocket API)

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
  completion SHELL     print a script that completes commands in bash, zsh or fish
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

/** Where a command runs: its streams, and the same with a signal that stops it in order. */
export type Process = { readonly io: CommandIo; readonly stoppable: () => CommandIo }

export const commands: Readonly<
  Record<string, (argv: readonly string[], process: Process) => Promise<number>>
> = {
  serve: async (argv, { stoppable }) =>
    (await import('./serve.ts')).serveCommand(argv, stoppable()),
  check: async (argv, { stoppable }) =>
    (await import('./check/check.ts')).checkCommand(hidden(argv), stoppable()),
  shrink: async (argv, { stoppable }) =>
    (await import('./check/shrink.ts')).shrinkCommand(argv, stoppable()),
  diff: async (argv, { stoppable }) =>
    (await import('./diff.ts')).diffCommand(hidden(argv), stoppable()),
  record: async (argv, { stoppable }) =>
    (await import('./recordings/record.ts')).recordCommand(argv, stoppable()),
  replay: async (argv, { stoppable }) =>
    (await import('./recordings/replay.ts')).replayCommand(argv, stoppable()),
  run: async (argv, { stoppable }) => (await import('./run.ts')).runCommand(argv, stoppable()),
  gateway: async (argv, { io, stoppable }) => {
    // setup asks on the terminal, which ends with the process.
    const within = argv[0] === 'run' || argv[0] === 'work' ? stoppable() : io
    return (await import('./gateway/gateway.ts')).gatewayCommand(hidden(argv), within)
  },
  webhook: async (argv, { stoppable }) =>
    (await import('./gateway/webhook.ts')).webhookCommand(hidden(argv), stoppable()),
  scenarios: async (argv, { io }) =>
    (await import('./lists/scenarios.ts')).scenariosCommand(argv, io),
  lint: async (argv, { io }) => (await import('./lint.ts')).lintCommand(argv, io),
  types: async (argv, { io }) => (await import('./types.ts')).typesCommand(argv, io),
  validate: async (argv, { io }) => (await import('./validate.ts')).validateCommand(argv, io),
  learn: async (argv, { stoppable }) =>
    (await import('./recordings/learn.ts')).learnCommand(hidden(argv), stoppable()),
  explain: async (argv, { stoppable }) =>
    (await import('./explain.ts')).explainCommand(argv, stoppable()),
  quirks: async (argv, { io }) => (await import('./lists/quirks.ts')).quirksCommand(argv, io),
  mutants: async (argv, { io }) => (await import('./lists/mutants.ts')).mutantsCommand(argv, io),
  rules: async (argv, { io }) => (await import('./rules.ts')).rulesCommand(argv, io),
  help: (_, { io }) => {
    io.stdout.write(help)
    return Promise.resolve(0)
  },
  completion: async (argv, { io }) =>
    (await import('./completion/completion.ts')).completionCommand(argv, io, printedBy),
}

/** What a command prints with these arguments. */
export async function printedBy([name = '', ...argv]: readonly string[]): Promise<string> {
  let text = ''
  const io = {
    stdout: { write: (part: string): void => void (text += part) },
    stderr: { write: (): void => undefined },
    env: {},
    cwd: '.',
  }
  if (Object.hasOwn(commands, name)) await commands[name]?.(argv, { io, stoppable: () => io })
  return text
}

/** Returns the arguments and hides them from the process list: one can be a secret. */
function hidden(argv: readonly string[]): readonly string[] {
  process.title = 'flowdouble'
  return argv
}
