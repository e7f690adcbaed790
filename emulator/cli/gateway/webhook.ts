// The command `webhook`: adds, lists, removes and tests the routes of the gateway.

import { randomBytes } from 'node:crypto'
import { originTarget, platforms, targets } from '../../../spec/gateway/deliveries.ts'
import { configDirectory, exitCodes, generatedSecret } from '../../../spec/gateway/subscriptions.ts'
import { printable } from '../../client/terminal-text.ts'
import { configDirOf, readSettings } from '../../config/config-dir.ts'
import { baseUrlOf, readBaseUrl, type Settings } from '../../config/settings.ts'
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
  readPlace,
  requireSecret,
  type SubscriptionView,
  subscriptionView,
  subscribedEntry,
  type SubscribeRequest,
} from '../../gateway/subscriptions.ts'
import { builtInSchemes } from '../../gateway/post/schemes.ts'
import { readEvents, readList, readRoute, readWrittenList } from '../../gateway/state/routes.ts'
import { refused } from '../../lib/refused.ts'
import {
  bare,
  type Flags,
  readSecret,
  runSubcommand,
  type Subcommand,
  withValue,
} from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'
import { testCommand } from './webhook-test.ts'

export const webhookHelp = `Usage: flowdouble webhook COMMAND [options]

Manages the routes of the webhook gateway. A change takes effect with the next request, without a restart.

Commands:
  subscribe NAME (add)   create or replace a route; prints its URL and secret
  list (ls)              list the routes with their URLs and secrets
  remove NAME (rm)       remove a route
  test NAME              send a signed event to a route and print the response

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
  --secret SECRET        secret of the sender (default: kept, or generated); - reads it from standard input
  --secret-file FILE     read the secret from a file
  --new-secret           replace the secret of an existing route by a new one

Options for list:
  --no-secrets           omit the secrets

Options for test:
  --as SENDER            imitate the sender ${builtInSchemes.map(({ name }) => name).join(', ')} (default github)
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

const subcommands: readonly Subcommand[] = [
  {
    names: ['subscribe', 'add'],
    flags: {
      ...withValue('prompt', 'events', 'description', 'skills', 'deliver', 'deliver-chat-id'),
      ...withValue('secret', 'secret-file', 'origin', 'webhook-base-url'),
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
  {
    names: ['test'],
    flags: {
      ...withValue('payload', 'payload-file', 'as', 'event', 'url', 'secret', 'secret-file'),
      ...withValue('webhook-base-url'),
    },
    run: (flags, io) => testCommand(flags, io, () => findRoute(flags, io)),
  },
]

type Configuration = { readonly dir: string; readonly settings: Settings; readonly baseUrl: string }

/** Opens the configuration for a command. Throws a refusal unless webhooks are enabled [subscriptions/unenabled]. */
async function openConfiguration(flags: Flags, { env, cwd }: CommandIo): Promise<Configuration> {
  const given = flags.text('webhook-base-url')
  const base_url = given === undefined ? undefined : readBaseUrl(given)
  if (given !== undefined && base_url === undefined)
    throw usageError('--webhook-base-url needs an address such as https://hooks.example.')
  const dir = configDirOf(flags.text('config-dir'), env, cwd)
  const { quirks } = flags
  const found = { env, quirks, isWebhookCommand: true, flags: { base_url } }
  const settings = await readSettings(dir, found)
  if (!settings.enabled) throw refused(notEnabled(dir))
  return { dir, settings, baseUrl: baseUrlOf(settings) }
}

/** The message that webhooks are off, and how to enable them. */
export const notEnabled = (dir: string): string => `Webhooks are not enabled in ${dir}.
Enable them in one of these ways:
  flowdouble gateway setup --enable --yes --config-dir ${dir}
  in ${dir}/config.yaml:
    platforms:
      webhook:
        enabled: true
  in ${dir}/.env, or in the environment:
    WEBHOOK_ENABLED=true
Then start the gateway: flowdouble gateway run`

function oneName({ words }: Flags, command: string): string {
  const [name, more] = words
  if (name === undefined) throw usageError(`webhook ${command} needs the name of a route.`)
  if (more !== undefined)
    throw usageError(`webhook ${command} takes one name; quote a name that contains spaces.`)
  return name
}

async function subscribe(flags: Flags, io: CommandIo): Promise<number> {
  const given = oneName(flags, 'subscribe')
  const place = flags.text('origin')
  const origin = place === undefined ? null : readPlace(place)
  if (origin === undefined)
    throw usageError(`--origin must be PLATFORM:CHAT. Platforms: ${platforms.join(', ')}.`)
  const wantsNewSecret = flags.isSet('new-secret')
  if (wantsNewSecret && (flags.text('secret') ?? flags.text('secret-file')) !== undefined)
    throw usageError('--new-secret generates a secret: leave out --secret and --secret-file.')
  const desk = await openConfiguration(flags, io)
  const { dir, settings } = desk
  const { quirks } = flags
  const name = readName(given)
  if (Object.hasOwn(settings.routes, name) && !quirks.includes('webhooks.subscribe-shadowed')) {
    throw refused(`config.yaml has a static route "${name}", which wins. Choose another name.`)
  }
  const secret = (await readSecret(flags, io)) ?? null
  const isAsWritten = quirks.includes('webhooks.events-as-written')
  const [events = '', skills = ''] = [flags.text('events'), flags.text('skills')]
  const request: SubscribeRequest = {
    name,
    description: flags.text('description') ?? '',
    events: isAsWritten ? readWrittenList(events) : readEvents(events),
    prompt: flags.text('prompt') ?? '',
    skills: isAsWritten ? readWrittenList(skills) : readList(skills),
    deliver: flags.text('deliver') || 'log',
    chatId: flags.text('deliver-chat-id') ?? '',
    isDirect: flags.isSet('deliver-only'),
    isInOrder: flags.isSet('in-order'),
    origin,
    secret,
    wantsNewSecret,
  }
  const generated = randomBytes(generatedSecret.bytes).toString('base64url')
  const created_at = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  const { entry, isUpdate } = await changeSubscriptions(dir, (entries) => {
    const before = entries.get(name)
    const entry = subscribedEntry(request, before, { generated, created_at, quirks })
    entries.set(name, entry)
    return { entry, isUpdate: before !== undefined }
  })
  const { route } = show(desk, name, entry)
  const { webhook_url } = route
  io.stdout.write(
    flags.isJson
      ? `${JSON.stringify({ name, webhook_url, secret: route.secret })}\n`
      : printable(subscribedText(route, isUpdate)),
  )
  return exitCodes.done
}

/** An entry of the file as a route, and as the command prints it. */
function show({ settings, baseUrl }: Configuration, name: string, entry: JsonObject) {
  const read = readRoute(name, entry, settings.secret)
  return {
    read,
    route: subscriptionView(read, entry, `${baseUrl}/webhooks/${encodeURIComponent(name)}`),
  }
}

const PROMPT_SHOWN = 80

function subscribedText(route: SubscriptionView, isUpdate: boolean): string {
  const { name, webhook_url, secret = '', prompt, deliver_only } = route
  const label = deliver_only ? 'Message' : 'Prompt'
  const more = prompt.length > PROMPT_SHOWN ? '...' : ''
  const lines = [
    `${isUpdate ? 'Updated' : 'Created'} webhook subscription: ${name}`,
    `URL:     ${webhook_url}`,
    `Secret:  ${secret}`,
    ...factLines(route),
    ...(prompt === '' ? [] : [`${label}: ${prompt.slice(0, PROMPT_SHOWN)}${more}`]),
  ]
  return `${lines.join('\n  ')}

Configure the sender to post to the URL and to sign with the secret (HMAC-SHA256).
Start the gateway to receive events: flowdouble gateway run
`
}

const factLines = ({ events, deliver, deliver_only }: SubscriptionView): readonly string[] => [
  `Events:  ${events.length === 0 ? '(all)' : events.join(', ') || '(none: the filter lists nothing)'}`,
  `Deliver: ${deliver}${deliver_only ? ' (direct, no agent)' : ''}`,
]

async function list(flags: Flags, io: CommandIo): Promise<number> {
  if (flags.words.length > 0) throw usageError('webhook list takes no arguments.')
  const desk = await openConfiguration(flags, io)
  const { dir, settings } = desk
  const entries = await readSubscriptions(dir)
  const isOpen = !flags.isSet('no-secrets') && !flags.quirks.includes('webhooks.list-hides-secrets')
  const routes = [...entries].flatMap(([name, entry]) => {
    if (!isObject(entry)) return []
    const { read, route } = show(desk, name, entry)
    const { secret, ...others } = route
    const isShadowed = Object.hasOwn(settings.routes, name)
    const note = isShadowed
      ? 'is ignored: a static route has the same name'
      : postObstacle(read, flags.quirks)
    return { route: isOpen && secret !== undefined ? route : others, note }
  })
  for (const name of invalidNames(entries)) {
    io.stderr.write(
      printable(
        `The member ${JSON.stringify(name)} is not a valid route; the gateway does not load the file until you remove it.\n`,
      ),
    )
  }
  if (flags.isJson)
    io.stdout.write(
      `${JSON.stringify(
        routes.map(({ route }) => route),
        null,
        2,
      )}\n`,
    )
  else io.stdout.write(printable(listText(routes)))
  return exitCodes.done
}

type RouteListing = { readonly route: SubscriptionView; readonly note: string | undefined }

function listText(routes: readonly RouteListing[]): string {
  if (routes.length === 0)
    return 'There are no webhook subscriptions. Create one: flowdouble webhook subscribe NAME\n'
  const blocks = routes.map(({ route, note }) => {
    const { name, description, webhook_url, secret } = route
    const lines = [
      ...(description === '' ? [] : [description]),
      `URL:     ${webhook_url}`,
      ...(secret === undefined ? [] : [`Secret:  ${secret}`]),
      ...factLines(route),
      ...(note === undefined ? [] : [`Note:    the route ${note}`]),
    ]
    return `${name}\n  ${lines.join('\n  ')}\n`
  })
  return `${routes.length} webhook subscription(s):\n\n${blocks.join('\n')}`
}

const unknown = (name: string): Error =>
  refused(
    `Unknown subscription "${name}". Run flowdouble webhook list to see all subscriptions; ` +
      'static routes are in config.yaml.',
  )

async function remove(flags: Flags, io: CommandIo): Promise<number> {
  const given = oneName(flags, 'remove')
  const { dir } = await openConfiguration(flags, io)
  const name = readName(given)
  const found = await findSubscriptions(dir)
  // An unknown name must not create the directory; a corrupt file is refused where it is changed.
  if (found !== undefined && !isObject(found.get(name))) throw unknown(name)
  await changeSubscriptions(dir, (entries) => {
    // Another process may have removed it first.
    if (!isObject(entries.get(name))) throw unknown(name)
    entries.delete(name)
  })
  io.stdout.write(
    flags.isJson
      ? `${JSON.stringify({ name, removed: true })}\n`
      : `Removed webhook subscription: ${name}\n`,
  )
  return exitCodes.done
}

/** The subscription that `webhook test` sends to. Throws a refusal if it does not exist. */
async function findRoute(flags: Flags, io: CommandIo): Promise<SubscriptionView> {
  const given = oneName(flags, 'test')
  const desk = await openConfiguration(flags, io)
  const name = readName(given)
  const entry = (await readSubscriptions(desk.dir)).get(name)
  if (!isObject(entry)) throw unknown(name)
  const { route } = show(desk, name, entry)
  if (route.secret !== undefined) requireSecret(route.secret, flags.quirks)
  return route
}
