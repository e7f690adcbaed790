// The table of options from which the command line, the config file and its JSON Schema follow.

import { limits } from '../../spec/limits.ts'
import { quirks } from '../../spec/truth/quirks.ts'
import type { Deployment, Quirk } from '../../spec/language.ts'
import { accountsSchema, readAccounts } from './accounts.ts'
import { isHeaderText } from './header-text.ts'
import { failuresSchema, readFailures } from './failures.ts'
import type { Clock, OptionName } from './server-options.ts'

/** One option: how it is written, what it does, and how its text is read. */
export type OptionEntry = {
  readonly flag: string
  /** What stands for the value in the help. */
  readonly value: string
  readonly help: string
  /** The only deployment that looks at it, where it is not for both. */
  readonly on?: Deployment
  /** Whether the flag may come more than once. */
  readonly many?: boolean
  /** What the flag stands for when it comes alone. */
  readonly bare?: string
  /** Whether its value is a secret, which no message repeats. */
  readonly secret?: true
  readonly schema: Readonly<Record<string, unknown>>
  /** The value that a text stands for; undefined when it stands for none. */
  readonly read: (text: string) => unknown
  /** Reads a value that is more than a text, or gives the reason why it cannot be used. The flag then names a file. */
  readonly readWhole?: (value: unknown) => object | string
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

const headerText = (value: string): string | undefined => (isHeaderText(value) ? value : undefined)

const onOrOff = (value: string): boolean | undefined =>
  value === 'true' || value === 'false' ? value === 'true' : undefined

/** The address of a host, without a path: what stands before the path of a signed link. */
const hostAddress = (value: string): string | undefined =>
  /^(https?:\/\/[^/?#@\s]+)\/?$/i.exec(value)?.[1]

const quirksThat = (holds: (on: Quirk['on']) => boolean): readonly string[] =>
  Object.entries<Quirk>(quirks).flatMap(([id, { on }]) => (holds(on) ? id : []))
/** Quirks of the workflow server, whatever its deployment. Those of the webhook gateway are not among them. */
export const quirkIds = quirksThat((on) => !on.includes('gateway'))
/** Quirks that a server of this deployment can be given. */
export const quirksOf = (deployment: Deployment): readonly string[] =>
  quirksThat((on) => on.includes(deployment))

const readClock = (value: string): Clock | undefined => {
  if (value === 'real' || value === 'manual' || value === 'instant') return value
  const scale = value.startsWith('x') ? decimal(value.slice(1)) : undefined
  return scale !== undefined && scale > 0 ? (value as Clock) : undefined
}

export const optionTable: Readonly<Record<OptionName, OptionEntry>> = {
  deployment: {
    flag: 'deployment',
    value: 'WHICH',
    help: 'local; hosted: paths below /api, keys, accounts; serve: both, two servers (default local)',
    schema: { enum: ['local', 'hosted', 'both'] },
    read: oneOf('local', 'hosted'),
  },
  accounts: {
    flag: 'accounts',
    value: 'FILE',
    help: 'who may use a hosted server: a JSON list of {user, keys, tier, balance, ...}',
    on: 'hosted',
    schema: accountsSchema,
    read: () => undefined,
    readWhole: readAccounts,
  },
  failures: {
    flag: 'failures',
    value: 'FILE',
    help: 'which nodes fail: a JSON list of {class_type, node_id, user, run, exception_type, ...}',
    schema: failuresSchema,
    read: () => undefined,
    readWhole: readFailures,
  },
  port: {
    flag: 'port',
    value: 'PORT',
    help: 'port to listen on, the first of those needed; 0: free ones (default 8188, hosted 8189)',
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
    help: 'listed, or any to accept unlisted model files, which fail the run on hosted (default listed)',
    schema: { enum: ['listed', 'any'] },
    read: oneOf('listed', 'any'),
  },
  unknownNodes: {
    flag: 'unknown-nodes',
    value: 'WHAT',
    help: 'refuse, or accept to run unknown node types as pass-through (default refuse)',
    schema: { enum: ['refuse', 'accept'] },
    read: oneOf('refuse', 'accept'),
  },
  journal: {
    flag: 'journal',
    value: 'FILE',
    help: 'keep all inputs and effects in this file, one JSON object per line (both: one file each)',
    schema: { type: ['string', 'null'] },
    read: text,
  },
  overwrite: {
    flag: 'overwrite',
    value: '',
    help: 'replace a journal file that is there already, instead of refusing to start',
    bare: 'true',
    schema: { type: 'boolean' },
    read: onOrOff,
  },
  quirk: {
    flag: 'quirk',
    value: 'ID',
    help: 'switch on another behaviour of real servers; may come more than once (flowdouble quirks)',
    many: true,
    schema: { type: 'array', items: { enum: quirkIds } },
    read: oneOf(...quirkIds),
  },
  cors: {
    flag: 'cors',
    value: '[ORIGIN]',
    help: 'let pages of this origin (alone: of any) use the server, instead of refusing foreign ones',
    on: 'local',
    bare: '*',
    schema: { type: ['string', 'null'], minLength: 1 },
    read: headerText,
  },
  token: {
    flag: 'token',
    value: 'TOKEN',
    help: 'bearer token that each local request needs; --token-env keeps it out of the process list',
    on: 'local',
    secret: true,
    schema: { type: ['string', 'null'], minLength: 1 },
    read: headerText,
  },
  controlToken: {
    flag: 'control-token',
    value: 'TOKEN',
    help: 'bearer token with which callers from elsewhere use /_flowdouble/ (default: this machine only)',
    secret: true,
    schema: { type: ['string', 'null'], minLength: 1 },
    read: headerText,
  },
  maxBody: {
    flag: 'max-upload-size',
    value: 'MB',
    help: `largest request body in MB (default ${limits.body.value / 2 ** 20})`,
    schema: { type: ['number', 'null'], exclusiveMinimum: 0, maximum: 2000 },
    read: (value) => {
      const size = decimal(value)
      return size !== undefined && size > 0 && size <= 2000 ? size : undefined
    },
  },
  wsCompress: {
    flag: 'ws-compress',
    value: '',
    help: 'compress messages for sockets that offer it',
    bare: 'true',
    schema: { type: 'boolean' },
    read: onOrOff,
  },
  manager: {
    flag: 'manager',
    value: '',
    help: 'serve the paths of the node manager; what it installs is listed, and never fetched',
    on: 'local',
    bare: 'true',
    schema: { type: 'boolean' },
    read: onOrOff,
  },
  epoch: {
    flag: 'epoch',
    value: 'MS',
    help: "start of the server's time in milliseconds since 1970, or now (default now; manual, instant: 2026-01-01 UTC)",
    schema: { anyOf: [{ type: 'integer', minimum: 0 }, { const: 'now' }] },
    read: (value) => (value === 'now' ? 'now' : wholeNumber(0, 8.64e15)(value)),
  },
  signedBaseUrl: {
    flag: 'signed-base-url',
    value: 'URL',
    help: 'what the signed links of hosted begin with; they work where requests name its host',
    on: 'hosted',
    schema: { type: ['string', 'null'], pattern: '^https?://[^/?#@\\s]+/?$' },
    read: hostAddress,
  },
  strictSignedLinks: {
    flag: 'strict-signed-links',
    value: '',
    help: 'refuse a signed link that comes with a key, instead of only telling of the leak',
    on: 'hosted',
    bare: 'true',
    schema: { type: 'boolean' },
    read: onOrOff,
  },
  tlsCert: {
    flag: 'tls-cert',
    value: 'FILE',
    help: 'speak HTTPS and WSS with this certificate (PEM); needs --tls-key',
    schema: { type: ['string', 'null'] },
    read: text,
  },
  tlsKey: {
    flag: 'tls-key',
    value: 'FILE',
    help: 'the private key of the certificate (PEM)',
    schema: { type: ['string', 'null'] },
    read: text,
  },
}

/** Whether a server of this deployment looks at an option. */
export const isFor = (name: OptionName, deployment: Deployment): boolean =>
  (optionTable[name].on ?? deployment) === deployment
