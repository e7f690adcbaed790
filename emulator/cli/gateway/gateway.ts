// The command `gateway`: sets up and runs the webhook gateway.

import { serversOn } from '../../options/like.ts'
import { configDirectory, configFiles } from '../../../spec/gateway/subscriptions.ts'
import { bare, runSubcommand, withValue } from '../lib/command.ts'
import { runFlags, runGateway, type StartGateway, workerFlags } from './gateway-run.ts'
import { setUpGateway } from './gateway-setup.ts'
import { runsCommand, runsFlags, runsHelp } from './gateway-runs.ts'
import { printService, serviceFlags, serviceHelp } from './gateway-service.ts'
import { storeHelp } from './gateway-store.ts'
import { workHelp } from './gateway-work.ts'
import type { CommandIo } from '../lib/io.ts'
import { variablesHelp } from '../lib/variables.ts'

export const gatewayHelp = `Usage: flowdouble gateway COMMAND [options]

Sets up and runs the webhook gateway.

Commands:
  setup                  enable or disable webhooks, choose the port and the global secret
  run                    run the gateway until SIGINT or SIGTERM
  work                   run agents and deliveries of gateways on the same PostgreSQL, and receive nothing
  runs                   list accepted runs; show, retry, cancel or drop one
  doctor                 check files, routes, deliveries, address, store and disk, and say how to mend what is wrong
  service                print a unit of systemd for the gateway, with the flags of run

Options for all:
  --config-dir DIR       configuration directory (default ${configDirectory.variable}, else ~/${configDirectory.folder})
  --json                 print one line of JSON on stdout
  -h, --help             print this help

Options for setup (it asks for everything that no flag answers):
  --enable, --disable    enable or disable webhooks
  --host HOST            address to listen on; 0.0.0.0 for all interfaces (default 127.0.0.1)
  --port PORT            port to listen on (default 8644)
  --secret SECRET        global secret, for routes without a secret; - reads it from standard input
  --secret-file FILE     read the global secret from a file
  --yes                  do not ask; keep every setting without a flag

Options for run and service (they override the environment and the configuration files):
  --host HOST            address to listen on
  --port PORT            port to listen on; 0 picks a free one
  --webhook-base-url URL public base URL, if senders reach the gateway through a tunnel or proxy
${workHelp}
${storeHelp}
  --scenario FILE|NAME   agent answers, deliveries and rate limits of a scenario (flowdouble scenarios); repeatable
  --mutant NAME          play a gateway with one deliberate fault (flowdouble mutants), to test test suites
  --ready-file FILE      write the address as JSON to this file while the gateway listens
  --control              serve GET /_flowdouble/runs, outbox and journal to clients on this machine;
                         do not use it behind a tunnel or proxy: every client looks local there
  --control-token TOKEN  bearer token with which other machines read /metrics, and these paths with --control
  --json-log             log one JSON object per line
  --quiet                print warnings and errors only
  --quirk ID             switch on a behaviour of real gateways (flowdouble quirks); repeatable
  --like NAME            behave like a known gateway: ${serversOn('gateway').join(', ')}; --no-quirk ID leaves a quirk out

${runsHelp}

${serviceHelp}

Options for doctor:
  --online               ask the platforms and the base URL too: credentials, reachability, clock
  --deliver-url URL      deliveries go to this URL: check no credentials of senders
  --host, --port, --webhook-base-url, --store, --no-store, --store-mib  as for run

setup writes the secret to ${configFiles.env.name} (mode 0600) and the rest to ${configFiles.config.name}, where it keeps comments. The
gateway reads both once, when it starts; it picks up changed subscriptions with the next request.

${variablesHelp.replace('Each flag', 'Each flag of run, work and doctor')}
Exit codes: 0 done, or stopped by a signal; 1 not enabled, refused, the port is in use, or doctor found a problem;
2 wrong usage.

Examples:
  flowdouble gateway setup --enable --yes
  openssl rand -hex 32 | flowdouble gateway setup --enable --port 9000 --secret - --yes
  flowdouble gateway run
  flowdouble gateway run --port 0 --json
  flowdouble gateway run --store postgres://gateway@db.example/gateway
  flowdouble gateway runs list --state dead
  flowdouble gateway doctor --online
  flowdouble gateway service --send > flowdouble-gateway.service
  flowdouble gateway run --agent-command my-agent --agent-command=--brief --send
`

/** Runs the command with the arguments after `gateway`; resolves to its exit code. `start` starts the gateway. */
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
        hasVariables: true,
        flags: runFlags,
        run: (flags, io) => runGateway(flags, io, start),
      },
      {
        names: ['work'],
        hasVariables: true,
        flags: workerFlags,
        run: (flags, io) => runGateway(flags, io, start, true),
      },
      { names: ['runs'], flags: runsFlags, run: runsCommand },
      {
        names: ['service'],
        flags: serviceFlags,
        run: printService,
      },
      {
        names: ['doctor'],
        hasVariables: true,
        flags: {
          ...withValue('host', 'port', 'webhook-base-url', 'deliver-url', 'store', 'store-mib'),
          ...bare('online', 'no-store'),
        },
        run: async (flags, io) => (await import('./doctor.ts')).doctor(flags, io),
      },
    ],
    gatewayHelp,
    argv,
    io,
  )

// Loaded on demand, so that setup starts fast.
const startGateway: StartGateway = async (options) =>
  (await import('../../edge/gateway/gateway.ts')).startGateway(options)
