// The table of options from which the command line, the config file and its JSON Schema follow.

import { limits } from '../../spec/limits.ts'
import { quirks } from '../../spec/truth/quirks.ts'
import { serversOn } from './like.ts'
import type { Deployment, Place, Quirk } from '../../spec/language.ts'
import { accountsSchema, readAccounts } from './accounts.ts'
import { headerPattern } from './header-text.ts'
import { failuresSchema, readFailures } from './failures.ts'
import type { OptionName } from './server-options.ts'
import type { OptionTable } from './read.ts'

const textOrNull = { type: ['string', 'null'], minLength: 1 } as const
const onOrOff = { type: 'boolean' } as const
/** Files with node types, or the types themselves. */
const nodeTypes = {
  type: ['array', 'string', 'object', 'null'],
  minLength: 1,
  items: { type: ['string', 'object'], minLength: 1 },
} as const
/** A day: what waits for longer waits for ever. */
const MAX_DELAY_MS = 86_400_000

const quirksThat = (holds: (on: Quirk['on']) => boolean): readonly string[] =>
  Object.entries<Quirk>(quirks).flatMap(([id, { on }]) => (holds(on) ? id : []))
/** Quirks of the workflow server, whatever its deployment. Those of the webhook gateway are not among them. */
export const quirkIds = quirksThat((on) => !on.includes('gateway'))
/** Quirks that a server of this deployment, or a gateway, can be given. */
export const quirksOf = (place: Place): readonly string[] => quirksThat((on) => on.includes(place))

/** The address of a host, without a slash at its end: what stands before the path of a signed link. */
const withoutSlash = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/\/$/, '') : value

export const optionTable: OptionTable<OptionName> = {
  deployment: {
    flag: 'deployment',
    value: 'WHICH',
    help: 'local; hosted: paths below /api, keys, accounts; serve: both, two servers (default local)',
    schema: { enum: ['local', 'hosted', 'both'] },
  },
  like: {
    flag: 'like',
    value: 'NAME',
    help: `behave as a known server, ${serversOn('local', 'hosted', 'gateway').join(', ')}; other flags win over it`,
    schema: { enum: [...serversOn('local', 'hosted'), null] },
  },
  accounts: {
    flag: 'accounts',
    value: 'FILE',
    help: 'who may use a hosted server: a JSON list of {user, keys, tier, balance, ...}',
    on: 'hosted',
    schema: accountsSchema,
    readWhole: readAccounts,
  },
  failures: {
    flag: 'failures',
    value: 'FILE',
    help: 'which nodes fail: a JSON list of {class_type, node_id, user, run, exception_type, ...}',
    schema: failuresSchema,
    readWhole: readFailures,
  },
  port: {
    flag: 'port',
    value: 'PORT',
    help: 'port to listen on, the first of those needed; 0: free ones (default 8188, hosted 8189)',
    schema: { type: 'integer', minimum: 0, maximum: 65535 },
  },
  host: {
    flag: 'host',
    value: 'ADDRESS',
    help: 'address to listen on (default 127.0.0.1, reachable from this machine only)',
    schema: { type: 'string', minLength: 1 },
  },
  seed: {
    flag: 'seed',
    value: 'TEXT',
    help: 'seed of ids, names and pictures: same seed and inputs, same bytes (default 0)',
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
    help: 'milliseconds that each node and each sampling step takes (default 5)',
    schema: { type: 'number', minimum: 0, maximum: MAX_DELAY_MS },
  },
  startDelayMs: {
    flag: 'start-delay',
    value: 'MS',
    help: 'milliseconds from the answer to a submit to its run, startDelayMs in a file (default 25)',
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
    help: 'results that runs reuse: classic (those of the last graph), lru (the latest 100), none (default classic)',
    schema: { enum: ['classic', 'lru', 'none'] },
  },
  objectInfo: {
    flag: 'object-info',
    value: 'FILE',
    help: 'node types in place of the built-in ones: GET /object_info of your server, saved; may repeat',
    many: true,
    isPath: true,
    schema: nodeTypes,
  },
  nodes: {
    flag: 'nodes',
    value: 'FILE',
    help: 'further node types, in the form of GET /object_info: they win over others; may repeat',
    many: true,
    isPath: true,
    schema: nodeTypes,
  },
  models: {
    flag: 'models',
    value: 'WHICH',
    help: 'listed, or any to accept unlisted model files, which fail the run on hosted (default listed)',
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
    help: 'keep all inputs and effects in this file, one JSON object per line (both: one file each)',
    isPath: true,
    schema: textOrNull,
  },
  overwrite: {
    flag: 'overwrite',
    value: '',
    help: 'replace a journal file that is there already, instead of refusing to start',
    bare: 'true',
    schema: { type: 'boolean' },
  },
  quirk: {
    flag: 'quirk',
    value: 'ID',
    help: 'switch on another behaviour of real servers; may come more than once (flowdouble quirks)',
    many: true,
    schema: { type: 'array', items: { enum: quirkIds } },
  },
  noQuirk: {
    flag: 'no-quirk',
    value: 'ID',
    help: 'switch off a quirk that --like switches on; may come more than once',
    many: true,
    schema: { type: 'array', items: { enum: quirkIds } },
  },
  cors: {
    flag: 'cors',
    value: '[ORIGIN]',
    help: 'let pages of this origin (alone: of any) use the server, instead of refusing foreign ones',
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
    help: 'bearer token that each local request needs; --token-env keeps it out of the process list',
    on: 'local',
    secret: true,
    schema: { type: ['string', 'null'], pattern: headerPattern },
  },
  controlToken: {
    flag: 'control-token',
    value: 'TOKEN',
    help: 'bearer token with which callers from elsewhere use /_flowdouble/ (default: this machine only)',
    secret: true,
    schema: { type: ['string', 'null'], pattern: headerPattern },
  },
  maxUploadSize: {
    flag: 'max-upload-size',
    value: 'MB',
    help: `largest request body in MB (default ${limits.body.value / 2 ** 20})`,
    schema: { type: ['number', 'null'], exclusiveMinimum: 0, maximum: 2000 },
  },
  wsCompress: {
    flag: 'ws-compress',
    value: '',
    help: 'compress messages for sockets that offer it',
    bare: 'true',
    schema: onOrOff,
  },
  manager: {
    flag: 'manager',
    value: '',
    help: 'serve the paths of the node manager; what it installs is listed, and never fetched',
    on: 'local',
    bare: 'true',
    schema: onOrOff,
  },
  epoch: {
    flag: 'epoch',
    value: 'MS',
    help: "start of the server's time in milliseconds since 1970, or now (default now; manual, instant: 2026-01-01 UTC)",
    schema: { anyOf: [{ type: 'integer', minimum: 0, maximum: 8.64e15 }, { const: 'now' }] },
  },
  signedBaseUrl: {
    flag: 'signed-base-url',
    value: 'URL',
    help: 'what the signed links of hosted begin with; they work where requests name its host',
    on: 'hosted',
    schema: { type: ['string', 'null'], pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\\s]+/?$' },
    form: withoutSlash,
  },
  strictSignedLinks: {
    flag: 'strict-signed-links',
    value: '',
    help: 'refuse a signed link that comes with a key, instead of only telling of the leak',
    on: 'hosted',
    bare: 'true',
    schema: onOrOff,
  },
  tls: {
    flag: 'tls',
    value: 'auto',
    help: 'speak HTTPS and WSS with a certificate that is made now; clients trust --tls-ca FILE',
    schema: { enum: ['auto', null] },
  },
  tlsCert: {
    flag: 'tls-cert',
    value: 'FILE',
    help: 'speak HTTPS and WSS with this certificate (PEM); needs --tls-key',
    isPath: true,
    schema: textOrNull,
  },
  tlsKey: {
    flag: 'tls-key',
    value: 'FILE',
    help: 'the private key of the certificate (PEM)',
    isPath: true,
    schema: textOrNull,
  },
}

/** Whether a server of this deployment looks at an option. */
export const isFor = (name: OptionName, deployment: Deployment): boolean =>
  (optionTable[name].on ?? deployment) === deployment
