// The option table: the source of the flags, the config file and its JSON Schema.

import { limits } from '../../spec/limits.ts'
import { quirks } from '../../spec/truth/quirks.ts'
import { serversOn } from './like.ts'
import type { Deployment, Place, Quirk } from '../../spec/language.ts'
import { accountsSchema, readAccounts } from './accounts.ts'
import { headerPattern } from './header-text.ts'
import { laterOptions, localOptions, onOrOff, textOrNull } from './local-table.ts'
import { readScenarios } from './scenario.ts'
import { failuresSchema, readFailures } from './failures.ts'
import type { OptionName } from './server-options.ts'
import type { OptionTable } from './read.ts'
import { sharedOptions } from './shared-table.ts'

/** Files with node types, or the types themselves. */
const nodeTypes = {
  type: ['array', 'string', 'object', 'null'],
  minLength: 1,
  items: { type: ['string', 'object'], minLength: 1 },
} as const
/** One day: the longest delay. */
const MAX_DELAY_MS = 86_400_000

const quirksThat = (holds: (on: Quirk['on']) => boolean): readonly string[] =>
  Object.entries<Quirk>(quirks).flatMap(([id, { on }]) => (holds(on) ? id : []))
/** Quirks of the workflow server, on any deployment; not those of the webhook gateway. */
export const quirkIds = quirksThat((on) => !on.includes('gateway'))
/** Quirks of a server of this deployment, or of a gateway. */
export const quirksOf = (place: Place): readonly string[] => quirksThat((on) => on.includes(place))

/** Removes the slash at the end of a base URL: the path of a signed link follows it. */
const withoutSlash = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/\/$/, '') : value

export const optionTable: OptionTable<OptionName> = {
  deployment: {
    flag: 'deployment',
    value: 'WHICH',
    help: 'local; hosted (paths below /api, API keys, accounts); or with serve: both (default local)',
    schema: { enum: ['local', 'hosted', 'both'] },
  },
  like: {
    flag: 'like',
    value: 'NAME',
    help: `behave like a known server: ${serversOn('local', 'hosted').join(', ')}; other flags override it`,
    schema: { enum: [...serversOn('local', 'hosted'), null] },
  },
  accounts: {
    flag: 'accounts',
    value: 'FILE',
    help: 'accounts of a hosted server: a JSON array of {user, keys, tier, balance, ...}',
    on: 'hosted',
    schema: accountsSchema,
    readWhole: readAccounts,
  },
  failures: {
    flag: 'failures',
    value: 'FILE',
    help: 'nodes that fail: a JSON array of {class_type, node_id, user, run, exception_type, ...}',
    schema: failuresSchema,
    readWhole: readFailures,
  },
  scenario: {
    flag: 'scenario',
    value: 'FILE|NAME',
    help: 'what happens: its start, rules for runs and nodes, faults (flowdouble scenarios); repeatable, merged in order',
    many: true,
    // Its content is checked against scenario.schema.json.
    schema: {
      type: ['string', 'object', 'array'],
      minLength: 1,
      items: { type: ['string', 'object'], minLength: 1 },
    },
    readWhole: readScenarios,
  },
  port: {
    flag: 'port',
    value: 'PORT',
    help: 'first port to use; 0 picks free ports (default 8188, hosted 8189)',
    schema: { type: 'integer', minimum: 0, maximum: 65535 },
  },
  host: {
    flag: 'host',
    value: 'ADDRESS',
    help: 'address to listen on (default 127.0.0.1: this machine only)',
    schema: { type: 'string', minLength: 1 },
  },
  seed: {
    flag: 'seed',
    value: 'TEXT',
    help: 'seed of ids, names and pictures: the same seed and inputs give the same bytes (default 0)',
    schema: { type: ['string', 'integer'], minLength: 1 },
    form: String,
  },
  clock: {
    flag: 'clock',
    value: 'CLOCK',
    help: 'real, xN (N times as fast), instant, or manual (POST /_flowdouble/advance) (default real)',
    schema: {
      type: 'string',
      pattern: '^(real|manual|instant|x(?![0.]+$)[0-9]{1,9}([.][0-9]{1,6})?)$',
    },
  },
  pace: {
    flag: 'pace',
    value: 'MS',
    help: 'duration of each node and each sampling step in milliseconds (default 5)',
    schema: { type: 'number', minimum: 0, maximum: MAX_DELAY_MS },
  },
  startDelayMs: {
    flag: 'start-delay',
    value: 'MS',
    help: 'delay between the response to a prompt and its run in milliseconds; in a config file startDelayMs (default 25)',
    schema: { type: 'number', minimum: 0, maximum: MAX_DELAY_MS },
  },
  preview: {
    flag: 'preview',
    value: 'FORMAT',
    help: 'previews while sampling: jpeg, png or none (default jpeg)',
    schema: { enum: ['jpeg', 'png', 'none'] },
  },
  cache: {
    flag: 'cache',
    value: 'WHICH',
    help: 'which results runs reuse: classic (of the last graph), lru (the latest 100) or none (default classic)',
    schema: { enum: ['classic', 'lru', 'none'] },
  },
  objectInfo: {
    flag: 'object-info',
    value: 'FILE',
    help: 'file that replaces the built-in node types: the saved GET /object_info of your server; repeatable',
    many: true,
    isPath: true,
    schema: nodeTypes,
  },
  nodes: {
    flag: 'nodes',
    value: 'FILE',
    help: 'file with additional node types in the form of GET /object_info, which override others; repeatable',
    many: true,
    isPath: true,
    schema: nodeTypes,
  },
  for: {
    flag: 'for',
    value: 'FILE',
    help: 'a workflow that runs: adds the node types, models and input files that it needs, guessed from it; repeatable',
    many: true,
    isPath: true,
    schema: nodeTypes,
  },
  values: {
    flag: 'values',
    value: '',
    help: 'with --for, also accept values that these workflows use and the combos of known nodes do not list',
    bare: 'true',
    schema: { type: 'boolean' },
  },
  models: {
    flag: 'models',
    value: 'WHICH',
    help: 'listed, or any to accept unlisted model files, with which a hosted run fails (default listed)',
    schema: { enum: ['listed', 'any'] },
  },
  unknownNodes: {
    flag: 'unknown-nodes',
    value: 'WHAT',
    help: 'refuse, or accept to run unknown node types as pass-through (default refuse)',
    schema: { enum: ['refuse', 'accept'] },
  },
  journal: {
    flag: 'journal',
    value: 'FILE',
    help: 'record all inputs and effects in this file, one JSON object per line (with both: one file per server)',
    isPath: true,
    schema: textOrNull,
  },
  overwrite: {
    flag: 'overwrite',
    value: '',
    help: 'replace an existing journal file instead of refusing to start',
    bare: 'true',
    schema: { type: 'boolean' },
  },
  explain: {
    flag: 'explain',
    value: '',
    help: 'add to each reply X-Flowdouble-Rules: the ids of the rules behind it (flowdouble rules)',
    bare: 'true',
    schema: onOrOff,
  },
  quirk: {
    flag: 'quirk',
    value: 'ID',
    help: 'switch on a behaviour of real servers (flowdouble quirks); repeatable',
    many: true,
    schema: { type: 'array', items: { enum: quirkIds } },
  },
  noQuirk: {
    flag: 'no-quirk',
    value: 'ID',
    help: 'switch off a quirk that --like switches on; repeatable',
    many: true,
    schema: { type: 'array', items: { enum: quirkIds } },
  },
  cors: {
    flag: 'cors',
    value: '[ORIGIN]',
    help: 'allow pages of this origin (without a value: any origin) instead of rejecting foreign origins',
    on: 'local',
    bare: '*',
    takes: 'an origin such as http://localhost:3000, or *',
    schema: {
      type: ['string', 'null'],
      pattern: '^([*]|null|[A-Za-z][A-Za-z0-9+.-]*://[A-Za-z0-9._~:[\\]-]+)$',
    },
  },
  token: {
    flag: 'token',
    value: 'TOKEN',
    help: 'bearer token that each request to a local server requires; --token-env keeps it out of the process list',
    on: 'local',
    secret: true,
    schema: { type: ['string', 'null'], pattern: headerPattern },
  },
  control: {
    flag: 'no-control',
    value: '',
    help: 'do not serve the control API below /_flowdouble/',
    bare: 'false',
    schema: onOrOff,
  },
  controlToken: {
    flag: 'control-token',
    value: 'TOKEN',
    help: 'bearer token for /_flowdouble/ from other machines (default: this machine only)',
    secret: true,
    schema: { type: ['string', 'null'], pattern: headerPattern },
  },
  maxUploadSize: {
    flag: 'max-upload-size',
    value: 'MB',
    help: `largest request body in MiB (default ${limits.body.value / 2 ** 20})`,
    schema: { type: ['number', 'null'], exclusiveMinimum: 0, maximum: 2000 },
  },
  wsCompress: {
    flag: 'ws-compress',
    value: '',
    help: 'compress messages for sockets that offer it',
    bare: 'true',
    schema: onOrOff,
  },
  ...localOptions,
  ...laterOptions,
  ...sharedOptions,
  epoch: {
    flag: 'epoch',
    value: 'MS',
    help: "start of the server's time in milliseconds since 1970, or now (default now; manual, instant: 2026-01-01 UTC)",
    schema: { anyOf: [{ type: 'integer', minimum: 0, maximum: 8.64e15 }, { const: 'now' }] },
  },
  signedBaseUrl: {
    flag: 'signed-base-url',
    value: 'URL',
    help: 'base URL of the signed links of a hosted server; links work for requests that name its host',
    on: 'hosted',
    schema: { type: ['string', 'null'], pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\\s]+/?$' },
    form: withoutSlash,
  },
  strictSignedLinks: {
    flag: 'strict-signed-links',
    value: '',
    help: 'reject a signed link that is requested with a key, instead of only logging the leak',
    on: 'hosted',
    bare: 'true',
    schema: onOrOff,
  },
  tls: {
    flag: 'tls',
    value: 'auto',
    help: 'use HTTPS and WSS with a new certificate; clients must trust --tls-ca FILE',
    schema: { enum: ['auto', null] },
  },
  tlsCert: {
    flag: 'tls-cert',
    value: 'FILE',
    help: 'use HTTPS and WSS with this certificate (PEM); requires --tls-key',
    isPath: true,
    schema: textOrNull,
  },
  tlsKey: {
    flag: 'tls-key',
    value: 'FILE',
    help: 'private key of the certificate (PEM)',
    isPath: true,
    schema: textOrNull,
  },
}

/** Whether an option applies to this deployment. */
export const isFor = (name: OptionName, deployment: Deployment): boolean =>
  (optionTable[name].on ?? deployment) === deployment

/** The flag of an option, as errors name it. */
export const flagOf = (name: string): string =>
  `--${Object.hasOwn(optionTable, name) ? optionTable[name as OptionName].flag : name}`
