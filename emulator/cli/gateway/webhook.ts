// The command `webhook`: adds, lists, removes and tests the routes of the gateway.

import { originTarget, targets } from '../../../spec/gateway/deliveries.ts'
import { configDirectory, exitCodes } from '../../../spec/gateway/subscriptions.ts'
import { printable } from '../../client/terminal-text.ts'
import {
  changeSubscriptions,
  findSubscriptions,
  readSubscriptions,
  invalidNames,
} from '../../edge/gateway/subscriptions-file.ts'
import { isObject, type JsonObject } from '../../lib/json.ts'
import { serversOn } from '../../options/like.ts'
import { usageError } from '../../options/usage.ts'
import {
  postObstacle,
  readName,
  requireSecret,
  type SubscriptionView,
} from '../../gateway/subscriptions.ts'
import { builtInSchemes } from '../../gateway/post/schemes.ts'
import { refused } from '../../lib/refused.ts'
import {
  bare,
  type Flags,
  type FlagTable,
  readFlags,
  runSubcommand,
  type Subcommand,
  withValue,
} from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'
import {
  type Configuration,
  factLines,
  oldLines,
  oneName,
  openConfiguration,
  ownSchemes,
  requireScheme,
  show,
  staticEntries,
} from './configuration.ts'
import type { RunDetail } from '../../edge/gateway/store/stored-runs.ts'
import { openRuns, type StoredRuns } from './gateway-runs.ts'
import { subscribe } from './webhook-subscribe.ts'
import { testCommand } from './webhook-test.ts'

const senderNames = builtInSchemes.map(({ name }) => name)

export const webhookHelp = `Usage: flowdouble webhook COMMAND [options]

Manages the routes of the webhook gateway. A change takes effect with the next request, without a restart.

Commands:
  subscribe NAME (add)   create or replace a route; prints its URL and secret
  list (ls)              list the routes with their URLs and secrets
  remove NAME (rm)       remove a route
  test NAME              send a signed event to a route and print the response
  resend ID              post the payload of an accepted run again (flowdouble gateway runs)

Options for all commands:
  --config-dir DIR       configuration directory (default ${configDirectory.variable}, else ~/${configDirectory.folder})
  --json                 print one JSON value on stdout
  --quirk ID             switch on a behaviour of real gateways (flowdouble quirks); repeatable
  --like NAME            behave like a known gateway: ${serversOn('gateway').join(', ')}; --no-quirk ID leaves a quirk out
  -h, --help             print this help

Options for subscribe:
  --prompt TEXT          prompt template with {dot.notation} paths into the payload (default: the whole payload)
  --events LIST          event types that trigger the route, comma-separated (default: all)
  --description TEXT     free text
  --skills LIST          skills for the agent run, comma-separated
  --deliver TARGET       where the result goes (default log): ${targets.slice(0, 5).join(', ')}, ...
  --deliver-chat-id ID   chat id at the target
  --deliver-only         deliver the rendered prompt without an agent run
  --in-order             run events one by one: each when the answer before it has ended
  --origin PLATFORM:CHAT the chat that the target ${originTarget} refers to
  --as SENDER            accept posts that are signed like this sender only: ${senderNames.join(', ')},
                         or a scheme of config.yaml (default: those whose header shows the sender)
  --secret SECRET        secret of the sender (default: kept, or generated); - reads it from standard input
  --secret-file FILE     read the secret from a file
  --new-secret           replace the secret of an existing route by a new one
  --keep-old TIME        with a new secret, accept the old one for that time too: 30m, 24h, 7d

Options for list:
  --no-secrets           omit the secrets

Options for test:
  --as SENDER            imitate a sender as for subscribe (default: the scheme of the route, else github)
  --event TYPE           event type (default: the first one of the route, else test)
  --payload TEXT         request body, sent byte for byte (default: a small sample)
  --payload-file FILE    read the body from a file; - reads it from standard input
  --url URL              send to any URL instead of a route; requires --secret or --secret-file
  --secret, --secret-file  sign with this secret instead of the route's

Options for subscribe, list and test:
  --webhook-base-url URL public base URL, if senders reach the gateway through a tunnel or proxy

Exit codes: 0 done, 1 refused or failed (test: also if the event does not trigger the route), 2 wrong usage.

Examples:
  flowdouble webhook subscribe ci --events push --prompt 'Push to {repository.full_name}' --deliver log
  flowdouble webhook test ci --payload '{"repository": {"full_name": "acme/widgets"}}'
  flowdouble webhook list --json --no-secrets
  flowdouble webhook test --url http://localhost:3000/hooks --secret - --as stripe --event invoice.paid
`

/** Runs the command with the arguments after `webhook`; resolves to its exit code. */
export const webhookCommand = (argv: readonly string[], io: CommandIo): Promise<number> =>
  runSubcommand('webhook', subcommands, webhookHelp, argv, io)

const testFlags: FlagTable = {
  ...withValue('payload', 'payload-file', 'as', 'event', 'url', 'secret', 'secret-file'),
  ...withValue('webhook-base-url'),
}

const subcommands: readonly Subcommand[] = [
  {
    names: ['subscribe', 'add'],
    flags: {
      ...withValue('prompt', 'events', 'description', 'skills', 'deliver', 'deliver-chat-id'),
      ...withValue('as', 'secret', 'secret-file', 'keep-old', 'origin', 'webhook-base-url'),
      ...bare('new-secret', 'deliver-only', 'in-order'),
    },
    run: subscribe,
  },
  {
    names: ['list', 'ls'],
    flags: { ...bare('no-secrets'), ...withValue('webhook-base-url') },
    run: list,
  },
  { names: ['remove', 'rm'], flags: {}, run: remove },
  { names: ['test'], flags: testFlags, run: test },
  { names: ['resend'], flags: withValue('store', 'webhook-base-url'), run: resend },
]

function test(flags: Flags, io: CommandIo): Promise<number> {
  return testCommand(flags, io, {
    route: () => findRoute(flags, io),
    scheme: async (name) => requireScheme(name, await ownSchemes(flags, io)),
  })
}

async function showRun({ answer, close }: StoredRuns, id: string): Promise<RunDetail> {
  try {
    return (await answer({ do: 'show', id })) as RunDetail
  } finally {
    await close()
  }
}

/** Posts the payload of a stored run again, as `webhook test` would. */
async function resend(flags: Flags, io: CommandIo): Promise<number> {
  const [id, ...more] = flags.words
  if (id === undefined || more.length > 0) throw usageError('webhook resend needs one ID.')
  const runs = await openRuns(flags, io)
  const { route, payload, event } = await showRun(runs, id)
  const given = ['config-dir', 'webhook-base-url'].flatMap((name) => {
    const value = flags.text(name)
    return value === undefined ? [] : [`--${name}=${value}`]
  })
  const again = (own: readonly string[]): Flags =>
    readFlags(
      [
        route,
        `--payload=${String(payload)}`,
        ...own,
        ...given,
        ...(flags.isJson ? ['--json'] : []),
      ],
      testFlags,
    )
  // A code host names the event in a header, and others in the payload.
  const { scheme } = await findRoute(again([]), io)
  const names = typeof event === 'string' && scheme === undefined ? [`--event=${event}`] : []
  return test(again(names), io)
}

async function list(flags: Flags, io: CommandIo): Promise<number> {
  if (flags.words.length > 0) throw usageError('webhook list takes no arguments.')
  const desk = await openConfiguration(flags, io)
  const entries = await readSubscriptions(desk.dir)
  const isReference = flags.quirks.includes('webhooks.list-hides-secrets')
  const isOpen = !flags.isSet('no-secrets') && !isReference
  const statics = staticEntries(desk.settings)
  const listed = (all: JsonObject, more: Partial<SubscriptionView>): readonly RouteListing[] =>
    [...all].flatMap(([name, entry]) => {
      if (!isObject(entry)) return []
      const { read, route } = show(desk, name, entry)
      const isShadowed = more.is_static !== true && statics.has(name)
      const note = isShadowed
        ? 'is ignored: a static route has the same name'
        : postObstacle(read, flags.quirks, desk.settings.schemes)
      return { route: { ...(isOpen ? route : withoutSecrets(route)), ...more }, note }
    })
  const routes = listed(entries, {})
  const staticRoutes = isReference ? [] : listed(statics, { is_static: true })
  for (const name of invalidNames(entries)) {
    io.stderr.write(
      printable(
        `The member ${JSON.stringify(name)} is not a valid route; the gateway does not load the file until you remove it.\n`,
      ),
    )
  }
  if (flags.isJson) {
    const all = [...routes, ...staticRoutes].map(({ route }) => route)
    io.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
  } else {
    io.stdout.write(printable(listText(routes)))
    if (staticRoutes.length > 0) io.stdout.write(printable(staticText(staticRoutes)))
  }
  return exitCodes.done
}

function withoutSecrets({
  secret: _,
  old_secrets: old,
  ...others
}: SubscriptionView): SubscriptionView {
  const old_secrets = old?.map(({ valid_until }) => ({ valid_until }))
  return { ...others, ...(old_secrets !== undefined && { old_secrets }) }
}

type RouteListing = { readonly route: SubscriptionView; readonly note: string | undefined }

function listText(routes: readonly RouteListing[]): string {
  if (routes.length === 0)
    return 'There are no webhook subscriptions. Create one: flowdouble webhook subscribe NAME\n'
  return `${routes.length} webhook subscription(s):\n\n${blocksText(routes)}`
}

const staticText = (routes: readonly RouteListing[]): string =>
  `\n${routes.length} static route(s) of config.yaml:\n\n${blocksText(routes)}`

const blocksText = (routes: readonly RouteListing[]): string => {
  const blocks = routes.map(({ route, note }) => {
    const { name, description, webhook_url, secret } = route
    const lines = [
      ...(description === '' ? [] : [description]),
      `URL:     ${webhook_url}`,
      ...(secret === undefined ? [] : [`Secret:  ${secret}`]),
      ...oldLines(route),
      ...factLines(route),
      ...(note === undefined ? [] : [`Note:    the route ${note}`]),
    ]
    return `${name}\n  ${lines.join('\n  ')}\n`
  })
  return blocks.join('\n')
}

const unknown = (name: string, { settings }: Configuration): Error =>
  refused(
    staticEntries(settings).has(name)
      ? `"${name}" is a static route: change config.yaml, and restart the gateway.`
      : `Unknown subscription "${name}". Run flowdouble webhook list to see all of them.`,
  )

async function remove(flags: Flags, io: CommandIo): Promise<number> {
  const given = oneName(flags, 'remove')
  const desk = await openConfiguration(flags, io)
  const { dir } = desk
  const name = readName(given)
  const found = await findSubscriptions(dir)
  // An unknown name must not create the directory; a corrupt file is refused where it is changed.
  if (found !== undefined && !isObject(found.get(name))) throw unknown(name, desk)
  await changeSubscriptions(dir, (entries) => {
    // Another process may have removed it first.
    if (!isObject(entries.get(name))) throw unknown(name, desk)
    entries.delete(name)
  })
  io.stdout.write(
    flags.isJson
      ? `${JSON.stringify({ name, removed: true })}\n`
      : `Removed webhook subscription: ${name}\n`,
  )
  return exitCodes.done
}

/** The route that `webhook test` sends to, as the gateway finds it. Throws a refusal if it does not exist. */
async function findRoute(flags: Flags, io: CommandIo): Promise<SubscriptionView> {
  const given = oneName(flags, 'test')
  const desk = await openConfiguration(flags, io)
  const statics = staticEntries(desk.settings)
  // Only subscriptions have names of a certain form.
  const name = statics.has(given) ? given : readName(given)
  const entry = statics.get(name) ?? (await readSubscriptions(desk.dir)).get(name)
  if (!isObject(entry)) throw unknown(name, desk)
  const { route } = show(desk, name, entry)
  if (route.secret !== undefined) requireSecret(route.secret, flags.quirks)
  return route
}
