// The configuration of senders: credentials, base URLs, and the default chats.

import { pathValue, platforms, type Sender, senders } from '../../../spec/gateway/deliveries.ts'
import { configFiles } from '../../../spec/gateway/subscriptions.ts'
import { refused } from '../../lib/refused.ts'
import {
  type Environment,
  readSources,
  type ConfigSources,
  valueAt,
} from '../../config/config-dir.ts'
import { readBaseUrl } from '../../config/settings.ts'

export type SenderSettings = {
  /** The credential, or null. */
  readonly token: string | null
  /** Without a slash at its end. */
  readonly baseUrl: string
}

export type PlatformSettings = {
  /** By target; empty if nothing is sent. */
  readonly senders: Readonly<Record<string, SenderSettings>>
  /** By platform. */
  readonly homeChannels: Readonly<Record<string, string>>
}

const table = Object.entries<Sender>(senders)

/** The variables that contain credentials of senders. */
export const tokenVariables = table.map(([, { tokenVariable }]) => tokenVariable)

/**
 * Reads `platforms` of config.yaml, and variables, which override it. Throws a refusal, which repeats no value, for an
 * invalid setting. Without `sends` it reads no credential and no URL.
 */
export async function readPlatforms(
  dir: string,
  env: Environment,
  sends: boolean,
): Promise<PlatformSettings> {
  const sources = await readSources(dir, env)
  const homeChats = platforms.flatMap((platform) => {
    const variable = table.find(([target]) => target === platform)?.[1].homeVariable
    const found = findSetting(sources, `platforms.${platform}.home_channel`, variable)
    return found === undefined ? [] : [[platform, settingText(found)]]
  })
  const own = sends
    ? table.map(([target, sender]) => [target, settingsOf(target, sender, sources)])
    : []
  return {
    senders: Object.fromEntries(own) as PlatformSettings['senders'],
    homeChannels: Object.fromEntries(homeChats) as PlatformSettings['homeChannels'],
  }
}

type SettingValue = { readonly value: unknown; readonly where: string }

/** The value from the first source that has it: a variable, then config.yaml. An empty text counts as absent. */
function findSetting(
  { config, variables }: ConfigSources,
  key: string,
  variable?: string,
): SettingValue | undefined {
  const candidates: SettingValue[] = []
  if (variable !== undefined)
    for (const one of variables) candidates.push({ value: one[variable], where: variable })
  candidates.push({ value: valueAt(config, key), where: `${key} of ${configFiles.config.name}` })
  return candidates.find(({ value }) => value !== undefined && value !== null && value !== '')
}

/** A text; or a number, because YAML reads ids as numbers. */
function settingText({ value, where }: SettingValue): string {
  if (typeof value === 'string') return value
  if (Number.isSafeInteger(value)) return `${value as number}`
  throw refused(`${where} must be a string (quote long numbers).`)
}

function settingsOf(target: string, sender: Sender, sources: ConfigSources): SenderSettings {
  // The block has the name of the target [deliveries/sender-block].
  const block = `platforms.${target}`
  const token = findSetting(sources, `${block}.token`, sender.tokenVariable)
  const base = findSetting(sources, `${block}.base_url`)
  return {
    token: token === undefined ? null : tokenIn(token, sender),
    baseUrl: base === undefined ? sender.baseUrl : baseIn(base),
  }
}

function tokenIn(found: SettingValue, { path }: Sender): string {
  const token = settingText(found).trim()
  const form = path.includes('{token}') ? pathValue : /^[\x21-\x7e]+$/
  if (form.test(token)) return token
  throw refused(
    `${found.where} is not a valid credential: it contains characters that a request cannot carry.`,
  )
}

function baseIn(found: SettingValue): string {
  const base = readBaseUrl(settingText(found))
  if (base !== undefined) return base
  throw refused(
    `${found.where} must be a URL that begins with http:// or https://, without query and password.`,
  )
}
