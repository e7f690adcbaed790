// The settings of the gateway by their table: from what was found to what holds.

import {
  type GatewaySetting,
  gatewaySettings,
  switchWords,
} from '../../spec/gateway/subscriptions.ts'
import { refused } from '../lib/refused.ts'

/** The settings that hold. */
export type Settings = {
  readonly enabled: boolean
  readonly host: string
  readonly port: number
  /** The global secret, or null. */
  readonly secret: string | null
  /** The address that senders use, without a slash at its end, or null where it is host and port. */
  readonly base_url: string | null
  /** Static routes by name, as they are written. */
  readonly routes: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly rate_limit: number
  /** In bytes. */
  readonly max_body_bytes: number
}

/** A value that one of the sources has, and the words for its place. Null, undefined and an empty text are no value. */
export type Candidate = { readonly value: unknown; readonly where: string }

type Name = keyof typeof gatewaySettings
export type Named = GatewaySetting & { readonly name: Name }

/** Settles each setting by the first value that is there. Throws a refusal for one that cannot be used. */
export function decide(candidatesOf: (setting: Named) => readonly Candidate[]): Settings {
  const settled = Object.entries<GatewaySetting>(gatewaySettings).map(([name, setting]) => {
    const named = { ...setting, name: name as Name }
    const first = candidatesOf(named).find(
      ({ value }) => value !== undefined && value !== null && value !== '',
    )
    return [name, first === undefined ? setting.default : read(named, first)]
  })
  const settings = Object.fromEntries(settled) as Settings
  return { ...settings, routes: settings.routes ?? {} }
}

function read(setting: Named, { value, where }: Candidate): unknown {
  const usable = readers[setting.type](value) ?? refuse(setting, value, where)
  const more = checks[setting.name]
  return more === undefined ? usable : (more(usable) ?? refuse(setting, value, where))
}

/** Values of each type, or undefined for what is none. */
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

/** What a value is to be beyond its type, and the form in which it is used. */
const checks: Partial<Record<Name, (value: unknown) => unknown>> = {
  host: (value) => String(value).trim() || undefined,
  port: (value) => ((value as number) < 65_536 ? value : undefined),
  base_url: (value) => readBaseUrl(String(value)),
  routes: (value) => (Object.values(value as object).every(isMap) ? value : undefined),
}

/** An http or https address without query and credentials, and without a slash at its end; undefined for any other text. */
export function readBaseUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password } = new URL(text)
  // An empty query is one too: whatever is put behind it is no path.
  const isUsable = /^https?:$/.test(protocol) && username + password === '' && !/[?#]/.test(text)
  return isUsable ? text.trim().replace(/\/+$/, '') : undefined
}

const needs: Readonly<Record<GatewaySetting['type'], string>> = {
  boolean: `one of ${[...switchWords.on, ...switchWords.off].join(', ')}`,
  integer: 'a whole number, 0 or more',
  text: 'a text (digits alone stand in quotes)',
  object: 'a map',
}
const ownNeeds: Partial<Record<Name, string>> = {
  port: 'a port, 0 to 65535',
  base_url: 'an address that begins with http:// or https://, without query and password',
  routes: 'a map of routes, each of them a map',
}

function refuse({ name, type, secret }: Named, value: unknown, where: string): never {
  const text = textOf(value)
  // Addresses can hold a password.
  const isShown = text !== '' && secret === undefined && !text.includes('@')
  const found = isShown ? `, not ${JSON.stringify(text.slice(0, 60))}` : ''
  throw refused(`${where} has to be ${ownNeeds[name] ?? needs[type]}${found}.`)
}

const textOf = (value: unknown): string =>
  typeof value === 'object' ? '' : `${value as string | number | boolean}`

const isWord = (words: readonly string[], value: unknown): boolean =>
  words.includes(textOf(value).trim().toLowerCase())

/** Whether a value switches something on [subscriptions/switch-words]. */
export const isOn = (value: unknown): boolean => isWord(switchWords.on, value)
const isOff = (value: unknown): boolean => isWord(switchWords.off, value)

/** The address that is printed: the base that is set, or host and port; all interfaces are shown as localhost. */
export function baseUrlOf({ base_url, host, port }: Settings): string {
  if (base_url !== null) return base_url
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}
