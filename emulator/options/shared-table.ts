// The options of a server that many teams share: a part of the option table, and what `shared` switches on.

import { limits } from '../../spec/limits.ts'
import { unknownWorlds } from '../../spec/shared.ts'
import type { OptionTable } from './read.ts'
import type { ServerOptions } from './server-options.ts'

const seconds = { type: ['number', 'null'], exclusiveMinimum: 0, maximum: 1e9 } as const

const MAX_WORLD_MIB = limits.uploads.value / 2 ** 20

/** Their names: they belong to a listener, which all worlds at an address share. */
export const sharedNames = [
  'shared',
  'publicUrl',
  'unknownWorlds',
  'worldTokens',
  'maxWorlds',
  'worldIdle',
  'worldAge',
  'memoryMib',
  'state',
  'stateEvery',
] as const

/** Those of each world. */
const quotaNames = ['worldMib', 'worldRuns'] as const

type SharedName = (typeof sharedNames)[number] | (typeof quotaNames)[number]

export const sharedOptions: OptionTable<SharedName> = {
  shared: {
    flag: 'shared',
    value: '',
    help: 'be shared by many: --world-tokens, --unknown-worlds refuse, --world-idle 3600, --world-mib 64, --world-runs 1000, --memory-mib 96, --preview none; needs --control-token',
    bare: 'true',
    schema: { type: 'boolean' },
  },
  publicUrl: {
    flag: 'public-url',
    value: 'URL',
    help: 'base of the addresses of worlds, if clients reach the server through a proxy',
    schema: { type: ['string', 'null'], pattern: '^https?://[^\\s/?#]+[^\\s?#]*$' },
    takes: 'a URL such as https://flows.example',
    form: (value) => (typeof value === 'string' ? value.replace(/\/+$/, '') : value),
  },
  unknownWorlds: {
    flag: 'unknown-worlds',
    value: 'WHAT',
    help: 'what a path below the name of no world means: root (as without worlds), refuse, or create (default root)',
    schema: { enum: [...unknownWorlds] },
  },
  worldTokens: {
    flag: 'world-tokens',
    value: '',
    help: 'give each new world a token, which alone opens its control paths; needs --control-token, which creates worlds',
    bare: 'true',
    schema: { type: 'boolean' },
  },
  maxWorlds: {
    flag: 'max-worlds',
    value: 'N',
    help: `how many worlds there are below /w/NAME at most (default ${limits.worlds.value})`,
    schema: { type: 'integer', minimum: 1, maximum: limits.worlds.value },
  },
  worldIdle: {
    flag: 'world-idle',
    value: 'S',
    help: 'close worlds below /w/NAME that nobody has used for so many seconds (default never)',
    schema: seconds,
  },
  worldAge: {
    flag: 'world-age',
    value: 'S',
    help: 'close worlds below /w/NAME after so many seconds (default never)',
    schema: seconds,
  },
  memoryMib: {
    flag: 'memory-mib',
    value: 'MIB',
    help: 'how many MiB all worlds take together, about: beyond it the oldest of their histories and journals goes (default no limit)',
    schema: { type: ['number', 'null'], exclusiveMinimum: 0, maximum: 1e6 },
  },
  worldMib: {
    flag: 'world-mib',
    value: 'MIB',
    help: `how many MiB of uploads a world stores at most, and of waiting workflows (default ${MAX_WORLD_MIB}; of a hosted one: each account)`,
    schema: { type: 'number', exclusiveMinimum: 0, maximum: MAX_WORLD_MIB },
  },
  worldRuns: {
    flag: 'world-runs',
    value: 'N',
    help: 'how many runs of a world wait at most (default any number; of a hosted one: each account)',
    schema: { type: ['integer', 'null'], minimum: 1, maximum: 1e9 },
  },
  state: {
    flag: 'state',
    value: 'DIR',
    help: 'save all worlds in this folder at the end and every --state-every seconds, and continue with those in it',
    isPath: true,
    schema: { type: ['string', 'null'], minLength: 1 },
  },
  stateEvery: {
    flag: 'state-every',
    value: 'S',
    help: 'how often --state saves the worlds that have changed, in seconds (default 30)',
    schema: { type: 'number', exclusiveMinimum: 0, maximum: 86_400 },
  },
}

/** The path of a public URL, below which a proxy has the paths of the server; empty without one. */
export const publicPathOf = ({ publicUrl }: Pick<ServerOptions, 'publicUrl'>): string =>
  publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')

/** What `shared` changes of the defaults. */
export const sharedDefaults: Partial<ServerOptions> = {
  worldTokens: true,
  unknownWorlds: 'refuse',
  worldIdle: 3600,
  worldMib: 64,
  worldRuns: 1000,
  memoryMib: 96,
  preview: 'none',
}
