// The options of a server: one table from which the command line, the config file, its JSON Schema and the defaults follow.

import { quirks } from '../spec/quirks.ts'
import type { Quirk } from '../spec/language.ts'

/** How the world's time passes: with the wall clock, so many times as fast, only when told to, or at once. */
export type Clock = 'real' | 'manual' | 'instant' | `x${number}`

/** Options of a server. Each has a default. */
export type ServerOptions = {
  /** TCP port; 0 takes a free one. */
  readonly port: number
  /** Address to listen on. */
  readonly host: string
  /** Ids, names and pictures depend on it. */
  readonly seed: string
  readonly clock: Clock
  /** Milliseconds of the world's time for each node and each step. */
  readonly pace: number
  /** Format of previews, or none. */
  readonly preview: 'jpeg' | 'png' | 'none'
  /** File with the `GET /object_info` of a server of one's own; the built-in catalogue when null. */
  readonly objectInfo: string | null
  readonly models: 'listed' | 'any'
  readonly unknownNodes: 'refuse' | 'accept'
  /** File that keeps all inputs and effects; null keeps the latest in memory only. */
  readonly journal: string | null
  /** Ids of quirks that are switched on. */
  readonly quirk: readonly string[]
  /** Start of the world's time: milliseconds since 1970, or `now`. */
  readonly epoch: number | 'now'
}

/** Wrong use of the command line or of this package: the message says what to do instead. */
export const usageError = (message: string): Error =>
  Object.assign(new Error(message), { code: 'USAGE' })

export const isUsageError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'USAGE'

/** The moment at which worlds start unless they are told otherwise: 2026-01-01, 00:00 UTC. */
export const FIXED_EPOCH_MS = 1767225600000

export const defaults: ServerOptions = {
  port: 8188,
  host: '127.0.0.1',
  seed: '0',
  clock: 'real',
  pace: 5,
  preview: 'jpeg',
  objectInfo: null,
  models: 'listed',
  unknownNodes: 'refuse',
  journal: null,
  quirk: [],
  epoch: FIXED_EPOCH_MS,
}

type OptionName = keyof ServerOptions

/** One option: how it is written, what it does, and how its text is read. */
export type OptionEntry = {
  readonly flag: string
  /** What stands for the value in the help. */
  readonly value: string
  readonly help: string
  /** Whether the flag may come more than once. */
  readonly many?: boolean
  readonly schema: Readonly<Record<string, unknown>>
  /** The value that a text stands for; undefined when it stands for none. */
  readonly read: (text: string) => unknown
}

const oneOf =
  (...words: readonly string[]) =>
  (text: string): string | undefined =>
    words.find((word) => word === text)

const wholeNumber =
  (min: number, max: number) =>
  (text: string): number | undefined => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
    return value >= min && value <= max ? value : undefined
  }

const decimal = (text: string): number | undefined =>
  /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined

const text = (value: string): string | undefined => (value === '' ? undefined : value)

const isLocal = ([, quirk]: [string, Quirk]): boolean => quirk.on.includes('local')
/** Quirks that a local server can be given. */
export const localQuirks: readonly string[] = Object.entries<Quirk>(quirks)
  .filter(isLocal)
  .map(([id]) => id)

const readClock = (value: string): Clock | undefined => {
  if (value === 'real' || value === 'manual' || value === 'instant') return value
  const scale = value.startsWith('x') ? decimal(value.slice(1)) : undefined
  return scale !== undefined && scale > 0 ? (value as Clock) : undefined
}

export const optionTable: Readonly<Record<OptionName, OptionEntry>> = {
  port: {
    flag: 'port',
    value: 'PORT',
    help: 'port to listen on; 0 takes a free one (default 8188)',
    schema: { type: 'integer', minimum: 0, maximum: 65535 },
    read: wholeNumber(0, 65535),
  },
  host: {
    flag: 'host',
    value: 'ADDRESS',
    help: 'address to listen on (default 127.0.0.1, reachable from this machine only)',
    schema: { type: 'string', minLength: 1 },
    read: text,
  },
  seed: {
    flag: 'seed',
    value: 'TEXT',
    help: 'seed of ids, names and pictures: same seed and inputs, same bytes (default 0)',
    schema: { type: ['string', 'integer'] },
    read: text,
  },
  clock: {
    flag: 'clock',
    value: 'CLOCK',
    help: 'real, xN (N times as fast), instant, or manual (POST /_flowdouble/advance) (default real)',
    schema: { type: 'string', pattern: '^(real|manual|instant|x[0-9]+(\\.[0-9]+)?)$' },
    read: readClock,
  },
  pace: {
    flag: 'pace',
    value: 'MS',
    help: 'milliseconds that each node and each sampling step takes (default 5)',
    schema: { type: 'number', minimum: 0 },
    read: decimal,
  },
  preview: {
    flag: 'preview',
    value: 'FORMAT',
    help: 'previews while sampling: jpeg, png or none (default jpeg)',
    schema: { enum: ['jpeg', 'png', 'none'] },
    read: oneOf('jpeg', 'png', 'none'),
  },
  objectInfo: {
    flag: 'object-info',
    value: 'FILE',
    help: 'node types from the GET /object_info of your own server, saved to a file',
    schema: { type: ['string', 'null'] },
    read: text,
  },
  models: {
    flag: 'models',
    value: 'WHICH',
    help: 'any: accept model file names that the catalogue does not list (default listed)',
    schema: { enum: ['listed', 'any'] },
    read: oneOf('listed', 'any'),
  },
  unknownNodes: {
    flag: 'unknown-nodes',
    value: 'WHAT',
    help: 'accept: run node types that are not known as pass-through (default refuse)',
    schema: { enum: ['refuse', 'accept'] },
    read: oneOf('refuse', 'accept'),
  },
  journal: {
    flag: 'journal',
    value: 'FILE',
    help: 'keep all inputs and effects in this file, one JSON object per line',
    schema: { type: ['string', 'null'] },
    read: text,
  },
  quirk: {
    flag: 'quirk',
    value: 'ID',
    help: 'switch on another behaviour of real servers; may come more than once (flowdouble quirks)',
    many: true,
    schema: { type: 'array', items: { enum: localQuirks } },
    read: oneOf(...localQuirks),
  },
  epoch: {
    flag: 'epoch',
    value: 'MS',
    help: "start of the server's time in milliseconds since 1970, or now (default 2026-01-01 UTC)",
    schema: { anyOf: [{ type: 'integer', minimum: 0 }, { const: 'now' }] },
    read: (value) => (value === 'now' ? 'now' : wholeNumber(0, 8.64e15)(value)),
  },
}

/**
 * Completes options given by a caller with the defaults.
 * Throws a usage error for an unknown name or an unusable value; `where` says in which words the option was given.
 */
export function completeOptions(
  given: Readonly<Record<string, unknown>>,
  where: (name: string) => string = (name) => `option ${name}`,
): ServerOptions {
  const options: Record<string, unknown> = { ...defaults }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (!isOptionName(name)) throw usageError(`There is no ${where(name)}. Known: ${knownNames()}.`)
    options[name] = readValue(name, value, where(name))
  }
  return options as ServerOptions
}

const isOptionName = (name: string): name is OptionName => Object.hasOwn(optionTable, name)
const knownNames = (): string => Object.keys(optionTable).join(', ')

function readValue(name: OptionName, value: unknown, where: string): unknown {
  const entry = optionTable[name]
  if (value === null && defaults[name] === null) return null
  if (entry.many) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return values.map((item) => readOne(entry, item, where))
  }
  return readOne(entry, value, where)
}

function readOne(entry: OptionEntry, value: unknown, where: string): unknown {
  const scalar = typeof value === 'string' || typeof value === 'number'
  const read = scalar ? entry.read(`${value}`) : undefined
  if (read !== undefined) return read
  const shown = scalar ? `"${value}"` : JSON.stringify(value)
  const known = entry.flag === 'quirk' ? `\nKnown quirks:\n  ${localQuirks.join('\n  ')}` : ''
  throw usageError(`${where} cannot be ${shown}: ${entry.help}.${known}`)
}

/** The JSON Schema of the config file. */
export const configSchema = (): unknown => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Configuration of flowdouble serve',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    ...Object.fromEntries(
      Object.entries(optionTable).map(([name, { help, schema }]) => [
        name,
        { description: help, ...schema },
      ]),
    ),
  },
})
