// Reads the settings of the gateway by their table, from candidates to effective values.

import {
  type GatewaySetting,
  gatewaySettings,
  switchWords,
} from '../../spec/gateway/subscriptions.ts'
import type { OwnSchemes } from '../gateway/post/schemes.ts'
import { refused } from '../lib/refused.ts'
import { schemesFault } from '../options/gateway-schemes.ts'

/** The effective settings. */
export type Settings = {
  readonly enabled: boolean
  readonly host: string
  readonly port: number
  /** The global secret, or null. */
  readonly secret: string | null
  /** The public base URL without a slash at its end; null for host and port. */
  readonly base_url: string | null
  /** Static routes by name, as written. */
  readonly routes: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Further schemes of signatures by name. */
  readonly schemes: OwnSchemes
  readonly rate_limit: number
  /** In bytes. */
  readonly max_body_bytes: number
}

/** A value from one source, and how an error names its place. Null, undefined and an empty text count as absent. */
export type Candidate = { readonly value: unknown; readonly where: string }

type SettingName = keyof typeof gatewaySettings
export type NamedSetting = GatewaySetting & { readonly name: SettingName }

/** Takes the first present value for each setting. Throws a refusal for an invalid one. */
export function decide(candidatesOf: (setting: NamedSetting) => readonly Candidate[]): Settings {
  const settled = Object.entries<GatewaySetting>(gatewaySettings).map(([name, setting]) => {
    const named = { ...setting, name: name as SettingName }
    const first = candidatesOf(named).find(
      ({ value }) => value !== undefined && value !== null && value !== '',
    )
    return [name, first === undefined ? setting.default : readCandidate(named, first)]
  })
  const settings = Object.fromEntries(settled) as Settings
  return { ...settings, routes: settings.routes ?? {}, schemes: settings.schemes ?? {} }
}

function readCandidate(setting: NamedSetting, { value, where }: Candidate): unknown {
  const usable = readers[setting.type](value) ?? refuse(setting, value, where)
  const fault = setting.name === 'schemes' ? schemesFault(usable) : undefined
  if (fault !== undefined) throw refused(`${where}: ${fault}.`)
  const more = checks[setting.name]
  return more === undefined ? usable : (more(usable) ?? refuse(setting, value, where))
}

/** Converts values to each type; undefined for an invalid one. */
const readers: Readonly<Record<GatewaySetting['type'], (value: unknown) => unknown>> = {
  boolean: (value) => (isOn(value) ? true : isOff(value) ? false : undefined),
  integer: (value) => {
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
    return Number.isSafeInteger(number) && (number as number) >= 0 ? number : undefined
  },
  text: (value) => (typeof value === 'string' ? value : undefined),
  object: (value) => (isMap(value) ? value : undefined),
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Checks beyond the type, with the form that the code uses. */
const checks: Partial<Record<SettingName, (value: unknown) => unknown>> = {
  host: (value) => String(value).trim() || undefined,
  port: (value) => ((value as number) < 65_536 ? value : undefined),
  base_url: (value) => readBaseUrl(String(value)),
  routes: (value) => (Object.values(value as object).every(isMap) ? value : undefined),
}

/** An http or https URL without query, credentials and slash at its end; undefined for any other text. */
export function readBaseUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password } = new URL(text)
  // An empty query counts: what follows it would not be a path.
  const isUsable = /^https?:$/.test(protocol) && username + password === '' && !/[?#]/.test(text)
  return isUsable ? text.trim().replace(/\/+$/, '') : undefined
}

const needs: Readonly<Record<GatewaySetting['type'], string>> = {
  boolean: `one of ${[...switchWords.on, ...switchWords.off].join(', ')}`,
  integer: 'a whole number, 0 or more',
  text: 'a string (quote digits)',
  object: 'a map',
}
const ownNeeds: Partial<Record<SettingName, string>> = {
  port: 'a port, 0 to 65535',
  base_url: 'a URL that begins with http:// or https://, without query and password',
  routes: 'a map of routes, each of them a map',
}

function refuse({ name, type, secret }: NamedSetting, value: unknown, where: string): never {
  const text = displayText(value)
  // URLs can contain a password.
  const isShown = text !== '' && secret === undefined && !text.includes('@')
  const found = isShown ? `, not ${JSON.stringify(text.slice(0, 60))}` : ''
  throw refused(`${where} must be ${ownNeeds[name] ?? needs[type]}${found}.`)
}

const displayText = (value: unknown): string =>
  typeof value === 'object' ? '' : `${value as string | number | boolean}`

const isWord = (words: readonly string[], value: unknown): boolean =>
  words.includes(displayText(value).trim().toLowerCase())

/** Whether a value switches something on [subscriptions/switch-words]. */
export const isOn = (value: unknown): boolean => isWord(switchWords.on, value)
const isOff = (value: unknown): boolean => isWord(switchWords.off, value)

/** The base URL to print: the configured one, or host and port; prints localhost for all interfaces. */
export function baseUrlOf({ base_url, host, port }: Settings): string {
  if (base_url !== null) return base_url
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}
