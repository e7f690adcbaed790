// The flags of `gateway run` that say who answers runs, and where deliveries go.

import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { logTarget, senders } from '../../spec/gateway/deliveries.ts'
import { gatewaySettings } from '../../spec/gateway/subscriptions.ts'
import { printable } from '../client/printable.ts'
import { commandAgent, urlAgent } from '../edge/gateway/agent.ts'
import { readAddress } from '../edge/gateway/call.ts'
import {
  type Agent,
  type GatewayOptionsGiven as GatewayOptions,
  platformsFault,
} from '../options/gateway.ts'
import {
  readPlatforms,
  tokenVariables,
  type PlatformSettings,
} from '../edge/gateway/sender-settings.ts'
import { senderDeliveries, urlDeliveries } from '../edge/gateway/senders.ts'
import { readList } from '../gateway/routes.ts'
import { usageError } from '../options/usage.ts'
import { bare, type Flags, type FlagTable, repeated, withValue } from './command.ts'
import type { CommandIo } from './io.ts'

/** The flags of this file. */
export const workFlags: FlagTable = {
  ...repeated('agent-command'),
  ...withValue('agent-url', 'agent-timeout', 'agents-at-once', 'deliver-url', 'connected'),
  ...bare('send'),
}

export const workHelp = `  --agent-command WORD   a command that answers each run, without a shell: the prompt is its input,
                         what it prints the answer; repeated for each argument, or a JSON list of them
  --agent-url URL        an address that answers instead: POST of JSON, answered with {"answer"} or text
  --agent-timeout S      so many seconds for each run (default 600)
  --agents-at-once N     so many runs at a time, the others wait (default 10)
  --deliver-url URL      each delivery is one POST of JSON to this address
  --connected LIST       the chat platforms that are connected, separated by commas: deliveries to others
                         fail (default: all that have a chat or a home channel)
  --send                 send to ${Object.keys(senders).join(', ')}
                         with the credentials of config.yaml or the environment`

type WorkOptions = Pick<
  GatewayOptions,
  'agent' | 'agentTimeOutMs' | 'agentsAtOnce' | 'deliveries' | 'homeChannels' | 'connected'
>

/** What the flags mean for a gateway, and in words for people: neither tells a credential. */
export type GatewayWork = {
  readonly options: WorkOptions
  readonly display: { readonly agent: string; readonly deliveries: string }
}

/** Reads the flags, and the configuration of senders. Throws a usage error or a refusal for what cannot be used. */
export async function readWork(flags: Flags, io: CommandIo, dir: string): Promise<GatewayWork> {
  const platforms = await readPlatforms(dir, io.env, flags.isSet('send'))
  const agent = agentOf(flags, io)
  const deliveries = deliveriesOf(flags, platforms)
  const seconds = countOf(flags, 'agent-timeout')
  const agentsAtOnce = countOf(flags, 'agents-at-once')
  return {
    options: {
      ...agent.options,
      ...(seconds !== undefined && { agentTimeOutMs: seconds * 1000 }),
      ...(agentsAtOnce !== undefined && { agentsAtOnce }),
      ...deliveries.options,
      homeChannels: platforms.homeChannels,
      connected: connectedOf(flags),
    },
    display: { agent: agent.display, deliveries: deliveries.display },
  }
}

function countOf(flags: Flags, name: string): number | undefined {
  const text = flags.text(name)
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,5}$/.test(text)) throw usageError(`--${name} needs a whole number from 1 on.`)
  return Number(text)
}

/** The platforms of --connected; null where it is not given. */
function connectedOf(flags: Flags): readonly string[] | null {
  const text = flags.text('connected')
  if (text === undefined) return null
  const names = readList(text)
  const fault = platformsFault(names)
  if (fault !== undefined) throw usageError(`--connected: ${fault}.`)
  return names
}

type Chosen<T> = { readonly options: T; readonly display: string }

function agentOf(flags: Flags, io: CommandIo): Chosen<{ readonly agent?: Agent }> {
  const command = commandIn(flags.texts('agent-command'))
  const address = flags.text('agent-url')
  if (command !== undefined && address !== undefined)
    throw usageError('There is one agent: give --agent-command or --agent-url.')
  if (address !== undefined) {
    const url = readAddress(address, '--agent-url')
    return { options: { agent: urlAgent(url) }, display: url.origin }
  }
  if (command === undefined) return { options: {}, display: 'scripted: it repeats the prompt' }
  const onFailure = (
    { route, delivery_id }: { route: string; delivery_id: string },
    said: string,
  ) =>
    io.stderr.write(printable(`The agent said in run ${delivery_id} of ${route}: ${said.trim()}\n`))
  requireCommand(command[0] ?? '', io)
  const around = { cwd: io.cwd, env: withoutCredentials(io.env), onFailure }
  return { options: { agent: commandAgent(command, around) }, display: `the command ${command[0]}` }
}

/** Throws a usage error for a command that cannot be started: each run would fail, one after the other. */
function requireCommand(command: string, { env, cwd }: CommandIo): void {
  // How Windows finds programs is more than a list of folders.
  if (process.platform === 'win32') return
  const folders = command.includes('/') ? [''] : (env['PATH'] ?? '').split(delimiter)
  if (folders.some((folder) => isExecutable(resolve(cwd, folder, command)))) return
  throw usageError(
    `--agent-command: there is no program ${printable(command)} that can be started.`,
  )
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The words of a command: as many as were given, or those of a JSON list. */
function commandIn(words: readonly string[]): readonly string[] | undefined {
  const [first] = words
  if (first === undefined) return undefined
  const command = words.length === 1 && first.startsWith('[') ? listIn(first) : words
  if (!command?.[0] || command.some((word) => word.includes('\0')))
    throw usageError(
      '--agent-command needs a command, or a JSON list of texts that begins with it.',
    )
  return command
}

function listIn(text: string): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(text)
    const isList = Array.isArray(list) && list.every((word) => typeof word === 'string')
    return isList ? list : undefined
  } catch {
    return undefined
  }
}

/**
 * An agent reads what strangers write: it has no need of what the gateway itself reads as credentials, whether it sends
 * with them now or not [deliveries/agent-environment].
 */
function withoutCredentials(env: CommandIo['env']): CommandIo['env'] {
  const hidden = new Set<string>([gatewaySettings.secret.variable, ...tokenVariables])
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)))
}

function deliveriesOf(
  flags: Flags,
  { senders: settings }: PlatformSettings,
): Chosen<Pick<GatewayOptions, 'deliveries'>> {
  const address = flags.text('deliver-url')
  if (address !== undefined && flags.isSet('send'))
    throw usageError('Deliveries go one way: give --deliver-url or --send.')
  if (address !== undefined) {
    const url = readAddress(address, '--deliver-url')
    return { options: { deliveries: urlDeliveries(url) }, display: url.origin }
  }
  if (!flags.isSet('send')) {
    return { options: {}, display: `${logTarget} to this output, others to the outbox only` }
  }
  const ready = Object.keys(settings).filter((target) => settings[target]?.token !== null)
  return {
    options: { deliveries: senderDeliveries(settings) },
    display:
      ready.length === 0 ? 'sent, but no sender has a credential' : `sent by ${ready.join(', ')}`,
  }
}
