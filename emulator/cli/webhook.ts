// The command `webhook`: subscribe, list, remove and test the routes of the gateway.

import { randomBytes } from 'node:crypto'
import { originTarget, platforms, targets } from '../../spec/gateway/deliveries.ts'
import {
  configDirectory,
  exitCodes,
  generatedSecret,
  testSenders,
} from '../../spec/gateway/subscriptions.ts'
import { printable } from '../client/printable.ts'
import { configDirOf, readSettings } from '../config/config-dir.ts'
import { baseUrlOf, readBaseUrl, type Settings } from '../config/settings.ts'
import {
  changeSubscriptions,
  findSubscriptions,
  readSubscriptions,
  strayNames,
} from '../edge/gateway/subscriptions-file.ts'
import { isObject, type JsonObject } from '../lib/json.ts'
import { serversOn } from '../options/like.ts'
import { usageError } from '../options/usage.ts'
import {
  hindrance,
  readName,
  readPlace,
  requireSecret,
  type SubscriptionView,
  subscriptionView,
  subscribedEntry,
  type SubscribeRequest,
} from '../gateway/subscriptions.ts'
import { readEvents, readList, readRoute } from '../gateway/routes.ts'
import { refused } from '../lib/refused.ts'
import {
  bare,
  type Flags,
  readSecret,
  runSubcommand,
  type Subcommand,
  withValue,
} from './command.ts'
import type { CommandIo } from './io.ts'
import { testCommand } from './webhook-test.ts'

export const webhookHelp = `Usage: flowdouble webhook COMMAND [options]

Manages the routes of the webhook gateway. The gateway sees a change at the next request, without a restart.

Commands:
  subscribe NAME (add)   make a route, or replace it; prints its address and its secret
  list (ls)              the routes with their addresses and secrets
  remove NAME (rm)       remove a route
  test NAME              send a signed event to a route, and print the answer

Options of each command:
  --config-dir DIR       the configuration directory (default ${configDirectory.variable}, else ~/${configDirectory.folder})
  --json                 one JSON value on stdout
  --quirk ID             another behaviour of real gateways (flowdouble quirks); may come more than once
  --like NAME            behave as a known gateway: ${serversOn('gateway').join(', ')}; --no-quirk ID takes one out
  -h, --help             this text

Options of subscribe:
  --prompt TEXT          template of the prompt, with {dot.notation} into the payload (default: all of it)
  --events LIST          event types that trigger the route, separated by commas (default: all)
  --description TEXT     free text
  --skills LIST          skills of the agent run, separated by commas
  --deliver TARGET       where the result goes (default log): ${targets.slice(0, 5).join(', ')}, ...
  --deliver-chat-id ID   the chat at the target
  --deliver-only         deliver the rendered prompt itself, without an agent run
  --origin PLATFORM:CHAT the place that the target ${originTarget} stands for
  --secret SECRET        the secret of the sender (default: kept, or generated); - reads standard input
  --secret-file FILE     the same from a file
  --new-secret           generate another secret for a route that has one

Options of list:
  --no-secrets           leave the secrets out

Options of test:
  --as SENDER            sign and send like ${Object.keys(testSenders).join(', ')} (default github)
  --event TYPE           the event type (default: the first one of the route, else test)
  --payload TEXT         the body, byte by byte (default: a small one of its own)
  --payload-file FILE    the same from a file; - reads standard input
  --url URL              send to any address; needs --secret or --secret-file, and no route
  --secret, --secret-file  sign with this secret instead of that of the route

Options of subscribe, list and test:
  --webhook-base-url URL the address that senders use, when it is not that of the gateway (a tunnel)

Exit codes: 0 done, 1 refused or failed (test: also when the event did not trigger the route), 2 wrong usage.

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
      ...bare('new-secret', 'deliver-only'),
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

type Desk = { readonly dir: string; readonly settings: Settings; readonly baseUrl: string }

/** What a command works on. Throws a refusal while the platform is not enabled [subscriptions/unenabled]. */
async function openDesk(flags: Flags, { env, cwd }: CommandIo): Promise<Desk> {
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

/** That the platform is off, and how it is switched on. */
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
    throw usageError(`webhook ${command} takes one name; quote one with blanks.`)
  return name
}

async function subscribe(flags: Flags, io: CommandIo): Promise<number> {
  const given = oneName(flags, 'subscribe')
  const place = flags.text('origin')
  const origin = place === undefined ? null : readPlace(place)
  if (origin === undefined)
    throw usageError(`--origin is PLATFORM:CHAT, with one of these: ${platforms.join(', ')}.`)
  const wantsNewSecret = flags.isSet('new-secret')
  if (wantsNewSecret && (flags.text('secret') ?? flags.text('secret-file')) !== undefined)
    throw usageError('--new-secret generates a secret, so that none is given with it.')
  const desk = await openDesk(flags, io)
  const { dir, settings } = desk
  const { quirks } = flags
  const name = readName(given)
  if (Object.hasOwn(settings.routes, name) && !quirks.includes('webhooks.subscribe-shadowed')) {
    throw refused(`config.yaml has a static route "${name}", which wins. Take another name.`)
  }
  const secret = (await readSecret(flags, io)) ?? null
  const request: SubscribeRequest = {
    name,
    description: flags.text('description') ?? '',
    events: readEvents(flags.text('events')),
    prompt: flags.text('prompt') ?? '',
    skills: readList(flags.text('skills')),
    deliver: flags.text('deliver') || 'log',
    chatId: flags.text('deliver-chat-id') ?? '',
    isDirect: flags.isSet('deliver-only'),
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

/** An entry of the file as a route, and as it is shown. */
function show({ settings, baseUrl }: Desk, name: string, entry: JsonObject) {
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

Let the sender post to the URL and sign with the secret (HMAC-SHA256).
The gateway takes posts while it runs: flowdouble gateway run
`
}

const factLines = ({ events, deliver, deliver_only }: SubscriptionView): readonly string[] => [
  `Events:  ${events.length === 0 ? '(all)' : events.join(', ') || '(none: the filter lists nothing)'}`,
  `Deliver: ${deliver}${deliver_only ? ' (direct, no agent)' : ''}`,
]

async function list(flags: Flags, io: CommandIo): Promise<number> {
  if (flags.words.length > 0) throw usageError('webhook list takes no name.')
  const desk = await openDesk(flags, io)
  const { dir, settings } = desk
  const entries = await readSubscriptions(dir)
  const isOpen = !flags.isSet('no-secrets') && !flags.quirks.includes('webhooks.list-hides-secrets')
  const routes = [...entries].flatMap(([name, entry]) => {
    if (!isObject(entry)) return []
    const { read, route } = show(desk, name, entry)
    const { secret, ...others } = route
    const isShadowed = Object.hasOwn(settings.routes, name)
    const note = isShadowed
      ? 'is left out: a static route has its name'
      : hindrance(read, flags.quirks)
    return { route: isOpen && secret !== undefined ? route : others, note }
  })
  for (const name of strayNames(entries)) {
    io.stderr.write(
      printable(
        `The member ${JSON.stringify(name)} is no route; a gateway does not load the file with it.\n`,
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

type Listed = { readonly route: SubscriptionView; readonly note: string | undefined }

function listText(routes: readonly Listed[]): string {
  if (routes.length === 0)
    return 'There are no webhook subscriptions. Make one: flowdouble webhook subscribe NAME\n'
  const blocks = routes.map(({ route, note }) => {
    const { name, description, webhook_url, secret } = route
    const lines = [
      ...(description === '' ? [] : [description]),
      `URL:     ${webhook_url}`,
      ...(secret === undefined ? [] : [`Secret:  ${secret}`]),
      ...factLines(route),
      ...(note === undefined ? [] : [`Note:    it ${note}`]),
    ]
    return `${name}\n  ${lines.join('\n  ')}\n`
  })
  return `${routes.length} webhook subscription(s):\n\n${blocks.join('\n')}`
}

const unknown = (name: string): Error =>
  refused(
    `There is no subscription "${name}". flowdouble webhook list shows those that there are; ` +
      'static routes stand in config.yaml.',
  )

async function remove(flags: Flags, io: CommandIo): Promise<number> {
  const given = oneName(flags, 'remove')
  const { dir } = await openDesk(flags, io)
  const name = readName(given)
  const found = await findSubscriptions(dir)
  // A name that is not there is no reason to make a directory; a corrupt file is refused by whoever changes it.
  if (found !== undefined && !isObject(found.get(name))) throw unknown(name)
  await changeSubscriptions(dir, (entries) => {
    // Somebody else may have been faster.
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

/** The subscription that `webhook test` sends to. Throws a refusal where there is none. */
async function findRoute(flags: Flags, io: CommandIo): Promise<SubscriptionView> {
  const given = oneName(flags, 'test')
  const desk = await openDesk(flags, io)
  const name = readName(given)
  const entry = (await readSubscriptions(desk.dir)).get(name)
  if (!isObject(entry)) throw unknown(name)
  const { route } = show(desk, name, entry)
  if (route.secret !== undefined) requireSecret(route.secret, flags.quirks)
  return route
}
