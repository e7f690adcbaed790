// The flags of `gateway run` that choose the agent and the destination of deliveries.

import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { logTarget, senders } from '../../../spec/gateway/deliveries.ts'
import { configFiles, gatewaySettings } from '../../../spec/gateway/subscriptions.ts'
import { printable } from '../../client/terminal-text.ts'
import { commandAgent, urlAgent } from '../../edge/gateway/agent.ts'
import { readAddress } from '../../edge/gateway/call.ts'
import {
  type Agent,
  type GatewayOptionsInput as GatewayOptions,
  platformsFault,
} from '../../options/gateway.ts'
import {
  readPlatforms,
  tokenVariables,
  type PlatformSettings,
} from '../../edge/gateway/sender-settings.ts'
import { senderDeliveries, urlDeliveries } from '../../edge/gateway/senders.ts'
import { readList } from '../../gateway/state/routes.ts'
import type { DeliveryPlan } from '../../gateway/route-checks.ts'
import { refused } from '../../lib/refused.ts'
import { usageError } from '../../options/usage.ts'
import { bare, type Flags, type FlagTable, repeated, withValue } from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'
import { variableOf } from '../lib/variables.ts'

/** The flags of this file. */
export const workFlags: FlagTable = {
  ...repeated('agent-command'),
  ...withValue('agent-url', 'agent-timeout', 'agents-at-once', 'deliver-url', 'connected'),
  ...bare('send'),
}

export const workHelp = `  --agent-command WORD   command that answers each run, started without a shell: reads the prompt on
                         stdin, prints the answer; repeat the flag per argument, or give a JSON array
  --agent-url URL        URL that answers each run instead: POST with JSON, answered with {"answer"} or text
  --agent-timeout S      time limit per run in seconds (default 600)
  --agents-at-once N     maximum number of concurrent runs; further runs wait (default 10)
  --deliver-url URL      post each delivery as JSON to this URL
  --connected LIST       connected chat platforms, comma-separated; deliveries to any other platform
                         fail (default: all with a chat or a home channel)
  --send                 deliver to ${Object.keys(senders).join(', ')}
                         with the credentials in ${tokenVariables.slice(0, 2).join(', ')},
                         ${tokenVariables.slice(2).join(', ')}, or platforms.TARGET.token of config.yaml`

type WorkOptions = Pick<
  GatewayOptions,
  'agent' | 'agentTimeOutMs' | 'agentsAtOnce' | 'deliveries' | 'homeChannels' | 'connected'
>

/** The gateway options that the flags select, and a description of them. Neither contains a credential. */
export type GatewayWork = {
  readonly options: WorkOptions
  readonly display: { readonly agent: string; readonly deliveries: string }
  readonly plan: DeliveryPlan
}

/** Reads the flags and the sender settings. Throws a usage error or a refusal for what it cannot use. */
export async function readWork(flags: Flags, io: CommandIo, dir: string): Promise<GatewayWork> {
  const platforms = await readPlatforms(dir, io.env, flags.isSet('send'))
  const agent = chooseAgent(flags, io)
  const deliveries = deliveriesOf(flags, platforms, dir)
  const connected = connectedPlatforms(flags)
  const seconds = countOf(flags, 'agent-timeout')
  const agentsAtOnce = countOf(flags, 'agents-at-once')
  return {
    options: {
      ...agent.options,
      ...(seconds !== undefined && { agentTimeOutMs: seconds * 1000 }),
      ...(agentsAtOnce !== undefined && { agentsAtOnce }),
      ...deliveries.options,
      homeChannels: platforms.homeChannels,
      connected,
    },
    display: { agent: agent.display, deliveries: deliveries.display },
    plan: {
      homeChannels: platforms.homeChannels,
      connected,
      credentials: flags.isSet('send') ? new Set(withCredential(platforms)) : null,
      isReal: deliveries.options.deliveries !== undefined,
    },
  }
}

/** A flag with a positive whole number; undefined without it. */
export function countOf(flags: Flags, name: string, least = 1): number | undefined {
  const text = flags.text(name)
  if (text === undefined) return undefined
  const count = Number(text)
  if (/^\d{1,6}$/.test(text) && count >= least) return count
  throw usageError(`--${name} must be a ${least === 0 ? 'whole number' : 'positive whole number'}.`)
}

/** The platforms of --connected; null without the flag. */
function connectedPlatforms(flags: Flags): readonly string[] | null {
  const text = flags.text('connected')
  if (text === undefined) return null
  const names = readList(text)
  const fault = platformsFault(names)
  if (fault !== undefined) throw usageError(`--connected: ${fault}.`)
  return names
}

type Choice<T> = { readonly options: T; readonly display: string }

function chooseAgent(flags: Flags, io: CommandIo): Choice<{ readonly agent?: Agent }> {
  const command = commandIn(flags.texts('agent-command'))
  const address = flags.text('agent-url')
  if (command !== undefined && address !== undefined)
    throw usageError('Give --agent-command or --agent-url, not both.')
  if (address !== undefined) {
    const url = readAddress(address, '--agent-url')
    return { options: { agent: urlAgent(url) }, display: url.origin }
  }
  if (command === undefined) return { options: {}, display: 'scripted: echoes the prompt' }
  const onFailure = (
    { route, delivery_id }: { route: string; delivery_id: string },
    said: string,
  ) =>
    io.stderr.write(printable(`Agent output in run ${delivery_id} of ${route}: ${said.trim()}\n`))
  requireCommand(command[0] ?? '', io)
  const around = { cwd: io.cwd, env: withoutCredentials(io.env), onFailure }
  return { options: { agent: commandAgent(command, around) }, display: `the command ${command[0]}` }
}

/** Throws a usage error for a command that cannot start: every run would fail. */
function requireCommand(command: string, { env, cwd }: CommandIo): void {
  // Windows finds programs by more than a list of directories.
  if (process.platform === 'win32') return
  const folders = command.includes('/') ? [''] : (env['PATH'] ?? '').split(delimiter)
  if (folders.some((folder) => isExecutable(resolve(cwd, folder, command)))) return
  throw usageError(`--agent-command: cannot find an executable named ${printable(command)}.`)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The words of a command: the repeated flags, or the items of one JSON array. */
function commandIn(words: readonly string[]): readonly string[] | undefined {
  const [first] = words
  if (first === undefined) return undefined
  const command = words.length === 1 && first.startsWith('[') ? listIn(first) : words
  if (!command?.[0] || command.some((word) => word.includes('\0')))
    throw usageError(
      '--agent-command needs a command, or a JSON array of strings that starts with it.',
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
 * An agent reads untrusted text, so it never inherits the variables that the gateway itself reads as credentials, whether
 * or not the gateway sends with them [deliveries/agent-environment].
 */
function withoutCredentials(env: CommandIo['env']): CommandIo['env'] {
  const hidden = new Set<string>([
    gatewaySettings.secret.variable,
    ...tokenVariables,
    ...['control-token', 'store'].map(variableOf),
    'PGPASSWORD',
  ])
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)))
}

function deliveriesOf(
  flags: Flags,
  platforms: PlatformSettings,
  dir: string,
): Choice<Pick<GatewayOptions, 'deliveries'>> {
  const address = flags.text('deliver-url')
  if (address !== undefined && flags.isSet('send'))
    throw usageError('Give --deliver-url or --send, not both.')
  if (address !== undefined) {
    const url = readAddress(address, '--deliver-url')
    return { options: { deliveries: urlDeliveries(url) }, display: url.origin }
  }
  if (!flags.isSet('send')) {
    return {
      options: {},
      display: `${logTarget} to this output; all others are recorded in the outbox, not sent`,
    }
  }
  const ready = withCredential(platforms)
  if (ready.length === 0) {
    const { name: env } = configFiles.env
    throw refused(
      `--send needs a credential. Set one of ${credentials} in the environment or in ${dir}/${env}, or platforms.TARGET.token in ${configFiles.config.name}.`,
    )
  }
  return {
    options: { deliveries: senderDeliveries(platforms.senders) },
    display: `sent by ${ready.join(', ')}`,
  }
}

/** The targets whose sender has a credential. */
const withCredential = ({ senders: settings }: PlatformSettings): readonly string[] =>
  Object.keys(settings).filter((target) => settings[target]?.token !== null)

/** The variables of all senders, each with its target. */
const credentials = Object.entries(senders)
  .map(([target, { tokenVariable }]) => `${tokenVariable} (${target})`)
  .join(', ')
