// The command `gateway`: sets the webhook gateway up, and runs it.

import { serversOn } from '../options/like.ts'
import { configDirectory, configFiles } from '../../spec/gateway/subscriptions.ts'
import { bare, runSubcommand, withValue } from './command.ts'
import { runGateway, type StartGateway } from './gateway-run.ts'
import { setUpGateway } from './gateway-setup.ts'
import { workFlags, workHelp } from './gateway-work.ts'
import type { CommandIo } from './io.ts'

export const gatewayHelp = `Usage: flowdouble gateway COMMAND [options]

Sets the webhook gateway up, and runs it.

Commands:
  setup                  a wizard: whether webhooks are on, the port, the global secret
  run                    start the gateway, until SIGINT or SIGTERM

Options of both:
  --config-dir DIR       the configuration directory (default ${configDirectory.variable}, else ~/${configDirectory.folder})
  --json                 one line of JSON on stdout
  -h, --help             this text

Options of setup; what a flag answers is not asked:
  --enable, --disable    whether webhooks are on
  --host HOST            the address to listen on; 0.0.0.0 takes all interfaces (default 127.0.0.1)
  --port PORT            the port (default 8644)
  --secret SECRET        the global secret, for routes without one of their own; - reads standard input
  --secret-file FILE     the same from a file
  --yes                  ask nothing: what no flag answers stays as it is

Options of run; each wins over the environment and the files:
  --host HOST            the address to listen on
  --port PORT            the port; 0 takes a free one
  --webhook-base-url URL the address that senders use, where it is another one (a tunnel)
${workHelp}
  --ready-file FILE      written when the gateway listens, with its address as JSON
  --control              answer GET /_flowdouble/runs, outbox and journal to callers on this machine;
                         not behind a tunnel or proxy, whose callers look like that
  --json-log             each line of the log is JSON
  --quiet                print nothing but warnings and errors
  --quirk ID             another behaviour of real gateways (flowdouble quirks); may come more than once
  --like NAME            behave as a known gateway: ${serversOn('gateway').join(', ')}; --no-quirk ID takes one out

The secret goes into ${configFiles.env.name} (mode 0600), the rest into ${configFiles.config.name}, whose comments stay. Both are read
once, when the gateway starts; subscriptions are looked at on each request.

Exit codes: 0 done, or stopped by a signal; 1 not enabled, refused, or the port is taken; 2 wrong usage.

Examples:
  flowdouble gateway setup --enable --yes
  openssl rand -hex 32 | flowdouble gateway setup --enable --port 9000 --secret - --yes
  flowdouble gateway run
  flowdouble gateway run --port 0 --json
  flowdouble gateway run --agent-command my-agent --agent-command=--brief --send
`

/** Runs the command with the arguments after `gateway`; resolves to its exit code. `start` starts the gateway itself. */
export const gatewayCommand = (
  argv: readonly string[],
  io: CommandIo,
  start: StartGateway = startGateway,
): Promise<number> =>
  runSubcommand(
    'gateway',
    [
      {
        names: ['setup'],
        flags: {
          ...bare('enable', 'disable', 'yes'),
          ...withValue('host', 'port', 'secret', 'secret-file'),
        },
        run: setUpGateway,
      },
      {
        names: ['run'],
        flags: {
          ...withValue('host', 'port', 'webhook-base-url', 'ready-file'),
          ...bare('quiet', 'json-log', 'control'),
          ...workFlags,
        },
        run: (flags, io) => runGateway(flags, io, start),
      },
    ],
    gatewayHelp,
    argv,
    io,
  )

// Loaded when it is needed, so that setup starts fast.
const startGateway: StartGateway = async (options) =>
  (await import('../edge/gateway/gateway.ts')).startGateway(options)
